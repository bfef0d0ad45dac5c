--- BatchNorm: each channel less its mean over batch and positions, divided by its standard deviation. For inference with
-- running statistics, whole or folded into a scale and a shift; for training in one call, or in the three steps that ranks need.
local e = require "gen.formula.expr"

local function rstd_of(var, a) return (1 / e.sqrt(var + a.eps)):as "rstd" end

local function moved(a, x)
  return e.moved(a.running_mean, e.center_mean(x), a.momentum), e.moved(a.running_var, e.unbiased_var(x), a.momentum)
end

return e.norm {
  name = "batchnorm",
  title = "BatchNorm",
  cites = "Ioffe and Szegedy 2015, algorithms 1 and 2",
  affine = "gamma+beta",
  words = { layout = true },
  formula = "(x - mean(x)) / sqrt(var(x) + eps) over the batch and all positions",
  sizes = "c", layouts = { "nchw", "nhwc", "rows" }, over = "batch",
  directions = {
    fwd = {
      scalars = { "momentum", "eps" }, outputs = { "mean", "rstd" }, updates = { "running_mean", "running_var" }, sums = "moments",
      forward = function(x, a)
        local y, statistics = e.standardised(x, a.eps)
        local mean, var = moved(a, x)
        return y, { mean = statistics.mean, rstd = statistics.rstd, running_mean = mean, running_var = var }
      end,
    },
    infer = {
      inputs = { "mean", "var" }, scalars = { "eps" },
      forward = function(x, a) return (x - a.mean) * rstd_of(a.var, a) end,
    },
    folded = { inputs = { "a", "b" }, forward = function(x, a) return x * a.a + a.b end },
    foldstats = {
      inputs = { "mean", "var" }, scalars = { "eps" }, outputs = { "a", "b" },
      forward = function(_, a)
        local rstd = rstd_of(a.var, a)
        local scale = (a.gamma and a.gamma * rstd or rstd):as "a"
        return nil, { a = scale, b = (a.beta or 0) - a.mean * scale }
      end,
    },
    stats = {
      outputs = { "mean", "shift", "m2" }, is_of_chunks = true, sums = "moments",
      forward = function() return nil, { mean = e.statistic "mu", shift = e.statistic "delta", m2 = e.statistic "m2" } end,
    },
    merge = {
      inputs = { "part_mean", "part_shift", "part_m2" }, scalars = { "momentum", "eps" }, outputs = { "mean", "shift", "rstd" },
      updates = { "running_mean", "running_var" }, sums = "moments", merges = true,
      forward = function(_, a)
        local mean, var = moved(a, a.part_mean)
        return nil, { mean = e.statistic "mu", shift = e.statistic "delta", rstd = rstd_of(e.var(a.part_mean), a),
          running_mean = mean, running_var = var }
      end,
    },
    apply = {
      inputs = { "mean", "shift", "rstd" },
      forward = function(x, a) return ((x - a.mean) - a.shift) * a.rstd end,
    },
  },
}
