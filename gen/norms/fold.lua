--- Folding: gamma and beta of a norm move into the linear layer behind it, a row of whose weights is x.
local e = require "gen.formula.expr"
local norm = require "gen.formula.norm"

local function has_beta(spec) return spec.affine == "gamma+beta" end

return norm.new {
  name = "fold",
  title = "Folding into the next layer",
  cites = "W' = W diag(gamma), b' = b + W beta",
  affine = "gamma+beta",
  words = {}, needs_gamma = true,
  lacks = norm.of_weights,
  adds_beta = false,
  over = { "h" },
  inputs = { { name = "bias", when = has_beta } },
  outputs = { { name = "ybias", when = has_beta } },
  formula = "y = x gamma, ybias = bias + sum(x beta)",
  domain = "no overflow",
  bound = function() return { rel_u = 1, abs_u = 0 } end,
  forward = function(x, a)
    return x, a.beta and { ybias = (e.total(x * a.beta) + a.bias):as "ybias" }
  end,
}
