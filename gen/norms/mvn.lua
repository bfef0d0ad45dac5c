--- MeanVarianceNormalization of ONNX: BatchNorm without parameters, eps added to the standard deviation.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

return norm.new {
  name = "mvn",
  title = "MeanVarianceNormalization",
  cites = "ONNX operators, MeanVarianceNormalization-13",
  affine = "none",
  words = {}, lacks = { affine = "takes no parameters" },
  formula = "(x - mean(x)) / (sqrt(var(x)) + eps) over the batch and all positions",
  sizes = "c", layouts = { "nchw", "nhwc", "rows" }, over = { "rows", "positions" },
  directions = {
    fwd = {
      scalars = { "eps" }, sums = "moments",
      forward = function(x, a) return e.center(x) * (1 / (e.sqrt(e.var(x)) + a.eps)):as "scale" end,
    },
  },
}
