--- The self-test of a registry: golden rows for each kernel, and the memory that it needs for them.

local axes = require "gen.problem.axes"
local dtype = require "gen.formula.dtype"
local golden = require "gen.golden.golden"
local literal = require "gen.c.literal"
local sets = require "gen.emit.set"
local sets_of = require "gen.golden.sets"
local template = require "gen.emit.template"

local selftest = {}

--- Arrays of arguments start at multiples of this many bytes.
local ALIGNMENT = 8

--- Elements that several rows may have together.
local ELEMENTS = 8192

--- Positions of a row of channels: more than a stripe, where there are few channels.
local POSITIONS = 67

--- Rows that a kernel of rows is run with: a turn of its loop over blocks and one more, and of short rows as many as are different.
local function rows_of(code)
  local affordable, blocks = math.floor(ELEMENTS / code.problem.h), code.schedule.pipe == 1 and 2 or 1
  return math.max(blocks * code.schedule.rows + 1, math.min(affordable, golden.period))
end

--- The sizes of the axes that a kernel is run with, by name.
local function extents_of(code)
  local problem, extents = code.problem, {}
  if code.schedule.rows then
    extents.rows = rows_of(code)
  else
    local affordable = math.max(1, math.min(POSITIONS, math.floor(ELEMENTS / problem.n / 2)))
    extents.rows, extents.positions = 2, affordable
    if not problem.axes.has_positions then extents.rows, extents.positions = 2 * affordable, 1 end
  end
  extents.batch, extents.chunks = extents.rows, 1
  setmetatable(extents, { __index = problem.axes.extents })
  extents.chunks = sets_of.chunks(problem, extents)
  return extents
end

--- Bytes of all arrays of a kernel.
local function memory_of(problem, extents)
  local bytes = 0
  for _, argument in ipairs(problem.args) do
    if argument.axes then
      local size = axes.elements(argument.axes, extents) * dtype[argument.dtype].bytes
      bytes = bytes + math.ceil(size / ALIGNMENT) * ALIGNMENT
    end
  end
  return bytes
end

--- A kernel's arguments as C: of arrays the elements of a slice, whether there are several, and whether elements have no sign.
local function sizes_text(problem, extents)
  local list, is_sliced = {}, golden.is_sliced(problem)
  for i, argument in ipairs(problem.args) do
    local size, has_slices = argument.name ~= "rows" and extents[argument.name] or 1, false
    if argument.axes then size, has_slices = golden.slice(argument, extents, is_sliced) end
    if argument.dtype == "ptrdiff_t" then size = argument.name:find("_head_stride$") and problem.n or problem.h end
    list[i] = ("{ %s, %d, %d }"):format(literal.integer(size), has_slices and 1 or 0, argument.nonnegative and 1 or 0)
  end
  return table.concat(list, ", ")
end

--- The golden arrays of a problem, for one of its kernels: the same for all, but for the number of rows.
local function hashes_of(problem, extents)
  local known = problem.hashes
  if not known or #known < math.min(extents.rows, golden.period) then problem.hashes = golden.hashes(problem, extents) end
  return problem.hashes
end

--- How a kernel is tested: `rows` that it is run with, `hashes` of its outputs, `bytes` of its arrays, `sizes` of its arguments as C.
-- @param code code (gen/lower/lower.lua), or what is left of one (gen/emit/descriptor.lua)
function selftest.of(code)
  if not code.selftest then
    local problem, extents = code.problem, extents_of(code)
    code.selftest = { rows = extents.rows, bytes = memory_of(problem, extents), sizes = sizes_text(problem, extents),
      hashes = hashes_of(problem, extents) }
  end
  return code.selftest
end

--- Bytes of static memory that the self-test of a set (gen/emit/set.lua) needs.
function selftest.bytes(set)
  local bytes = ALIGNMENT
  for _, code in ipairs(set.codes) do bytes = math.max(bytes, selftest.of(code).bytes) end
  return literal.integer(bytes)
end

--- The self-test as C, to stand behind the table of kernels of a registry.
-- @param set set of kernels (gen/emit/set.lua)
function selftest.text(set)
  local arguments, number_of, tables = 1, {}, {}
  for _, code in ipairs(set.codes) do
    local sizes = selftest.of(code).sizes
    arguments = math.max(arguments, #code.problem.args)
    if not number_of[sizes] then
      number_of[sizes] = #tables + 1
      tables[#tables + 1] = ("static const %sselftest_size %sselftest_sizes_%d[] = { %s };"):format(set.prefix, set.prefix,
        number_of[sizes], sizes)
    end
  end
  local function entry(_, code)
    local its = selftest.of(code)
    local hashes = table.concat(its.hashes, ", ", 1, math.min(#its.hashes, its.rows))
    return ("    { %d, { %s }, %sselftest_sizes_%d },"):format(its.rows, hashes, set.prefix, number_of[its.sizes])
  end
  return template.piece("selftest.c", { p = set.prefix, bytes = selftest.bytes(set),
    period = literal.integer(golden.period), arguments = literal.integer(arguments),
    sizes = table.concat(tables, "\n"), golden = sets.guarded(set, entry) })
end

return selftest
