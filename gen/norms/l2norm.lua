--- L2 norm: the row divided by its length.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

--- Where eps stands.
local LENGTHS = {
  inside = function(sum, eps) return e.sqrt(sum + eps) end,
  outside = function(sum, eps) return e.sqrt(sum) + eps end,
  max = function(sum, eps) return e.max(e.sqrt(sum), eps) end,
}

return norm.new {
  name = "l2norm",
  title = "L2 norm",
  cites = "Loshchilov et al. 2024, nGPT",
  affine = "none",
  words = { epsform = true },
  statistics = { "rstd" },
  over = { "h" },
  scalars = { "eps" },
  formula = "x / sqrt(sum(x^2) + eps), x / (sqrt(sum(x^2)) + eps) or x / max(sqrt(sum(x^2)), eps)",
  domain = "no overflow, sum of squares >= 2^-100",
  bound = function(depth, wide) return { rel_u = wide and 4 or depth / 2 + 5, abs_u = 0 } end,
  forward = function(x, a)
    local rstd = (1 / LENGTHS[a.epsform](e.total(x * x), a.eps)):as "rstd"
    return x * rstd, { rstd = rstd }
  end,
}
