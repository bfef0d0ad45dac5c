--- GroupNorm: LayerNorm over the channels of a group and all positions.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "groupnorm",
  title = "GroupNorm",
  cites = "Wu and He 2018, eq. 7",
  affine = "gamma+beta",
  words = { g = true },
  formula = "(x - mean(x)) / sqrt(var(x) + eps) over the channels of a group and all positions",
  sizes = "c", layouts = { "nchw", "nhwc" }, over = { "positions", "c in g" },
  directions = { fwd = { scalars = { "eps" }, sums = "moments", forward = function(x, a) return e.standardised(x, a.eps) end } },
}
