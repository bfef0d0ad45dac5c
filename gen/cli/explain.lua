--- normgen explain: prints one stage of the way from a spec to C.

local files = require "gen.cli.files"
local inputs = require "gen.cli.inputs"
local pipeline = require "gen.pipeline"
local spec = require "gen.spec"
local usage = require "gen.usage"

local command = {
  summary = "Print a stage: problem, plan, schedule, code or text.",
  arguments = { "stage", "spec", "stage_target", "target_path", "schedule" },
  examples = {
    "normgen explain --stage=plan 'layernorm fwd f32 h=768 addout'",
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
  local text = pipeline.stage(args.stage, spec.parse(args.spec), target, inputs.schedule(args.schedule))
  files.print(text)
end

return command
