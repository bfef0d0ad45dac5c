--- The functions of one value: a row for each, and nothing else of the generator lists them. A spec asks for them with act=, norms and
-- gates by `expr.apply`, and gen/formula/contract.lua replaces them by their sequences.
--
-- `name`; `sequence`, a function from a node to the operations that stand for the function of it; `types` in which it is there; `ulps`,
-- its error over all numbers in units in the last place, at most (docs/numerics.md); `is_inner` where it is no value of act=.

local elementary = require "gen.formula.elementary"

local activations = {}

local F32, ANY = { f32 = true }, { f32 = true, f64 = true }

local ROWS = {
  { name = "silu", sequence = elementary.silu, types = F32, ulps = 2 },
  { name = "gelu", sequence = elementary.gelu, types = F32, ulps = 2.3 },
  { name = "gelutanh", sequence = elementary.gelutanh, types = F32, ulps = 2.3 },
  { name = "tanh", sequence = elementary.tanh, types = F32, ulps = 1.5 },
  { name = "sigmoid", sequence = elementary.sigmoid, types = F32, ulps = 1.75 },
  { name = "relu", sequence = elementary.relu, types = ANY, ulps = 0 },
  { name = "relu6", sequence = elementary.relu6, types = ANY, ulps = 0 },
  { name = "hardswish", sequence = elementary.hardswish, types = ANY, ulps = 2.2 },
  { name = "softplus", sequence = elementary.softplus, types = F32, ulps = 2.2 },
  { name = "mish", sequence = elementary.mish, types = F32, ulps = 2.1 },
  { name = "exp", sequence = elementary.exp, types = F32, ulps = 1, is_inner = true },
}

--- All rows by name.
activations.named = {}

--- The names that act= takes, in order.
activations.words = {}

for _, row in ipairs(ROWS) do
  activations.named[row.name] = row
  if not row.is_inner then activations.words[#activations.words + 1] = row.name end
end

return activations
