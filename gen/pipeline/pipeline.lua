--- The pipeline: spec -> problem -> plan -> schedule -> code -> text, and each stage as text for `explain`.

local emit = require "gen.emit.emit"
local usage = require "gen.errors.usage"
local explain = require "gen.pipeline.explain"
local lower = require "gen.lower.lower"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local schedule = require "gen.schedule.schedule"
local suggest = require "gen.errors.suggest"
local targets = require "gen.target.targets"

local pipeline = {}

pipeline.targets, pipeline.target = targets.all, targets.named

--- The plan of a spec.
function pipeline.plan(spec) return plan.new(problem.new(spec)) end

--- All stages up to `code` of the kernels that a spec has for some targets.
-- @param spec spec table (gen/spec/spec.lua)
-- @param its_targets array of target tables
-- @param overrides table of schedule texts by key, or nil, or a function(plan, target) that returns one, and perhaps
--   `{ rows =, overrides = }` for calls of many rows
-- @return array of codes (gen/lower/lower.lua); their fields `problem`, `plan` and `schedule` are the earlier stages. A code with
--   another one for many rows has it as `many = { rows = from which on, code = }`
function pipeline.kernels(spec, its_targets, overrides)
  local its_plan, codes = plan.new(problem.new(spec)), {}
  for i, target in ipairs(its_targets) do
    local settings, many = overrides, nil
    if type(overrides) == "function" then settings, many = overrides(its_plan, target) end
    codes[i] = lower.new(its_plan, target, schedule.choose(its_plan, target, settings))
    if many then
      local code = lower.new(its_plan, target, schedule.choose(its_plan, target, many.overrides))
      codes[i].many = { rows = many.rows, code = code }
      codes[i].schedule_text = ("%s; from %d rows on %s"):format(codes[i].schedule_text, many.rows, code.schedule_text)
    end
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
    return explain.schedule(pipeline.kernel(spec, target, overrides))
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
