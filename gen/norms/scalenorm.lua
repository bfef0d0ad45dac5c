--- ScaleNorm: the row with a given length.
local e = require "gen.formula.expr"

return e.norm {
  name = "scalenorm",
  title = "ScaleNorm",
  cites = "Nguyen and Salazar 2019, eq. 6",
  affine = "none",
  words = {},
  arguments = { { name = "g", shape = "scalar", after = "eps" } },
  formula = "g x / max(sqrt(sum(x^2)), eps)",
  domain = "no overflow, sum of squares >= 2^-100",
  bound = function(depth, wide) return { rel_u = wide and 4 or depth / 2 + 4, abs_u = 0 } end,
  forward = function(x, eps)
    return x * (e.arg("g", x.type) / e.max(e.sqrt(e.total(x * x)), eps)):as "factor"
  end,
}
