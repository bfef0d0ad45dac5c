--- Bindings: modules of other languages that load the shared library which the user builds from a set's C.

local axes = require "gen.problem.axes"
local c = require "gen.emit.prototype"
local dtype = require "gen.formula.dtype"
local literal = require "gen.c.literal"
local names = require "gen.spec.names"
local template = require "gen.emit.template"

local bindings = {}

--- The languages that have bindings, in the order in which their files are written.
bindings.languages = { "luajit", "python" }

--- Whether an array of a kernel has an axis.
local function has_axis(problem, name)
  for _, argument in ipairs(problem.args) do
    for _, axis in ipairs(argument.shape == "scalar" and {} or argument.shape) do
      if axis == name then return true end
    end
  end
  return false
end

--- Whether the caller of a binding that knows the shapes of its arrays gives an argument.
local function is_given(problem, argument)
  local follows = argument.name == "rows" or argument.name == "positions"
  return argument.dtype ~= "ptrdiff_t" and not (follows and has_axis(problem, argument.name))
end

--- The size of an axis that a kernel fixes, or nil.
local function fixed(problem, axis)
  return tonumber(axis) or axes.sizes(problem.axes)[axis]
end

--- How memory is cut into chunks: the order of channels and positions.
local function memory_of(problem) return problem.axes.innermost == "positions" and "nchw" or "nhwc" end

--- The size of an axis as an expression of Lua.
local function size_text(problem, axis)
  local size = fixed(problem, axis)
  if size then return literal.integer(size) end
  if axis == "batch" then return "math.ceil(rows / rows_per_batch)" end
  if axis ~= "chunks" then return axis end
  return ('module.chunks("%s", rows, %s)'):format(memory_of(problem), problem.axes.has_positions and "positions" or "1")
end

--- The elements of an array as a product: "rows * 768".
local function elements(problem, argument)
  local factors = {}
  for i, axis in ipairs(argument.shape) do factors[i] = size_text(problem, axis) end
  return table.concat(factors, " * ")
end

--- The elements from the first one of an array to its last one, as an expression of Lua.
local function extent(argument, problem)
  local rows_apart = problem.strided and argument.is_matrix
  if rows_apart and problem.has_heads then
    return ("extent_of_heads(rows, %s_stride, %s, %s_head_stride, %s)"):format(argument.name, literal.integer(problem.parts),
      argument.name, literal.integer(problem.n))
  end
  return rows_apart and ("extent(rows, %s_stride, %s)"):format(argument.name, literal.integer(problem.h)) or elements(problem, argument)
end

local IO = { ["in"] = "read", out = "written", inout = "read and written" }
local function io_text(argument) return IO[argument.io] end

--- The least value of a count.
local function least_of(argument) return argument.name == "rows_per_batch" and 1 or 0 end

-- The function for a scalar, a stride or an array that the template of the Lua module has, as a call.
local function lua_check(problem, argument)
  local head = ('kernel, "%s", %s'):format(argument.name, argument.name)
  if argument.dtype == "size_t" then return ("check_count(%s, %d)"):format(head, least_of(argument)) end
  if argument.dtype == "ptrdiff_t" and problem.has_heads then return ("check_count(%s, 1)"):format(head) end
  if argument.dtype == "ptrdiff_t" then return ("check_stride(%s, %s)"):format(head, literal.integer(problem.h)) end
  if argument.shape == "scalar" then return ("check_number(%s)"):format(head) end
  return ('check_array(%s, "%s", %d, "%s", %s)'):format(head, argument.ctype, dtype[argument.dtype].bytes, argument.io,
    extent(argument, problem))
end

local function lua_parameter(problem, argument)
  if argument.name == "rows" then return "rows  number of rows" end
  if argument.dtype == "size_t" then return argument.name .. "  number of " .. argument.name end
  if argument.dtype == "ptrdiff_t" then
    local of = argument.name:find("_head_stride", 1, true) and "heads" or "rows"
    return ("%s  distance of its %s, in elements"):format(argument.name, of)
  end
  if argument.shape == "scalar" then return argument.name .. "  number" end
  local size = problem.strided and argument.is_matrix and "rows, " .. literal.integer(problem.h) or elements(problem, argument)
  return ("%s  %s[%s], %s%s"):format(argument.name, argument.ctype, size, io_text(argument),
    argument.ctype == "uint16_t" and " (" .. argument.dtype .. ")" or "")
end

local function lua_kernel(problem)
  local checks, notes, items = { scalars = {}, arrays = {} }, {}, {}
  for i, argument in ipairs(problem.args) do
    -- How large an array must be hangs on scalars.
    table.insert(argument.shape == "scalar" and checks.scalars or checks.arrays, lua_check(problem, argument))
    notes[i], items[i] = "-- @param " .. lua_parameter(problem, argument), argument.name
  end
  return template.piece("bindings_kernel.lua", { name = problem.name, spec = problem.spec, title = problem.title,
    formula = problem.formula, notes = table.concat(notes, "\n"), scalars = table.concat(checks.scalars, "\n"),
    arrays = table.concat(checks.arrays, "\n"),
    arguments = table.concat(items, ", ") })
end

--- Prototypes of what the module calls: the entries of a dispatcher, or the kernels themselves.
local function prototypes(set)
  local lines = {}
  local function declare(symbol, group) lines[#lines + 1] = c.prototype(symbol, group.problem.args) .. ";" end
  for _, group in ipairs(set.groups) do
    if set.has_dispatcher then
      declare(c.entry(group.problem, set.prefix), group)
    else
      for _, code in ipairs(group.codes) do declare(c.symbol(code, set.prefix), group) end
    end
  end
  return table.concat(lines, "\n")
end

local function python_note(problem, argument)
  local text = argument.dtype == "size_t" and "whole number" or "number"
  if argument.shape ~= "scalar" then
    local dimensions = {}
    for i, dimension in ipairs(argument.shape) do
      local size = fixed(problem, dimension)
      dimensions[i] = size and literal.integer(size) or dimension == "rows" and not has_axis(problem, "positions") and "..." or dimension
    end
    text = ("%s [%s], %s"):format(argument.dtype, table.concat(dimensions, ", "), io_text(argument))
  end
  return ("%s: %s"):format(argument.name, text)
end

local function python_kernel(problem)
  local parameters, items, notes, is_behind_output = { "self" }, {}, {}, false
  for _, argument in ipairs(problem.args) do
    if is_given(problem, argument) then
      items[#items + 1] = argument.name
      is_behind_output = is_behind_output or argument.io == "out"
      parameters[#parameters + 1] = argument.name .. (is_behind_output and "=None" or "")
      notes[#notes + 1] = python_note(problem, argument)
    end
  end
  return template.piece("bindings_kernel.py", { name = problem.name, spec = problem.spec, title = problem.title,
    formula = problem.formula, notes = table.concat(notes, "\n"), parameters = table.concat(parameters, ", "),
    arguments = table.concat(items, ", ") })
end

--- How a language writes the norms of models.
local SITES = {
  luajit = { model = '["%s"] = {\n%s\n},', site = '  ["%s"] = { kernel = "%s", eps = %s },', none = "nil" },
  python = { model = '"%s": {\n%s\n},', site = '    "%s": ("%s", %s),', none = "None" },
}

local function sites_text(models, language)
  local form, parts = SITES[language], {}
  for i, model in ipairs(models) do
    local lines = {}
    for _, spec in ipairs(model.specs) do
      if spec.site then
        lines[#lines + 1] = form.site:format(spec.site, names.build(spec), spec.eps and literal.decimal(spec.eps) or form.none)
      end
    end
    parts[i] = form.model:format(model.name, table.concat(lines, "\n"))
  end
  return table.concat(parts, "\n")
end

--- The sizes of the axes that each kernel fixes, for Python.
local function sizes_text(set)
  local lines = {}
  for i, group in ipairs(set.groups) do
    local problem, items = group.problem, {}
    for _, axis in ipairs { "h", "c", "g", "shards", "h/shards" } do
      if fixed(problem, axis) then items[#items + 1] = ('"%s": %s'):format(axis, literal.integer(fixed(problem, axis))) end
    end
    if has_axis(problem, "chunks") then items[#items + 1] = ('"memory": "%s"'):format(memory_of(problem)) end
    lines[i] = ('    "%s": {%s},'):format(problem.name, table.concat(items, ", "))
  end
  return table.concat(lines, "\n")
end

local function kernels_text(set, kernel)
  local parts = {}
  for i, group in ipairs(set.groups) do parts[i] = kernel(group.problem) end
  return table.concat(parts, "\n\n")
end

local FILES = {
  luajit = { template = "bindings.lua", extension = ".lua", kernel = lua_kernel },
  python = { template = "bindings.py", extension = ".py", kernel = python_kernel },
}

--- The module of a set for one of the languages.
-- @param set set of kernels (gen/emit/set.lua)
-- @param models array of `{ name=, specs= }`: for each site the module tells kernel and eps
-- @param declares the header that declares the kernels
-- @return name of the template, name of the file, values for the template
function bindings.module(set, models, language, declares)
  local form, module = FILES[language], set.prefix .. "kernels"
  return form.template, module .. form.extension, { module = module, declares = declares, kernels = kernels_text(set, form.kernel),
    prototypes = prototypes(set), has_dispatcher = literal.integer(set.has_dispatcher and 1 or 0),
    namespace = set.prefix:gsub("_$", ""), sizes = sizes_text(set), sites = sites_text(models, language) }
end

return bindings
