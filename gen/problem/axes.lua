--- Axes: how the elements of a kernel lie in memory, which axes the norm's sums take away, and which they keep.
--
-- "rows" is always there, and known when the kernel is called, as are "positions", "batch" (rows that share parameters) and "chunks".
-- "h" or "c" counts the elements of a row or the channels; "part" the parts of a row with statistics of their own, "g" the groups of
-- channels, "shards" the ranks that share a row.

local contract = require "gen.formula.contract"

local axes = {}

local LAYOUTS = { nchw = { "rows", "c", "positions" }, nhwc = { "rows", "positions", "c" }, rows = { "rows", "c" } }

local function contains(list, name)
  for _, item in ipairs(list) do
    if item == name then return true end
  end
  return false
end

--- The elements of an array.
-- @param list its axes: names, or numbers
-- @param extents sizes of the axes that have a name
function axes.elements(list, extents)
  local count = 1
  for _, axis in ipairs(list) do count = count * (extents[axis] or axis) end
  return count
end

--- The axes of an element in memory, outermost first.
local function memory_of(spec, parts)
  if not spec.layout then return parts > 1 and { "rows", "part", "h" } or { "rows", spec.h and "h" or "c" } end
  local list = {}
  for i, axis in ipairs(LAYOUTS[spec.layout]) do list[i] = axis == "c" and spec.h and "h" or axis end
  return list
end

--- The axes that a norm's sums take away, and whether these are the channels of a group. A kernel without a layout has rows.
local function over_of(spec, norm, memory)
  if not spec.layout then return { memory[#memory] }, false end
  local list, has_groups = {}, false
  for _, axis in ipairs(norm.over) do
    local name = axis:match("^(.*) in g$") or axis
    has_groups = has_groups or name ~= axis
    if contains(memory, name) then list[#list + 1] = name end
  end
  return list, has_groups
end

local function kept_of(memory, over, has_groups)
  local list = {}
  for _, axis in ipairs(memory) do
    if not contains(over, axis) then list[#list + 1] = axis end
  end
  if has_groups then list[#list + 1] = "g" end
  return list
end

--- The axes of parameters: all of a row or a position.
local function parameter_of(spec, memory, direction)
  if spec.affine == "group" then return { "g" } end
  local list = {}
  for _, axis in ipairs(memory) do
    if axis ~= "positions" and (axis ~= "rows" or direction.has_no_elements) then list[#list + 1] = axis end
  end
  return list
end

--- The axes of a spec (gen/spec/spec.lua) of a direction of a norm (gen/formula/norm.lua):
-- `memory`: of an element, outermost first (the last one is `innermost`); `over`, `kept`: those that sums take and keep; `set`: of
-- what there is for each set of values that is summed together; `part`: of what a part of a set has; `parameter`; `extents`: sizes by
-- name; `order`: in which order values are added (contract.order); `is_counted`: whether a set's values are counted when the kernel is
-- called; `n`: elements of a row or a part of one, or channels; `has_positions`; `channels`, `groups`, `per_group`.
function axes.of(spec, norm, direction)
  local parts, shards = math.max(spec.groups, spec.heads), spec.shards or 1
  local length = spec.h or spec.c
  local n = math.floor(length / parts / shards)
  local memory = memory_of(spec, parts)
  local over, has_groups = over_of(spec, norm, memory)
  local kept = kept_of(memory, over, has_groups)
  local groups = spec.g or length
  local self = { memory = memory, innermost = memory[#memory], over = over, kept = kept,
    parameter = parameter_of(spec, memory, direction),
    extents = { [spec.h and "h" or "c"] = n, part = parts, g = spec.g or nil, shards = spec.shards or nil },
    n = n, parts = parts, shards = shards, channels = length, groups = groups, per_group = math.floor(length / groups),
    has_positions = contains(memory, "positions"), has_heads = spec.heads > 1 }
  self.set = direction.has_no_elements and memory or kept
  self.part = spec.shards and { "shards", "rows" } or { "chunks", kept[1] }
  self.order, self.is_counted = contract.order(memory, has_groups and memory[#memory] ~= "positions" and {} or over), false
  for _, axis in ipairs(over) do self.is_counted = self.is_counted or self.extents[axis] == nil end
  return self
end

--- An array's axes as people know them: names, and numbers where a row is cut into heads or groups.
function axes.shape(self, list)
  local shape = {}
  for i, axis in ipairs(list) do
    if axis == "part" then
      if self.has_heads or list[i + 1] ~= "h" then shape[#shape + 1] = self.parts end
    elseif axis == "h" and self.has_heads then
      shape[#shape + 1] = self.n
    else
      shape[#shape + 1] = axis == "h" and self.shards > 1 and "h/shards" or axis
    end
  end
  return shape
end

--- The sizes of the axes that shapes name, as far as a kernel fixes them.
function axes.sizes(self)
  local e = self.extents
  return { h = e.h and self.channels, c = e.c, g = e.g, shards = e.shards, ["h/shards"] = e.shards and self.n }
end

return axes
