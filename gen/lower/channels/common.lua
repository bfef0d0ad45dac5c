--- What the loops of several forms have in common (gen/lower/channels.lua).

local Body = require "gen.lower.channels.body"
local c_text = require "gen.c.text"
local dtypes = require "gen.formula.dtype"
local plans = require "gen.plan.plan"

local common = {}

--- What the last sweep stores.
function common.stores_of(plan) return plan.sweeps[#plan.sweeps].stores end

--- The statistic nodes of the results, and the names that they have.
function common.known(plan, names)
  local by_node = {}
  for _, node in ipairs(plan.statistics) do by_node[node] = names[node.name] end
  return by_node
end

--- C text of a product; 1 is left out.
function common.product(...)
  local factors = {}
  for i = 1, select("#", ...) do
    local factor = select(i, ...)
    if factor ~= 1 then factors[#factors + 1] = tostring(factor) end
  end
  return #factors == 0 and "1" or table.concat(factors, " * ")
end

--- Arguments that have one element for each channel, or for each chunk and channel.
function common.per_channel(body)
  local list = {}
  for _, argument in ipairs(body.plan.problem.args) do
    local last = argument.shape ~= "scalar" and argument.shape[#argument.shape]
    local is_matrix = last and argument.shape[1] == "rows"
    if last and not is_matrix and (last == "c" or last == "h") then list[#list + 1] = argument.name end
  end
  return list
end

--- The name of a number (C text): the text itself if it is one, else that of a constant.
function common.named(builder, hint, text) return c_text.is_name(text) and text or builder:def("size_t", hint, text) end

--- The counts of results: of all values, and of all but one.
function common.count_all(body, builder, text)
  body.counts.all = common.named(builder, "values", text)
  body.counts.all_but_one = ("(%s > 1 ? %s - 1 : 1)"):format(body.counts.all, body.counts.all)
end

--- A loop over groups, if there are several: the builder for what is done with each, and its number or nil.
function common.each_group(builder, where)
  if where.groups == 1 then return builder, nil end
  return builder:loop("group", 0, where.groups, 1)
end

--- C text of how many values a channel has in the batch.
function common.count_of_batch(where) return common.product("rows", where.has_positions and "positions" or 1) end

--- Stores the statistics of a chunk, number `chunk`, of the channels from `channel` on.
function common.store_chunk(body, builder, statistics, chunk, channel, how)
  local distance = ("%s * %d + %s"):format(chunk, body.plan.axes.channels, channel)
  local back = body:step_to(builder, common.per_channel(body), "_chunk", distance)
  how.known = common.known(body.plan, statistics)
  body:open("row", builder, how)
  body:store_fixed(builder, common.stores_of(body.plan))
  body:close "row"
  back()
end

--- Opens the scope of column values where one channel is: each has the same value in every slot.
-- @param channel, group C texts of its number and that of its group
function Body:column_scope(builder, channel, group)
  local back = {}
  for _, argument in ipairs(self.plan.problem.args) do
    local axis = argument.shape ~= "scalar" and #argument.shape == 1 and argument.shape[1]
    if axis == "c" or axis == "h" or axis == "g" then
      back[#back + 1] = self:step_to(builder, { argument.name }, "_here", axis == "g" and group or channel)
    end
  end
  self:open("column", builder:splice(), { broadcast = true })
  self.scopes.column.back = back
end

--- Puts values into arrays, one element for each channel.
function Body:into_arrays(builder, nodes, first, arrays)
  for i, node in ipairs(nodes) do
    for v, name in ipairs(self:fixed(node)) do
      local place = c_text.sum(arrays[i], first, (v - 1) * self.chunk)
      builder:call(self.dtypes[self.real].store(place, 1, name))
    end
  end
end

--- Defines an array with room for all channels and a whole last vector.
function Body:channel_array(builder, label)
  local size = math.ceil(self.plan.axes.channels / self.chunk) * self.chunk
  return builder:array(self.ctype, label, size)
end

--- Positions that are mapped together: their channels share parameters and statistics, whose loads take up to a third of the
-- time (Zen 4). Fewer where channels fill pages, since lines collide. Beyond the caches a single stream is faster, unless a
-- position is SHORT: they are mapped together up to so many bytes of x. Long code hides the loads.
local TOGETHER, IN_PAGES, PAGE, SHORT, NEAR = 4, 2, 4096, 1024, 2 * 1024 * 1024

--- The map of nhwc: every position, channel by channel.
function Body:map_positions(builder, count)
  local plan, channels = self.plan, self.plan.axes.channels
  local function map(from, to, positions)
    local inner, t = builder:loop("t", from, to, positions)
    local back = self:step_to(inner, self:matrices(), "_t", ("%s * %d"):format(t, channels), channels)
    self:map_channels(inner, common.stores_of(plan), channels, positions)
    back()
  end
  if plans.length(plan.sweeps[#plan.sweeps]) > 1 then
    builder:note "Every position, channel by channel."
    return map("0", count, 1)
  end
  local all = common.named(builder, "all", count)
  local bytes = channels * dtypes[plan.problem.dtypes.x].bytes
  local block = bytes % PAGE == 0 and IN_PAGES or TOGETHER
  local whole, note = ("%s - %s %% %d"):format(all, all, block), "Every position, channel by channel; %d positions together%s."
  if bytes > SHORT then whole = ("%s <= %d ? %s : 0"):format(all, math.floor(NEAR / bytes), whole) end
  builder:note(note:format(block, bytes > SHORT and ", if all are near" or ""))
  local together = builder:def("size_t", "together", whole)
  map("0", together, block)
  map(together, all, 1)
end

return common
