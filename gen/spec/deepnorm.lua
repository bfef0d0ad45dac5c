--- DeepNorm: the constants of a model, from its layers (Wang et al. 2022, "DeepNet", table 2).
--
-- alpha scales the residual in front of each norm, beta the weights of MLPs and of values and outputs when they are drawn.

local usage = require "gen.errors.usage"

local MOST = 100000

local function is_count(v) return type(v) == "number" and v >= 1 and v <= MOST and v % 1 == 0 end

--- v^(1/4) by square roots, which are the same everywhere.
local function fourth_root(v) return math.sqrt(math.sqrt(v)) end

--- Encoder-only and decoder-only models.
local function alone(layers) return { alpha = fourth_root(2 * layers), beta = 1 / fourth_root(8 * layers) } end

local function checked(given)
  if type(given) ~= "table" then usage.fail("deepnorm takes a table: deepnorm{ encoder = N, decoder = M }") end
  for _, side in ipairs { "encoder", "decoder" } do
    if given[side] ~= nil and not is_count(given[side]) then
      usage.fail("deepnorm: %s must be a whole number of layers from 1 to %d", side, MOST)
    end
  end
  return given.encoder, given.decoder
end

--- The constants for so many layers.
-- @param given `{ encoder = N }`, `{ decoder = M }`, or both
-- @return `{ alpha=, beta= }`; for a model that has both sides, `{ encoder = { alpha=, beta= }, decoder = { alpha=, beta= } }`
return function(given)
  local n, m = checked(given)
  if not n and not m then usage.fail("deepnorm needs the layers of an encoder, of a decoder, or of both") end
  if not (n and m) then return alone(n or m) end
  local both = fourth_root(fourth_root(n * n * n * n * m))
  return { encoder = { alpha = 0.81 * both, beta = 0.87 / both }, decoder = { alpha = fourth_root(3 * m), beta = 1 / fourth_root(12 * m) } }
end
