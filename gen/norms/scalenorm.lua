--- ScaleNorm: the row with a given length.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "scalenorm",
  title = "ScaleNorm",
  cites = "Nguyen and Salazar 2019, eq. 6",
  affine = "none",
  words = {},
  over = { "h" },
  scalars = { "eps", "g" },
  formula = "g x / max(sqrt(sum(x^2)), eps)",
  domain = "no overflow, sum of squares >= 2^-100",
  bound = function(depth, wide) return { rel_u = wide and 4 or depth / 2 + 4, abs_u = 0 } end,
  forward = function(x, a)
    return x * (a.g / e.max(e.sqrt(e.total(x * x)), a.eps)):as "factor"
  end,
}
