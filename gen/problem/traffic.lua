--- Traffic: the bytes of memory that a call reads and writes, each element of each array counted once.

local axes = require "gen.problem.axes"
local dtype = require "gen.formula.dtype"

local traffic = {}

--- What the bytes of an array are counted for: the first axis here that it has, and that no spec knows the size of; or the call.
local UNITS = {
  { name = "position", axis = "positions" }, { name = "row", axis = "rows" }, { name = "batch", axis = "batch" },
  { name = "chunk", axis = "chunks" }, { name = "call" },
}

local function unit_of(shape)
  for _, unit in ipairs(UNITS) do
    for _, axis in ipairs(shape) do
      if axis == unit.axis then return unit.name end
    end
  end
  return "call"
end

--- The bytes of a kernel by unit, `{ position = { read =, write = }, row =, batch =, chunk =, call = }`: a position of a row, a row,
-- rows that share what lies per batch, a chunk of values that are summed together, and what is there once.
-- @param args arguments (gen/problem/problem.lua)
-- @param extents sizes of the axes that a spec knows, by name
function traffic.of(args, extents)
  local bytes, sizes = {}, setmetatable({}, { __index = extents })
  for _, unit in ipairs(UNITS) do
    bytes[unit.name] = { read = 0, write = 0 }
    if unit.axis then sizes[unit.axis] = 1 end
  end
  for _, argument in ipairs(args) do
    if argument.shape ~= "scalar" then
      local unit = bytes[unit_of(argument.shape)]
      local size = axes.elements(argument.shape, sizes) * dtype[argument.dtype].bytes
      if argument.io ~= "out" then unit.read = unit.read + size end
      if argument.io ~= "in" then unit.write = unit.write + size end
    end
  end
  return bytes
end

--- The units that have bytes, `{ name, read, write }` in order.
function traffic.units(bytes)
  local list = {}
  for _, unit in ipairs(UNITS) do
    local its = bytes[unit.name]
    if its.read + its.write > 0 then list[#list + 1] = { name = unit.name, read = its.read, write = its.write } end
  end
  return list
end

--- The bytes for people: "reads 512 and writes 256 per row, reads 256 per call".
function traffic.text(bytes)
  local parts = {}
  for i, unit in ipairs(traffic.units(bytes)) do
    local reads, writes = ("reads %d"):format(unit.read), ("writes %d"):format(unit.write)
    local what = unit.write == 0 and reads or unit.read == 0 and writes or reads .. " and " .. writes
    parts[i] = what .. " per " .. unit.name
  end
  return table.concat(parts, ", ")
end

return traffic
