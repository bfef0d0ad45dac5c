--- What the arguments of the subcommands mean: specs, targets, prefix, schedule.

local bindings = require "gen.emit.bindings"
local names = require "gen.spec.names"
local native = require "host.native"
local pipeline = require "gen.pipeline.pipeline"
local spec = require "gen.spec.spec"
local specfile = require "host.specfile"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local inputs = {}

--- Iterates over the items of a list with commas; "" has one, which is empty.
function inputs.items(text) return (text .. ","):gmatch("([^,]*),") end

--- Whether an argument is the path of a spec file.
function inputs.is_file(argument)
  return argument:match("%.lua$") or argument:find("/", 1, true)
end

-- The specs that an argument asks for, and the name of the model if it is a spec file that has one.
local function specs_of(argument)
  if inputs.is_file(argument) then return specfile.load(argument) end
  return { spec.parse(argument) }
end

--- The specs that arguments ask for, each kernel once, in the order given.
-- @param arguments array of spec lines and paths of spec files
-- @return array of spec tables; array of the models of the files, `{ name=, specs = all specs of its file }`
function inputs.specs(arguments)
  local list, seen, models, named = {}, {}, {}, {}
  for _, argument in ipairs(arguments) do
    local found, model = specs_of(argument)
    if model then
      if named[model] then usage.fail("%s and %s are both of model %s", named[model], argument, model) end
      named[model] = argument
      models[#models + 1] = { name = model, specs = found }
    end
    for _, s in ipairs(found) do
      local name = names.build(s)
      if not seen[name] then
        seen[name] = true
        list[#list + 1] = s
      end
    end
  end
  return list, models
end

--- Names of all targets, lowest rank first.
function inputs.target_names()
  local list = {}
  for _, target in ipairs(pipeline.targets()) do list[#list + 1] = target.name end
  return list
end

-- The names of the targets that one word of --target stands for.
local function target_names(word)
  local known = inputs.target_names()
  if word == "all" then return known end
  if word == "native" then return { native.target(pipeline.targets()).name } end
  for _, name in ipairs(known) do
    if name == word then return { name } end
  end
  table.insert(known, "native")
  table.insert(known, "all")
  suggest.unknown("target", word, known)
end

--- The targets of --target.
-- @param text "avx2,neon", "native", "all", or nil
-- @return array of target tables, lowest rank first, each once
function inputs.targets(text)
  if not text then
    usage.fail("--target is missing (%s, native, all)", table.concat(inputs.target_names(), ", "))
  end
  local wanted, list = {}, {}
  for word in inputs.items(text) do
    for _, name in ipairs(target_names(word)) do wanted[name] = true end
  end
  for _, target in ipairs(pipeline.targets()) do
    if wanted[target.name] then list[#list + 1] = target end
  end
  return list
end

--- Checks a prefix: with it, every emitted name must be a C and C++ identifier that is not reserved.
-- @return the prefix
function inputs.prefix(text)
  if not text:match("^[A-Za-z][A-Za-z0-9_]*$") or text:find("__", 1, true) then
    usage.fail("--prefix %s: a prefix is a letter, then letters, digits and single underscores", usage.quote(text))
  end
  return text
end

--- The settings of --schedule.
-- @param text "rows=4,layout=split", or nil
-- @return table of strings, or nil; which keys and values are legal is for schedule.lua to say
function inputs.schedule(text)
  if not text then return nil end
  local settings = {}
  for item in inputs.items(text) do
    local key, value = item:match("^([^=]+)=(.+)$")
    if not key then usage.fail("--schedule %s: settings are key=value, separated by commas", usage.quote(text)) end
    if settings[key] then usage.fail("--schedule sets %s twice", usage.quote(key)) end
    settings[key] = value
  end
  return settings
end

--- The languages of --bindings, each once, in the order in which emit writes their files.
-- @param text "python,luajit", or nil
function inputs.languages(text)
  if not text then return {} end
  local known, wanted, list = {}, {}, {}
  for _, language in ipairs(bindings.languages) do known[language] = true end
  for word in inputs.items(text) do
    if not known[word] then suggest.unknown("language", word, bindings.languages) end
    wanted[word] = true
  end
  for _, language in ipairs(bindings.languages) do
    if wanted[language] then list[#list + 1] = language end
  end
  return list
end

--- Every spec for every target, name by name.
-- @param specs array of spec tables
-- @param targets array of target tables
-- @param overrides what pipeline.kernels takes
-- @param act function that is called with each code (gen/pipeline/pipeline.lua)
function inputs.each_kernel(specs, targets, overrides, act)
  for _, s in ipairs(specs) do
    for _, code in ipairs(pipeline.kernels(s, targets, overrides)) do act(code) end
  end
end

--- The same as an array of codes.
function inputs.kernels(specs, targets, overrides)
  local list = {}
  inputs.each_kernel(specs, targets, overrides, function(code) list[#list + 1] = code end)
  return list
end

return inputs
