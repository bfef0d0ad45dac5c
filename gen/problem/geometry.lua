--- Geometry: where the values lie that a channel kernel's statistics are made of, or nil for kernels of rows.
--
-- A channel kernel has `channels` and, but for layout rows, `positions`, an argument. `memory` is "nchw" (positions are
-- next to each other) or "nhwc" (channels are). `over` says what one set of statistics is of: a "group" (the `per_group`
-- channels of one of `groups` groups, and all positions), a "position" (its channels), or the "batch" (all rows and
-- positions of a channel). Where ranks share out rows (gen/problem/shards.lua), they are of the "shards" of each row.

local geometry = {}

local function definition(spec) return require("gen.norms." .. spec.norm) end

--- The geometry of a spec (gen/spec/spec.lua): `{ memory=, over=, channels=, groups=, per_group=, has_positions= }`.
function geometry.of(spec)
  local norm = definition(spec)
  local over = norm.over or spec.layout and "position"
  if not over or spec.dir == "foldstats" then return nil end
  local channels = spec.c or spec.h
  local groups = norm.name == "instancenorm" and channels or spec.g or channels
  return { memory = spec.layout == "nchw" and "nchw" or "nhwc", over = over, channels = channels,
    groups = groups, per_group = math.floor(channels / groups), has_positions = spec.layout ~= "rows" }
end

local AXES = { nchw = { "rows", "c", "positions" }, nhwc = { "rows", "positions", "c" }, rows = { "rows", "c" } }

--- The axes of a matrix of a spec.
function geometry.matrix(spec)
  local axes = {}
  for i, axis in ipairs(AXES[spec.layout]) do axes[i] = axis == "c" and spec.h and "h" or axis end
  return axes
end

return geometry
