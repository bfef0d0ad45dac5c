--- Files: kernels, header, registry, dispatcher. Fills templates with the texts of codes; sees no vocabulary.

local literal = require "gen.literal"
local root = require "gen.root"
local template = require "gen.template"
local unparse = require "gen.unparse"
local version = require "gen.version"

local emit = {}

local WIDTH = 118

--- Puts the user's prefix and the target's attribute into a target's text.
local function specialise(text, prefix, attribute)
  return (text:gsub("%$A ", function() return attribute == "" and "" or attribute .. "\n" end):gsub("@", function() return prefix end))
end

--- `head(item, item)` on lines of at most WIDTH columns, continued below the first item.
local function list_text(head, items)
  local lines, line = {}, head .. "("
  local indent = (" "):rep(#line)
  for i, item in ipairs(items) do
    local piece = item .. (i < #items and ", " or ")")
    if #line + #piece > WIDTH and line ~= indent then
      lines[#lines + 1] = line:gsub("%s+$", "")
      line = indent
    end
    line = line .. piece
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function c_type(argument)
  if argument.shape == "scalar" then return argument.ctype .. " " end
  return (argument.io == "in" and "const " or "") .. argument.ctype .. " *"
end

local function prototype(symbol, args)
  local items = {}
  for i, argument in ipairs(args) do items[i] = c_type(argument) .. argument.name end
  return list_text("void " .. symbol, items)
end

--- The dispatching symbol of a problem, and the symbol of a code.
local function entry_of(problem, options) return options.prefix .. problem.name end
local function symbol_of(code, options) return entry_of(code.problem, options) .. "_" .. code.target end

--- One helper of a target as C, guarded so that many kernels fit one translation unit.
-- @param helper `{ name=, text= }`
-- @param attribute function attribute of the target
function emit.helper(helper, attribute, prefix)
  return template.fill("helper.c", { macro = (prefix .. helper.name):upper(), text = specialise(helper.text, prefix, attribute) })
end

local function helper_texts(code, options)
  local parts = {}
  for i, helper in ipairs(code.helpers) do parts[i] = emit.helper(helper, code.attribute, options.prefix) end
  return (table.concat(parts):gsub("%s+$", ""))
end

local function contract_text(problem)
  local c = problem.contract
  return ("%d: %s lanes of %s sums, blocks of %s, halving tree, explicit fma, round to nearest even"):format(
    c.version, literal.integer(c.lanes), c.acc, literal.integer(c.block))
end

local function passes_text(plan)
  local parts = {}
  for _, sweep in ipairs(plan.sweeps) do
    parts[#parts + 1] = sweep.kind == "head" and ("the first %s elements"):format(literal.integer(sweep.count)) or "the row"
  end
  return table.concat(parts, ", then ")
end

--- The file of one kernel: `{ path=, text= }`.
-- @param code code (gen/lower.lua)
-- @param options `{ prefix=, command= }`; `command` stands in the header comment
function emit.kernel(code, options)
  local problem, symbol = code.problem, symbol_of(code, options)
  local bytes = problem.bytes_per_row
  local text = template.fill("kernel.c", {
    symbol = symbol, title = problem.title, formula = problem.formula, cites = problem.cites, spec = problem.spec,
    contract = contract_text(problem), schedule = code.schedule_text, passes = passes_text(code.plan),
    read = literal.integer(bytes.read), write = literal.integer(bytes.write), parameters = literal.integer(bytes.parameters),
    command = options.command or ("normgen emit '%s' --target %s"):format(problem.spec, code.target),
    version = version, guard = code.guard, guards = (template.fill("guards.h", {}):gsub("%s+$", "")),
    includes = code.includes, helpers = helper_texts(code, options), prototype = prototype(symbol, problem.args),
    attribute = code.attribute, body = specialise(unparse.body(code.body), options.prefix, code.attribute),
  })
  return { path = symbol .. ".c", text = text }
end

--- Codes by name in order of first appearance: array of `{ problem=, codes={..} }`.
local function by_name(codes)
  local groups, index = {}, {}
  for _, code in ipairs(codes) do
    local name = code.problem.name
    if not index[name] then
      index[name] = { problem = code.problem, codes = {} }
      groups[#groups + 1] = index[name]
    end
    table.insert(index[name].codes, code)
  end
  return groups
end

--- The targets of codes, lowest rank first.
local function targets_of(codes)
  local list, seen = {}, {}
  for _, code in ipairs(codes) do
    if not seen[code.target] then
      seen[code.target] = true
      list[#list + 1] = code
    end
  end
  table.sort(list, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.target < b.target
  end)
  return list
end

--- Architectures with their guard and targets; targets of any architecture belong to all, and to what is left.
local function architectures_of(codes)
  local list, index, negated, has_any = {}, {}, {}, false
  for _, code in ipairs(targets_of(codes)) do
    if code.arch == "any" then
      has_any = true
    elseif not index[code.arch] then
      index[code.arch] = true
      list[#list + 1] = { arch = code.arch, guard = code.guard }
      negated[#negated + 1] = "!(" .. code.guard .. ")"
    end
  end
  if has_any then list[#list + 1] = { guard = #negated > 0 and table.concat(negated, " && ") or "1" } end
  for _, architecture in ipairs(list) do
    architecture.targets = {}
    for _, code in ipairs(targets_of(codes)) do
      if code.arch == "any" or code.arch == architecture.arch then table.insert(architecture.targets, code) end
    end
  end
  return list
end

local function read_runtime(arch)
  local file = assert(io.open(root.path("runtime/" .. arch .. ".c"), "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

--- The function `runs_<target>` of a target or code.
local function detection_text(target, prefix)
  local checks = {}
  if target.os_check then checks[1] = target.os_check end
  for _, feature in ipairs(target.features) do checks[#checks + 1] = feature.check .. " /* " .. feature.name .. " */" end
  return specialise(template.fill("detection.c", { guard = target.guard, target = target.name or target.target,
    condition = #checks > 0 and table.concat(checks, "\n        && ") or "1" }), prefix, "")
end

--- CPU detection for one target: its architecture's runtime and `runs_<target>`.
function emit.detection(target, prefix)
  local runtime = target.arch ~= "any" and specialise(read_runtime(target.arch), prefix, "") .. "\n" or ""
  return runtime .. detection_text(target, prefix)
end

--- CPU detection for the targets of codes.
local function runtime_text(codes, options)
  local parts = {}
  for _, architecture in ipairs(architectures_of(codes)) do
    if architecture.arch then parts[#parts + 1] = specialise(read_runtime(architecture.arch), options.prefix, "") end
  end
  for _, code in ipairs(targets_of(codes)) do parts[#parts + 1] = detection_text(code, options.prefix) end
  return (table.concat(parts, "\n"):gsub("%s+$", ""))
end

local function call_text(args)
  local items, used = {}, { ptr = 0, stride = 0, scalar = 0 }
  local function take(array)
    used[array] = used[array] + 1
    return ("%s[%d]"):format(array, used[array] - 1)
  end
  for i, argument in ipairs(args) do
    if argument.dtype == "size_t" then
      items[i] = "rows"
    elseif argument.dtype == "ptrdiff_t" then
      items[i] = take "stride"
    elseif argument.shape == "scalar" then
      items[i] = ("(%s)%s"):format(argument.ctype, take "scalar")
    else
      items[i] = ("(%s)%s"):format(c_type(argument), take "ptr")
    end
  end
  return table.concat(items, ", ")
end

local function shape_text(argument)
  return argument.shape == "scalar" and "scalar" or table.concat(argument.shape, ",")
end

--- Tables of arguments, one for each different list; `index[list text]` is its number.
local function argument_tables(groups, options)
  local parts, number_of, count = {}, {}, 0
  for _, group in ipairs(groups) do
    local lines = {}
    for i, argument in ipairs(group.problem.args) do
      lines[i] = ('    { "%s", "%s", "%s", "%s", "%s" },'):format(argument.name, (c_type(argument):gsub("%s+$", "")), argument.dtype,
        shape_text(argument), argument.io)
    end
    local text = table.concat(lines, "\n")
    if not number_of[text] then
      count = count + 1
      number_of[text] = count
      parts[count] = ("static const %sarg args_%d[] = {\n%s\n};\n"):format(options.prefix, count, text)
    end
    group.signature = number_of[text]
  end
  return (table.concat(parts, "\n"):gsub("%s+$", ""))
end

--- Texts of the groups' codes, enclosed in the guards of their architectures.
local function guarded(groups, make)
  local parts = {}
  for _, group in ipairs(groups) do
    for _, code in ipairs(group.codes) do
      local text = make(group, code):gsub("%s+$", "")
      parts[#parts + 1] = code.guard == "1" and text or ("#if %s\n%s\n#endif"):format(code.guard, text)
    end
  end
  return table.concat(parts, "\n")
end

local function registry(groups, codes, options, names)
  local args = argument_tables(groups, options)
  local function shims(group, code)
    return template.fill("registry_kernel.c", { symbol = symbol_of(code, options), call = call_text(group.problem.args) })
  end
  local function entry(group, code)
    local bytes = group.problem.bytes_per_row
    return template.fill("registry_entry.c", { name = group.problem.name, target = code.target, spec = group.problem.spec,
      schedule = code.schedule_text, h = literal.integer(group.problem.h), read = literal.integer(bytes.read),
      write = literal.integer(bytes.write), parameters = literal.integer(bytes.parameters),
      signature = literal.integer(group.signature), symbol = symbol_of(code, options) })
  end
  return template.fill("registry.c", { file = names.registry, header = names.header, version = version, p = options.prefix,
    runtime = runtime_text(codes, options), arguments = args, kernels = guarded(groups, shims), entries = guarded(groups, entry) })
end

--- The code that serves a target: its own, else that of the next lower target which has the kernel.
local function best_code(group, targets, index)
  for i = index, 1, -1 do
    for _, code in ipairs(group.codes) do
      if code.target == targets[i].target then return code end
    end
  end
end

local function dispatch_entry(group, targets, options)
  local cases, items = {}, {}
  for i, argument in ipairs(group.problem.args) do items[i] = argument.name end
  for i in ipairs(targets) do
    local code = best_code(group, targets, i)
    if code then
      cases[#cases + 1] = ("    case %d:\n        %s(%s);\n        return;"):format(i - 1, symbol_of(code, options),
        table.concat(items, ", "))
    end
  end
  return template.fill("dispatch_entry.c", { prototype = prototype(entry_of(group.problem, options), group.problem.args),
    cases = table.concat(cases, "\n") })
end

local function dispatcher(groups, codes, options, names)
  local parts = {}
  for _, architecture in ipairs(architectures_of(codes)) do
    local rows, entries = {}, {}
    for i, code in ipairs(architecture.targets) do rows[i] = ('    { "%s", runs_%s },'):format(code.target, code.target) end
    for i, group in ipairs(groups) do entries[i] = dispatch_entry(group, architecture.targets, options) end
    parts[#parts + 1] = template.fill("dispatch_architecture.c", { guard = architecture.guard, p = options.prefix,
      targets = table.concat(rows, "\n"), entries = (table.concat(entries):gsub("%s+$", "")) })
  end
  return template.fill("dispatch.c", { file = names.dispatch, header = names.header, version = version, p = options.prefix,
    runtime = runtime_text(codes, options), architectures = (table.concat(parts):gsub("%s+$", "")) })
end

local function needs_dispatcher(codes)
  for _, architecture in ipairs(architectures_of(codes)) do
    if #architecture.targets > 1 then return true end
  end
  return false
end

local function header(groups, options, names, with_dispatcher)
  local lines = {}
  for _, group in ipairs(groups) do
    if with_dispatcher then lines[#lines + 1] = prototype(entry_of(group.problem, options), group.problem.args) .. ";" end
    for _, code in ipairs(group.codes) do
      lines[#lines + 1] = prototype(symbol_of(code, options), group.problem.args) .. ";"
    end
    lines[#lines + 1] = ""
  end
  local dispatcher_text = '/* The target that the kernels without a target in their name use here, "none" if no target fits. */\n'
    .. "const char *" .. options.prefix .. "target(void);"
  return template.fill("kernels.h", { file = names.header, macro = (options.prefix .. "kernels_h"):upper(), p = options.prefix,
    command = options.command or "normgen emit", version = version,
    dispatcher = with_dispatcher and dispatcher_text or "",
    prototypes = (table.concat(lines, "\n"):gsub("%s+$", "")) })
end

--- All files of a set of kernels.
-- @param codes array of codes (gen/lower.lua), each (name, target) once
-- @param options `{ prefix = "ng_", command = "normgen emit ..." }`
-- @return array of `{ path=, text= }`: kernels, header, registry, and a dispatcher where an architecture has several targets
function emit.files(codes, options)
  local groups, files = by_name(codes), {}
  local names = { header = options.prefix .. "kernels.h", registry = options.prefix .. "registry.c",
    dispatch = options.prefix .. "dispatch.c" }
  for i, code in ipairs(codes) do files[i] = emit.kernel(code, options) end
  local with_dispatcher = needs_dispatcher(codes)
  files[#files + 1] = { path = names.header, text = header(groups, options, names, with_dispatcher) }
  files[#files + 1] = { path = names.registry, text = registry(groups, codes, options, names) }
  if with_dispatcher then files[#files + 1] = { path = names.dispatch, text = dispatcher(groups, codes, options, names) } end
  return files
end

return emit
