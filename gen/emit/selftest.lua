--- The self-test of a registry: golden rows for each kernel, and the memory that it needs for them.

local dtype = require "gen.dtype"
local golden = require "gen.golden"
local literal = require "gen.literal"
local sets = require "gen.emit.set"
local shape = require "gen.shape"
local template = require "gen.template"

local selftest = {}

--- Arrays of arguments start at multiples of this many bytes.
local ALIGNMENT = 8

--- Elements that several rows may have together.
local ELEMENTS = 8192

--- Rows that a kernel is run with: a turn of its loop over blocks and one more, and of short rows as many as are different.
local function rows_of(code)
  local affordable, blocks = math.floor(ELEMENTS / code.problem.h), code.schedule.pipe == 1 and 2 or 1
  return math.max(blocks * code.schedule.rows + 1, math.min(affordable, golden.period))
end

--- Bytes of all arrays of a kernel.
local function memory_of(problem, rows)
  local extents, bytes = { rows = rows, batch = rows, h = problem.h }, 0
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

--- The self-test as C, to stand behind the table of kernels of a registry.
-- @param set set of kernels (gen/emit/set.lua)
function selftest.text(set)
  local arguments, hashes = 1, {}
  for _, group in ipairs(set.groups) do
    arguments = math.max(arguments, #group.problem.args)
    hashes[group] = golden.hashes(group.problem, most_rows(group))
  end
  local function entry(group, code)
    return ("    { %d, { %s } },"):format(rows_of(code), table.concat(hashes[group], ", "))
  end
  return template.piece("selftest.c", { p = set.prefix, bytes = selftest.bytes(set),
    period = literal.integer(golden.period), arguments = literal.integer(arguments),
    golden = sets.guarded(set, entry) })
end

return selftest
