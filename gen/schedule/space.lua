--- The space of schedules of a kernel: all that are legal, and in which order they are worth trying.

local cost = require "gen.schedule.cost"
local plans = require "gen.plan.plan"
local dtypes = require "gen.formula.dtype"
local schedule = require "gen.schedule.schedule"

local space = {}

--- Bytes that the last sweep of a call of so many rows stores.
local function stored_bytes(plan, rows)
  if plan.form ~= "row" then return 0 end
  local bytes = 0
  for _, store in ipairs(plans.final_stores(plan)) do bytes = math.max(bytes, rows * plan.n * dtypes[store.dtype].bytes) end
  return bytes
end

--- Whether a schedule streams in a call of so many rows.
local function streams(plan, chosen, rows)
  return (chosen.stream or 0) > 0 and stored_bytes(plan, rows) >= chosen.stream * 1024
end

--- What decides how a call of so many rows runs: schedules with the same text are twins there.
local function behaviour(plan, chosen, rows)
  local copy = {}
  for _, knob in ipairs(schedule.knobs(plan)) do copy[knob.key] = chosen[knob.key] end
  if chosen.stream then copy.stream = streams(plan, chosen, rows) and 1 or 0 end
  return schedule.format(copy)
end

--- The legal schedules that differ in a call of so many rows: the default one first, the others by what they may cost.
-- Of twins the one with the default's threshold for streaming is kept; blocks of more rows than the call has are left out.
-- @param plan plan (gen/plan/plan.lua)
-- @param target target with vectors
-- @param rows rows of the call
-- @param level "hot", "l2" or "dram": where the call's data are
-- @return array of schedules (gen/schedule/schedule.lua)
function space.list(plan, target, rows, level)
  local knobs, settings, default = schedule.knobs(plan), {}, schedule.choose(plan, target)
  local list, place = { default }, { [behaviour(plan, default, rows)] = 1 }
  local function add(chosen)
    local key = behaviour(plan, chosen, rows)
    local index = place[key]
    if not index and (chosen.rows or 1) <= rows then
      list[#list + 1] = chosen
      place[key] = #list
    elseif index and index > 1 and chosen.stream == default.stream then
      list[index] = chosen
    end
  end
  local function walk(index)
    local knob = knobs[index]
    if not knob then return add(schedule.try(plan, target, settings)) end
    for _, value in ipairs(knob.values) do
      settings[knob.key] = value
      if schedule.try(plan, target, settings) then walk(index + 1) end
      settings[knob.key] = nil
    end
  end
  walk(1)
  return cost.order(plan, target, list, function(chosen) return streams(plan, chosen, rows) end, rows, level)
end

return space
