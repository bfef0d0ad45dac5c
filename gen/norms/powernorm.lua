--- PowerNorm: each channel divided by the root of the running mean of its squares over batch and positions.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

local function scaled(x, square, a) return x * (1 / e.sqrt(square + a.eps)):as "rstd" end

return norm.new {
  name = "powernorm",
  title = "PowerNorm",
  cites = "Shen et al. 2020, algorithm 1",
  affine = "gamma+beta",
  words = {},
  formula = "x / sqrt(running mean of x^2 + eps) over the batch and all positions",
  sizes = "c", layouts = { "nchw", "nhwc", "rows" }, over = { "rows", "positions" },
  directions = {
    fwd = {
      scalars = { "momentum", "eps" }, outputs = { "square" },
      updates = { { name = "running_square", nonnegative = true } }, sums = "squares",
      forward = function(x, a)
        local square = e.mean(x * x):as "square"
        return scaled(x, a.running_square, a), { square = square, running_square = e.moved(a.running_square, square, a.momentum) }
      end,
    },
    infer = {
      inputs = { { name = "square", nonnegative = true } }, scalars = { "eps" },
      forward = function(x, a) return scaled(x, a.square, a) end,
    },
  },
}
