--- The header of a model: for each of its norms a function with the right eps, and constants.

local c = require "gen.emit.prototype"
local literal = require "gen.c.literal"
local names = require "gen.spec.names"
local sets = require "gen.emit.set"
local spec_words = require "gen.spec.spec"
local template = require "gen.emit.template"
local usage = require "gen.errors.usage"

local models = {}

--- A site as a part of C names.
local function c_name(site)
  return (site:gsub("[^%w]+", "_"):gsub("^_", ""):gsub("_$", ""))
end

local function group_of(set, spec)
  local name = names.build(spec)
  for _, group in ipairs(set.groups) do
    if group.problem.name == name then return group end
  end
end

--- The constants of a site, `{ suffix of the macro, value, argument that is passed on or nil }`.
local function constants(spec)
  local list = {}
  local function add(suffix, value, argument)
    if value then list[#list + 1] = { suffix = suffix, value = value, argument = argument } end
  end
  add("EPS", spec.eps, "eps")
  add("ALPHA", spec.deepnorm and spec.deepnorm.alpha, "alpha")
  add("BETA", spec.deepnorm and spec.deepnorm.beta)
  return list
end

--- The arguments of a site's function, and what it passes on to the kernel: a constant of the site is not asked for.
local function arguments(spec, group, macro)
  local own, passed = {}, {}
  local macro_of = {}
  for _, constant in ipairs(constants(spec)) do
    if constant.argument then macro_of[constant.argument] = macro .. "_" .. constant.suffix end
  end
  for i, argument in ipairs(group.problem.args) do
    passed[i] = macro_of[argument.name] or argument.name
    if not macro_of[argument.name] then own[#own + 1] = argument end
  end
  return own, passed
end

local function constants_text(spec, macro)
  local lines = {}
  for i, constant in ipairs(constants(spec)) do
    lines[i] = ("#define %s_%s %s /* %s */"):format(macro, constant.suffix, literal.float(constant.value, spec.x == "f64" and "" or "f"),
      literal.decimal(constant.value))
  end
  return table.concat(lines, "\n")
end

-- The function of a site that calls a kernel by this symbol.
local function function_text(spec, group, symbol, macro, kernel)
  local own, passed = arguments(spec, group, macro)
  return template.piece("model_function.h", { prototype = c.inline(symbol, own), call = c.call(kernel, passed) })
end

-- The site's functions: one, or one for each architecture where no dispatcher chooses a target.
local function functions_text(set, spec, group, symbol, macro)
  if set.has_dispatcher then return function_text(spec, group, symbol, macro, c.entry(group.problem, set.prefix)) end
  local parts = {}
  for i, code in ipairs(group.codes) do
    parts[i] = sets.within(code.guard, function_text(spec, group, symbol, macro, c.symbol(code, set.prefix)))
  end
  return table.concat(parts, "\n")
end

local function site_text(set, model, spec)
  local group, symbol = group_of(set, spec), set.prefix .. model.name .. "_" .. c_name(spec.site)
  local macro = symbol:upper()
  return template.piece("model_site.h", { site = spec.site, spec = spec_words.format(spec), macro = macro,
    h = literal.integer(spec.h or spec.c), constants = constants_text(spec, macro),
    functions = functions_text(set, spec, group, symbol, macro) })
end

--- Two sites must not give one C name: macros are upper case.
local function check(model)
  local seen = {}
  for _, spec in ipairs(model.specs) do
    local name = spec.site and c_name(spec.site):upper()
    if name and (name == "" or seen[name]) then
      usage.fail("model %s: the sites %s and %s have the same name in C", model.name, seen[name] or "''", spec.site)
    end
    if name then seen[name] = spec.site end
  end
end

--- What the template of a model's header holds.
-- @param set set of kernels (gen/emit/set.lua) with all kernels of the model
-- @param model `{ name=, specs= }`; specs without a site have no function
-- @param declares the header that declares the kernels
function models.values(set, model, declares)
  check(model)
  local sites = {}
  for _, spec in ipairs(model.specs) do
    if spec.site then sites[#sites + 1] = site_text(set, model, spec) end
  end
  return { model = model.name, guard = (set.prefix .. model.name):upper() .. "_H", kernels = declares,
    sites = table.concat(sites, "\n\n") }
end

return models
