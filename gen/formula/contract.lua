--- The contract, number 1: everything that decides the bits of a result, and nothing else.
--
-- Lanes, blocks, the tree, the pivot of the variance and the places of fused multiply-adds are fixed here by the row
-- length alone. docs/numerics.md tells the same in prose with the error bounds and their proofs.

local e = require "gen.formula.expr"
local elementary = require "gen.formula.elementary"

local contract = { version = 1 }

--- Longest row that is summed as one block, the longest block of a longer row, and what a block's length is a multiple of.
local ONE_BLOCK, LONGEST_BLOCK, UNIT = 1024, 4096, 64

--- Lanes of a sum in this type: 256 bytes of them.
function contract.lanes(acc) return acc == "f64" and 32 or 64 end

--- How a sum over `n` elements is cut: `count` blocks (a power of two) of `length` elements; the last one may be short.
-- (The rule allows empty last blocks, too; up to 65536 elements there is none.)
function contract.blocks(n)
  if n <= ONE_BLOCK then return { count = 1, length = n } end
  local count = 2
  local function length() return UNIT * math.ceil(n / (UNIT * count)) end
  while length() > LONGEST_BLOCK do count = count * 2 end
  return { count = count, length = length() }
end

--- Elements in the head of a row of `n`: the smallest power of two that is at least n / 64.
-- @param most how many it may have at the most, or nil: then it is the largest power of two that this allows
function contract.head(n, most)
  local m = 1
  while m * UNIT < n and m * 2 <= (most or n) do m = m * 2 end
  return m
end

--- Longest chunk of values that are summed over an outer index, and the longest run of them (docs/numerics.md, "Norms over
-- other axes"). A chunk of whole rows of positions has at most so many stripes.
contract.CHUNK, contract.RUN, contract.STRIPES = 4096, 64, 64

--- sum(v) / n: a division, never a product with 1/n. `n` is a number, or the name of a count.
local function mean(v, n) return e.sum(v, n) / e.count(n) end

--- The mean of the first m elements. The sum of one element is that element, plus +0 where lanes start.
local function head_mean(v, m)
  if m ~= 1 then return mean(v, m) end
  local of_row = {}
  e.walk(v, function(node) of_row[node] = node.domain == "row" and node or nil end, {})
  local first = e.rewrite(v, function(node)
    if node.op == "load" then return e.first(node) end
    return node.label and node:rename(node.label:gsub("_first$", "") .. "_first") or node
  end, of_row)
  return first + 0
end

--- Mean and variance in one sweep around the pivot `mu`, which has the type of an element (docs/numerics.md, "Variance").
-- @param center "full" where the pivot is the mean of the whole row, else false: of its head
local function moments(x, n, center)
  local head = type(n) == "number" and contract.head(n) or "head"
  local pivot = center == "full" and mean(x, n) or head_mean(x, head)
  local mu = e.convert(x.type, pivot):as "mu"
  local d = (x - mu):as "d"
  local delta = mean(d, n):as "delta"
  local variance = e.clamp0(mean(d * d, n) - delta * delta):as "variance"
  return { centered = d - delta, variance = variance, mean = (mu + delta):as "mean" }
end

--- a * b + c as one fused operation, or nil if there is no product. A product that meets a sum in any other way is not in
-- the contract.
local function fused_form(node, a, b)
  if node.op == "add" and a.op == "mul" and b.op ~= "mul" then return e.fma(a[1], a[2], b) end
  if node.op == "add" and b.op == "mul" and a.op ~= "mul" then return e.fma(b[1], b[2], a) end
  if node.op == "sub" and b.op == "mul" and a.op ~= "mul" then return e.fnma(b[1], b[2], a) end
  assert(a.op ~= "mul" and b.op ~= "mul", "a product meets a sum without a fused operation")
end

local function fuse(node)
  if node.op ~= "add" and node.op ~= "sub" then return node end
  local form = fused_form(node, node[1], node[2])
  return form and form:as(node.label) or node
end

--- A function that replaces words by what `expand` has for them, and then fuses; one serves all nodes of a problem.
local function stepper(expand)
  local expanded, fused = {}, {}
  local function step(node)
    local rule, sequence = expand[node.op], elementary[node.op]
    if sequence then return sequence(node[1]):shown_as(node.op, node[1]) end
    return rule and rule(node) or node
  end
  return function(node) return e.rewrite(e.rewrite(node, step, expanded), fuse, fused) end
end

--- The value that a running value moves to.
-- @param rule "torch": momentum is the weight of the batch; "onnx": that of the old value
local function moved(rule, running, batch, momentum)
  if rule == "onnx" then return batch + momentum * (running - batch) end
  return running + momentum * (batch - running)
end

--- Statistics of a chunk of values `x`: `{ name, node }` in order. "moments" are those around the mean of the chunk's head;
-- "squares" have m2 alone, their sum.
-- @param n values in the chunk, or nil where they are counted when the kernel is called, as "head" and "chunk"
function contract.chunk(x, sums, n)
  local list
  if sums == "moments" then
    local mu = head_mean(x, n and contract.head(n) or "head"):as "mu"
    local d = (x - mu):as "d"
    local total = e.sum(d, n or "chunk")
    local delta = (total / e.count(n or "chunk")):as "delta"
    local m2 = e.clamp0(e.sum(d * d, n or "chunk") - delta * total):as "m2"
    list = { { name = "mu", node = mu }, { name = "delta", node = delta }, { name = "m2", node = m2 } }
  else
    list = { { name = "m2", node = e.sum(x * x, n or "chunk") } }
  end
  local memo = {}
  for _, entry in ipairs(list) do entry.node = e.rewrite(entry.node, fuse, memo) end
  return list
end

--- The statistics of two sets of values from those of the left and the right one (`mu_left`, ...), counts "left", "right" and
-- "both" (Chan, Golub and LeVeque 1979, about a pivot that is near both means): `{ name, node }` in order.
function contract.merge(sums)
  local function left(name) return e.statistic(name .. "_left") end
  local function right(name) return e.statistic(name .. "_right") end
  local m2 = left "m2" + right "m2"
  if sums == "squares" then return { { name = "m2", node = m2 } } end
  local weight = (e.count "right" / e.count "both"):as "weight"
  local difference = ((right "mu" - left "mu") + (right "delta" - left "delta")):as "difference"
  local share = e.count "left" * weight
  local list = { { name = "mu", node = left "mu" }, { name = "delta", node = difference * weight + left "delta" },
    { name = "m2", node = difference * difference * share + m2 } }
  local memo = {}
  for _, entry in ipairs(list) do entry.node = e.rewrite(entry.node, fuse, memo) end
  return list
end

--- The step that replaces the norms' words where statistics have been merged from chunks: `mu`, `delta` and `m2` of "all" values.
-- @param rule how running values move
function contract.results(rule)
  local function statistic(name) return e.statistic(name) end
  local expand = {
    mean = function() return statistic "m2" / e.count "all" end,
    center = function(node) return (node[1] - statistic "mu") - statistic "delta" end,
    var = function() return (statistic "m2" / e.count "all"):as "variance" end,
    unbiased_var = function() return statistic "m2" / e.count "all_but_one" end,
    center_mean = function() return (statistic "mu" + statistic "delta"):as "mean" end,
    moved = function(node) return moved(rule, node[1], node[2], node[3]) end,
  }
  return stepper(expand)
end

--- The step that replaces the norms' words by the arithmetic of the contract.
-- @param n elements in a row: a number, or "all" where they are counted when the kernel is called
-- @param center "full" or false
-- @return function from a node to its successor, which is made of load, first, arg, const, add, sub, mul, div, fma, fnma, sqrt,
--   clamp0, max, nonzero, abs, round, convert, pin and sum only; one function serves all nodes of a problem
function contract.expander(n, center)
  local expand = {
    total = function(node) return e.sum(node[1], n) end,
    mean = function(node) return mean(node[1], n) end,
    center = function(node) return moments(node[1], n, center).centered end,
    var = function(node) return moments(node[1], n, center).variance end,
    center_mean = function(node) return moments(node[1], n, center).mean end,
  }
  return stepper(expand)
end

--- Roundings that one term of a sum can pass through: stripes of a block, the tree, the blocks (docs/numerics.md).
function contract.depth(n, acc)
  local blocks, lanes = contract.blocks(n), contract.lanes(acc)
  local depth = math.ceil(blocks.length / lanes) + (acc == "f64" and 5 or 6)
  local count = blocks.count
  while count > 1 do
    depth, count = depth + 1, count / 2
  end
  return depth
end

return contract
