--- The interpreter of expression graphs: what the contract says about given numbers, in exact arithmetic.
--
-- Knows nothing of lowering and targets, and so is a second opinion on every kernel.

local arithmetic = require "gen.golden.arithmetic"
local contract = require "gen.formula.contract"

local interpreter = {}

--- The value of every scalar argument.
local SCALAR = 0.8125

local Row = {}
Row.__index = Row

--- The values of a node along the row, whatever its domain.
function Row:values(node)
  local value = self:evaluate(node)
  if type(value) == "table" then return value end
  local list = {}
  for i = 1, self.n do list[i] = value end
  return list
end

local function pointwise(f)
  return function(row, node)
    local round = arithmetic.round[node.type]
    if node.scope ~= "element" and node.scope ~= "column" then
      return round(f(row:evaluate(node[1]), node[2] and row:evaluate(node[2])))
    end
    local a, b, list = row:values(node[1]), row:values(node[2] or node[1]), {}
    for i = 1, row.n do list[i] = round(f(a[i], b[i])) end
    return list
  end
end

--- An operator of three operands, from a function that gives it for a type.
local function of_three(operator)
  return function(row, node)
    local f = operator(node.type)
    if node.scope ~= "element" and node.scope ~= "column" then
      return f(row:evaluate(node[1]), row:evaluate(node[2]), row:evaluate(node[3]))
    end
    local a, b, c, list = row:values(node[1]), row:values(node[2]), row:values(node[3]), {}
    for i = 1, row.n do list[i] = f(a[i], b[i], c[i]) end
    return list
  end
end

local function negated_fma(of_type)
  local fma = arithmetic.fma[of_type]
  return function(a, b, c) return fma(-a, b, c) end
end

--- The sum of lanes that elements first to last are added to, `add(lane, i)` for each, then by the halving tree.
local function lane_sum(first, last, count, round, add, lane_of)
  local lanes = {}
  for j = 0, count - 1 do lanes[j] = 0.0 end
  for i = first, last do
    local j = lane_of(i)
    lanes[j] = add(lanes[j], i)
  end
  local width = count / 2
  while width >= 1 do
    for j = 0, width - 1 do lanes[j] = round(lanes[j] + lanes[j + width]) end
    width = width / 2
  end
  return lanes[0]
end

local function pairwise(sums, round)
  while #sums > 1 do
    local halved = {}
    for i = 1, #sums / 2 do halved[i] = round(sums[2 * i - 1] + sums[2 * i]) end
    sums = halved
  end
  return sums[1]
end

--- How the first `count` elements of a row are added, `add(sum, i)` for each: in blocks of lanes; in lanes that the row names
-- (`lane_of`, by element); or, where it says so (`in_runs`), run by run.
local function ordered_sum(row, count, of_type, add)
  local round = arithmetic.round[of_type]
  if row.in_runs then
    local total = 0.0
    for first = 1, count, contract.RUN do
      local run = 0.0
      for i = first, math.min(first + contract.RUN - 1, count) do run = add(run, i) end
      total = round(total + run)
    end
    return total
  end
  local lanes = contract.lanes(of_type)
  if row.lane_of then return lane_sum(1, count, lanes, round, add, function(i) return row.lane_of[i] end) end
  local blocks, sums = contract.blocks(count), {}
  for k = 1, blocks.count do
    local first = (k - 1) * blocks.length + 1
    local last = math.min(first + blocks.length - 1, count)
    sums[k] = lane_sum(first, last, lanes, round, add, function(i) return (i - first) % lanes end)
  end
  return pairwise(sums, round)
end

local function sum(row, node)
  local term, round, fma = node[1], arithmetic.round[node.type], arithmetic.fma[node.type]
  local add
  if term.op == "mul" then
    local a, b = row:values(term[1]), row:values(term[2])
    add = function(lane, i) return fma(a[i], b[i], lane) end
  else
    local values = row:values(term)
    add = function(lane, i) return round(lane + values[i]) end
  end
  return ordered_sum(row, row.counts[node.count] or node.count, node.type, add)
end

local function same(v) return v end

--- The largest magnitude of a node; golden rows have no NaN.
local function largest(row, node)
  local most = 0.0
  for _, value in ipairs(row:values(node[1])) do most = math.max(most, math.abs(value)) end
  return most
end

--- The operators that gen/formula/contract.lua leaves in a graph.
local OPERATORS = {
  add = pointwise(function(a, b) return a + b end),
  sub = pointwise(function(a, b) return a - b end),
  mul = pointwise(function(a, b) return a * b end),
  div = pointwise(function(a, b) return a / b end),
  sqrt = pointwise(math.sqrt),
  clamp0 = pointwise(function(v) return v < 0 and 0.0 or v end),
  max = pointwise(function(a, b) return b > a and b or a end),
  nonzero = pointwise(function(a, b) return a == 0 and b or a end),
  abs = pointwise(math.abs),
  pow2 = pointwise(function(v) return 2 ^ (v - 12582912) end),
  convert = pointwise(same), pin = pointwise(same),
  round = function(row, node) return pointwise(arithmetic.round[node.dtype])(row, node) end,
  fma = of_three(function(of_type) return arithmetic.fma[of_type] end), fnma = of_three(negated_fma),
  pick = of_three(function() return function(a, b, c) return a < 0 and b or c end end),
  sum = sum, amax = largest,
  const = function(_, node) return node.value + 0.0 end,
  arg = function() return SCALAR end,
  load = function(row, node) return row.load(node) end,
  first = function(row, node) return row.load(node)[1] end,
  count = function(row, node) return arithmetic.round[node.type](row.counts[node.name]) end,
}

--- The value of a node: a number, or an array along the row.
function Row:evaluate(node)
  local memo = node.scope == "column" and self.columns or self.memo
  local value = memo[node]
  if not value then
    value = OPERATORS[node.op](self, node)
    memo[node] = value
  end
  return value
end

--- A row of elements.
-- @param row `{ n= (elements), load= (function(node): an array, or the number of a row value), columns= (memo of values that rows
--   share, or nil), counts= (numbers by the names of counts, or nil), known= (values by node, or nil), in_runs=, lane_of= (the
--   order of sums) }`
-- @return an object with the methods `evaluate(node)` (a number, or an array along the row) and `values(node)` (an array)
function interpreter.row(row)
  row.columns, row.memo, row.counts = row.columns or {}, row.known or {}, row.counts or {}
  return setmetatable(row, Row)
end

return interpreter
