--- BatchNorm: each channel less its mean over batch and positions, divided by its standard deviation. For inference with
-- running statistics, whole or folded into a scale and a shift; for training in one call, or in the three steps that ranks need.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

local steps = norm.steps "moments"

local VAR = { name = "var", nonnegative = true }
local RUNNING = { "running_mean", { name = "running_var", nonnegative = true } }

local function rstd_of(var, a) return (1 / e.sqrt(var + a.eps)):as "rstd" end

--- The running statistics after a batch.
local function moved(x, a)
  return e.moved(a.running_mean, e.center_mean(x), a.momentum), e.moved(a.running_var, e.unbiased_var(x), a.momentum)
end

return norm.new {
  name = "batchnorm",
  title = "BatchNorm",
  cites = "Ioffe and Szegedy 2015, algorithms 1 and 2",
  affine = "gamma+beta",
  words = {},
  formula = "(x - mean(x)) / sqrt(var(x) + eps) over the batch and all positions",
  sizes = "c", layouts = { "nchw", "nhwc", "rows" }, over = { "rows", "positions" },
  directions = {
    fwd = {
      scalars = { "momentum", "eps" }, outputs = { "mean", "rstd" }, updates = RUNNING, sums = "moments",
      forward = function(x, a)
        local y, statistics = e.standardised(x, a.eps)
        local mean, var = moved(x, a)
        return y, { mean = statistics.mean, rstd = statistics.rstd, running_mean = mean, running_var = var }
      end,
    },
    infer = {
      inputs = { "mean", VAR }, scalars = { "eps" },
      forward = function(x, a) return (x - a.mean) * rstd_of(a.var, a) end,
    },
    folded = { inputs = { "a", "b" }, forward = function(x, a) return x * a.a + a.b end },
    foldstats = {
      inputs = { "mean", VAR }, scalars = { "eps" }, outputs = { "a", "b" }, has_no_elements = true,
      forward = function(_, a)
        local rstd = rstd_of(a.var, a)
        local scale = (a.gamma and a.gamma * rstd or rstd):as "a"
        return nil, { a = scale, b = (a.beta or 0) - a.mean * scale }
      end,
    },
    stats = steps.stats,
    merge = {
      scalars = { "momentum", "eps" }, outputs = steps.merge.outputs, updates = RUNNING, sums = "moments", merges = true,
      forward = function(x, a)
        local _, results = steps.merge.forward(x, a)
        results.running_mean, results.running_var = moved(x, a)
        return nil, results
      end,
    },
    apply = steps.apply,
  },
}
