--- The contract, number 1: everything that decides the bits of a result, and nothing else.
--
-- Lanes, blocks, the tree, the pivot of the variance and the places of fused multiply-adds are fixed here by the row
-- length alone. docs/numerics.md tells the same in prose with the error bounds and their proofs.

local activations = require "gen.formula.activations"
local e = require "gen.formula.expr"

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

--- How the values of a set are added, from where they lie in memory: "lanes", where they are neighbours; "pieces", where only those
-- along the innermost axis are, which are added in lanes, chunk by chunk; "runs", where neighbours belong to different sets.
-- @param memory axes of an element, outermost first
-- @param over axes that the sum takes away
function contract.order(memory, over)
  local is_over = {}
  for _, axis in ipairs(over) do is_over[axis] = true end
  if not is_over[memory[#memory]] then return "runs" end
  local length = #memory
  while length > 1 and is_over[memory[length - 1]] do length = length - 1 end
  return #memory - length + 1 == #over and "lanes" or "pieces"
end

--- sum(v) / n: a division, never a product with 1/n. `n` is a number, or the name of a count.
local function mean(v, n) return e.sum(v, n) / v.domain.graph:count(n) end

--- The same for a mean that will meet a sum. Compilers make a product of a division by a power of two, and fuse products with
-- additions, so that a subnormal mean would not be rounded.
local function pinned_mean(v, n) return e.pin(mean(v, n)) end

--- The mean of the first m elements. The sum of one element is that element, plus +0 where lanes start.
local function head_mean(v, m)
  if m ~= 1 then return pinned_mean(v, m) end
  local of_row = {}
  e.walk(v, function(node) of_row[node] = node.scope == "row" and node or nil end, {})
  local first = e.rewrite(v, function(node)
    if node.op == "load" then return e.first(node) end
    return node.label and node:rename(node.label:gsub("_first$", "") .. "_first") or node
  end, of_row)
  return first + 0
end

--- The statistics of values around a pivot, in one sweep (docs/numerics.md, "Variance").
-- @param n how many there are: a number, or the name of a count
-- @param center "full" where the pivot is the mean of them all, else false: of their head, which has the name "head" where n is no
--   number
local function moments(x, n, center)
  local head = type(n) == "number" and contract.head(n) or "head"
  local pivot = center == "full" and pinned_mean(x, n) or head_mean(x, head)
  local mu = e.convert(x.type, pivot):as "mu"
  local d = (x - mu):as "d"
  local delta = pinned_mean(d, n):as "delta"
  return { pivot = mu, deviation = d, delta = delta, centered = d - delta }
end

--- What words of the norms are made of, where all values of a set are summed together.
local function words_of(n, center)
  return {
    total = function(x) return e.sum(x, n) end,
    mean = function(x) return pinned_mean(x, n) end,
    center = function(x) return moments(x, n, center).centered end,
    center_mean = function(x)
      local its = moments(x, n, center)
      return (its.pivot + its.delta):as "mean"
    end,
    var = function(x)
      local its = moments(x, n, center)
      return e.clamp0(mean(its.deviation * its.deviation, n) - its.delta * its.delta):as "variance"
    end,
    pivot = function(x) return moments(x, n, center).pivot end,
    shift = function(x) return moments(x, n, center).delta end,
    m2 = function(x)
      local its = moments(x, n, center)
      return e.clamp0(e.sum(its.deviation * its.deviation, n) - its.delta * e.sum(its.deviation, n)):as "m2"
    end,
  }
end

--- Whether compilers may fuse a value with an addition that it meets: a product, and a quotient by a number that they may know,
-- which is a product to them if that is a power of two. Of what is read element by element they know nothing.
function contract.is_fusible(node)
  if node.op == "convert" then return contract.is_fusible(node[1]) end
  return node.op == "mul" or node.op == "div" and (node[2].scope == "uniform" or node[2].scope == "row")
end

--- a * b + c as one fused operation, or nil if there is no product. A product that meets a sum in any other way is not in
-- the contract, and a quotient must be pinned.
local function fused_form(node, a, b)
  if node.op == "add" and a.op == "mul" and b.op ~= "mul" then return e.fma(a[1], a[2], b) end
  if node.op == "add" and b.op == "mul" and a.op ~= "mul" then return e.fma(b[1], b[2], a) end
  if node.op == "sub" and b.op == "mul" and a.op ~= "mul" then return e.fnma(b[1], b[2], a) end
  assert(not contract.is_fusible(a) and not contract.is_fusible(b), "a product or a quotient meets a sum: fuse or pin it")
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
    local rule, activation = expand[node.op], activations.named[node.op]
    if activation then return activation.sequence(node[1]):shown_as(node.op, node[1]) end
    return rule and rule(node[1], node[2], node[3]) or node
  end
  return function(node) return e.rewrite(e.rewrite(node, step, expanded), fuse, fused) end
end

--- The value that a running value moves to.
-- @param rule "torch": momentum is the weight of the batch; "onnx": that of the old value
local function moved(rule, running, batch, momentum)
  if rule == "onnx" then return batch + momentum * (running - batch) end
  return running + momentum * (batch - running)
end

--- What a set of values has that can be merged with that of others, in order: names, the words that give it, and the argument in
-- which a kernel has it. "moments" are those around the mean of the values' head; "squares" have m2 alone, the sum of squares.
contract.STATISTICS = {
  moments = { { name = "mu", of = e.pivot, argument = "mean" }, { name = "delta", of = e.shift, argument = "shift" },
    { name = "m2", of = e.m2, argument = "m2" } },
  squares = { { name = "m2", of = function(x) return e.total(x * x) end, argument = "m2" } },
}

--- The statistics of a chunk of values `x`, which are counted when the kernel is called, as "head" and "chunk": `{ name, node }`.
function contract.chunk(x, sums)
  local list, expand = {}, contract.expander("chunk", false)
  for i, statistic in ipairs(contract.STATISTICS[sums]) do list[i] = { name = statistic.name, node = expand(statistic.of(x)) } end
  return list
end

--- The statistics of two sets of values from those of the left and the right one (`mu_left`, ...), counts "left", "right" and
-- "both" (Chan, Golub and LeVeque 1979, about a pivot that is near both means): `{ name, node }` in order.
function contract.merge(graph, sums)
  local function left(name) return graph:statistic(name .. "_left") end
  local function right(name) return graph:statistic(name .. "_right") end
  local m2 = left "m2" + right "m2"
  if sums == "squares" then return { { name = "m2", node = m2 } } end
  local weight = (graph:count "right" / graph:count "both"):as "weight"
  local difference = ((right "mu" - left "mu") + (right "delta" - left "delta")):as "difference"
  local share = graph:count "left" * weight
  local list = { { name = "mu", node = left "mu" }, { name = "delta", node = difference * weight + left "delta" },
    { name = "m2", node = difference * difference * share + m2 } }
  local memo = {}
  for _, entry in ipairs(list) do entry.node = e.rewrite(entry.node, fuse, memo) end
  return list
end

--- The step that replaces the norms' words where statistics have been merged from chunks: `mu`, `delta` and `m2` of "all" values.
-- @param rule how running values move
function contract.results(rule)
  local function statistic(x, name) return x.domain.graph:statistic(name) end
  local function mean_square(x, count) return e.pin(statistic(x, "m2") / x.domain.graph:count(count)) end
  return stepper {
    mean = function(x) return mean_square(x, "all") end,
    center = function(x) return (x - statistic(x, "mu")) - statistic(x, "delta") end,
    var = function(x) return mean_square(x, "all"):as "variance" end,
    unbiased_var = function(x) return mean_square(x, "all_but_one") end,
    center_mean = function(x) return (statistic(x, "mu") + statistic(x, "delta")):as "mean" end,
    pivot = function(x) return statistic(x, "mu") end,
    shift = function(x) return statistic(x, "delta") end,
    m2 = function(x) return statistic(x, "m2") end,
    moved = function(running, batch, momentum) return moved(rule, running, batch, momentum) end,
  }
end

--- The step that replaces the norms' words by the arithmetic of the contract.
-- @param n elements of a set: a number, or the name of a count that is known when the kernel is called
-- @param center "full" or false
-- @return function from a node to its successor, which is made of load, first, arg, const, add, sub, mul, div, fma, fnma, sqrt,
--   clamp0, max, nonzero, abs, round, convert, pin, sum and count only; one function serves all nodes of a problem
function contract.expander(n, center) return stepper(words_of(n, center)) end

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
