--- Folding: gamma and beta of a norm move into the linear layer behind it, a row of whose weights is x.
local e = require "gen.formula.expr"

local function has_beta(spec) return spec.affine == "gamma+beta" end

return e.norm {
  name = "fold",
  title = "Folding into the next layer",
  cites = "W' = W diag(gamma), b' = b + W beta",
  affine = "gamma+beta",
  words = {},
  is_of_weights = true,
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
