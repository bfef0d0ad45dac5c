--- normgen emit: writes kernels, header, registry and dispatcher, or all in one header, and a header for each model.

local emission = require "cli.emission"
local failure = require "host.failure"
local files = require "host.files"
local rules = require "cli.rules"
local usage = require "gen.errors.usage"

local command = {
  summary = "Generate C from specs and spec files.",
  arguments = { "specs", "target", "target_path", "output", "layout", "prefix", "schedule", "tuned", "require_tuned",
    "bindings", "check", "depfile", "stamp" },
  examples = {
    "normgen emit 'rmsnorm fwd bf16 h=4096 addout' --target native -o out",
    "normgen emit specs/llama3_8b.lua --target scalar,avx2,avx512,neon -o out",
    "normgen emit 'layernorm f32 h=768' --target avx2 --schedule rows=4",
    "normgen emit specs/llama3_8b.lua --target native --tuned user -o out",
    "normgen emit specs/gpt2.lua --target scalar,avx2,neon --format single -o include",
    "normgen emit specs/gpt2.lua --target scalar,avx2,neon --bindings luajit,python -o out",
    "normgen emit specs/gpt2.lua --target scalar,avx2 -o out --check",
  },
}

-- Options that mean nothing without another one, or beside it.
local function refuse_contradictions(args)
  for _, option in ipairs { "bindings", "check", "depfile", "stamp" } do
    if args[option] and not args.output then usage.fail("--%s needs -o", option) end
  end
  if args.check and (args.depfile or args.stamp) then
    usage.fail("--check writes nothing, so there is no %s", args.depfile and "--depfile" or "--stamp")
  end
end

-- Says which files are not there or hold something else; fails if there is one.
local function compare(directory, list)
  local stale = 0
  for _, file in ipairs(list) do
    local path = directory .. "/" .. file.path
    local text = files.read(path)
    if text ~= file.text then
      files.print(path .. (text and ": differs\n" or ": missing\n"))
      stale = stale + 1
    end
  end
  if stale > 0 then failure("emit: %d of %d files are not what would be written", stale, #list) end
end

local function write(args, run)
  local outputs = {}
  files.write_each(args.output, function(act)
    emission.each(run, function(file)
      if #outputs == 0 then files.make_directory(args.output) end
      outputs[#outputs + 1] = args.output .. "/" .. file.path
      act(file)
    end)
  end)
  if args.depfile then
    files.write(args.depfile, rules.depfile(args.stamp and { args.stamp } or outputs, emission.inputs(run)))
  end
  if args.stamp then files.write(args.stamp, "") end
end

--- Generates every text before the first file is replaced.
-- @param args parsed arguments
function command.run(args)
  refuse_contradictions(args)
  local run = emission.new(args.specs, args.layout, args)
  if not args.output then
    files.print(table.concat(emission.texts(run)))
  elseif args.check then
    compare(args.output, emission.files(run))
  else
    write(args, run)
  end
end

return command
