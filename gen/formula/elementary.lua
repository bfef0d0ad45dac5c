--- Elementary functions: exp, sigmoid, tanh, silu and gelu as one fixed sequence of +, -, *, /, fma and four small words of the
-- vocabulary (max, abs, pick, pow2). gen/formula/contract.lua replaces these functions by their sequences; docs/numerics.md tells them
-- in prose with their errors, tools/elementary.sollya fits the polynomials. They are there for f32.
--
-- The argument of a function may be a product, and a product must not meet a sum without an fma. So arguments stand in products,
-- in fma and in comparisons only.

local e = require "gen.formula.expr"

local elementary = {}

--- Adding ROUND to a number rounds it to a whole one, whose lowest bits are then those of the sum. Numbers near 2^-150 are
-- carried with the factor 2^64, of which DOWN takes them back.
local ROUND, SCALE, DOWN = 12582912, 64, 0x1p-64

local LOG2_E, LN_2, LN_2_LOW = 0x1.715476p+0, 0x1.62e43p-1, -0x1.05c61p-29

--- The coefficients of polynomials, the constant one first, and what they are called in emitted C.
--
-- (exp(r) - 1 - r) / r^2, for |r| <= ln(2) / 2.
local EXP = { name = "exp", 0x1p-1, 0x1.555556p-3, 0x1.5555p-5, 0x1.110fc2p-7, 0x1.6d3074p-10, 0x1.a2d982p-13 }

--- (tanh(x) / x - 1) / x^2 in x^2, for |x| <= 0.625.
local TANH = { name = "tanh", -0x1.555556p-2, 0x1.11113ap-3, -0x1.ba1b1ep-5, 0x1.65821ap-6, -0x1.15c6bep-7, 0x1.3cd7b2p-9 }

--- 2 * (a + 2.625) * 0.75 * Phi(-a) * exp(a^2 / 2) - 1 in 0.375 - a / ((a + 2.625) * 0.75), Phi the normal distribution
-- function, for 0 <= a <= 14.5.
local GELU = { name = "gelu", 0x1.a6b36ep-2, 0x1.53031ep+0, 0x1.eb76fcp-2, -0x1.0071f2p-3, -0x1.883fd6p-4, 0x1.7c6ae2p-5,
  0x1.92ed7ep-7, -0x1.46defp-6, 0x1.2d3c96p-8, 0x1.2413fap-7, 0x1.7756d4p-11 }

--- 2 sqrt(2 / pi), and this times 0.044715, each as a sum of two floats. The first has 20 bits behind the point, so that
-- differences of it are exact.
local SLOPE, SLOPE_LOW, CUBIC, CUBIC_LOW = 0x1.98845p+0, 0x1.9ea1b2p-23, 0x1.2444f2p-4, 0x1.49b16ap-29

--- A number with the name that it bears in emitted C.
local function named(name, value) return e.const(value, "f32", name) end

local function lift(v) return type(v) == "number" and e.const(v, "f32") or v end

local function fma(a, b, c) return e.fma(lift(a), lift(b), lift(c)) end

local function fnma(a, b, c) return e.fnma(lift(a), lift(b), lift(c)) end

--- The polynomial with these coefficients.
local function polynomial(v, coefficients)
  local function coefficient(i) return named(coefficients.name .. "_c" .. i - 1, coefficients[i]) end
  local sum = coefficient(#coefficients)
  for i = #coefficients - 1, 1, -1 do sum = fma(sum, v, coefficient(i)):hinted "p" end
  return sum
end

--- -factor * |x|, but not below a limit.
local function negative(x, factor, limit) return e.max(e.abs(x) * -factor, named("limit", limit)):hinted "w" end

--- exp(w + low) = power * (1 + t) / 2^scale, with power a power of two.
-- @param low nil, or what w lacks
-- @return power, t, k: the exponent before it is scaled
local function exponential(w, scale, low)
  local to_whole, ln_2_low = named("to_whole", ROUND + scale), named("ln_2_low", LN_2_LOW)
  local biased = fma(w, named("log2_e", LOG2_E), to_whole):hinted "biased"
  local k = (biased - to_whole):hinted "k"
  local r = fnma(k, named("ln_2", LN_2), w)
  r = (low and r + fnma(k, ln_2_low, low) or fnma(k, ln_2_low, r)):hinted "r"
  return e.pow2(biased):hinted "power", fma(polynomial(r, EXP), r * r, r):hinted "t", k
end

--- factor * exp(v) / (1 + exp(v)) * 2^64 for v = w + low <= 0. What 1 + exp(v) loses by its rounding is taken from t in
-- proportion, with a straight line in the place of 1 / (1 + exp(v)).
local function logistic(factor, w, low)
  local power, t = exponential(w, SCALE, low)
  local scaled = fma(power, t, power)
  local down = named("down", DOWN)
  local below = fma(scaled, down, 1):hinted "below"
  local lost = fma(scaled, down, 1 - below):hinted "lost"
  t = fnma(fma(below, -0.5, named("line", 1.5)) * lost, t + 1, t):hinted "t"
  local above = factor and factor * power or power
  return fma(above, t, above) / below
end

--- max(x, 0) + v / 2^exponent: x * f(x) for x of any sign from the v for -|x|, where f(x) + f(-x) = 1.
local function mirrored(x, v, exponent) return fma(v, named("down", 2 ^ -exponent), e.clamp0(x)) end

function elementary.exp(x)
  local w, to_whole = e.max(e.max(x, named("lowest", -104)) * -1, named("highest", -89)) * -1, named("to_whole", ROUND)
  local _, t, k = exponential(w, 0)
  local second = fma(k, 0.5, to_whole) - to_whole
  local first = k - second
  local power = e.pow2(first + to_whole)
  return fma(power, t, power) * e.pow2(second + to_whole)
end

function elementary.sigmoid(x)
  local v, down = logistic(nil, negative(x, 1, -120)), named("down", DOWN)
  return e.pick(x, v * down, fnma(v, down, 1))
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
  local start, cubic = named("slope_start", SLOPE), named("cubic", CUBIC)
  local slope = fma(square, cubic, start)
  local low = fma(square, cubic, start - slope)
  low = fma(square, named("cubic_low", CUBIC_LOW), fnma(lost, cubic, low)) + named("slope_low", SLOPE_LOW)
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
  local slope, start = named("d_slope", -0.75), named("d_start", 1.96875)
  local d = fma(a, slope, start)
  local quotient = a / d
  local p = polynomial(quotient + named("centre", 0.375), GELU)
  -- What d loses by its rounding: less and less, since quotient * (1 + p) is nearly constant where a is large.
  local inverse = fma(quotient, named("inverse_slope", 0x1.861862p-2), named("inverse_start", 0x1.041042p-1))
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
  local large = e.pick(x, fma(half, 2, -1), fnma(half, 2, 1)):hinted "large"
  local square = x * x
  local small = (fma(polynomial(square, TANH), square, 1) * x):hinted "small"
  return e.pick(w + named("border", 1.25), large, small)
end

return elementary
