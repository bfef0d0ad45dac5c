-- Kernels called from LuaJIT, compared with the formula in plain Lua.   luajit example.lua DIR
package.path = arg[1] .. "/?.lua;" .. package.path

local ffi = require "ffi"
local kernels = require("ng_kernels").load()

-- The largest difference of what `ours` and `theirs` give for the elements of rows.
local function largest_difference(rows, h, ours, theirs)
  local most = 0
  for row = 0, rows - 1 do
    for i = 0, h - 1 do most = math.max(most, math.abs(ours(row, i) - theirs(row, i))) end
  end
  return most
end

local function report(name, difference, bound)
  print(("%s: largest difference %.1e, bound %.1e"):format(name, difference, bound))
  if difference > bound then os.exit(1) end
end

local function layernorm()
  local rows, h, eps = 5, 768, 1e-5
  local x, y = ffi.new("float[?]", rows * h), ffi.new("float[?]", rows * h)
  local gamma, beta = ffi.new("float[?]", h), ffi.new("float[?]", h)
  for i = 0, rows * h - 1 do x[i] = math.sin(i) + 3 end
  for i = 0, h - 1 do gamma[i], beta[i] = 1 + i / h, i / h - 0.5 end

  kernels.layernorm_fwd_f32_h768(rows, x, gamma, beta, eps, y)

  local mean, rstd = {}, {}
  for row = 0, rows - 1 do
    local sum, squares = 0, 0
    for i = 0, h - 1 do sum = sum + x[row * h + i] end
    for i = 0, h - 1 do squares = squares + (x[row * h + i] - sum / h) ^ 2 end
    mean[row], rstd[row] = sum / h, 1 / math.sqrt(squares / h + eps)
  end
  report("layernorm f32", largest_difference(rows, h, function(row, i) return y[row * h + i] end,
    function(row, i) return (x[row * h + i] - mean[row]) * rstd[row] * gamma[i] + beta[i] end), 1e-5)
end

-- The heads of a query lie in a matrix beside those of key and value: rows at a distance. bf16 is the upper half of f32.
local function rmsnorm()
  local heads, h, eps, stride = 32, 128, 1e-6, 3 * 128
  local float = ffi.new "union { float value; uint16_t half[2]; }"
  local function from_bf16(bits)
    float.half[0], float.half[1] = 0, bits
    return float.value
  end
  local function to_bf16(value)
    float.value = value
    return float.half[1]
  end
  local x, y, gamma = ffi.new("uint16_t[?]", heads * stride), ffi.new("uint16_t[?]", heads * h), ffi.new("uint16_t[?]", h)
  for i = 0, heads * stride - 1 do x[i] = to_bf16(math.cos(i)) end
  for i = 0, h - 1 do gamma[i] = to_bf16(1 + i / h) end

  kernels.rmsnorm_fwd_bf16_h128_strided(heads, x, stride, gamma, eps, y, h)

  local rstd = {}
  for head = 0, heads - 1 do
    local squares = 0
    for i = 0, h - 1 do squares = squares + from_bf16(x[head * stride + i]) ^ 2 end
    rstd[head] = 1 / math.sqrt(squares / h + eps)
  end
  -- Values are less than 4: half a unit in the last of 8 bits.
  report("rmsnorm bf16", largest_difference(heads, h, function(row, i) return from_bf16(y[row * h + i]) end,
    function(row, i) return from_bf16(x[row * stride + i]) * rstd[row] * from_bf16(gamma[i]) end), 2 ^ -7 + 1e-5)
end

kernels.selftest()
layernorm()
rmsnorm()
