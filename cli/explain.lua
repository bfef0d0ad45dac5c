--- normgen explain: prints one stage of the way from a spec to C.

local files = require "host.files"
local inputs = require "host.inputs"
local pipeline = require "gen.pipeline.pipeline"
local spec = require "gen.spec.spec"
local tuned = require "cli.schedules"
local usage = require "gen.errors.usage"

local command = {
  summary = "Print a stage: problem, plan, schedule, code or text.",
  arguments = { "stage", "spec", "stage_target", "target_path", "schedule", "tuned" },
  examples = {
    "normgen explain --stage=plan 'layernorm fwd f32 h=768 addout'",
    "normgen explain --stage=schedule 'rmsnorm f32 h=4096' --target native --tuned user,shipped",
    "normgen explain --stage=code 'rmsnorm bf16 h=4096' --target avx2 --schedule rows=4",
  },
}

local function only_target(args)
  local targets = inputs.targets(args.target)
  if #targets > 1 then usage.fail("--target %s: explain shows one target at a time", usage.quote(args.target)) end
  return targets[1]
end

--- @param args parsed arguments
function command.run(args)
  local target = args.target and only_target(args)
  local records, its_spec = tuned.open(args.tuned), spec.parse(args.spec)
  local text = pipeline.stage(args.stage, its_spec, target, tuned.chooser(args.schedule, records))
  if records and args.stage == "schedule" then text = text .. tuned.explain(records, pipeline.plan(its_spec), target) end
  files.print(text)
end

return command
