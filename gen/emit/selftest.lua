--- The self-test of a registry: golden rows for each kernel, and the memory that it needs for them.

local channels = require "gen.golden.channels"
local dtype = require "gen.formula.dtype"
local golden = require "gen.golden.golden"
local literal = require "gen.c.literal"
local sets = require "gen.emit.set"
local shape = require "gen.problem.shape"
local template = require "gen.emit.template"

local selftest = {}

--- Arrays of arguments start at multiples of this many bytes.
local ALIGNMENT = 8

--- Elements that several rows may have together.
local ELEMENTS = 8192

--- Positions of a row of channels: more than a stripe, where there are few channels.
local POSITIONS = 67

--- The sizes of the axes that a kernel of channels is run with, by name; nil for a kernel of rows.
local function extents_of(problem)
  if not problem.extents then return nil end
  local extents, affordable = {}, math.max(1, math.min(POSITIONS, math.floor(ELEMENTS / problem.extents.c / 2)))
  for _, axis in ipairs { "h", "c", "g", "shards", "h/shards" } do extents[axis] = problem.extents[axis] end
  local has_positions = problem.geometry and problem.geometry.has_positions
  extents.rows, extents.positions = has_positions and 2 or 2 * affordable, has_positions and affordable or 1
  extents.chunks = channels.chunks(problem, extents)
  return extents
end

--- Rows that a kernel is run with: a turn of its loop over blocks and one more, and of short rows as many as are different.
local function rows_of(code)
  if code.problem.extents then return extents_of(code.problem).rows end
  local affordable, blocks = math.floor(ELEMENTS / code.problem.h), code.schedule.pipe == 1 and 2 or 1
  return math.max(blocks * code.schedule.rows + 1, math.min(affordable, golden.period))
end

--- Bytes of all arrays of a kernel.
local function memory_of(problem, rows)
  local extents, bytes = extents_of(problem) or { rows = rows, batch = rows, h = problem.h }, 0
  for _, argument in ipairs(problem.args) do
    if argument.shape ~= "scalar" then
      local size = shape.elements(argument.shape, extents) * dtype[argument.dtype].bytes
      bytes = bytes + math.ceil(size / ALIGNMENT) * ALIGNMENT
    end
  end
  return bytes
end

--- Most rows that a kernel of the group is run with.
local function most_rows(group)
  local most = 1
  for _, code in ipairs(group.codes) do most = math.max(most, rows_of(code)) end
  return most
end

--- Bytes of static memory that the self-test of a set (gen/emit/set.lua) needs.
function selftest.bytes(set)
  local bytes = ALIGNMENT
  for _, group in ipairs(set.groups) do bytes = math.max(bytes, memory_of(group.problem, most_rows(group))) end
  return literal.integer(bytes)
end

--- The sizes of a kernel's arguments as C: of arrays their elements, and whether these are without a sign.
local function sizes_text(problem, extents)
  local list = {}
  for i, argument in ipairs(problem.args) do
    local is_array = argument.shape ~= "scalar"
    local size = is_array and shape.elements(argument.shape, extents) or extents[argument.name] or 0
    list[i] = ("{ %s, %d }"):format(literal.integer(size), is_array and golden.is_square(argument.name) and 1 or 0)
  end
  return table.concat(list, ", ")
end

--- The self-test as C, to stand behind the table of kernels of a registry.
-- @param set set of kernels (gen/emit/set.lua)
function selftest.text(set)
  local arguments, hashes, sizes, tables = 1, {}, {}, {}
  for number, group in ipairs(set.groups) do
    local problem, extents = group.problem, extents_of(group.problem)
    arguments = math.max(arguments, #problem.args)
    hashes[group] = extents and { golden.hash_of_arrays(problem, extents) } or golden.hashes(problem, most_rows(group))
    sizes[group] = extents and ("%sselftest_sizes_%d"):format(set.prefix, number) or "NULL"
    if extents then
      tables[#tables + 1] = ("static const %sselftest_size %s[] = { %s };"):format(set.prefix, sizes[group], sizes_text(problem, extents))
    end
  end
  local function entry(group, code)
    return ("    { %d, { %s }, %s },"):format(rows_of(code), table.concat(hashes[group], ", "), sizes[group])
  end
  return template.piece("selftest.c", { p = set.prefix, bytes = selftest.bytes(set),
    period = literal.integer(golden.period), arguments = literal.integer(arguments),
    sizes = #tables > 0 and table.concat(tables, "\n") .. "\n" or "", golden = sets.guarded(set, entry) })
end

return selftest
