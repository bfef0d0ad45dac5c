--- Problem: a spec and its norm, normalised. Affine parameters, offset, cast and residual are applied here, once for
-- every norm. Knows no target and no schedule.

local channels = require "gen.problem.channels"
local contract = require "gen.formula.contract"
local dtype = require "gen.formula.dtype"
local e = require "gen.formula.expr"
local names = require "gen.spec.names"
local shards = require "gen.problem.shards"
local spec_words = require "gen.spec.spec"
local traffic = require "gen.problem.traffic"

local problem = {}

--- The type in which elements are computed, and that of sums and row values.
local function compute_type(spec) return spec.x == "f64" and "f64" or "f32" end
local function sum_type(spec) return spec.acc or compute_type(spec) end

local function dtype_of(field)
  return function(spec) return spec[field] end
end

--- The axes of an array whose rows have a stride in strided kernels, of a parameter, and of what rows of a batch share.
local MATRIX, PARAMETER, OF_BATCH = { "rows", "h" }, { "h" }, { "batch", "h" }

local function norm_of(spec) return require("gen.norms." .. spec.norm) end

local function has_gamma(spec) return spec.affine ~= "none" end
local function has_beta(spec) return spec.affine == "gamma+beta" or spec.affine == "group" end
local function has_second(spec) return spec.twin or spec.fusion == "sandwich" end
local function is_modulated(spec) return spec.mod or spec.gate end

local function has_statistic(name)
  return function(spec)
    for _, statistic in ipairs(spec.stats and norm_of(spec).statistics or {}) do
      if statistic == name then return true end
    end
  end
end

--- The dtype of y: that of the residual where it is added last.
local function y_dtype(spec) return spec.fusion == "addafter" and spec.residual or spec.out end

--- Arguments in call order: `when(spec)` says whether a kernel has it, `dtype(spec)` gives its dtype. A shape is "scalar" or the
-- axes of an array, outermost first.
local ARGUMENTS = {
  { name = "rows", shape = "scalar", io = "in", dtype = function() return "size_t" end },
  { name = "rows_per_batch", shape = "scalar", io = "in", dtype = function() return "size_t" end, when = is_modulated },
  { name = "x", shape = MATRIX, io = "in", dtype = dtype_of "x" },
  { name = "residual", shape = MATRIX, io = "in", dtype = dtype_of "residual", when = dtype_of "fusion" },
  { name = "z", shape = MATRIX, io = "in", dtype = dtype_of "x", when = dtype_of "zgate" },
  { name = "gate", shape = OF_BATCH, io = "in", dtype = dtype_of "gamma", when = dtype_of "gate" },
  { name = "gamma", shape = PARAMETER, io = "in", dtype = dtype_of "gamma", when = has_gamma },
  { name = "beta", shape = PARAMETER, io = "in", dtype = dtype_of "gamma", when = has_beta },
  { name = "gamma2", shape = PARAMETER, io = "in", dtype = dtype_of "gamma",
    when = function(s) return has_second(s) and has_gamma(s) end },
  { name = "beta2", shape = PARAMETER, io = "in", dtype = dtype_of "gamma",
    when = function(s) return has_second(s) and has_beta(s) end },
  { name = "scale", shape = OF_BATCH, io = "in", dtype = dtype_of "gamma", when = dtype_of "mod" },
  { name = "shift", shape = OF_BATCH, io = "in", dtype = dtype_of "gamma", when = dtype_of "mod" },
  { name = "alpha", shape = "scalar", io = "in", dtype = compute_type, when = dtype_of "alpha" },
  { name = "eps", shape = "scalar", io = "in", dtype = compute_type, when = function(s) return not norm_of(s).has_no_eps end },
  { name = "yscale", shape = "scalar", io = "in", dtype = compute_type, when = function(s) return s.quant == "static" end },
  { name = "yzero", shape = "scalar", io = "in", dtype = compute_type,
    when = function(s) return s.quant == "static" and s.out == "u8" end },
  { name = "y", shape = MATRIX, io = "out", dtype = y_dtype },
  { name = "y2", shape = MATRIX, io = "out", dtype = dtype_of "out", when = dtype_of "twin" },
  { name = "sum", shape = MATRIX, io = "out", dtype = dtype_of "residual",
    when = function(s) return s.fusion == "addout" or s.fusion == "sandwich" end },
  { name = "mean", shape = { "rows", "groups" }, io = "out", dtype = compute_type, when = has_statistic "mean" },
  { name = "rstd", shape = { "rows", "groups" }, io = "out", dtype = compute_type, when = has_statistic "rstd" },
  { name = "yscale", shape = { "rows" }, io = "out", dtype = compute_type, when = function(s) return s.quant == "row" end },
  { name = "side", shape = MATRIX, io = "out", dtype = dtype_of "x", when = dtype_of "side" },
}

--- The rows of ARGUMENTS with the norm's own arguments at their places.
local function all_arguments(spec)
  local list = {}
  for _, row in ipairs(ARGUMENTS) do
    list[#list + 1] = row
    for _, own in ipairs(norm_of(spec).arguments or {}) do
      if own.after == row.name then
        list[#list + 1] = { name = own.name, shape = own.shape, io = own.io or "in", dtype = compute_type, when = own.when }
      end
    end
  end
  return list
end

--- How many parts of a row are normalised each by itself, and the elements of one.
local function parts_of(spec)
  local count = math.max(spec.groups, spec.heads)
  return count, math.floor((spec.h or spec.c) / count)
end

--- The axes of an argument of a spec: heads cut h in two, and where there are no groups, they are no axis.
local function axes_of(spec, row)
  if row.shape == "scalar" then return row.shape end
  local count, n = parts_of(spec)
  local axes = {}
  for _, axis in ipairs(row.shape) do
    if axis == "h" and spec.heads > 1 then
      axes[#axes + 1], axes[#axes + 2] = spec.heads, n
    elseif axis ~= "groups" then
      axes[#axes + 1] = axis
    elseif count > 1 then
      axes[#axes + 1] = count
    end
  end
  return axes
end

--- The argument that holds a stride of a matrix, in elements.
local function stride_of(name)
  return { name = name .. "_stride", shape = "scalar", io = "in", dtype = "ptrdiff_t", ctype = "ptrdiff_t" }
end

local function arguments(spec)
  local args = {}
  for _, row in ipairs(all_arguments(spec)) do
    if not row.when or row.when(spec) then
      local data = row.dtype(spec)
      args[#args + 1] = { name = row.name, dtype = data, shape = axes_of(spec, row), io = row.io,
        ctype = dtype[data] and dtype[data].ctype or data, is_matrix = row.shape == MATRIX }
      if spec.strided and row.shape == MATRIX then
        args[#args + 1] = stride_of(row.name)
        if spec.heads > 1 then args[#args + 1] = stride_of(row.name .. "_head") end
      end
    end
  end
  return args
end

--- v as memory of this dtype holds it.
local function rounded(to, v)
  return to == v.type and v or e.round(to, v)
end

--- A parameter [h]: the same for all rows, unless these are parts of rows.
local function parameter(spec, name)
  return e.load(name, spec.gamma, parts_of(spec) > 1 and "element" or "column")
end

--- A parameter [batch, h].
local function of_batch(spec, name) return e.load(name, spec.gamma, "element") end

--- What the norm reads: x, or the sum of x and residual as memory holds it.
local function normed(spec, x, residual)
  if spec.fusion ~= "add" and spec.fusion ~= "addout" then return x end
  local scaled = spec.alpha and e.arg("alpha", x.type) * residual or residual
  return rounded(spec.residual, spec.gate and residual + of_batch(spec, "gate") * x or x + scaled):as "h"
end

--- The normalised value with its parameters applied.
-- @param cast dtype to which it is rounded in front of gamma
-- @param suffix of the parameters' names
local function affine(spec, y, cast, suffix)
  if spec.cast == "llama" then y = rounded(cast, y):as("t" .. suffix) end
  if spec.affine == "none" then return y end
  local gamma = parameter(spec, "gamma" .. suffix)
  if spec.offset == 1 then gamma = (gamma + 1):as("scale" .. suffix) end
  y = y * gamma
  local has_beta_here = has_beta(spec) and norm_of(spec).adds_beta ~= false
  return has_beta_here and y + parameter(spec, "beta" .. suffix) or y
end

--- y * (1 + scale) + shift.
local function modulated(spec, y)
  if not spec.mod then return y end
  return y * (of_batch(spec, "scale") + 1):as "one_scale" + of_batch(spec, "shift")
end

--- residual + v, where v is rounded as if it had been stored.
local function add_after(spec, v, residual)
  return residual + (spec.out == v.type and e.pin(v) or e.round(spec.out, v)):as "t"
end

--- The largest magnitude that a quantised row has, by dtype, and what stands for zero.
local QUANTISED = { s8 = { most = 127 }, u8 = { most = 127, zero = 128 }, e4m3 = { most = 448 } }

--- 2^-126: a factor is its reciprocal at most.
local LEAST_SCALE = 2 ^ -126

--- The value that y stores for v in a quantised dtype, and the scale of the row.
local function quantised(spec, v)
  if not spec.quant then return v end
  local form = QUANTISED[spec.out]
  v = (spec.round == "io" and rounded(spec.x, v) or v):as "value"
  local range, zero, scale, factor = e.const(form.most, v.type, "range"), form.zero and e.const(form.zero, v.type, "zero_point")
  if spec.quant == "static" then
    factor, zero = (1 / e.arg("yscale", v.type)):as "inverse", zero and e.arg("yzero", v.type)
  else
    local most = e.max(e.nonzero(e.amax(v), range), e.const(form.most * LEAST_SCALE, v.type, "least")):as "most"
    scale, factor = (most / range):as "yscale", (range / most):as "factor"
  end
  return zero and v * factor + zero or v * factor, scale, v
end

--- The result after its activation.
local function activated(spec, y) return spec.act and e[spec.act](y) or y end

--- v times silu(z).
local function gated(spec, v) return (v * e.silu(e.load("z", spec.x, "element"))):as "gated" end

--- The outputs of the kernel as expressions over the norm's formula, and the node that the norm reads (the last one, if there
-- are two).
local function formula(spec, norm)
  local x = e.load("x", spec.x, "element")
  local residual = spec.fusion and e.load("residual", spec.residual, "element")
  local h, eps = normed(spec, x, residual), e.arg("eps", x.type)
  local value, nodes = norm.forward(spec.zgate == "before" and gated(spec, h) or h, eps, spec)
  nodes = nodes or {}
  local y = modulated(spec, affine(spec, value, spec.x, ""))
  if spec.fusion == "sandwich" then
    h = rounded(spec.residual, add_after(spec, y, residual)):as "h"
    y = affine(spec, norm.forward(h, eps, spec), spec.residual, "2")
  end
  if spec.zgate == "after" then y = gated(spec, y) end
  y = activated(spec, y)
  if spec.fusion == "addafter" then y = add_after(spec, y, residual) end
  nodes.y2 = spec.twin and affine(spec, value, spec.x, "2")
  nodes.y, nodes.yscale, nodes.side = quantised(spec, y)
  nodes.sum = h
  return nodes, h
end

--- The order in which outputs are formed.
local FORMED = { "sum", "y", "y2", "side", "mean", "rstd", "yscale", "ybias" }

--- The outputs that the arguments ask for, with the dtypes of these; row values in the type of elements.
local function requested(nodes, args, expand)
  local dtype_by_name, list = {}, {}
  for _, argument in ipairs(args) do dtype_by_name[argument.name] = argument.io == "out" and argument.dtype end
  for _, name in ipairs(FORMED) do
    local data = dtype_by_name[name]
    if data then
      local node = nodes[name].domain == "row" and e.convert(data, nodes[name]) or nodes[name]
      list[#list + 1] = { name = name, dtype = data, node = expand(node) }
    end
  end
  return list
end

--- What zgate=before adds to the error: silu and a product, in the element and in rstd.
local GATE = 10

--- Worst error of the normalised value before its rounding to a dtype, in units of u (2^-24, f64 specs 2^-53):
-- rel_u * |value| + abs_u (docs/numerics.md), for data in the domain.
local function error_bound(norm, spec)
  local acc = sum_type(spec)
  local bound = norm.bound(contract.depth(select(2, parts_of(spec)), acc), acc ~= compute_type(spec))
  local gate = spec.zgate == "before" and GATE or 0
  return { rel_u = bound.rel_u + gate, abs_u = bound.abs_u, domain = norm.domain }
end

--- What residual, gamma and beta do to any norm.
local PARTS = { normed = normed, affine = affine, activated = activated, add_after = add_after }

--- What a problem has for kernels of rows: of arguments and formulas.
local function of_rows(spec, norm)
  local parts, n = parts_of(spec)
  local nodes, h = formula(spec, norm)
  local args, expand = arguments(spec), contract.expander(n, spec.center)
  return { parts = parts, n = n, args = args, outputs = requested(nodes, args, expand), normed = expand(h),
    error_bound = error_bound(norm, spec), block = contract.blocks(n).length }
end

--- The same for kernels of channels (gen/channels/).
local function of_channels(spec, norm)
  local how = spec.shards and shards or channels
  local result = how.formula(spec, norm, compute_type(spec), PARTS)
  result.parts, result.n = 1, result.n or spec.h or spec.c
  result.extents = { c = spec.c or result.n, h = spec.h, g = spec.g, shards = spec.shards, ["h/shards"] = spec.shards and result.n }
  for _, argument in ipairs(result.args) do
    argument.ctype = dtype[argument.dtype] and dtype[argument.dtype].ctype or argument.dtype
  end
  return result
end

--- Normalises a spec (gen/spec/spec.lua) to a problem:
-- `name` (gen/spec/names.lua), `spec` (canonical text), `norm`, `dir`, `h`, `parts` of a row that are normalised each by itself, `n`
-- elements of one, `args` (call order), `outputs` (array of `{ name, dtype, node }` in the order in which a row stores them),
-- `normed` (the node that the norm reads), `contract`, `bytes` (gen/problem/traffic.lua), `error_bound`, `dtypes`.
function problem.new(spec)
  local acc = sum_type(spec)
  e.new_graph(acc)
  local norm = norm_of(spec)
  local its = (norm.directions or spec.layout or spec.shards) and of_channels(spec, norm) or of_rows(spec, norm)
  return {
    name = names.build(spec), spec = spec_words.format(spec), norm = spec.norm, dir = spec.dir, h = spec.h or spec.c,
    row_length = spec.h or 0, parts = its.parts, n = its.n,
    dtypes = { x = spec.x, residual = spec.residual, gamma = spec.gamma, y = spec.out },
    title = norm.title, formula = norm.formula, cites = norm.cites, strided = spec.strided, has_heads = spec.heads > 1,
    args = its.args, outputs = its.outputs, normed = its.normed, geometry = its.geometry, direction = its.direction,
    chunk = its.chunk, merge = its.merge, extents = its.extents,
    contract = { version = contract.version, compute = compute_type(spec), acc = acc, lanes = contract.lanes(acc),
      block = its.block, order = its.order, tree = "halving", fma = true, cast = spec.cast },
    bytes = traffic.of(its.args, its.extents or { h = spec.h }),
    error_bound = its.error_bound,
  }
end

return problem
