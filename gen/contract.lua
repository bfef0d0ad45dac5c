--- The contract, number 1: everything that decides the bits of a result, and nothing else.
--
-- Lanes, blocks, the tree, the pivot of the variance and the places of fused multiply-adds are fixed here by the row
-- length alone. docs/numerics.md tells the same in prose with the error bounds and their proofs.

local e = require "gen.expr"

local contract = { version = 1, compute = "f32", acc = "f32", lanes = 64 }

--- Longest row that is summed as one block, and the longest block of a longer row (elements).
local ONE_BLOCK, LONGEST_BLOCK = 1024, 4096

--- How a sum over `n` elements is cut: `count` blocks (a power of two) of `length` elements; the last one may be short.
-- (The rule allows empty last blocks, too; up to 65536 elements there is none.)
function contract.blocks(n)
  if n <= ONE_BLOCK then return { count = 1, length = n } end
  local count, lanes = 2, contract.lanes
  local function length() return lanes * math.ceil(n / (lanes * count)) end
  while length() > LONGEST_BLOCK do count = count * 2 end
  return { count = count, length = length() }
end

--- Elements in the head of a row of `n`: the smallest power of two that is at least n / lanes.
function contract.head(n)
  local m = 1
  while m * contract.lanes < n do m = m * 2 end
  return m
end

--- sum(v) / n: a division, never a product with 1/n.
local function mean(v, n) return e.sum(v, n) / n end

--- The mean of the first m elements. The sum of one element is that element, plus +0 where lanes start.
local function head_mean(v, n)
  local m = contract.head(n)
  if m > 1 then return mean(v, m) end
  local first = e.rewrite(v, function(node) return node.op == "load" and e.first(node) or node end, {})
  return first + 0
end

--- Mean and variance in one sweep around the pivot `mu` (docs/numerics.md, "Variance").
local function moments(x, n)
  local mu = head_mean(x, n):as "mu"
  local d = (x - mu):as "d"
  local delta = mean(d, n):as "delta"
  local v = e.clamp0(mean(d * d, n) - delta * delta):as "variance"
  return { centered = d - delta, variance = v }
end

--- a * b + c becomes one fused operation. A product that meets a sum in any other way is not in the contract.
local function fuse(node)
  local a, b = node[1], node[2]
  if node.op == "add" and a.op == "mul" and b.op ~= "mul" then return e.fma(a[1], a[2], b) end
  if node.op == "add" and b.op == "mul" and a.op ~= "mul" then return e.fma(b[1], b[2], a) end
  if node.op == "sub" and b.op == "mul" and a.op ~= "mul" then return e.fnma(b[1], b[2], a) end
  assert(not ((node.op == "add" or node.op == "sub") and (a.op == "mul" or b.op == "mul")),
    "a product meets a sum without a fused operation")
  return node
end

--- Replaces the norms' words by the arithmetic of the contract.
-- @param outputs array of `{ name=, dtype=, node= }`, each node over rows of `n` elements
-- @return the same array with nodes made of load, first, arg, const, add, sub, mul, div, fma, fnma, sqrt, clamp0,
--   round and sum only
function contract.expand(outputs, n)
  local expand = {
    mean = function(node) return mean(node[1], n) end,
    center = function(node) return moments(node[1], n).centered end,
    var = function(node) return moments(node[1], n).variance end,
  }
  local expanded, fused, result = {}, {}, {}
  for i, output in ipairs(outputs) do
    local node = e.rewrite(output.node, function(v)
      local rule = expand[v.op]
      return rule and rule(v) or v
    end, expanded)
    result[i] = { name = output.name, dtype = output.dtype, node = e.rewrite(node, fuse, fused) }
  end
  return result
end

--- Roundings that one term of a sum can pass through: stripes of a block, the tree, the blocks (docs/numerics.md).
function contract.depth(n)
  local blocks = contract.blocks(n)
  local stripes = math.ceil(blocks.length / contract.lanes)
  local depth = math.min(stripes, contract.lanes) + 6
  local count = blocks.count
  while count > 1 do
    depth, count = depth + 1, count / 2
  end
  return depth
end

return contract
