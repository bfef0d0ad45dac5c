--- Lp norm with p = 1: the row divided by the sum of its magnitudes. A row of zeros stays one.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "lpnorm",
  title = "Lp norm",
  cites = "ONNX, LpNormalization",
  affine = "none",
  words = { p = true },
  over = { "h" },
  formula = "x / sum(|x|)",
  domain = "no overflow, sum of magnitudes >= 2^-100",
  bound = function(depth, wide) return { rel_u = wide and 4 or depth + 3, abs_u = 0 } end,
  forward = function(x)
    return x * (1 / e.nonzero(e.total(e.abs(x)), 1)):as "factor"
  end,
}
