-- emit --bindings: modules for LuaJIT and Python. What the Python one checks is tested in tests/builds/test_bindings.py.

local files = require "tests.support.files"
local normgen = require "tests.support.normgen"

local unpack = table.unpack or unpack
local SPECS = { "layernorm f32 h=7 addout stats", "rmsnorm bf16 h=20 alpha add strided" }

-- A script for LuaJIT in which `refused(text, function)` demands an error with this text, at this script's line.
local SCRIPT = [[
local ffi = require "ffi"
local kernels = require("ng_kernels").load()
local function array(n) return ffi.new("float[?]", n) end
local x, residual, y, sum, parameter, mean, rstd = array(14), array(14), array(14), array(14), array(7), array(2), array(2)
local norm = kernels.layernorm_fwd_f32_h7_addout_stats
local function refused(text, call, ...)
  local ok, message = pcall(call, ...)
  assert(not ok and message:find(text, 1, true), ("%s: %s"):format(text, message))
  assert(not message:find "\n" and not message:find "ng_kernels.lua", message)
end
local function with(changed)
  return function()
    local name = changed.name
    local function value(argument, usual) if name == argument then return changed.value else return usual end end
    norm(value("rows", 2), value("x", x), value("residual", residual), value("gamma", parameter), value("beta", parameter),
      value("eps", 1e-5), value("y", y), value("sum", sum), value("mean", mean), value("rstd", rstd))
    return true
  end
end
]]

local CHECKS = [[
for i = 0, 13 do x[i], residual[i] = i * i % 5, 1 end
for i = 0, 6 do parameter[i] = 1 end
with {}()
for row = 0, 1 do
  local total, squares = 0, 0
  for i = row * 7, row * 7 + 6 do
    total = total + sum[i]
    assert(sum[i] == x[i] + 1)
  end
  for i = row * 7, row * 7 + 6 do squares = squares + (sum[i] - total / 7) ^ 2 end
  assert(math.abs(mean[row] - total / 7) < 1e-6 and math.abs(rstd[row] - 1 / math.sqrt(squares / 7 + 1e-5)) < 1e-6)
  for i = row * 7, row * 7 + 6 do assert(math.abs(y[i] - (sum[i] - mean[row]) * rstd[row] - 1) < 1e-6) end
end
assert(with { name = "x", value = ffi.cast("const float *", x) }())
assert(with { name = "gamma", value = ffi.new "struct { float inside[9]; }".inside }())
refused("layernorm_fwd_f32_h7_addout_stats: x must be an array of float, not nil", with { name = "x" })
refused("x must be an array of float, not table", with { name = "x", value = {} })
refused("x must be an array of float, not string", with { name = "x", value = "double" })
refused("gamma must be an array of float, not double [7]", with { name = "gamma", value = ffi.new "double[7]" })
refused("gamma must be an array of float, not float **", with { name = "gamma", value = ffi.new("float *[1]") + 0 })
refused("y must be an array of float, not float [2][7]", with { name = "y", value = ffi.new "float[2][7]" })
refused("y is written and must not be constant", with { name = "y", value = ffi.cast("const float *", y) })
refused("residual has 13 elements, but 14 are needed", with { name = "residual", value = array(13) })
refused("beta has 6 elements, but 7 are needed", with { name = "beta", value = array(6) })
refused("rstd has 1 elements, but 2 are needed", with { name = "rstd", value = array(1) })
refused("x has 14 elements, but 21 are needed", with { name = "rows", value = 3 })
refused("rows must be a whole number from 0 on, not 1.5", with { name = "rows", value = 1.5 })
refused("rows must be a whole number from 0 on, not -1", with { name = "rows", value = -1 })
refused("eps must be a number, not nil", with { name = "eps" })
refused("there is no kernel layernorm_fwd_f32_h8", function() return kernels.layernorm_fwd_f32_h8 end)
local strided = kernels.rmsnorm_fwd_bf16_h20_add_alpha_strided
local wide, half = ffi.new "uint16_t[70]", ffi.new "uint16_t[20]"
strided(2, wide, 50, wide, 50, half, 1, 1e-5, ffi.new "uint16_t[40]", 20)
strided(0, half, 50, half, 50, half, 1, 1e-5, half, 20)
refused("x has 70 elements, but 71 are needed", strided, 2, wide, 51, wide, 50, half, 1, 1e-5, wide, 50)
refused("y_stride must be a whole number from 20 on", strided, 2, wide, 50, wide, 50, half, 1, 1e-5, wide, 19)
refused("x_stride must be a whole number from 20 on, the length of a row, not nil", strided, 2, wide)
refused("alpha must be a number, not table", strided, 2, wide, 50, wide, 50, half, {}, 1e-5, wide, 50)
kernels.selftest()
kernels.library.ng_selftest()
]]

-- Kernels of channels: arrays are as large as channels, groups, positions, chunks and shards make them.
local CHANNELS = { "groupnorm f32 c=6 g=2 layout=nchw affine=group", "batchnorm fwd f32 c=2 layout=nhwc",
  "batchnorm stats f32 c=3 layout=nchw", "batchnorm stats f32 c=3 layout=rows", "layernorm stats f32 h=12 shards=3",
  "layernorm merge f32 h=12 shards=3", "layernorm f32 h=4 mod", "rmsnorm f32 out=s8 h=4 quant=row" }
local CHANNEL_CHECKS = [[
local function filled(n)
  local a = array(n)
  for i = 0, n - 1 do a[i] = i * i % 7 end
  return a
end
local group = kernels.groupnorm_fwd_f32_c6_g2_nchw_groupaffine
local four = filled(2 * 6 * 5)
group(2, 5, four, filled(2), filled(2), 1e-5, array(60))
refused("x has 60 elements, but 72 are needed", group, 2, 6, four, filled(2), filled(2), 1e-5, array(72))
refused("gamma has 1 elements, but 2 are needed", group, 2, 5, four, filled(1), filled(2), 1e-5, array(60))
refused("positions must be a whole number from 0 on, not nil", group, 2, nil, four)
local batch = kernels.batchnorm_fwd_f32_c2_nhwc
local moved, spread = array(2), array(2)
batch(2, 5, filled(20), filled(2), filled(2), 1, 1e-5, array(20), array(2), array(2), moved, spread)
local total = 0
for i = 0, 18, 2 do total = total + filled(20)[i] end
assert(math.abs(moved[0] - total / 10) < 1e-6 and spread[1] > 0)
refused("running_mean is written and must not be constant", batch, 2, 5, filled(20), filled(2), filled(2), 1, 1e-5, array(20),
  array(2), array(2), ffi.cast("const float *", moved), spread)
refused("running_var has 1 elements, but 2 are needed", batch, 2, 5, filled(20), filled(2), filled(2), 1, 1e-5, array(20),
  array(2), array(2), moved, array(1))
local chunks = require("ng_kernels").chunks
assert(chunks("nchw", 70, 9) == 2 and chunks("nchw", 3, 130) == 1 and chunks("nchw", 2, 5000) == 4 and chunks("nchw", 9, 0) == 0)
assert(chunks("nhwc", 70, 9) == 1 and chunks("nhwc", 2, 5000) == 3 and chunks("nhwc", 0, 9) == 0)
kernels.batchnorm_stats_f32_c3_nchw(70, 9, filled(70 * 27), array(6), array(6), array(6))
refused("shift has 5 elements, but 6 are needed", kernels.batchnorm_stats_f32_c3_nchw, 70, 9, filled(70 * 27), array(6), array(5))
refused("m2 has 5 elements, but 6 are needed", kernels.batchnorm_stats_f32_c3_rows, 4097, filled(4097 * 3), array(6), array(6), array(5))
kernels.layernorm_stats_f32_h12_shards3(2, filled(8), array(2), array(2), array(2))
refused("x has 8 elements, but 12 are needed", kernels.layernorm_stats_f32_h12_shards3, 3, filled(8))
local merge = kernels.layernorm_merge_f32_h12_shards3
merge(2, filled(6), filled(6), filled(6), 1e-5, array(2), array(2), array(2))
refused("part_m2 has 5 elements, but 6 are needed", merge, 2, filled(6), filled(6), filled(5), 1e-5)
kernels.layernorm_fwd_f32_h4_mod(3, 2, filled(12), filled(8), filled(8), 1e-5, array(12))
refused("scale has 7 elements, but 8 are needed", kernels.layernorm_fwd_f32_h4_mod, 3, 2, filled(12), filled(7), filled(8), 1e-5)
refused("rows_per_batch must be a whole number from 1 on, not 0", kernels.layernorm_fwd_f32_h4_mod, 3, 0, filled(12))
kernels.rmsnorm_fwd_f32_ys8_h4_qrow(2, filled(8), filled(4), 1e-5, ffi.new "int8_t[8]", array(2))
kernels.selftest()
]]

local scratch

-- Emits into a directory of the scratch directory; returns its path.
local function emit(name, ...)
  local path = scratch .. "/" .. name
  local code, out, err = normgen.run { "emit", "-o", path, ... }
  assert.equal("", out .. err)
  assert.equal(0, code)
  return path
end

local function build(directory)
  local code, out, err = normgen.sh(("cd %s && cc -O1 -shared -fPIC -o libng_kernels.so *.c"):format(directory))
  assert.equal(0, code, out .. err)
end

local function run_luajit(directory, script)
  files.write(directory .. "/script.lua", script)
  local code, out, err = normgen.sh(("cd %s && luajit script.lua"):format(directory))
  assert.equal(0, code, out .. err)
  return out
end

describe("emit --bindings", function()
  before_each(function() scratch = normgen.scratch() end)
  after_each(function() normgen.remove(scratch) end)

  it("gives the same bytes from both interpreters and for any order of languages", function()
    for _, format in ipairs { "dir", "single" } do
      local texts = {}
      for _, lua in ipairs(normgen.interpreters) do
        for _, languages in ipairs { "luajit,python", "python,luajit,python" } do
          local path = scratch .. "/" .. lua
          local code, _, err = normgen.run({ "emit", "--bindings", languages, "--format", format, "--target", "all", "-o", path,
            "specs/gpt2.lua", unpack(SPECS) }, lua)
          assert.equal(0, code, err)
          texts[#texts + 1] = files.read(path .. "/ng_kernels.lua") .. files.read(path .. "/ng_kernels.py")
        end
      end
      for _, text in ipairs(texts) do assert.equal(texts[1], text) end
      assert.is_truthy(texts[1]:find("--bindings luajit,python", 1, true))
      assert.is_truthy(texts[1]:find(format == "dir" and "ng_kernels.h" or "ng_kernels_single.h", 1, true))
    end
  end)

  it("writes modules of the languages that it is asked for, with the user's prefix", function()
    local path = emit("out", "--bindings", "python", "--prefix", "my_", "--target", "scalar", SPECS[1])
    assert.same({ path .. "/my_kernels.py" }, files.under(path, "%.[lp][uy]a?$"))
    assert.is_falsy(files.read(path .. "/my_kernels.py"):find("ng_", 1, true))
    path = emit("out2", "--bindings", "luajit", "--prefix", "my_", "--target", "scalar", SPECS[1])
    assert.same({ path .. "/my_kernels.lua" }, files.under(path, "%.[lp][uy]a?$"))
    assert.is_falsy(files.read(path .. "/my_kernels.lua"):find("ng_", 1, true))
    assert.same({}, files.under(emit("out3", "--target", "scalar", SPECS[1]), "%.[lp][uy]a?$"))
  end)

  it("refuses languages that it does not know, and modules without a directory", function()
    local code, _, err = normgen.run { "emit", "--bindings", "luajit,pyton", "--target", "scalar", "-o", scratch, SPECS[1] }
    assert.equal(2, code)
    assert.equal("normgen: unknown language 'pyton', did you mean 'python'?\n", err)
    code, _, err = normgen.run { "emit", "--bindings", "luajit", "--target", "scalar", SPECS[1] }
    assert.equal(2, code)
    assert.is_truthy(err:find("--bindings needs -o", 1, true))
  end)

  it("writes a module that LuaJIT loads, and that checks arguments", function()
    for _, targets in ipairs { "all", "scalar" } do
      local path = emit(targets, "--bindings", "luajit", "--target", targets, unpack(SPECS))
      build(path)
      run_luajit(path, SCRIPT .. CHECKS)
    end
  end)

  it("knows how large arrays of channels are", function()
    local path = emit("channels", "--bindings", "luajit", "--target", "scalar", SPECS[1], unpack(CHANNELS))
    build(path)
    run_luajit(path, SCRIPT .. CHANNEL_CHECKS)
  end)

  it("calls the kernels of a target that the CPU has, if no dispatcher chooses", function()
    local path = emit("out", "--bindings", "luajit", "--target", "native,neon", "rmsnorm f32 h=7")
    build(path)
    assert.equal("1\n", run_luajit(path, [[
      local ffi = require "ffi"
      local y = ffi.new "float[7]"
      require("ng_kernels").load("./libng_kernels.so").rmsnorm_fwd_f32_h7(1, ffi.new("float[7]", 2), ffi.new("float[7]", 1), 0, y)
      print(y[6])]]))
  end)

  it("tells kernel and eps for each site of a model", function()
    files.write(scratch .. "/tiny.lua", [[return { model = "tiny", kernels = {
      { "layernorm", "f32", h = 7, site = "ln_1", eps = 1e-5 }, { "layernorm", "f32", h = 7, site = "h.*.ln_2" } } }]])
    local path = emit("out", "--bindings", "luajit,python", "--target", "scalar", scratch .. "/tiny.lua")
    assert.equal("layernorm_fwd_f32_h7 1e-05 layernorm_fwd_f32_h7 nil\n", run_luajit(path, [[
      local sites = require("ng_kernels").sites.tiny
      local odd = sites["h.*.ln_2"]
      print(sites.ln_1.kernel .. " " .. sites.ln_1.eps .. " " .. odd.kernel .. " " .. tostring(odd.eps))]]))
    local text = files.read(path .. "/ng_kernels.py")
    assert.is_truthy(text:find('"ln_1": ("layernorm_fwd_f32_h7", 1e-5),', 1, true))
    assert.is_truthy(text:find('"h.*.ln_2": ("layernorm_fwd_f32_h7", None),', 1, true))
  end)

  it("checks batches, heads and quantised outputs", function()
    local path = emit("out", "--bindings", "luajit", "--target", "scalar", "layernorm f32 h=4 mod", "rmsnorm f32 h=4 heads=2 strided",
      "rmsnorm f32 h=4 out=s8 quant=row")
    build(path)
    assert.equal("true scale has 4 elements, but 8 are needed rows_per_batch must be a whole number\ntrue y has 5 elements\n127 4\n",
      run_luajit(path, [[
      local ffi = require "ffi"
      local kernels = require("ng_kernels").load("./libng_kernels.so")
      local function floats(n) return ffi.new("float[?]", n, 1) end
      local function message(pattern, call, ...)
        local ok, err = pcall(call, ...)
        return ok and "accepted" or err:match(pattern) or err
      end
      local mod, heads = kernels.layernorm_fwd_f32_h4_mod, kernels.rmsnorm_fwd_f32_h4_heads2_strided
      print(pcall(mod, 3, 2, floats(12), floats(8), floats(8), 1e-5, floats(12)),
        message("scale has.*needed", mod, 3, 2, floats(12), floats(4), floats(8), 1e-5, floats(12)),
        message("rows_per_batch must be a whole number", mod, 3, 0, floats(12), floats(8), floats(8), 1e-5, floats(12)))
      print(pcall(heads, 2, floats(8), 2, 4, floats(4), 1e-5, floats(8), 2, 4),
        message("y has %d+ elements", heads, 2, floats(8), 2, 4, floats(4), 1e-5, floats(5), 2, 4))
      local y, scale = ffi.new "int8_t[4]", floats(1)
      kernels.rmsnorm_fwd_f32_ys8_h4_qrow(1, floats(4), floats(4), 1e-5, y, scale)
      print(y[0], ffi.sizeof(y))]]):gsub("\t", " "))
  end)

  it("writes Lua that luacheck finds nothing in", function()
    local path = emit("out", "--bindings", "luajit", "--target", "all", "specs/gpt2.lua", "layernorm f32 h=4 mod",
      "rmsnorm f32 h=4 heads=2 strided", unpack(SPECS))
    local code, out = normgen.sh(("cd %s && luacheck --std luajit --no-max-line-length ng_kernels.lua"):format(path))
    assert.equal(0, code, out)
  end)
end)
