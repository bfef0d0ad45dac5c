--- Folding: gamma and beta of a norm move into the linear layer behind it, a row of whose weights is x.
local e = require "gen.formula.expr"

return e.norm {
  name = "fold",
  title = "Folding into the next layer",
  cites = "W' = W diag(gamma), b' = b + W beta",
  affine = "gamma+beta",
  words = {},
  is_of_weights = true,
  has_no_eps = true,
  adds_beta = false,
  arguments = {
    { name = "bias", shape = { "rows" }, after = "beta", when = function(s) return s.affine == "gamma+beta" end },
    { name = "ybias", shape = { "rows" }, io = "out", after = "rstd", when = function(s) return s.affine == "gamma+beta" end },
  },
  formula = "y = x gamma, ybias = bias + sum(x beta)",
  domain = "no overflow",
  bound = function() return { rel_u = 1, abs_u = 0 } end,
  forward = function(x, _, spec)
    local beta = spec.affine == "gamma+beta" and e.load("beta", spec.gamma, "column")
    return x, beta and { ybias = (e.total(x * beta) + e.load("bias", x.type, "row")):as "ybias" }
  end,
}
