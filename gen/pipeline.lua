--- The pipeline: spec -> problem -> plan -> schedule -> code -> text, and each stage as text for `explain`.

local emit = require "gen.emit"
local usage = require "gen.usage"
local explain = require "gen.explain"
local lower = require "gen.lower"
local plan = require "gen.plan"
local problem = require "gen.problem"
local schedule = require "gen.schedule"
local suggest = require "gen.suggest"
local targets = require "gen.targets"

local pipeline = {}

pipeline.targets, pipeline.target = targets.all, targets.named

--- All stages up to `code` of the kernels that a spec has for some targets.
-- @param spec spec table (gen/spec.lua)
-- @param its_targets array of target tables
-- @param overrides table of schedule texts by key, or nil
-- @return array of codes (gen/lower.lua); their fields `problem`, `plan` and `schedule` are the earlier stages
function pipeline.kernels(spec, its_targets, overrides)
  local its_plan, codes = plan.new(problem.new(spec)), {}
  for i, target in ipairs(its_targets) do
    codes[i] = lower.new(its_plan, target, schedule.choose(its_plan, target, overrides))
  end
  return codes
end

--- The same for one target: a code.
function pipeline.kernel(spec, target, overrides) return pipeline.kernels(spec, { target }, overrides)[1] end

--- The stages that `explain` can print, in order, and whether they need a target.
pipeline.stages = {
  { name = "problem", print = function(spec) return explain.problem(problem.new(spec)) end },
  { name = "plan", print = function(spec) return explain.plan(plan.new(problem.new(spec))) end },
  { name = "schedule", needs_target = true, print = function(spec, target, overrides)
    return explain.schedule(pipeline.kernel(spec, target, overrides).schedule)
  end },
  { name = "code", needs_target = true, print = function(spec, target, overrides)
    return explain.code(pipeline.kernel(spec, target, overrides))
  end },
  { name = "text", needs_target = true, print = function(spec, target, overrides)
    return emit.kernel(pipeline.kernel(spec, target, overrides), { prefix = "ng_" }).text
  end },
}

--- The text of one stage of a kernel.
-- @param name stage name
-- @param target target table; needed from the stage `schedule` on
function pipeline.stage(name, spec, target, overrides)
  local known = {}
  for i, stage in ipairs(pipeline.stages) do
    if stage.name == name then
      if stage.needs_target and not target then usage.fail("stage %s needs a target", name) end
      return stage.print(spec, target, overrides)
    end
    known[i] = stage.name
  end
  suggest.unknown("stage", name, known)
end

return pipeline
