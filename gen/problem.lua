--- Problem: a spec and its norm, normalised. Affine parameters, offset, cast and residual are applied here, once for
-- every norm. Knows no target and no schedule.

local contract = require "gen.contract"
local dtype = require "gen.dtype"
local e = require "gen.expr"
local names = require "gen.names"
local spec_words = require "gen.spec"

local problem = {}

--- Arguments in call order: `when(spec)` says whether a kernel has it, `dtype(spec)` gives its dtype.
local ARGUMENTS = {
  { name = "rows", shape = "scalar", io = "in", dtype = function() return "size_t" end },
  { name = "x", shape = { "rows", "h" }, io = "in", dtype = function(s) return s.x end },
  { name = "residual", shape = { "rows", "h" }, io = "in", dtype = function(s) return s.residual end,
    when = function(s) return s.fusion end },
  { name = "gamma", shape = { "h" }, io = "in", dtype = function(s) return s.gamma end,
    when = function(s) return s.affine ~= "none" end },
  { name = "beta", shape = { "h" }, io = "in", dtype = function(s) return s.gamma end,
    when = function(s) return s.affine == "gamma+beta" end },
  { name = "eps", shape = "scalar", io = "in", dtype = function() return contract.compute end },
  { name = "y", shape = { "rows", "h" }, io = "out", dtype = function(s) return s.out end },
  { name = "sum", shape = { "rows", "h" }, io = "out", dtype = function(s) return s.residual end,
    when = function(s) return s.fusion == "addout" end },
}

local function arguments(spec)
  local args = {}
  for _, argument in ipairs(ARGUMENTS) do
    if not argument.when or argument.when(spec) then
      local data = argument.dtype(spec)
      args[#args + 1] = { name = argument.name, dtype = data, shape = argument.shape, io = argument.io,
        ctype = dtype[data] and dtype[data].ctype or data }
    end
  end
  return args
end

--- v as memory of this dtype holds it.
local function rounded(to, v)
  return to == contract.compute and v or e.round(to, v)
end

--- The outputs of the kernel as expressions over the norm's formula.
local function formula(spec, norm)
  local x = e.load("x", spec.x, "element")
  local h = x
  if spec.fusion then h = rounded(spec.residual, x + e.load("residual", spec.residual, "element")):as "h" end
  local y = norm.forward(h, e.arg "eps")
  if spec.cast == "llama" then y = rounded(spec.x, y):as "t" end
  if spec.affine ~= "none" then
    local gamma = e.load("gamma", spec.gamma, "column")
    if spec.offset == 1 then gamma = (gamma + 1):as "scale" end
    y = y * gamma
  end
  if spec.affine == "gamma+beta" then y = y + e.load("beta", spec.gamma, "column") end
  local outputs = { { name = "y", dtype = spec.out, node = y } }
  if spec.fusion == "addout" then table.insert(outputs, 1, { name = "sum", dtype = spec.residual, node = h }) end
  return outputs, h
end

--- Bytes that a row reads and writes, and bytes of parameters that a call reads (each array counted once).
local function traffic(spec, args)
  local bytes = { read = 0, write = 0, parameters = 0 }
  for _, argument in ipairs(args) do
    if argument.shape ~= "scalar" then
      local kind = #argument.shape == 1 and "parameters" or argument.io == "in" and "read" or "write"
      bytes[kind] = bytes[kind] + spec.h * dtype[argument.dtype].bytes
    end
  end
  return bytes
end

--- Worst error of the normalised value before its rounding to a dtype, in units of u = 2^-24:
-- rel_u * |value| + abs_u (docs/numerics.md), for data in the domain.
local function error_bound(norm, h)
  local bound = norm.bound(contract.depth(h))
  return { rel_u = bound.rel_u, abs_u = bound.abs_u, domain = norm.domain }
end

--- Normalises a spec (gen/spec.lua) to a problem:
-- `name` (gen/names.lua), `spec` (canonical text), `norm`, `dir`, `h`, `args` (call order), `outputs` (array of `{ name, dtype, node }` in
-- the order in which a row stores them), `normed` (the node that the norm reads), `contract`, `bytes_per_row`,
-- `error_bound`, `dtypes`.
function problem.new(spec)
  e.new_graph()
  local norm = require("gen.norms." .. spec.norm)
  local outputs, h = formula(spec, norm)
  local blocks = contract.blocks(spec.h)
  local args = arguments(spec)
  return {
    name = names.build(spec), spec = spec_words.format(spec), norm = spec.norm, dir = spec.dir, h = spec.h,
    dtypes = { x = spec.x, residual = spec.residual, gamma = spec.gamma, y = spec.out },
    title = norm.title, formula = norm.formula, cites = norm.cites,
    args = args, outputs = contract.expand(outputs, spec.h), normed = h,
    contract = { version = contract.version, compute = contract.compute, acc = contract.acc, lanes = contract.lanes,
      block = blocks.length, tree = "halving", fma = true, x = spec.x, residual = spec.residual, gamma = spec.gamma,
      y = spec.out, cast = spec.cast },
    bytes_per_row = traffic(spec, args),
    error_bound = error_bound(norm, spec.h),
  }
end

return problem
