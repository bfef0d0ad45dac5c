--- What `emit` writes and `list` announces: the files that specs, targets and options give.

local tree = require "gen.tree"
local emit = require "gen.emit.emit"
local inputs = require "host.inputs"
local shell = require "host.shell"
local spec = require "gen.spec.spec"
local tuned = require "cli.schedules"

local emission = {}

-- Kernels as files of their own, one by one; `act` gets each. Returns what is left of the codes.
local function each_kernel_file(self, act)
  local codes = {}
  inputs.each_kernel(self.specs, self.targets, self.overrides, function(code)
    act(emit.kernel(code, self.options))
    codes[#codes + 1] = emit.descriptor(code)
  end)
  return codes
end

local function all_kernels(self) return inputs.kernels(self.specs, self.targets, self.overrides) end

-- What calls a function with each file of a layout, and the texts for standard output.
local LAYOUTS = {
  dir = {
    each = function(self, act)
      for _, file in ipairs(emit.set_files(each_kernel_file(self, act), self.options)) do act(file) end
    end,
    texts = function(self)
      local list = {}
      each_kernel_file(self, function(file) list[#list + 1] = file.text end)
      return list
    end,
  },
  single = {
    each = function(self, act)
      for _, file in ipairs(emit.single_files(all_kernels(self), self.options)) do act(file) end
    end,
    texts = function(self) return { emit.single(all_kernels(self), self.options).text } end,
  },
}

-- Where modules of normgen's own come from.
local OWN_ROOMS = {}
for _, name in ipairs { "bench", "cli", "gen", "host", "measure", "models", "targets", "tuner" } do OWN_ROOMS[name] = true end

local function whole(path) return path end

-- The words behind `normgen` that make the same files again, without `native`; path_of says how paths look in them.
local function words_of(arguments, layout, args, targets, path_of)
  local words, names = { "emit" }, {}
  for _, argument in ipairs(arguments) do
    words[#words + 1] = inputs.is_file(argument) and path_of(argument) or spec.format(spec.parse(argument))
  end
  for i, target in ipairs(targets) do names[i] = target.name end
  words = shell.words(words, { "--target", table.concat(names, ",") })
  for _, path in ipairs(args.target_path) do words = shell.words(words, { "--target-path", path_of(path) }) end
  if layout ~= "dir" then words = shell.words(words, { "--format", layout }) end
  if args.prefix ~= "ng_" then words = shell.words(words, { "--prefix", args.prefix }) end
  if args.schedule then words = shell.words(words, { "--schedule", args.schedule }) end
  if args.tuned then words = shell.words(words, { "--tuned", path_of(args.tuned) }) end
  return args.bindings and shell.words(words, { "--bindings", table.concat(inputs.languages(args.bindings), ",") }) or words
end

-- A path as emitted files show it: as it was given, so that their command can be run where it was given. An absolute path says too
-- much, and "*/" ends a comment of C: of these the last name is left, for a run where the file is.
local function shown(path)
  local is_kept = path:sub(1, 1) ~= "/" and not path:find("*/", 1, true)
  return is_kept and path or "./" .. path:match("([^/]*)/*$")
end

-- The command that stands in emitted files.
local function command_of(arguments, layout, args, targets)
  local words = shell.words({ "normgen" }, words_of(arguments, layout, args, targets, shown))
  -- Modules for other languages are nothing for standard output.
  return shell.line(args.bindings and shell.words(words, { "-o", "." }) or words)
end

-- The spec files of the user.
local function spec_files(arguments)
  local list = {}
  for _, argument in ipairs(arguments) do
    if inputs.is_file(argument) then list[#list + 1] = argument end
  end
  return list
end

--- Works out what is asked for; no kernel is made yet.
-- @param arguments array of spec lines and paths of spec files
-- @param layout "dir" or "single"
-- @param args parsed arguments: target, target_path, prefix, schedule, tuned, require_tuned, bindings
-- @return `{ words=, prefix=, ... }`: the words behind `normgen` that emit the same again, and what the functions below need
function emission.new(arguments, layout, args)
  local prefix, targets = inputs.prefix(args.prefix), inputs.targets(args.target)
  local specs, models = inputs.specs(arguments)
  local records = tuned.open(args.tuned, args.require_tuned)
  return { layout = LAYOUTS[layout], specs = specs, targets = targets, prefix = prefix,
    overrides = tuned.chooser(args.schedule, records),
    words = words_of(arguments, layout, args, targets, whole),
    user_files = shell.words(spec_files(arguments), records and records.files or {}),
    options = { prefix = prefix, command = command_of(arguments, layout, args, targets), models = models,
      bindings = inputs.languages(args.bindings) } }
end

--- Makes the files, `{ path=, text= }`, and calls `act` with each.
function emission.each(self, act) self.layout.each(self, act) end

--- The files as an array.
function emission.files(self)
  local list = {}
  emission.each(self, function(file) list[#list + 1] = file end)
  return list
end

--- What goes to standard output if there is no directory for the files: array of texts.
function emission.texts(self) return self.layout.texts(self) end

--- Paths of the files that have been read to make all this: specs and records, then targets and what normgen is made of.
function emission.inputs(self)
  local list = shell.words({ tree.path "bin/normgen" }, tree.paths_read())
  for name in pairs(package.loaded) do
    if OWN_ROOMS[name:match("^(%w+)%.")] then list[#list + 1] = tree.path(name:gsub("%.", "/") .. ".lua") end
  end
  table.sort(list)
  return shell.words(self.user_files, list)
end

return emission
