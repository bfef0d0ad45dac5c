--- Golden rows: what the contract says about a few small rows, computed by interpreting a problem's expressions in Lua.
--
-- Knows nothing of lowering and targets, and so is a second opinion on every kernel. templates/selftest.c holds the
-- same inputs and the same hash in C. No input comes near over- or underflow.

local arithmetic = require "gen.arithmetic"
local contract = require "gen.contract"
local shape = require "gen.shape"

local golden = {}

--- How many different rows there are: row r of a self-test is row r % 7, so that values swapped between rows of a block,
-- of which there are 2, 4 or 8, are found.
golden.period = 7

--- The value of every scalar argument.
local SCALAR = 0.8125

--- 2^32, and the prime of the hash with its factors: whole numbers, with which Lua 5.4 is faster.
local WORD, PRIME, FACTOR, OTHER = 4294967296, 4294967291, 65599, 1000003

--- A row of pseudo-random numbers in [-1, 3) that have the precision of the dtype (32 bits for f64).
-- @param stream number of the argument in call order, from 0
-- @param row row number; rows of a period differ
local function random_row(dtype, n, stream, row)
  local bits = math.min(arithmetic.formats[dtype].precision, 32)
  local cut, unit = 2 ^ (32 - bits), 2 ^ (bits - 2)
  local state = (stream * golden.period + row + 1) * 123456789 % WORD
  local values = {}
  for i = 1, n do
    state = (state * 1664525 + 1013904223) % WORD
    values[i] = (math.floor(state / cut) - unit) / unit
  end
  return values
end

--- A golden row, or a part of one: `n` elements, the row's `number`, the number of the `part`, the `problem`, the `streams` of
-- arguments by name, and memos: of values of its own, and of `columns`, which all rows share.
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
    if node.domain ~= "element" and node.domain ~= "column" then
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
    if node.domain ~= "element" and node.domain ~= "column" then
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

--- The lanes of a block, as the contract fills them: elements first to last, `add(lane, i)` for each.
local function block_sum(first, last, count, round, add)
  local lanes = {}
  for j = 0, count - 1 do lanes[j] = 0.0 end
  for i = first, last do
    local j = (i - first) % count
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
  local blocks, sums = contract.blocks(node.count), {}
  for k = 1, blocks.count do
    local first = (k - 1) * blocks.length + 1
    sums[k] = block_sum(first, math.min(first + blocks.length - 1, node.count), contract.lanes(node.type), round, add)
  end
  return pairwise(sums, round)
end

local function same(v) return v end

--- What an argument has for the row, or for its part. A batch is one row.
local function loaded(row, node)
  local problem = row.problem
  local argument = row.arguments[node.name]
  local axes = argument.shape
  local columns = shape.elements(axes, { rows = 1, batch = 1, h = problem.h })
  local is_of_row = axes[1] == "rows" or axes[1] == "batch"
  local values = random_row(node.dtype, columns, row.streams[node.name], is_of_row and row.number or 0)
  if columns == row.n or columns < problem.h then return values end
  local part = {}
  for i = 1, row.n do part[i] = values[row.part * row.n + i] end
  return part
end

--- The largest magnitude of a node; golden rows have no NaN.
local function largest(row, node)
  local most = 0.0
  for _, value in ipairs(row:values(node[1])) do most = math.max(most, math.abs(value)) end
  return most
end

--- The operators that gen/contract.lua leaves in a graph.
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
  load = function(row, node)
    local values = loaded(row, node)
    return node.domain == "row" and values[1] or values
  end,
  first = function(row, node) return loaded(row, node)[1] end,
}

--- The value of a node: a number, or an array along the row.
function Row:evaluate(node)
  local memo = node.domain == "column" and self.columns or self.memo
  local value = memo[node]
  if not value then
    value = OPERATORS[node.op](self, node)
    memo[node] = value
  end
  return value
end

--- The hash goes on with an output: two polynomials modulo a prime, over the low and the high 32 bits of each element.
-- @return the two values, from the two before it
local function hash_values(a, b, dtype, values)
  local round = arithmetic.round[dtype]
  for _, value in ipairs(values) do
    local low, high = arithmetic.bits(dtype, round(value))
    a = ((a * FACTOR + low) % PRIME * FACTOR + high) % PRIME
    b = ((b * OTHER + low) % PRIME * OTHER + high) % PRIME
  end
  return a, b
end

--- The hash of a row: of its outputs in call order, of each all parts.
local function row_hash(parts, problem)
  local outputs, a, b = {}, 0, 0
  for _, output in ipairs(problem.outputs) do outputs[output.name] = output end
  for _, argument in ipairs(problem.args) do
    local output = argument.io == "out" and outputs[argument.name]
    for _, part in ipairs(output and parts or {}) do
      local value = part:evaluate(output.node)
      a, b = hash_values(a, b, output.dtype, type(value) == "table" and value or { value })
    end
  end
  return ("0x%08x%08xu"):format(a, b)
end

--- Hashes of the outputs of a problem's first golden rows, as C literals of 64 bits.
-- @param problem problem (gen/problem.lua)
-- @param rows how many rows; more than a period are not different
-- @return array of strings
function golden.hashes(problem, rows)
  local list, streams, columns, arguments = {}, {}, {}, {}
  for i, argument in ipairs(problem.args) do
    if argument.io == "in" then streams[argument.name], arguments[argument.name] = i - 1, argument end
  end
  for i = 1, math.min(rows, golden.period) do
    local parts = {}
    for part = 1, problem.parts do
      parts[part] = setmetatable({ n = problem.n, number = i - 1, part = part - 1, problem = problem, arguments = arguments,
        streams = streams, columns = columns, memo = {} }, Row)
    end
    list[i] = row_hash(parts, problem)
  end
  return list
end

return golden
