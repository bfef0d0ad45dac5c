--- Files: kernels, header, registry, dispatcher, or all in one header. Fills templates with the texts of codes; sees no
-- vocabulary.

local bindings = require "gen.emit.bindings"
local c = require "gen.emit.prototype"
local descriptor = require "gen.emit.descriptor"
local detection = require "gen.emit.detection"
local dispatch = require "gen.emit.dispatch"
local literal = require "gen.c.literal"
local models = require "gen.emit.model_header"
local registry = require "gen.emit.registry"
local selftest = require "gen.emit.selftest"
local sets = require "gen.emit.set"
local template = require "gen.emit.template"
local traffic = require "gen.problem.traffic"
local unparse = require "gen.c.print"
local usage = require "gen.errors.usage"
local version = require "gen.emit.version"

local emit = {}

--- What the files of a set need of a code: a much smaller table, which can stand in its place once the kernel is written.
emit.descriptor = descriptor

--- CPU detection for one target table, with its architecture's runtime.
emit.detection = detection.of_target

--- One helper of a target as C, guarded so that many kernels fit one translation unit.
-- @param helper of a target (targets.helpers)
function emit.helper(helper, prefix)
  local text = c.specialise(helper.text, prefix, helper.attribute)
  return template.fill("helper.c", { macro = (prefix .. helper.name):upper(), text = text })
end

--- The helpers of a code, then those that only its second schedule needs.
local function helpers_of(code)
  local list, seen = {}, {}
  for _, one in ipairs { code, code.many and code.many.code } do
    for _, helper in ipairs(one.helpers) do
      if not seen[helper.name] then list[#list + 1] = helper end
      seen[helper.name] = true
    end
  end
  return list
end

local function helper_texts(code, prefix)
  local parts = {}
  for i, helper in ipairs(helpers_of(code)) do parts[i] = emit.helper(helper, prefix) end
  return template.trimmed(table.concat(parts))
end

local function contract_text(problem)
  local contract = problem.contract
  local sums = contract.order or ("%s lanes of %s sums, blocks of %s, halving tree"):format(
    literal.integer(contract.lanes), contract.acc, literal.integer(contract.block))
  return ("%d: %s, explicit fma, round to nearest even"):format(contract.version, sums)
end

--- What is walked; a sweep that only stores row values walks nothing.
local function passes_text(plan)
  if plan.passes then return plan.passes end
  local parts = {}
  for _, sweep in ipairs(plan.sweeps) do
    if sweep.kind == "head" then parts[#parts + 1] = ("the first %s elements"):format(literal.integer(sweep.count)) end
    if sweep.kind == "row" then parts[#parts + 1] = "the row" end
  end
  return table.concat(parts, ", then ")
end

--- What the comment in front of a kernel says.
local function kernel_notes(code)
  local problem = code.problem
  return template.piece("kernel_notes.c", {
    title = problem.title, formula = problem.formula, cites = problem.cites, spec = problem.spec,
    contract = contract_text(problem),
    schedule = code.schedule_text ~= "" and " * Schedule:  " .. code.schedule_text or "", passes = passes_text(code.plan),
    bytes = traffic.text(problem.bytes),
  })
end

--- The function for calls of many rows, if there is one, and the statement that calls it.
local function many_texts(code, prefix)
  local many = code.many
  if not many then return "", "" end
  local symbol, items = c.symbol(code, prefix) .. "_many", {}
  for i, argument in ipairs(code.problem.args) do items[i] = argument.name end
  local function specialise(text) return c.specialise(text, prefix, code.attribute) end
  local values = { symbol = symbol, attribute = code.attribute, prototype = c.inline(symbol, code.problem.args),
    body = unparse.body(many.code.body, specialise), rows = literal.integer(many.rows), call = c.call(symbol, items) }
  return template.fill("kernel_many.c", values), template.piece("kernel_many_call.c", values)
end

--- A kernel with its helpers, to stand behind its declaration.
local function kernel_code(code, prefix)
  local function specialise(text) return c.specialise(text, prefix, code.attribute) end
  local many, call = many_texts(code, prefix)
  return template.piece("kernel_code.c", { helpers = helper_texts(code, prefix), many = many, many_call = call,
    attribute = code.attribute, prototype = c.prototype(c.symbol(code, prefix), code.problem.args),
    body = unparse.body(code.body, specialise) })
end

--- The file of one kernel: `{ path=, text= }`.
-- @param code code (gen/lower/lower.lua)
-- @param options `{ prefix=, command= }`; `command` stands in the header comment
function emit.kernel(code, options)
  local problem, symbol, macro = code.problem, c.symbol(code, options.prefix), options.prefix:upper()
  local body = template.piece("kernel_body.c", {
    macro = macro, guards = template.piece("guards.h", {}), declaration = c.declaration(symbol, problem.args, macro),
    includes = code.includes, code = kernel_code(code, options.prefix),
  })
  if code.guard ~= "1" then body = template.piece("kernel_guarded.c", { guard = code.guard, symbol = symbol, body = body }) end
  local text = template.fill("kernel.c", {
    symbol = symbol, notes = kernel_notes(code), version = version, body = body,
    command = options.command or ("normgen emit '%s' --target %s"):format(problem.spec, code.target),
  })
  return { path = symbol .. ".c", text = text }
end

--- Declarations of kernels, each where it can be compiled: by guard, in order of first appearance.
local function prototypes(set)
  local guards, lines = {}, {}
  local function declare(symbol, problem, guard)
    if not lines[guard] then
      guards[#guards + 1] = guard
      lines[guard] = {}
    end
    table.insert(lines[guard], c.declaration(symbol, problem.args, set.macro))
  end
  for _, group in ipairs(set.groups) do
    if set.has_dispatcher then declare(c.entry(group.problem, set.prefix), group.problem, "1") end
    for _, code in ipairs(group.codes) do declare(c.symbol(code, set.prefix), group.problem, code.guard) end
  end
  local parts = {}
  for i, guard in ipairs(guards) do parts[i] = sets.within(guard, table.concat(lines[guard], "\n")) end
  return table.concat(parts, "\n\n")
end

--- What a set declares, to stand behind the macro for visibility.
local function declarations(set)
  local names = { p = set.prefix, macro = set.macro }
  return template.piece("declarations.h", { p = set.prefix, macro = set.macro, bytes = selftest.bytes(set),
    prototypes = prototypes(set), dispatcher = set.has_dispatcher and template.piece("dispatch_declaration.h", names) or "" })
end

--- Two targets must not give one name to different helpers: a file may hold kernels of both.
local function check_helpers(set)
  local texts, owners = {}, {}
  for _, code in ipairs(set.codes) do
    for _, helper in ipairs(helpers_of(code)) do
      local name, text = helper.name, c.specialise(helper.text, "", helper.attribute)
      if texts[name] and texts[name] ~= text then
        usage.fail("targets %s and %s have different helpers named %s", owners[name], code.target, name)
      end
      texts[name], owners[name] = text, code.target
    end
  end
end

--- A file of a set. Adds to the values what all files need.
local function set_file(set, name, path, values)
  values.file, values.header, values.command, values.version = path, set.prefix .. "kernels.h", set.command, version
  values.p, values.macro = set.prefix, set.macro
  return { path = path, text = template.fill(name, values) }
end

local function new_set(codes, options)
  local set = sets.new(codes, options)
  check_helpers(set)
  return set
end

--- Adds the headers of models, and the modules of other languages, to files, of which one declares the kernels.
local function add_callers(set, options, declares, files)
  for _, model in ipairs(options.models or {}) do
    files[#files + 1] = set_file(set, "model.h", set.prefix .. model.name .. ".h", models.values(set, model, declares))
  end
  for _, language in ipairs(options.bindings or {}) do
    files[#files + 1] = set_file(set, bindings.module(set, options.models or {}, language, declares))
  end
end

--- The files of a set of kernels but those of the kernels themselves. They need neither bodies nor plans.
-- @param codes array of codes (gen/lower/lower.lua), each (name, target) once
-- @param options `{ prefix = "ng_", command = "normgen emit ...", models = nil or array of { name=, specs= },
--   bindings = nil or array of languages }`
-- @return array of `{ path=, text= }`: header, registry, a dispatcher where an architecture has several targets, a header for
--   each model, and a module for each language
function emit.set_files(codes, options)
  local set, files = new_set(codes, options), {}
  local function add(name, values) files[#files + 1] = set_file(set, name, set.prefix .. name, values) end
  local runtime = detection.of_set(set)
  add("kernels.h", { declarations = declarations(set) })
  add("registry.c", { runtime = runtime, registry = registry.text(set) })
  if set.has_dispatcher then add("dispatch.c", { runtime = runtime, dispatcher = dispatch.text(set) }) end
  add_callers(set, options, set.prefix .. "kernels.h", files)
  return files
end

--- All files of a set: its kernels, then those above.
function emit.files(codes, options)
  local files = {}
  for i, code in ipairs(codes) do files[i] = emit.kernel(code, options) end
  for _, file in ipairs(emit.set_files(codes, options)) do files[#files + 1] = file end
  return files
end

--- What the targets of a set include. The most special one comes first: what it says about its headers (to keep g++
-- from warning about its own) must hold when they are read.
local function includes_text(set)
  local parts = {}
  for i, code in ipairs(set.targets) do parts[#set.targets - i + 1] = sets.within(code.guard, code.includes) end
  return table.concat(parts, "\n")
end

local function single_file(set)
  local kernels = sets.guarded(set, function(_, code)
    return template.fill("single_kernel.c", { symbol = c.symbol(code, set.prefix), notes = kernel_notes(code),
      code = kernel_code(code, set.prefix) })
  end, "\n\n")
  return set_file(set, "single.h", set.prefix .. "kernels_single.h", { declarations = declarations(set),
    guards = template.piece("guards.h", {}), includes = includes_text(set), runtime = detection.of_set(set), kernels = kernels,
    registry = registry.text(set), dispatcher = dispatch.text(set) })
end

--- The same as one header: `{ path=, text= }`.
function emit.single(codes, options) return single_file(new_set(codes, options)) end

--- That header, and those of models.
function emit.single_files(codes, options)
  local set = new_set(codes, options)
  local files = { single_file(set) }
  add_callers(set, options, files[1].path, files)
  return files
end

return emit
