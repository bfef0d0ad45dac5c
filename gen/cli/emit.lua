--- normgen emit: writes kernels, header, registry and dispatcher, or all in one header, and a header for each model.

local emit = require "gen.emit"
local files = require "gen.cli.files"
local inputs = require "gen.cli.inputs"
local shell = require "gen.cli.shell"
local spec = require "gen.spec"
local usage = require "gen.usage"

local command = {
  summary = "Generate C from specs and spec files.",
  arguments = { "specs", "target", "target_path", "output", "layout", "prefix", "schedule", "bindings" },
  examples = {
    "normgen emit 'rmsnorm fwd bf16 h=4096 addout' --target native -o out",
    "normgen emit specs/llama3_8b.lua --target scalar,avx2,avx512,neon -o out",
    "normgen emit 'layernorm f32 h=768' --target avx2 --schedule rows=4",
    "normgen emit specs/gpt2.lua --target scalar,avx2,neon --format single -o include",
    "normgen emit specs/gpt2.lua --target scalar,avx2,neon --bindings luajit,python -o out",
  },
}

local function last_name(path) return path:match("([^/]*)/*$") end

-- The command that makes the same files again: of paths only the last name, no `native`.
local function command_line(args, targets)
  local words = { "normgen", "emit" }
  local function add(...)
    for _, word in ipairs { ... } do words[#words + 1] = word end
  end
  for _, argument in ipairs(args.specs) do
    add(inputs.is_file(argument) and last_name(argument) or spec.format(spec.parse(argument)))
  end
  local list = {}
  for i, target in ipairs(targets) do list[i] = target.name end
  add("--target", table.concat(list, ","))
  for _, path in ipairs(args.target_path) do add("--target-path", last_name(path)) end
  if args.format ~= "dir" then add("--format", args.format) end
  if args.prefix ~= "ng_" then add("--prefix", args.prefix) end
  if args.schedule then add("--schedule", args.schedule) end
  if args.bindings then add("--bindings", table.concat(inputs.languages(args.bindings), ",")) end
  return shell.line(words)
end

-- The files of a format, and what goes to standard output instead if there is no directory for them.
local FORMATS = {
  dir = {
    files = emit.files,
    texts = function(kernels, options)
      local list = {}
      for i, kernel in ipairs(kernels) do list[i] = emit.kernel(kernel, options).text end
      return list
    end,
  },
  single = {
    files = emit.single_files,
    texts = function(kernels, options) return { emit.single(kernels, options).text } end,
  },
}

--- Generates every text before the first byte is written.
-- @param args parsed arguments
function command.run(args)
  if args.bindings and not args.output then usage.fail("--bindings needs -o: it writes files beside those of the kernels") end
  local prefix, targets = inputs.prefix(args.prefix), inputs.targets(args.target)
  local specs, models = inputs.specs(args.specs)
  local kernels, format = inputs.kernels(specs, targets, args.schedule), FORMATS[args.format]
  local options = { prefix = prefix, command = command_line(args, targets), models = models,
    bindings = inputs.languages(args.bindings) }
  if args.output then
    local list = format.files(kernels, options)
    files.make_directory(args.output)
    files.write_all(args.output, list)
  else
    files.print(table.concat(format.texts(kernels, options)))
  end
end

return command
