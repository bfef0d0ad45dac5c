--- Scalar: portable C for any CPU, loops over the contract's lanes. Fused multiply-add is exact with and without
-- hardware.

local words = require "targets.shared.words"

local call, text = words.call, words.text

--- The arithmetic words; helpers of f64 bear the suffix.
local function arithmetic(suffix, more)
  return words.with({
    add = text "(%s + %s)", sub = text "(%s - %s)", mul = text "(%s * %s)", div = text "(%s / %s)",
    sqrt = call("@scalar_sqrt" .. suffix), fma = call("@scalar_fma" .. suffix),
    fnma = function(a, b, c) return ("@scalar_fma%s(-%s, %s, %s)"):format(suffix, a, b, c) end,
    max = call("@scalar_max" .. suffix), nonzero = call("@scalar_nonzero" .. suffix),
    abs = call(suffix == "" and "__builtin_fabsf" or "__builtin_fabs"),
    clamp0 = call("@scalar_clamp0" .. suffix), pin = call("@scalar_pin" .. suffix),
    tree = call("@scalar_tree" .. suffix), pairwise = call("@scalar_pairwise" .. suffix),
  }, more)
end

--- The memory words of a 16-bit dtype.
local function half(name)
  return {
    load = function(place) return ("@scalar_from_%s(&%s)"):format(name, place) end,
    store = function(place, v) return ("@scalar_to_%s(&%s, %s)"):format(name, place, v) end,
    round = call("@scalar_round_" .. name),
  }
end

--- Those of a dtype of 8 bits, for outputs.
local function byte(name)
  return { store = function(place, v) return ("%s = @scalar_to_%s(%s)"):format(place, name, v) end }
end

return {
  name = "scalar", rank = 0, arch = "any", guard = "1",
  includes = "#include <string.h>",
  attribute = "",
  features = {},
  types = {
    f32 = {
      ctype = "float", words = arithmetic("", {
        convert = text "(double)%s",
        pick = call "@scalar_pick", pow2 = call "@scalar_pow2", amax = call "@scalar_amax",
      }),
      dtypes = {
        f32 = { load = text "%s", store = text "%s = %s" },
        bf16 = half "bf16",
        f16 = half "f16",
        s8 = byte "s8", u8 = byte "u8", e4m3 = byte "e4m3",
      },
    },
    f64 = {
      ctype = "double", words = arithmetic("_f64", {
        convert = text "(float)%s",
      }),
      dtypes = { f64 = { load = text "%s", store = text "%s = %s" } },
    },
  },
}
