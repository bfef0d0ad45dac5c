--- Problem: a spec and its norm, normalised. Affine parameters, offset, cast and residual are applied here, once for
-- every norm. Knows no target and no schedule.

local contract = require "gen.contract"
local dtype = require "gen.dtype"
local e = require "gen.expr"
local names = require "gen.names"
local shape = require "gen.shape"
local spec_words = require "gen.spec"

local problem = {}

--- The type in which elements are computed, and that of sums and row values.
local function compute_type(spec) return spec.x == "f64" and "f64" or "f32" end
local function sum_type(spec) return spec.acc or compute_type(spec) end

local function norm_of(spec) return require("gen.norms." .. spec.norm) end

local function dtype_of(field)
  return function(spec) return spec[field] end
end

local MATRIX = { "rows", "h" }

--- Arguments in call order: `when(spec)` says whether a kernel has it, `dtype(spec)` gives its dtype. A shape is "scalar" or the
-- axes of an array, outermost first; the rows of a MATRIX have a stride in strided kernels.
local ARGUMENTS = {
  { name = "rows", shape = "scalar", io = "in", dtype = function() return "size_t" end },
  { name = "x", shape = MATRIX, io = "in", dtype = dtype_of "x" },
  { name = "residual", shape = MATRIX, io = "in", dtype = dtype_of "residual", when = dtype_of "fusion" },
  { name = "z", shape = MATRIX, io = "in", dtype = dtype_of "x", when = dtype_of "zgate" },
  { name = "gamma", shape = { "h" }, io = "in", dtype = dtype_of "gamma", when = function(s) return s.affine ~= "none" end },
  { name = "beta", shape = { "h" }, io = "in", dtype = dtype_of "gamma", when = function(s) return s.affine == "gamma+beta" end },
  { name = "alpha", shape = "scalar", io = "in", dtype = compute_type,
    when = function(s) return s.alpha or norm_of(s).scalar == "alpha" end },
  { name = "eps", shape = "scalar", io = "in", dtype = compute_type, when = function(s) return norm_of(s).scalar == "eps" end },
  { name = "y", shape = MATRIX, io = "out",
    dtype = function(s) return s.fusion == "addafter" and s.residual or s.out end },
  { name = "sum", shape = MATRIX, io = "out", dtype = dtype_of "residual", when = function(s) return s.fusion == "addout" end },
  { name = "mean", shape = { "rows" }, io = "out", dtype = compute_type, when = function(s) return s.stats and s.norm ~= "rmsnorm" end },
  { name = "rstd", shape = { "rows" }, io = "out", dtype = compute_type, when = dtype_of "stats" },
}

--- The argument that holds the row stride of a matrix, in elements.
local function stride_of(argument)
  return { name = argument.name .. "_stride", shape = "scalar", io = "in", dtype = "ptrdiff_t", ctype = "ptrdiff_t" }
end

local function arguments(spec)
  local args = {}
  for _, argument in ipairs(ARGUMENTS) do
    if not argument.when or argument.when(spec) then
      local data = argument.dtype(spec)
      args[#args + 1] = { name = argument.name, dtype = data, shape = argument.shape, io = argument.io,
        ctype = dtype[data] and dtype[data].ctype or data, is_matrix = argument.shape == MATRIX }
      if spec.strided and argument.shape == MATRIX then args[#args + 1] = stride_of(argument) end
    end
  end
  return args
end

--- v as memory of this dtype holds it.
local function rounded(to, v)
  return to == v.type and v or e.round(to, v)
end

--- What the norm reads: x, or the sum of x and residual as memory holds it.
local function normed(spec, x, residual)
  if spec.fusion ~= "add" and spec.fusion ~= "addout" then return x end
  local scaled = spec.alpha and e.arg("alpha", x.type) * residual or residual
  return rounded(spec.residual, x + scaled):as "h"
end

--- The normalised value with its parameters applied.
local function affine(spec, y)
  if spec.cast == "llama" then y = rounded(spec.x, y):as "t" end
  if spec.affine == "none" then return y end
  local gamma = e.load("gamma", spec.gamma, "column")
  if spec.offset == 1 then gamma = (gamma + 1):as "scale" end
  y = y * gamma
  return spec.affine == "gamma+beta" and y + e.load("beta", spec.gamma, "column") or y
end

--- residual + v, where v is rounded as if it had been stored.
local function add_after(spec, v, residual)
  return residual + (spec.out == v.type and e.pin(v) or e.round(spec.out, v)):as "t"
end

--- v times silu(z).
local function gated(spec, v) return (v * e.silu(e.load("z", spec.x, "element"))):as "gated" end

--- The outputs of the kernel as expressions over the norm's formula, and the node that holds what the norm reads, without its gate.
local function formula(spec, norm)
  local x = e.load("x", spec.x, "element")
  local residual = spec.fusion and e.load("residual", spec.residual, "element")
  local h = normed(spec, x, residual)
  local y, statistics = norm.forward(spec.zgate == "before" and gated(spec, h) or h, e.arg(norm.scalar, x.type))
  y = affine(spec, y)
  if spec.zgate == "after" then y = gated(spec, y) end
  if spec.act then y = e[spec.act](y) end
  if spec.fusion == "addafter" then y = add_after(spec, y, residual) end
  local nodes = { y = y, sum = h, mean = statistics.mean, rstd = statistics.rstd }
  local outputs = {}
  for _, name in ipairs { "sum", "y", "mean", "rstd" } do outputs[#outputs + 1] = { name = name, node = nodes[name] } end
  return outputs, h
end

--- The outputs that the arguments ask for, with the dtypes of these; row values in the type of elements.
local function requested(outputs, args, expand)
  local dtype_by_name, list = {}, {}
  for _, argument in ipairs(args) do dtype_by_name[argument.name] = argument.io == "out" and argument.dtype end
  for _, output in ipairs(outputs) do
    local data = dtype_by_name[output.name]
    if data then
      local node = output.node.domain == "row" and e.convert(data, output.node) or output.node
      list[#list + 1] = { name = output.name, dtype = data, node = expand(node) }
    end
  end
  return list
end

--- Bytes that a row reads and writes, and bytes of parameters that a call reads (each array counted once).
local function traffic(spec, args)
  local bytes = { read = 0, write = 0, parameters = 0 }
  for _, argument in ipairs(args) do
    if argument.shape ~= "scalar" then
      local kind = argument.shape[1] ~= "rows" and "parameters" or argument.io == "in" and "read" or "write"
      bytes[kind] = bytes[kind] + shape.elements(argument.shape, { rows = 1, h = spec.h }) * dtype[argument.dtype].bytes
    end
  end
  return bytes
end

--- Worst error of the normalised value before its rounding to a dtype, in units of u (2^-24, f64 specs 2^-53):
-- rel_u * |value| + abs_u (docs/numerics.md), for data in the domain.
local function error_bound(norm, spec)
  local acc = sum_type(spec)
  local bound = norm.bound(contract.depth(spec.h, acc), acc ~= compute_type(spec))
  return { rel_u = bound.rel_u, abs_u = bound.abs_u, domain = norm.domain }
end

--- Normalises a spec (gen/spec.lua) to a problem:
-- `name` (gen/names.lua), `spec` (canonical text), `norm`, `dir`, `h`, `args` (call order), `outputs` (array of `{ name, dtype, node }` in
-- the order in which a row stores them), `normed` (the node that the norm reads), `contract`, `bytes_per_row`,
-- `error_bound`, `dtypes`.
function problem.new(spec)
  local acc = sum_type(spec)
  e.new_graph(acc)
  local norm = norm_of(spec)
  local outputs, h = formula(spec, norm)
  local args, expand = arguments(spec), contract.expander(spec.h, spec.center)
  return {
    name = names.build(spec), spec = spec_words.format(spec), norm = spec.norm, dir = spec.dir, h = spec.h,
    dtypes = { x = spec.x, residual = spec.residual, gamma = spec.gamma, y = spec.out },
    title = norm.title, formula = norm.formula, cites = norm.cites, strided = spec.strided,
    args = args, outputs = requested(outputs, args, expand), normed = expand(h),
    contract = { version = contract.version, compute = compute_type(spec), acc = acc, lanes = contract.lanes(acc),
      block = contract.blocks(spec.h).length, tree = "halving", fma = true, x = spec.x, residual = spec.residual,
      gamma = spec.gamma, y = spec.out, cast = spec.cast },
    bytes_per_row = traffic(spec, args),
    error_bound = error_bound(norm, spec),
  }
end

return problem
