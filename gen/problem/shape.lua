--- Shapes of arrays: arrays of axes, outermost first. An axis is a name, "rows" or "h", or a number.

local shape = {}

--- The elements of an array.
-- @param extents sizes of the axes that have a name
function shape.elements(axes, extents)
  local count = 1
  for _, axis in ipairs(axes) do count = count * (extents[axis] or axis) end
  return count
end

return shape
