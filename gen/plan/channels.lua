--- The plan of a channel kernel: how its statistics are made, and the map.
--
-- `form` names the loops (gen/lower/channels.lua): "memory" (groups of neighbouring channels in nchw), "segments" (the batch
-- in nchw), "columns" (nhwc), "positions" (statistics of each position in nchw), "merge" (of chunks), "map" (no statistics).

local e = require "gen.formula.expr"

local plan = {}

local function form_of(problem)
  local where = problem.geometry
  if problem.direction.merges then return "merge" end
  if where.over == "position" then return "positions" end
  if not problem.direction.sums then return "map" end
  if where.memory == "nhwc" then return "columns" end
  return where.over == "group" and "memory" or "segments"
end

--- The nodes of a kind below outputs, in a fixed order.
local function nodes_of(outputs, fits)
  local list, seen = {}, {}
  for _, output in ipairs(outputs) do
    e.walk(output.node, function(node)
      if fits(node) then list[#list + 1] = node end
    end, seen)
  end
  return list
end

local function is_statistic(node) return node.op == "statistic" end

--- The arguments that hold elements to read.
local function read(problem)
  local list = {}
  for _, argument in ipairs(problem.args) do
    if argument.name == "x" or argument.name == "residual" then list[#list + 1] = argument.name end
  end
  return list
end

--- What is walked, for people.
local PASSES = {
  memory = "the head of a group, the group, the group",
  segments = "the batch of a channel, then again", columns = "all positions, then again",
  positions = "the channels of a position, then again", merge = "the chunks", map = "all positions",
}

--- @param sweeps_of gen/plan/plan.lua's cut of outputs into sweeps: function(problem)
-- @return `{ problem=, n=, form=, geometry=, sweeps= (of the kernel's own outputs), chunk= (the plan of a chunk), merge= ({ outputs,
--   statistics }), statistics= (nodes), read= (names of arguments) }`
function plan.new(problem, sweeps_of)
  local function sweeps(n, outputs)
    return sweeps_of { n = n, outputs = outputs, normed = problem.normed, dtypes = problem.dtypes, args = problem.args }
  end
  local form = form_of(problem)
  return { problem = problem, n = problem.h, form = form, passes = PASSES[form], geometry = problem.geometry,
    sweeps = sweeps(form == "memory" and "all" or problem.h, problem.outputs).sweeps,
    chunk = problem.chunk and sweeps("chunk", problem.chunk),
    merge = problem.merge and { outputs = problem.merge, statistics = nodes_of(problem.merge, is_statistic) },
    statistics = nodes_of(problem.outputs, is_statistic), read = read(problem) }
end

return plan
