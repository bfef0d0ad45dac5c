--- Lowering of channel kernels: chooses the loops of a form (gen/plan/channels.lua).

local Body = require "gen.lower.channels.body"
local single = require "gen.lower.channels.single"

-- Each adds its methods to Body.
require "gen.lower.channels.chunks"
require "gen.lower.channels.lanes"
require "gen.lower.channels.map"
require "gen.lower.channels.outer"

local channels = {}

local FORMS = {
  memory = require "gen.lower.channels.memory",
  segments = require "gen.lower.channels.segments".write,
  map = require "gen.lower.channels.maps",
  columns = require "gen.lower.channels.columns",
  positions = require "gen.lower.channels.positions",
  merge = require "gen.lower.channels.merges",
}

--- Writes the loops of a channel kernel.
-- @param kernel as for gen/lower/vectors.lua, with a plan of gen/plan/channels.lua
function channels.write(kernel, root)
  if kernel.target.types.f32.vector == nil then kernel.target = single(kernel.target) end
  local body = Body.new(kernel)
  local has_positions = kernel.plan.axes.has_positions
  FORMS[kernel.plan.form](body, root:branch(has_positions and "rows > 0 && positions > 0" or "rows > 0"))
end

return channels
