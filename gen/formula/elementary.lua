--- Elementary functions, each one fixed sequence of +, -, *, /, fma and small words of the vocabulary (clamp0, max, abs, pick, pow2):
-- sequences of gen/formula/activations.lua. docs/numerics.md tells them in prose with their errors, tools/elementary.sollya fits the
-- polynomials. relu, relu6 and hardswish are there for any type, the others for f32.
--
-- The argument of a function may be a product, and a product must not meet a sum without an fma. So arguments stand in products,
-- in fma and in comparisons only.

local e = require "gen.formula.expr"

local elementary = {}

--- Adding ROUND to a number rounds it to a whole one, whose lowest bits are then those of the sum. Numbers near 2^-150 are
-- carried with the factor 2^64, of which DOWN takes them back.
local ROUND, SCALE, DOWN = 12582912, 64, 0x1p-64

local LOG2_E, LN_2, LN_2_LOW = 0x1.715476p+0, 0x1.62e43p-1, -0x1.05c61p-29

--- (exp(r) - 1 - r) / r^2, for |r| <= ln(2) / 2.
local EXP = { name = "exp", 0x1p-1, 0x1.555556p-3, 0x1.5555p-5, 0x1.110fc2p-7, 0x1.6d3074p-10, 0x1.a2d982p-13 }

--- (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 0.625.
local TANH = { name = "tanh", -0x1.555556p-2, 0x1.11113ap-3, -0x1.ba1b1ep-5, 0x1.65821ap-6, -0x1.15c6bep-7, 0x1.3cd7b2p-9 }

--- 2 * (a + 2.625) * 0.75 * Phi(-a) * exp(a^2 / 2) - 1 in 0.375 - a / ((a + 2.625) * 0.75), Phi the normal distribution
-- function, for 0 <= a <= 14.5.
local GELU = { name = "gelu", 0x1.a6b36ep-2, 0x1.53031ep+0, 0x1.eb76fcp-2, -0x1.0071f2p-3, -0x1.883fd6p-4, 0x1.7c6ae2p-5,
  0x1.92ed7ep-7, -0x1.46defp-6, 0x1.2d3c96p-8, 0x1.2413fap-7, 0x1.7756d4p-11 }

--- (log(1 + x) / x - 1) / x, for 0 <= x <= 1.
local LOG1P = { name = "log1p", -0x1p-1, 0x1.55553p-2, -0x1.fff39cp-3, 0x1.98e11cp-3, -0x1.4ff538p-3, 0x1.0d21acp-3,
  -0x1.7d99d4p-4, 0x1.a1ed8p-5, -0x1.2828dap-6, 0x1.88c46p-9 }

--- 1 / 6 by type.
local SIXTH = { f32 = 0x1.555556p-3, f64 = 0x1.5555555555555p-3 }

--- 2 sqrt(2 / pi), and this times 0.044715, each as a sum of two floats. The first has 20 bits behind the point, so that
-- differences of it are exact.
local SLOPE, SLOPE_LOW, CUBIC, CUBIC_LOW = 0x1.98845p+0, 0x1.9ea1b2p-23, 0x1.2444f2p-4, 0x1.49b16ap-29

--- Operands with constants for numbers; one of them is a node.
local function lifted(a, b, c)
  local graph = (type(a) == "table" and a or type(b) == "table" and b or c).domain.graph
  local function lift(v) return type(v) == "number" and graph:const(v, "f32") or v end
  return lift(a), lift(b), lift(c)
end

local function fma(a, b, c) return e.fma(lifted(a, b, c)) end
local function fnma(a, b, c) return e.fnma(lifted(a, b, c)) end
local function pick(a, b, c) return e.pick(lifted(a, b, c)) end

--- A number with the name that it bears in emitted C, for the graph of a node.
local function named(node, name, value) return node.domain.graph:const(value, "f32", name) end

--- The polynomial with these coefficients, the constant one first; `name` is that of the polynomial in emitted C.
local function polynomial(v, coefficients)
  local function coefficient(i) return named(v, coefficients.name .. "_c" .. i - 1, coefficients[i]) end
  local sum = coefficient(#coefficients)
  for i = #coefficients - 1, 1, -1 do sum = fma(sum, v, coefficient(i)):hinted "p" end
  return sum
end

--- -factor * |x|, but not below a limit.
local function negative(x, factor, limit) return e.max(e.abs(x) * -factor, named(x, "limit", limit)):hinted "w" end

--- exp(w + low) = power * (1 + t) / 2^scale, with power a power of two.
-- @param low nil, or what w lacks
-- @return power, t, k: the exponent before it is scaled
local function exponential(w, scale, low)
  local to_whole, ln_2_low = named(w, "to_whole", ROUND + scale), named(w, "ln_2_low", LN_2_LOW)
  local biased = fma(w, named(w, "log2_e", LOG2_E), to_whole):hinted "biased"
  local k = (biased - to_whole):hinted "k"
  local r = fnma(k, named(w, "ln_2", LN_2), w)
  r = (low and r + fnma(k, ln_2_low, low) or fnma(k, ln_2_low, r)):hinted "r"
  return e.pow2(biased):hinted "power", fma(polynomial(r, EXP), r * r, r):hinted "t", k
end

--- factor * v / (base + v / 2^64) for v = power * (1 + t), where the sum below is from 0.5 to 2.5. What it loses by its rounding is
-- taken from t in proportion, with a straight line in the place of its reciprocal.
local function share(factor, power, t, base)
  local scaled, down = fma(power, t, power), named(power, "down", DOWN)
  local below = fma(scaled, down, base):hinted "below"
  local lost = fma(scaled, down, base - below):hinted "lost"
  t = fnma(fma(below, -0.5, named(power, "line", 1.5)) * lost, t + 1, t):hinted "t"
  local above = factor and factor * power or power
  return fma(above, t, above) / below
end

--- factor * exp(v) / (1 + exp(v)) * 2^64 for v = w + low <= 0.
local function logistic(factor, w, low)
  local power, t = exponential(w, SCALE, low)
  return share(factor, power, t, 1)
end

--- max(x, 0) + v / 2^exponent: x * f(x) for x of any sign from the v for -|x|, where f(x) + f(-x) = 1.
local function mirrored(x, v, exponent) return fma(v, named(x, "down", 2 ^ -exponent), e.clamp0(x)) end

function elementary.exp(x)
  local w = e.max(e.max(x, named(x, "lowest", -104)) * -1, named(x, "highest", -89)) * -1
  local _, t, k = exponential(w, 0)
  local to_whole = named(x, "to_whole", ROUND)
  local second = fma(k, 0.5, to_whole) - to_whole
  local first = k - second
  local power = e.pow2(first + to_whole)
  return fma(power, t, power) * e.pow2(second + to_whole)
end

function elementary.sigmoid(x)
  local v, down = logistic(nil, negative(x, 1, -120)), named(x, "down", DOWN)
  return pick(x, v * down, fnma(v, down, 1))
end

function elementary.silu(x)
  local w = negative(x, 1, -120)
  return mirrored(x, logistic(w, w), SCALE)
end

--- x * sigmoid(2 sqrt(2 / pi) * (x + 0.044715 x^3)), the argument of the sigmoid as a sum of two floats.
function elementary.gelutanh(x)
  local a = negative(x, 1, -11)
  local square = a * a
  local lost = fnma(a, a, square)
  local start, cubic = named(x, "slope_start", SLOPE), named(x, "cubic", CUBIC)
  local slope = fma(square, cubic, start)
  local low = fma(square, cubic, start - slope)
  low = fma(square, named(x, "cubic_low", CUBIC_LOW), fnma(lost, cubic, low)) + named(x, "slope_low", SLOPE_LOW)
  local w = slope * a
  local rest = fnma(slope, a, w)
  return mirrored(x, logistic(a, w, fma(low, a, rest * -1)), SCALE)
end

--- x * Phi(x), from Phi(-a) = exp(-a^2 / 2) * (1 + p) / (2 d), d = 0.75 * (a + 2.625).
function elementary.gelu(x)
  local a = negative(x, 1, -15)
  local square = a * a
  local lost = fnma(a, a, square)
  local power, t = exponential(square * -0.5, SCALE, lost * 0.5)
  local slope, start = named(x, "d_slope", -0.75), named(x, "d_start", 1.96875)
  local d = fma(a, slope, start)
  local quotient = a / d
  local p = polynomial(quotient + named(x, "centre", 0.375), GELU)
  -- What d loses by its rounding: less and less, since quotient * (1 + p) is nearly constant where a is large.
  local inverse = fma(quotient, named(x, "inverse_slope", 0x1.861862p-2), named(x, "inverse_start", 0x1.041042p-1))
  local rounding = fma(a, slope, start - d)
  t = fma(p + 1, fnma(rounding, inverse * inverse * start, t), p)
  local scaled = quotient * power
  return mirrored(x, fma(scaled, t, scaled), SCALE + 1)
end

function elementary.tanh(x)
  local w = negative(x, 2, -30)
  local power, t = exponential(w, 0)
  local scaled = fma(power, t, power)
  local half = scaled / (scaled + 1)
  local large = pick(x, fma(half, 2, -1), fnma(half, 2, 1)):hinted "large"
  local square = x * x
  local small = (fma(polynomial(square, TANH), square, 1) * x):hinted "small"
  return pick(w + named(x, "border", 1.25), large, small)
end

--- max(x, 0) + log(1 + v), v = exp(-|x|): log(1 + v) = v * (1 + v * p(v)).
function elementary.softplus(x)
  local power, t = exponential(negative(x, 1, -120), SCALE)
  local v = (fma(power, t, power) * named(x, "down", DOWN)):hinted "v"
  local log = fma(polynomial(v, LOG1P) * v, t + 1, t):hinted "log"
  return mirrored(x, fma(power, log, power), SCALE)
end

--- x * tanh(softplus(x)). With v = exp(-|x|), tanh(softplus(x)) is g / (1 + g), g = v + v^2 / 2, where x is negative, and else
-- 1 - g / (0.5 + v + g), g = v^2.
function elementary.mish(x)
  local w = negative(x, 1, -120)
  local power, t = exponential(w, SCALE)
  local scaled, down = fma(power, t, power), named(x, "down", DOWN)
  local base = pick(x, 1, fma(scaled, down, 0.5)):hinted "base"
  t = fma(scaled * pick(x, named(x, "half_down", DOWN / 2), down), t + 1, pick(x, t, -1)):hinted "t"
  return mirrored(x, share(w, power, t, base), SCALE)
end

function elementary.relu(x) return e.clamp0(x) end

function elementary.relu6(x) return e.max(e.clamp0(x) * -1, x.domain.graph:const(-6, x.type, "minus_six")) * -1 end

--- max(x, 0) + a * (a + 3) / 6, a = max(-|x|, -3): x * f(x) with f(x) + f(-x) = 1, as silu is.
function elementary.hardswish(x)
  local a = negative(x, 1, -3)
  return e.fma((a + x.domain.graph:const(3, x.type, "three")) * a, x.domain.graph:const(SIXTH[x.type], x.type, "sixth"), e.clamp0(x))
end

return elementary
