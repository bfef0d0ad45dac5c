--- InstanceNorm: LayerNorm over the positions of each channel.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "instancenorm",
  title = "InstanceNorm",
  cites = "Ulyanov, Vedaldi and Lempitsky 2016, eq. 4",
  affine = "gamma+beta",
  words = {},
  formula = "(x - mean(x)) / sqrt(var(x) + eps) over the positions of a channel",
  sizes = "c", layouts = { "nchw", "nhwc" }, over = { "positions" },
  directions = { fwd = { scalars = { "eps" }, sums = "moments", forward = function(x, a) return e.standardised(x, a.eps) end } },
}
