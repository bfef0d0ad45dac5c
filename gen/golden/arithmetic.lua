--- IEEE arithmetic of the dtypes on Lua's doubles: rounding to nearest even, fused multiply-add, bits. Exact under every
-- Lua.

local arithmetic = {}

--- What a dtype is, from its bits of precision (the hidden one included) and bits of the exponent: `precision`, the `bias` of the
-- exponent, `unit` (1 in units of its last place), the least normal number, and the sign's bit.
local function format_of(precision, exponent)
  local bias = 2 ^ (exponent - 1) - 1
  return { precision = precision, bias = bias, unit = 2 ^ (precision - 1), least_normal = 2 ^ (1 - bias),
    sign = 2 ^ (precision + exponent - 1) }
end

local FORMATS = { f32 = format_of(24, 8), bf16 = format_of(8, 8), f16 = format_of(11, 5), f64 = format_of(53, 11),
  e4m3 = format_of(4, 4) }

--- Dtypes that saturate: their least and greatest number.
local RANGES = { { dtype = "s8", least = -128, most = 127 }, { dtype = "u8", least = 0, most = 255 },
  { dtype = "e4m3", least = -448, most = 448 } }

local LOG_2 = math.log(2)

--- The greatest e for which 2^e <= magnitude, a positive normal number; and 2^e.
local function exponent_of(magnitude)
  local e = math.floor(math.log(magnitude) / LOG_2)
  local power = 2 ^ e
  while power > magnitude do e, power = e - 1, power / 2 end
  while power * 2 <= magnitude do e, power = e + 1, power * 2 end
  return e, power
end

--- A function that rounds doubles to a format narrower than double. Normal values: Veltkamp's splitting, which for
-- these precisions rounds to nearest even (ties are multiples of a power of two, which keeps its steps even). Below: the
-- addition of a number whose last place is the least subnormal.
-- @param limit from where on numbers are infinite, or nil for what IEEE formats have
local function rounder(format, limit)
  local splitter = 2 ^ (53 - format.precision) + 1
  local least_normal = format.least_normal
  local anchor = 1.5 * least_normal * 2 ^ (53 - format.precision)
  local overflow = limit or 2 ^ (format.bias + 1) * (1 - 2 ^ (-format.precision - 1))
  return function(v)
    local magnitude = v < 0 and -v or v
    if magnitude >= overflow then return v * math.huge end
    if magnitude < least_normal then
      local rounded = (magnitude + anchor) - anchor
      if rounded == 0 then return v * 0 end
      return v < 0 and -rounded or rounded
    end
    local scaled = v * splitter
    return scaled - (scaled - v)
  end
end

--- Rounding of a number to each dtype, to nearest even: `arithmetic.round.bf16(v)`.
arithmetic.round = { f64 = function(v) return v end }
for _, name in ipairs { "f32", "bf16", "f16" } do arithmetic.round[name] = rounder(FORMATS[name]) end

--- To the nearest integer; the last place of the anchor is 1.
local function whole(v)
  local anchor = 1.5 * 2 ^ 52
  return (v + anchor) - anchor
end

for _, range in ipairs(RANGES) do
  local format = FORMATS[range.dtype]
  local round = format and rounder(format, math.huge) or whole
  arithmetic.round[range.dtype] = function(v) return round(math.max(range.least, math.min(range.most, v))) end
end

--- a + b = sum + error, exactly.
local function two_sum(a, b)
  local sum = a + b
  local part = sum - a
  return sum, (a - (sum - part)) + (b - part)
end

local function halves(v)
  local scaled = v * (2 ^ 27 + 1)
  local high = scaled - (scaled - v)
  return high, v - high
end

--- a * b = product + error, exactly (no over- or underflow).
local function two_product(a, b)
  local product = a * b
  local a1, a0 = halves(a)
  local b1, b0 = halves(b)
  return product, ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0
end

--- a + b rounded to odd: where it is not exact, the neighbour whose last bit is set.
local function add_to_odd(a, b)
  local sum, err = two_sum(a, b)
  if err == 0 or sum == 0 then return sum end
  local _, power = exponent_of(math.abs(sum))
  local unit = power * 2 ^ -52
  if math.fmod(sum, 2 * unit) ~= 0 then return sum end
  local away = (err > 0) == (sum > 0)
  if not away and math.abs(sum) == power then unit = unit / 2 end
  return sum + (err > 0 and unit or -unit)
end

--- The product of two floats is exact in double. Its sum with c is rounded again, and only where that sum lies halfway
-- between two floats can what it lost decide.
local function fma_f32(a, b, c)
  local round = arithmetic.round.f32
  local sum, err = two_sum(a * b, c)
  local rounded = round(sum)
  if err == 0 or rounded == sum then return rounded end
  local other = sum + (sum - rounded)
  if round(other) ~= other then return rounded end
  return err > 0 and math.max(rounded, other) or math.min(rounded, other)
end

--- Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", 2008.
local function fma_f64(a, b, c)
  local product, low = two_product(a, b)
  local upper, lower = two_sum(c, low)
  local sum, err = two_sum(product, upper)
  return sum + add_to_odd(err, lower)
end

--- a * b + c with one rounding, for finite numbers of that type without over- or underflow, as
-- `arithmetic.fma.f32(a, b, c)`.
arithmetic.fma = { f32 = fma_f32, f64 = fma_f64 }

--- The bits of a finite number of a dtype, as two whole numbers: the low 32 bits and those above.
function arithmetic.bits(dtype, v)
  local format = FORMATS[dtype]
  if not format then return v % 256, 0 end
  local magnitude, unit = math.abs(v), format.unit
  local upper, fraction = (v < 0 or 1 / v < 0) and format.sign or 0, magnitude / format.least_normal * unit
  if magnitude >= format.least_normal then
    local e, power = exponent_of(magnitude)
    upper, fraction = upper + (e + format.bias) * unit, (magnitude / power - 1) * unit
  end
  return math.floor(upper % 2 ^ 32 + fraction % 2 ^ 32), math.floor(upper / 2 ^ 32) + math.floor(fraction / 2 ^ 32)
end

--- The formats by name (format_of).
arithmetic.formats = FORMATS

return arithmetic
