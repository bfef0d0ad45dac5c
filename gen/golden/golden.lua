--- Golden arrays: what the contract says about a few small calls, as a hash. templates/selftest.c holds the same inputs and the same
-- hash in C. No input comes near over- or underflow.

local arithmetic = require "gen.golden.arithmetic"
local axes = require "gen.problem.axes"
local sets = require "gen.golden.sets"

local golden = {}

--- How many different rows there are: row r of a self-test is row r % 7, so that values swapped between rows of a block,
-- of which there are 2, 4 or 8, are found.
golden.period = 7

--- 2^32, and the prime of the hash with its factors: whole numbers, with which Lua 5.4 is faster.
local WORD, PRIME, FACTOR, OTHER = 4294967296, 4294967291, 65599, 1000003

--- Appends pseudo-random numbers in [-1, 3) that have the precision of the dtype (32 bits for f64).
-- @param stream number of the argument in call order, from 0
-- @param slice number of the slice; those of a period differ
local function add_random(values, dtype, n, stream, slice)
  local bits = math.min(arithmetic.formats[dtype].precision, 32)
  local cut, unit, count = 2 ^ (32 - bits), 2 ^ (bits - 2), #values
  local state = (stream * golden.period + slice + 1) * 123456789 % WORD
  for i = 1, n do
    state = (state * 1664525 + 1013904223) % WORD
    values[count + i] = (math.floor(state / cut) - unit) / unit
  end
end

--- The hash goes on with an output: two polynomials modulo a prime, over the low and the high 32 bits of each element.
-- @return the two values, from the two before it
local function hash_values(a, b, dtype, values, first, last)
  local round = arithmetic.round[dtype]
  for i = first, last do
    local low, high = arithmetic.bits(dtype, round(values[i]))
    a = ((a * FACTOR + low) % PRIME * FACTOR + high) % PRIME
    b = ((b * OTHER + low) % PRIME * OTHER + high) % PRIME
  end
  return a, b
end

local function has_rows(argument) return argument.axes[1] == "rows" or argument.axes[1] == "batch" end

--- Whether a kernel's rows are independent, and lie one behind the other: slices, each with a hash of its own. A batch is one row.
function golden.is_sliced(problem)
  if problem.axes.kept[1] ~= "rows" then return false end
  for _, argument in ipairs(problem.args) do
    for i, axis in ipairs(argument.axes or {}) do
      if axis == "rows" and i > 1 then return false end
    end
  end
  return true
end

--- The elements of a slice of an array: of a row, if the kernel has slices and the array has rows, else of all.
-- @param extents sizes of axes by name
-- @return how many, and whether there are several slices
function golden.slice(argument, extents, is_sliced)
  local count = axes.elements(argument.axes, extents)
  if not (is_sliced and has_rows(argument)) then return count, false end
  return count / extents.rows, true
end

--- Hashes of the outputs of a problem's golden slices, as C literals of 64 bits.
-- @param problem problem (gen/problem/problem.lua)
-- @param extents sizes of axes by name
-- @return array of strings, a period of them at most
function golden.hashes(problem, extents)
  local slices, arrays, list, is_sliced = 1, {}, {}, golden.is_sliced(problem)
  if is_sliced then
    slices = math.min(extents.rows, golden.period)
    extents = setmetatable({ rows = slices, batch = slices }, { __index = extents })
  end
  for i, argument in ipairs(problem.args) do
    if argument.axes and argument.io ~= "out" then
      local values, n, has_slices = {}, golden.slice(argument, extents, is_sliced)
      for slice = 1, has_slices and slices or 1 do add_random(values, argument.dtype, n, i - 1, slice - 1) end
      for k = 1, argument.nonnegative and #values or 0 do values[k] = math.abs(values[k]) end
      arrays[argument.name] = values
    end
  end
  local results = sets.evaluate(problem, arrays, extents)
  for slice = 0, slices - 1 do
    local a, b = 0, 0
    for _, argument in ipairs(problem.args) do
      if argument.io ~= "in" then
        local n = golden.slice(argument, extents, is_sliced)
        a, b = hash_values(a, b, argument.dtype, results[argument.name], slice * n + 1, slice * n + n)
      end
    end
    list[slice + 1] = ("0x%08x%08xu"):format(a, b)
  end
  return list
end

return golden
