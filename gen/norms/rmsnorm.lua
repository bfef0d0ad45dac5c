--- RMSNorm: the row divided by its root mean square.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "rmsnorm",
  title = "RMSNorm",
  cites = "Zhang and Sennrich 2019, eq. 4",
  affine = "gamma",
  words = { cast = true, zgate = true, shards = true }, layouts = { "nchw" },
  statistics = { "rstd" },
  over = { "h" },
  scalars = { "eps" },
  sums = "squares",
  formula = "x / sqrt(mean(x^2) + eps)",
  domain = "no overflow, mean square + eps >= 2^-100",
  bound = function(depth, wide) return { rel_u = wide and 4 or depth / 2 + 5, abs_u = 0 } end,
  forward = function(x, a)
    local rstd = (1 / e.sqrt(e.mean(x * x) + a.eps)):as "rstd"
    return x * rstd, { rstd = rstd }
  end,
}
