--- normgen model: the norms of a model as a spec file, from its config.json or from what is built in.

local dkjson = require "dkjson"
local failure = require "host.failure"
local files = require "host.files"
local json = require "host.json"
local lfs = require "lfs"
local models = require "models.models"
local null = require("models.config").null
local listing = require "models.listing"
local shell = require "host.shell"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local command = {
  summary = "Print the spec file of a model, from its config.json or its name.",
  arguments = { "model", "dtype", "residual_dtype", "cast", "set", "json" },
  examples = {
    "normgen model llama3_8b > specs/llama3_8b.lua",
    "normgen model path/to/config.json --dtype bf16 --residual f32",
    "normgen model gemma3_4b --json",
    "normgen model path/to/config.json --set rms_norm_eps=1e-6 --set text_config.head_dim=128",
  },
  notes = [[
The JSON is an object with
  model_type, dtype
  sites               array of { site, spec, eps, per_layer, emittable, note } in the order of the forward pass
where site is the name of the module in the reference code, and spec and eps are null where they are not known. Keys
are never removed or renamed. The exit code is 1 if a site cannot be emitted yet; the others are printed all the same.]],
}

local MAX_BYTES = 4 * 1024 * 1024

local function check_size(bytes, source)
  if bytes and bytes > MAX_BYTES then usage.fail("%s: larger than 4 MiB, which is no config.json", source) end
end

-- At most one byte more than is allowed.
local function read(file, source)
  local text, reason = file:read(MAX_BYTES + 1)
  if reason then failure("cannot read %s: %s", source, reason) end
  check_size(text and #text, source)
  return text or ""
end

local function read_file(path)
  if lfs.attributes(path, "mode") == "directory" then failure("cannot read %s: it is a directory", usage.quote(path)) end
  check_size(lfs.attributes(path, "size"), path)
  local file, reason = io.open(path, "rb")
  if not file then failure("cannot read %s: %s", usage.quote(path), (reason:gsub("^.*: ", ""))) end
  local text = read(file, path)
  file:close()
  return text
end

local function parse(text, source)
  local value, rest, reason = json.decode(text, null)
  if reason then usage.fail("%s: invalid JSON: %s", source, reason) end
  if type(value) ~= "table" or value == null or getmetatable(value).__jsontype ~= "object" then
    usage.fail("%s: a config.json holds an object", source)
  end
  if rest then usage.fail("%s: invalid JSON: %s behind the object", source, usage.quote(rest)) end
  return value
end

-- The fields of what the argument means, and what stands for it in messages and as the model's name.
local function fields_of(argument)
  if argument == "-" then return parse(read(io.stdin, "standard input"), "standard input"), "standard input" end
  if argument:find("/", 1, true) or argument:find("%.json$") then return parse(read_file(argument), argument), argument end
  return models.fields(argument), argument, argument
end

-- A value of --set: JSON, else a string.
local function value_of(text)
  local value, rest, reason = json.decode(text, null)
  return (reason or rest) and text or value
end

-- A copy of an object with one field set, in objects inside of it where the name has dots.
local function with_field(fields, name, value, option)
  local copy, first, rest = {}, name:match "^([^.]+)%.?(.*)$"
  for key, item in pairs(fields) do copy[key] = item end
  if rest == "" then
    copy[first] = value
  else
    local inner = copy[first] == null and {} or copy[first] or {}
    if type(inner) ~= "table" or #inner > 0 then usage.fail("--set %s: %s is no object", option, first) end
    copy[first] = with_field(inner, rest, value, option)
  end
  return copy
end

-- The fields with those that --set gives, and the names of these.
local function with_options(fields, list)
  local names = {}
  for i, option in ipairs(list) do
    local name, text = option:match "^([%w_]+[%w_.]*)=(.*)$"
    if not name or name:find("..", 1, true) or name:find "%.$" then
      usage.fail("--set %s: it must be NAME=VALUE, e.g. rms_norm_eps=1e-6 or text_config.head_dim=128", usage.quote(option))
    end
    fields, names[i] = with_field(fields, name, value_of(text), option), name
  end
  return fields, names
end

-- A field that nothing has asked for changes nothing: most likely it is misspelt.
local function check_names(names, found)
  for _, name in ipairs(names) do
    if not found.asked[name] then
      local known = {}
      for field in pairs(found.asked) do known[#known + 1] = field end
      table.sort(known)
      local near = suggest.nearest(name, known)
      usage.fail("--set %s: no norm of %s depends on this field%s", name, found.model_type,
        near and ", did you mean '" .. near .. "'?" or "")
    end
  end
end

-- The command that prints the same again: of a path only the last name.
local function command_line(args)
  local words = { "normgen", "model", args.model:match("([^/]*)$") }
  for _, option in ipairs { "dtype", "residual", "cast" } do
    local value = args[option]
    if value and value ~= "reference" then words = shell.words(words, { "--" .. option, value }) end
  end
  for _, option in ipairs(args.set) do words = shell.words(words, { "--set", option }) end
  return shell.line(words)
end

local function for_json(found)
  local sites = json.array {}
  for i, site in ipairs(found.sites) do
    sites[i] = { site = site.site, spec = site.spec or dkjson.null, eps = site.eps or dkjson.null, per_layer = site.per_layer,
      emittable = site.emittable, note = site.note }
  end
  return { model_type = found.model_type, dtype = found.dtype, sites = sites }
end

--- @param args parsed arguments
function command.run(args)
  local fields, source, name = fields_of(args.model)
  local names
  fields, names = with_options(fields, args.set)
  local found = models.sites(fields, { source = source, dtype = args.dtype, residual = args.residual, exact = args.cast == "exact" })
  check_names(names, found)
  files.print(args.json and json.encode(for_json(found)) or listing.text(found, name, command_line(args)))
  local missing = 0
  for _, site in ipairs(found.sites) do missing = missing + (site.emittable and 0 or 1) end
  if missing > 0 then failure("model: %d of %d sites cannot be emitted yet", missing, #found.sites) end
end

return command
