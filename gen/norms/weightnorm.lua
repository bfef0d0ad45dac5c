--- Weight normalisation: each row of a weight matrix with a length of its own.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "weightnorm",
  title = "Weight normalisation",
  cites = "Salimans and Kingma 2016, eq. 2",
  affine = "none",
  words = {},
  lacks = norm.of_weights,
  over = { "h" },
  inputs = { "g" },
  formula = "g x / sqrt(sum(x^2)), g for each row",
  domain = "no overflow, sum of squares >= 2^-100",
  bound = function(depth, wide) return { rel_u = wide and 4 or depth / 2 + 4, abs_u = 0 } end,
  forward = function(x, a)
    return x * (a.g / e.sqrt(e.total(x * x))):as "factor"
  end,
}
