--- LayerNorm: the row less its mean, divided by its standard deviation.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "layernorm",
  title = "LayerNorm",
  cites = "Ba, Kiros and Hinton 2016, eq. 3",
  affine = "gamma+beta",
  words = { center = true, shards = true }, layouts = { "nchw" },
  statistics = { "mean", "rstd" },
  over = { "h" },
  scalars = { "eps" },
  sums = "moments",
  formula = "(x - mean(x)) / sqrt(var(x) + eps)",
  domain = "no overflow, variance + eps >= 2^-100, |mean| <= 2^15 std",
  -- The pivot is at most sqrt(63) standard deviations from the mean (Samuelson's inequality).
  bound = function(depth, wide)
    if wide then return { rel_u = 72, abs_u = 32 } end
    return { rel_u = depth / 2 + 8 + (3 * depth + 5) * 63 / 2 + (depth + 1) * 8, abs_u = (depth + 1) * 8 + 8 }
  end,
  forward = function(x, a) return e.standardised(x, a.eps) end,
}
