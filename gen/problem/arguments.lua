--- Arguments: one table, in call order, for kernels of every norm and direction.

local axes = require "gen.problem.axes"
local dtype = require "gen.formula.dtype"
local norms = require "gen.formula.norm"

local arguments = {}

local function field(name)
  return function(k) return k.spec[name] end
end

local function always(text)
  return function() return text end
end

--- The type in which elements are computed.
local function real(k) return k.compute end

local function reads_x(k) return norms.reads_x(k.direction) end
local function has_y(k) return norms.has_y(k.direction) end
local function has_gamma(k) return k.spec.affine ~= "none" end
local function has_beta(k) return k.spec.affine == "gamma+beta" or k.spec.affine == "group" end
local function has_second(k) return k.spec.twin or k.spec.fusion == "sandwich" end
local function has_batches(k) return k.spec.mod or k.spec.gate end

local function both(a, b)
  return function(k) return a(k) and b(k) end
end

--- Whether `stats` stores a statistic of rows.
local function stores(name)
  return function(k)
    for _, statistic in ipairs(k.spec.stats and k.norm.statistics or {}) do
      if statistic == name then return true end
    end
  end
end

--- The dtype of y: that of the residual where it is added last.
local function y_dtype(k) return k.spec.fusion == "addafter" and k.spec.residual or k.spec.out end

--- Axes that hang on the spec (gen/problem/axes.lua): those of elements, of parameters, of what rows of a batch share, of what each
-- set has that is summed together.
local ELEMENT, PARAMETER, BATCH, SET = "memory", "parameter", "batch", "set"

--- Rows: `of` the axes of an array, "scalar", or `own`: the norm's own arguments of this kind (gen/formula/norm.lua) stand here.
-- `when(kernel)` says whether a kernel has it, `dtype(kernel)` gives its dtype; `kernel` has `spec`, `norm`, `direction`, `axes` and
-- `compute`.
local ROWS = {
  { name = "rows", of = "scalar", dtype = always "size_t" },
  { name = "rows_per_batch", of = "scalar", dtype = always "size_t", when = has_batches },
  { name = "positions", of = "scalar", dtype = always "size_t", when = function(k) return k.axes.has_positions end },
  { name = "x", of = ELEMENT, dtype = field "x", when = reads_x },
  { name = "residual", of = ELEMENT, dtype = field "residual", when = both(reads_x, field "fusion") },
  { name = "z", of = ELEMENT, dtype = field "x", when = field "zgate" },
  { name = "gate", of = BATCH, dtype = field "gamma", when = field "gate" },
  { name = "gamma", of = PARAMETER, dtype = field "gamma", when = has_gamma },
  { name = "beta", of = PARAMETER, dtype = field "gamma", when = has_beta },
  { name = "gamma2", of = PARAMETER, dtype = field "gamma", when = both(has_second, has_gamma) },
  { name = "beta2", of = PARAMETER, dtype = field "gamma", when = both(has_second, has_beta) },
  { name = "scale", of = BATCH, dtype = field "gamma", when = field "mod" },
  { name = "shift", of = BATCH, dtype = field "gamma", when = field "mod" },
  { own = "inputs" },
  { name = "alpha", of = "scalar", dtype = real, when = field "alpha" },
  { own = "scalars", of = "scalar" },
  { name = "yscale", of = "scalar", dtype = real, when = function(k) return k.spec.quant == "static" end },
  { name = "yzero", of = "scalar", dtype = real, when = function(k) return k.spec.quant == "static" and k.spec.out == "u8" end },
  { name = "y", of = ELEMENT, io = "out", dtype = y_dtype, when = has_y },
  { name = "y2", of = ELEMENT, io = "out", dtype = field "out", when = field "twin" },
  { name = "sum", of = ELEMENT, io = "out", dtype = field "residual",
    when = function(k) return k.spec.fusion == "addout" or k.spec.fusion == "sandwich" end },
  { name = "mean", of = SET, io = "out", dtype = real, when = stores "mean" },
  { name = "rstd", of = SET, io = "out", dtype = real, when = stores "rstd" },
  { own = "outputs", io = "out" },
  { name = "yscale", of = SET, io = "out", dtype = real, when = function(k) return k.spec.quant == "row" end },
  { name = "side", of = ELEMENT, io = "out", dtype = field "x", when = field "side" },
  { own = "updates", io = "inout" },
}

--- The arguments of a kind that a direction declares, as rows.
local function own_rows(kernel, row)
  local list, parts = {}, {}
  if row.own == "inputs" and kernel.direction.merges then
    for i, statistic in ipairs(kernel.statistics) do
      parts[i] = { name = "part_" .. statistic.argument, of = kernel.axes.part, nonnegative = statistic.name == "m2" }
    end
  end
  local gives_parts = row.own == "outputs" and kernel.direction.gives_parts and not kernel.spec.shards
  for _, source in ipairs { parts, kernel.direction[row.own] or {} } do
    for _, entry in ipairs(source) do
      local own = type(entry) == "table" and entry or { name = entry }
      list[#list + 1] = { name = own.name, of = own.of or own.axes or row.of or gives_parts and kernel.axes.part or SET, io = row.io,
        dtype = real, nonnegative = own.nonnegative, when = own.when and function(k) return own.when(k.spec) end }
    end
  end
  return list
end

local function axes_of(kernel, of)
  if of ~= BATCH then return type(of) == "table" and of or kernel.axes[of] end
  local list = { "batch" }
  for i, axis in ipairs(kernel.axes.parameter) do list[i + 1] = axis end
  return list
end

local function is_same(a, b) return table.concat(a, " ") == table.concat(b, " ") end

--- The argument that holds a stride of a matrix, in elements.
local function stride_of(name)
  return { name = name .. "_stride", shape = "scalar", io = "in", dtype = "ptrdiff_t", ctype = "ptrdiff_t" }
end

local function add(list, kernel, row)
  if row.when and not row.when(kernel) then return end
  local data = row.dtype(kernel)
  local argument = { name = row.name, dtype = data, ctype = dtype[data] and dtype[data].ctype or data, io = row.io or "in",
    shape = "scalar", nonnegative = row.nonnegative }
  list[#list + 1] = argument
  if row.of == "scalar" then return end
  argument.axes = axes_of(kernel, row.of)
  argument.shape = axes.shape(kernel.axes, argument.axes)
  argument.is_matrix = row.of == ELEMENT or type(row.of) == "table" and is_same(row.of, kernel.axes.memory)
  if kernel.spec.strided and argument.is_matrix then
    list[#list + 1] = stride_of(row.name)
    if kernel.axes.has_heads then list[#list + 1] = stride_of(row.name .. "_head") end
  end
end

--- The arguments of a kernel in call order: array of `{ name, dtype, ctype, io ("in", "out", "inout"), shape ("scalar", or axes as
-- people know them), axes (gen/problem/axes.lua), is_matrix (one element for each element of x), nonnegative }`.
-- @param kernel `{ spec=, norm=, direction=, axes=, compute= (type of elements), statistics= (contract.STATISTICS of its sums) }`
function arguments.of(kernel)
  local list = {}
  for _, row in ipairs(ROWS) do
    for _, each in ipairs(row.own and own_rows(kernel, row) or { row }) do add(list, kernel, each) end
  end
  return list
end

return arguments
