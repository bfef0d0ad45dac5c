--- The stream: what residual, gates, parameters, casts, activations and quantisation do to any norm, in front of it and behind.
--
-- `k` has the `spec`, and the expressions of the arguments by name in `values` (gen/problem/problem.lua).

local e = require "gen.formula.expr"

local stream = {}

--- v as memory of this dtype holds it.
local function rounded(to, v)
  return to == v.type and v or e.round(to, v)
end

--- What the norm reads: x, or the sum of x and residual as memory holds it.
function stream.normed(k)
  local spec, its = k.spec, k.values
  if spec.fusion ~= "add" and spec.fusion ~= "addout" then return its.x end
  local scaled = spec.alpha and its.alpha * its.residual or its.residual
  return rounded(spec.residual, spec.gate and its.residual + its.gate * its.x or its.x + scaled):as "h"
end

--- The normalised value with its parameters applied.
-- @param cast dtype to which it is rounded in front of gamma
-- @param suffix of the parameters' names
function stream.affine(k, y, cast, suffix)
  local gamma, beta = k.values["gamma" .. suffix], k.norm.adds_beta ~= false and k.values["beta" .. suffix]
  if k.spec.cast == "llama" then y = rounded(cast, y):as("t" .. suffix) end
  if gamma then y = y * gamma end
  return beta and y + beta or y
end

--- y * (1 + scale) + shift.
function stream.modulated(k, y)
  if not k.spec.mod then return y end
  return y * (k.values.scale + 1):as "one_scale" + k.values.shift
end

--- residual + v, where v is rounded as if it had been stored.
function stream.add_after(k, v)
  return k.values.residual + (k.spec.out == v.type and e.pin(v) or e.round(k.spec.out, v)):as "t"
end

--- residual + v as memory holds it, for a second norm.
function stream.sandwiched(k, v) return rounded(k.spec.residual, stream.add_after(k, v)):as "h" end

--- The result after its activation.
function stream.activated(k, y) return k.spec.act and e.apply(k.spec.act, y) or y end

--- v times silu(z).
function stream.gated(k, v) return (v * e.apply("silu", k.values.z)):as "gated" end

--- The largest magnitude that a quantised row has, by dtype, and what stands for zero.
local QUANTISED = { s8 = { most = 127 }, u8 = { most = 127, zero = 128 }, e4m3 = { most = 448 } }

--- 2^-126: a factor is its reciprocal at most.
local LEAST_SCALE = 2 ^ -126

--- The value that y stores for v in a quantised dtype, the scale of the row, and v as `side` stores it.
function stream.quantised(k, v)
  local spec = k.spec
  if not spec.quant then return v end
  local form = QUANTISED[spec.out]
  v = (spec.round == "io" and rounded(spec.x, v) or v):as "value"
  local graph = v.domain.graph
  local range, zero, scale, factor = graph:const(form.most, v.type, "range"), form.zero and graph:const(form.zero, v.type, "zero_point")
  if spec.quant == "static" then
    factor, zero = (1 / k.values.yscale):as "inverse", zero and k.values.yzero
  else
    local most = e.max(e.nonzero(e.amax(v), range), graph:const(form.most * LEAST_SCALE, v.type, "least")):as "most"
    scale, factor = (most / range):as "yscale", (range / most):as "factor"
  end
  return zero and v * factor + zero or v * factor, scale, v
end

return stream
