--- The only writer of numbers in emitted C: exact, independent of the locale and of the Lua that runs.

local literal = {}

--- A non-negative integer below 2^53.
function literal.integer(value)
  assert(value == math.floor(value) and value >= 0 and value < 2 ^ 53, "not an integer literal: " .. tostring(value))
  return ("%.0f"):format(value)
end

--- A finite float as C text of type float or double: "4096.0f", "0x1.5p-3".
-- @param suffix "f" for float, "" for double
function literal.float(value, suffix)
  assert(value == value and value ~= math.huge and value ~= -math.huge, "not a finite literal")
  local sign = (value < 0 or 1 / value < 0) and "-" or ""
  local magnitude = math.abs(value)
  if magnitude == math.floor(magnitude) and magnitude < 2 ^ 53 then return sign .. ("%.0f"):format(magnitude) .. ".0" .. suffix end
  local exponent = 0
  while magnitude >= 2 do magnitude, exponent = magnitude / 2, exponent + 1 end
  while magnitude < 1 do magnitude, exponent = magnitude * 2, exponent - 1 end
  local digits, rest = {}, magnitude - 1
  while rest > 0 do
    rest = rest * 16
    local digit = math.floor(rest)
    digits[#digits + 1] = ("0123456789abcdef"):sub(digit + 1, digit + 1)
    rest = rest - digit
  end
  local fraction = #digits > 0 and "." .. table.concat(digits) or ""
  return ("%s0x1%sp%s%.0f%s"):format(sign, fraction, exponent < 0 and "-" or "+", math.abs(exponent), suffix)
end

--- A number as a person writes it, with as many digits as it takes to read the same number again: "1e-5", "4096".
-- For Lua, JSON and comments.
function literal.decimal(value)
  if value ~= value then return "nan" end
  if math.abs(value) == math.huge then return value > 0 and "inf" or "-inf" end
  for digits = 14, 17 do
    local text = ("%." .. digits .. "g"):format(value)
    if tonumber(text) == value or digits == 17 then return (text:gsub(",", "."):gsub("e([+-])0+", "e%1"):gsub("e%+", "e")) end
  end
end

return literal
