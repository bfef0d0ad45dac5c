-- Numbers in emitted C: exact, whatever the interpreter and the locale.

local literal = require "gen.c.literal"

-- The value of a C literal of type float or double, read without tonumber.
local function value_of(text)
  local sign, rest = text:match("^(%-?)(.*)$")
  local digits = rest:match("^(%d+)%.0$")
  local value = 0.0
  if digits then
    for digit in digits:gmatch("%d") do value = 10 * value + (digit:byte() - 48) end
  else
    local fraction, exponent = rest:match("^0x1%.?(%x*)p([+-]%d+)$")
    local scale = 1
    value = 1.0
    for digit in assert(fraction, text):gmatch("%x") do
      scale = scale / 16
      value = value + scale * (("0123456789abcdef"):find(digit, 1, true) - 1)
    end
    local steps = tonumber(exponent)
    for _ = 1, math.abs(steps) do value = steps > 0 and value * 2 or value / 2 end
  end
  return sign == "-" and -value or value
end

local function is_same(a, b) return a == b and 1 / a == 1 / b end

-- Random bits that are the same everywhere: a generator of 31 bits.
local state = 20240229
local function random(n)
  state = (state * 48271) % 2147483647
  return state % n
end

-- A finite double with any sign and exponent, often with few bits, sometimes subnormal or an integer.
local function random_double()
  local kept = random(4)
  local mantissa = 1.0 + (kept < 3 and random(2 ^ 26) / 2 ^ 26 or 0) + (kept < 1 and random(2 ^ 26) / 2 ^ 52 or 0)
  local exponent = kept == 1 and random(60) or random(2098) - 1074
  local value = mantissa
  for _ = 1, math.abs(exponent) do value = exponent > 0 and value * 2 or value / 2 end
  if value == math.huge then value = mantissa end
  return random(2) == 0 and -value or value
end

describe("a float literal", function()
  it("is the value, for 100000 doubles", function()
    local hexadecimal = 0
    for _ = 1, 100000 do
      local value = random_double()
      local text = literal.float(value, "")
      if not is_same(value_of(text), value) then error(("%.17g became %s"):format(value, text)) end
      if text:find("0x", 1, true) then hexadecimal = hexadecimal + 1 end
    end
    assert.is_true(hexadecimal > 10000 and hexadecimal < 99000, hexadecimal .. " in hexadecimal")
  end)

  it("is the value at the edges", function()
    local smallest, largest = 2 ^ -1074, (2 - 2 ^ -52) * 2 ^ 1023
    for _, value in ipairs { 0.0, 1, 0.5, 0.1, 1 / 3, 2 ^ 53 - 1, 2 ^ 53, 2 ^ 53 + 2, smallest, 3 * smallest, 2 ^ -1022,
      2 ^ -1022 - smallest, 2 ^ -149, 2 ^ 127 * (2 - 2 ^ -23), largest } do
      assert.is_true(is_same(value_of(literal.float(value, "")), value))
      assert.is_true(is_same(value_of(literal.float(-value, "")), -value))
    end
  end)

  it("looks like this", function()
    local minus_zero = -1 / math.huge
    for text, value in pairs { ["4096.0f"] = 4096, ["0.0f"] = 0, ["-0.0f"] = minus_zero, ["-1.0f"] = -1, ["0x1p-1f"] = 0.5,
      ["0x1.8p-3f"] = 0.1875, ["-0x1.999999999999ap-4f"] = -0.1, ["0x1p+53f"] = 2 ^ 53, ["0x1p-1074f"] = 2 ^ -1074 } do
      assert.equal(text, literal.float(value, "f"))
    end
    assert.equal("1.0", literal.float(1, ""))
  end)

  it("is refused where there is none", function()
    for _, value in ipairs { math.huge, -math.huge, 0 / 0 } do
      assert.has_error(function() literal.float(value, "f") end, "not a finite literal")
    end
  end)
end)

describe("an integer literal", function()
  it("is plain decimal digits", function()
    for text, value in pairs { ["0"] = 0, ["7"] = 7, ["65536"] = 65536, ["9007199254740991"] = 2 ^ 53 - 1, ["16384"] = 65536 / 4 } do
      assert.equal(text, literal.integer(value))
    end
  end)

  it("is refused for anything else", function()
    for _, value in ipairs { -1, 0.5, 2 ^ 53, math.huge, -math.huge, 0 / 0 } do
      assert.has_error(function() literal.integer(value) end, "not an integer literal: " .. tostring(value))
    end
  end)
end)

describe("in a locale with a decimal comma", function()
  local format = string.format

  -- What string.format does there: numbers of floating point get a comma, texts stay as they are.
  local function comma_format(pattern, ...)
    local values, used = { ... }, 0
    return (pattern:gsub("%%[%d.]*%a", function(directive)
      used = used + 1
      local text = format(directive, values[used])
      return directive:find("[eEfgGaA]$") and text:gsub("%.", ",") or text
    end))
  end

  after_each(function() string.format = format end) -- luacheck: ignore 122

  it("literals have points", function()
    string.format = comma_format -- luacheck: ignore 122
    assert.equal("0,5", ("%.1f"):format(0.5))
    assert.equal("4096.0f", literal.float(4096, "f"))
    assert.equal("-0x1.8p-3f", literal.float(-0.1875, "f"))
    assert.equal("4096", literal.integer(4096))
  end)
end)
