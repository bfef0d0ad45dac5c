--- Dynamic Tanh: no statistics, but a tanh of the row times a scalar.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "dyt",
  title = "DyT",
  cites = "Zhu, Chen, He, LeCun and Liu 2025, eq. 1",
  affine = "gamma+beta",
  words = {}, types = { f32 = true }, lacks = { acc = "has no sums", alpha = "has an alpha of its own" },
  over = { "h" },
  scalars = { "alpha" },
  formula = "tanh(alpha * x)",
  domain = "alpha * x is no subnormal number",
  -- One rounding of alpha * x, after which tanh is off by at most as much; tanh itself; the product with gamma.
  bound = function() return { rel_u = 5, abs_u = 0 } end,
  forward = function(x, a) return e.apply("tanh", a.alpha * x) end,
}
