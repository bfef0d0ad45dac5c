--- Golden rows: what the contract says about a few small rows, computed by interpreting a problem's expressions in Lua.
--
-- Knows nothing of lowering and targets, and so is a second opinion on every kernel. templates/selftest.c holds the
-- same inputs and the same hash in C. No input comes near over- or underflow.

local arithmetic = require "gen.golden.arithmetic"
local channels = require "gen.golden.channels"
local interpreter = require "gen.golden.interpreter"
local shape = require "gen.problem.shape"

local golden = {}

--- How many different rows there are: row r of a self-test is row r % 7, so that values swapped between rows of a block,
-- of which there are 2, 4 or 8, are found.
golden.period = 7

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

--- What an argument has for the row, or for its part. A batch is one row.
local function loaded(problem, row, node)
  local argument = row.arguments[node.name]
  local axes = argument.shape
  local columns = shape.elements(axes, { rows = 1, batch = 1, h = problem.h })
  local is_of_row = axes[1] == "rows" or axes[1] == "batch"
  local values = random_row(node.dtype, columns, row.streams[node.name], is_of_row and row.number or 0)
  if node.domain == "row" and node.op == "load" then return values[1] end
  if columns == problem.n or columns < problem.h then return values end
  local part = {}
  for i = 1, problem.n do part[i] = values[row.part * problem.n + i] end
  return part
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
-- @param problem problem (gen/problem/problem.lua)
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
      local row = { number = i - 1, part = part - 1, arguments = arguments, streams = streams }
      parts[part] = interpreter.row { n = problem.n, columns = columns, load = function(node) return loaded(problem, row, node) end }
    end
    list[i] = row_hash(parts, problem)
  end
  return list
end

--- The hash of all outputs of a kernel of channels, of arrays of these sizes.
-- @param extents sizes of the axes by name
function golden.hash_of_arrays(problem, extents)
  local arrays, a, b = {}, 0, 0
  for i, argument in ipairs(problem.args) do
    if argument.shape ~= "scalar" and argument.io ~= "out" then
      arrays[argument.name] = random_row(argument.dtype, shape.elements(argument.shape, extents), i - 1, 0)
      if golden.is_square(argument.name) then
        for k, value in ipairs(arrays[argument.name]) do arrays[argument.name][k] = math.abs(value) end
      end
    end
  end
  local results = channels.evaluate(problem, arrays, extents)
  for _, argument in ipairs(problem.args) do
    if argument.io == "out" or argument.io == "inout" then a, b = hash_values(a, b, argument.dtype, results[argument.name]) end
  end
  return ("0x%08x%08xu"):format(a, b)
end

--- Whether an argument's elements are not negative: the sign of the numbers that a self-test has for it is dropped.
function golden.is_square(name) return name:find("var$") ~= nil or name:find("square$") ~= nil or name == "part_m2" end

return golden
