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
local EXP = { 0x1p-1, 0x1.555556p-3, 0x1.5555p-5, 0x1.110fc2p-7, 0x1.6d3074p-10, 0x1.a2d982p-13 }

--- (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 0.625.
local TANH = { -0x1.555556p-2, 0x1.11113ap-3, -0x1.ba1b1ep-5, 0x1.65821ap-6, -0x1.15c6bep-7, 0x1.3cd7b2p-9 }

--- 2 * (a + 2.625) * 0.75 * Phi(-a) * exp(a^2 / 2) - 1 in 0.375 - a / ((a + 2.625) * 0.75), Phi the normal distribution
-- function, for 0 <= a <= 14.5.
local GELU = { 0x1.a6b36ep-2, 0x1.53031ep+0, 0x1.eb76fcp-2, -0x1.0071f2p-3, -0x1.883fd6p-4, 0x1.7c6ae2p-5, 0x1.92ed7ep-7,
  -0x1.46defp-6, 0x1.2d3c96p-8, 0x1.2413fap-7, 0x1.7756d4p-11 }

--- (log(1 + x) / x - 1) / x, for 0 <= x <= 1.
local LOG1P = { -0x1p-1, 0x1.55553p-2, -0x1.fff39cp-3, 0x1.98e11cp-3, -0x1.4ff538p-3, 0x1.0d21acp-3, -0x1.7d99d4p-4, 0x1.a1ed8p-5,
  -0x1.2828dap-6, 0x1.88c46p-9 }

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

--- The polynomial with these coefficients, the constant one first.
local function polynomial(v, coefficients)
  local sum = v.domain.graph:const(coefficients[#coefficients], "f32")
  for i = #coefficients - 1, 1, -1 do sum = fma(sum, v, coefficients[i]):hinted "p" end
  return sum
end

--- -factor * |x|, but not below a limit.
local function negative(x, factor, limit) return e.max(e.abs(x) * -factor, limit):hinted "w" end

--- exp(w + low) = power * (1 + t) / 2^scale, with power a power of two.
-- @param low nil, or what w lacks
-- @return power, t, k: the exponent before it is scaled
local function exponential(w, scale, low)
  local biased = fma(w, LOG2_E, ROUND + scale):hinted "biased"
  local k = (biased - (ROUND + scale)):hinted "k"
  local r = fnma(k, LN_2, w)
  r = (low and r + fnma(k, LN_2_LOW, low) or fnma(k, LN_2_LOW, r)):hinted "r"
  return e.pow2(biased):hinted "power", fma(polynomial(r, EXP), r * r, r):hinted "t", k
end

--- factor * v / (base + v / 2^64) for v = power * (1 + t), where the sum below is from 0.5 to 2.5. What it loses by its rounding is
-- taken from t in proportion, with a straight line in the place of its reciprocal.
local function share(factor, power, t, base)
  local scaled = fma(power, t, power)
  local below = fma(scaled, DOWN, base):hinted "below"
  local lost = fma(scaled, DOWN, base - below):hinted "lost"
  t = fnma(fma(below, -0.5, 1.5) * lost, t + 1, t):hinted "t"
  local above = factor and factor * power or power
  return fma(above, t, above) / below
end

--- factor * exp(v) / (1 + exp(v)) * 2^64 for v = w + low <= 0.
local function logistic(factor, w, low)
  local power, t = exponential(w, SCALE, low)
  return share(factor, power, t, 1)
end

--- max(x, 0) + v / 2^exponent: x * f(x) for x of any sign from the v for -|x|, where f(x) + f(-x) = 1.
local function mirrored(x, v, exponent) return fma(v, 2 ^ -exponent, e.clamp0(x)) end

function elementary.exp(x)
  local w = e.max(e.max(x, -104) * -1, -89) * -1
  local _, t, k = exponential(w, 0)
  local second = fma(k, 0.5, ROUND) - ROUND
  local first = k - second
  local power = e.pow2(first + ROUND)
  return fma(power, t, power) * e.pow2(second + ROUND)
end

function elementary.sigmoid(x)
  local v = logistic(nil, negative(x, 1, -120))
  return pick(x, v * DOWN, fnma(v, DOWN, 1))
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
  local slope = fma(square, CUBIC, SLOPE)
  local low = fma(square, CUBIC, SLOPE - slope)
  low = fma(square, CUBIC_LOW, fnma(lost, CUBIC, low)) + SLOPE_LOW
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
  local d = fma(a, -0.75, 1.96875)
  local quotient = a / d
  local p = polynomial(quotient + 0.375, GELU)
  -- What d loses by its rounding: less and less, since quotient * (1 + p) is nearly constant where a is large.
  local inverse = fma(quotient, 0x1.861862p-2, 0x1.041042p-1)
  local rounding = fma(a, -0.75, 1.96875 - d)
  t = fma(p + 1, fnma(rounding, inverse * inverse * 1.96875, t), p)
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
  return pick(w + 1.25, large, small)
end

--- max(x, 0) + log(1 + v), v = exp(-|x|): log(1 + v) = v * (1 + v * p(v)).
function elementary.softplus(x)
  local power, t = exponential(negative(x, 1, -120), SCALE)
  local v = (fma(power, t, power) * DOWN):hinted "v"
  local log = fma(polynomial(v, LOG1P) * v, t + 1, t):hinted "log"
  return mirrored(x, fma(power, log, power), SCALE)
end

--- x * tanh(softplus(x)). With v = exp(-|x|), tanh(softplus(x)) is g / (1 + g), g = v + v^2 / 2, where x is negative, and else
-- 1 - g / (0.5 + v + g), g = v^2.
function elementary.mish(x)
  local w = negative(x, 1, -120)
  local power, t = exponential(w, SCALE)
  local scaled = fma(power, t, power)
  local base = pick(x, 1, fma(scaled, DOWN, 0.5)):hinted "base"
  t = fma(scaled * pick(x, DOWN / 2, DOWN), t + 1, pick(x, t, -1)):hinted "t"
  return mirrored(x, share(w, power, t, base), SCALE)
end

function elementary.relu(x) return e.clamp0(x) end

function elementary.relu6(x) return e.max(e.clamp0(x) * -1, -6) * -1 end

--- max(x, 0) + a * (a + 3) / 6, a = max(-|x|, -3): x * f(x) with f(x) + f(-x) = 1, as silu is.
function elementary.hardswish(x)
  local a = negative(x, 1, -3)
  return e.fma((a + 3) * a, x.domain.graph:const(SIXTH[x.type], x.type), e.clamp0(x))
end

return elementary
