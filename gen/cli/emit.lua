--- normgen emit: writes kernels, header, registry and dispatcher.

local emit = require "gen.emit"
local files = require "gen.cli.files"
local inputs = require "gen.cli.inputs"
local shell = require "gen.cli.shell"
local spec = require "gen.spec"

local command = {
  summary = "Generate C from specs and spec files.",
  arguments = { "specs", "target", "output", "prefix", "schedule" },
  examples = {
    "normgen emit 'rmsnorm fwd bf16 h=4096 addout' --target native -o out",
    "normgen emit specs/llama3_8b.lua --target scalar,avx2,avx512,neon -o out",
    "normgen emit 'layernorm f32 h=768' --target avx2 --schedule rows=4",
  },
}

-- The command that makes the same files again: no paths but the names of spec files, no `native`.
local function command_line(args, targets)
  local words = { "normgen", "emit" }
  local function add(...)
    for _, word in ipairs { ... } do words[#words + 1] = word end
  end
  for _, argument in ipairs(args.specs) do
    add(inputs.is_file(argument) and argument:match("[^/]*$") or spec.format(spec.parse(argument)))
  end
  local list = {}
  for i, target in ipairs(targets) do list[i] = target.name end
  add("--target", table.concat(list, ","))
  if args.prefix ~= "ng_" then add("--prefix", args.prefix) end
  if args.schedule then add("--schedule", args.schedule) end
  return shell.line(words)
end

--- Generates every text before the first byte is written.
-- @param args parsed arguments
function command.run(args)
  local prefix, targets = inputs.prefix(args.prefix), inputs.targets(args.target)
  local kernels = inputs.kernels(inputs.specs(args.specs), targets, args.schedule)
  local options = { prefix = prefix, command = command_line(args, targets) }
  if args.output then
    local list = emit.files(kernels, options)
    files.make_directory(args.output)
    files.write_all(args.output, list)
  else
    for i, kernel in ipairs(kernels) do kernels[i] = emit.kernel(kernel, options).text end
    files.print(table.concat(kernels))
  end
end

return command
