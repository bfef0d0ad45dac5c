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

--- The sizes that those kernels of a group are run with that take the most rows.
local function most_of(group)
  local most
  for _, code in ipairs(group.codes) do
    local extents = extents_of(code)
    if not most or extents.rows > most.rows then most = extents end
  end
  return most
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

--- Bytes of static memory that the self-test of a set (gen/emit/set.lua) needs.
function selftest.bytes(set)
  local bytes = ALIGNMENT
  for _, group in ipairs(set.groups) do bytes = math.max(bytes, memory_of(group.problem, most_of(group))) end
  return literal.integer(bytes)
end

--- A kernel's arguments as C: of arrays the elements of a slice, whether there are several, and whether elements have no sign.
local function sizes_text(problem, extents)
  local list = {}
  for i, argument in ipairs(problem.args) do
    local size, has_slices = extents[argument.name] or 1, false
    if argument.axes then size, has_slices = golden.slice(problem, argument, extents) end
    if argument.dtype == "ptrdiff_t" then size = argument.name:find("_head_stride$") and problem.n or problem.h end
    list[i] = ("{ %s, %d, %d }"):format(literal.integer(size), has_slices and 1 or 0, argument.nonnegative and 1 or 0)
  end
  return table.concat(list, ", ")
end

--- The self-test as C, to stand behind the table of kernels of a registry.
-- @param set set of kernels (gen/emit/set.lua)
function selftest.text(set)
  local arguments, hashes, names, number_of, tables = 1, {}, {}, {}, {}
  for _, group in ipairs(set.groups) do
    local extents = most_of(group)
    local text = sizes_text(group.problem, extents)
    arguments = math.max(arguments, #group.problem.args)
    hashes[group] = table.concat(golden.hashes(group.problem, extents), ", ")
    if not number_of[text] then
      number_of[text] = #tables + 1
      tables[#tables + 1] = ("static const %sselftest_size %sselftest_sizes_%d[] = { %s };"):format(set.prefix, set.prefix,
        number_of[text], text)
    end
    names[group] = ("%sselftest_sizes_%d"):format(set.prefix, number_of[text])
  end
  local function entry(group, code)
    return ("    { %d, { %s }, %s },"):format(extents_of(code).rows, hashes[group], names[group])
  end
  return template.piece("selftest.c", { p = set.prefix, bytes = selftest.bytes(set),
    period = literal.integer(golden.period), arguments = literal.integer(arguments),
    sizes = table.concat(tables, "\n"), golden = sets.guarded(set, entry) })
end

return selftest
