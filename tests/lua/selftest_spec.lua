-- The self-test of emitted registries: passes where all is well, and finds what it is there to find.

local arithmetic = require "gen.golden.arithmetic"
local files = require "tests.support.files"
local golden = require "gen.golden.golden"
local normgen = require "tests.support.normgen"
local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"

local unpack = table.unpack or unpack

local SPECS = {
  "rmsnorm f32 h=80", "layernorm f32 h=48 addout stats", "rmsnorm bf16 h=1100 alpha add strided",
  "layernorm f64 h=20 stats", "rmsnorm f32 h=80 addafter", "layernorm f16 h=30 out=f32 gamma=bf16", "rmsnorm bf16 h=64 cast=llama",
  "layernorm bf16 h=130 acc=f64 center=full", "rmsnorm f32 h=50 zgate=before act=gelu", "layernorm f32 h=40 act=gelutanh",
  "rmsnorm f16 h=33 zgate=after act=sigmoid", "dyt bf16 h=70 addafter", "rmsnorm bf16 h=9 act=silu",
  "layernorm f64 h=20 act=hardswish", "rmsnorm f32 h=50 act=mish", "layernorm f32 h=40 act=softplus", "rmsnorm f32 h=9 act=relu6",
}

-- Prints "code message [kernel]".
local MAIN = [[
#include "ng_kernels.h"
#include <fenv.h>
#include <stdio.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
#ifndef SETUP
#define SETUP
#endif

int main(void)
{
    SETUP;
    const int code = ng_selftest();
    size_t count;
    const ng_kernel *kernels = ng_registry(&count);
    fesetround(FE_TONEAREST);
    printf("%d %s", code, ng_selftest_message(code));
    if (code >= 4)
        printf(" %s_%s", kernels[code - 4].name, kernels[code - 4].target);
    return code != 0;
}
]]

local scratch, directories, count

local function shell(format, ...)
  local line = format:format(...)
  local code, out, err = normgen.sh(line)
  assert.equal(0, code, line .. "\n" .. out .. err)
  return out
end

-- The directory with the objects of all emitted files, compiled by these words.
local function objects(compiler)
  if not directories[compiler] then
    count = count + 1
    directories[compiler] = ("%s/%d"):format(scratch, count)
    shell("mkdir %s && cd %s && ls ng_*.c | xargs -P 2 -I '{}' %s -I . -c '{}' -o %d/'{}'.o", directories[compiler],
      scratch, compiler, count)
  end
  return directories[compiler]
end

-- What the program prints.
-- @param compiler words that compile
-- @param main words for main.c alone
-- @param runner what starts the program
local function result(compiler, main, runner)
  local directory = objects(compiler)
  shell("cd %s && %s %s -I . main.c %s/*.o -o %s/program -lm", scratch, compiler, main or "", directory, directory)
  local _, out = normgen.sh(("%s %s/program"):format(runner or "", directory))
  return out
end

local function has(program) return (normgen.sh("command -v " .. program)) == 0 end

local is_x86 = select(2, normgen.sh "uname -m"):find("x86_64", 1, true)

describe("the self-test", function()
  setup(function()
    scratch, directories, count = normgen.scratch(), {}, 0
    files.write(scratch .. "/main.c", MAIN)
    local code, _, err = normgen.run { "emit", "--target", "all", "-o", scratch, unpack(SPECS) }
    assert.equal(0, code, err)
  end)

  teardown(function() normgen.remove(scratch) end)

  local compilers = { "gcc -O2", "clang -O3 -ffp-contract=fast" }
  if is_x86 then compilers[#compilers + 1] = "gcc -O3 -mfma -ffp-contract=fast" end
  for _, compiler in ipairs(compilers) do
    it("passes: " .. compiler, function()
      if has(compiler:match "%S+") then assert.equal("0 all is well", result(compiler)) end
    end)
  end

  it("passes on another architecture", function()
    if not has "aarch64-linux-gnu-gcc" or not has "qemu-aarch64" then return end
    assert.equal("0 all is well", result("aarch64-linux-gnu-gcc -O2 -static", "", "qemu-aarch64"))
  end)

  it("finds another rounding mode", function()
    for _, mode in ipairs { "UPWARD", "DOWNWARD", "TOWARDZERO" } do
      assert.equal("1 the floating-point unit does not round to nearest",
        result("gcc -O2", ("'-DSETUP=fesetround(FE_%s)'"):format(mode)))
    end
  end)

  it("finds flushed subnormals", function()
    if not is_x86 then return end
    for _, flag in ipairs { "0x8000", "0x40" } do
      assert.equal("2 the floating-point unit flushes subnormal numbers to zero",
        result("gcc -O2", ("'-DSETUP=_mm_setcsr(_mm_getcsr() | %s)'"):format(flag)))
    end
  end)

  -- The result with one kernel changed, which is then compiled by these words.
  local function planted(name, text, replacement, compiler)
    local file, directory = "ng_" .. name .. ".c", objects "gcc -O2"
    local original = files.read(scratch .. "/" .. file)
    local at, last = original:find(text, 1, true)
    assert.is_truthy(at, text .. " is not in " .. file)
    files.write(scratch .. "/changed.c", original:sub(1, at - 1) .. replacement .. original:sub(last + 1))
    shell("cd %s && cp %s/%s.o good.o && %s -c changed.c -o %s/%s.o", scratch, directory, file, compiler or "gcc -O2",
      directory, file)
    local printed = result "gcc -O2"
    shell("mv %s/good.o %s/%s.o", scratch, directory, file)
    return printed
  end

  for _, fault in ipairs {
    { "rmsnorm_fwd_f32_h80_scalar", "/ 80.0f", "/ 81.0f" },
    { "rmsnorm_fwd_f32_h80_scalar", "lane[j] += lane[j + w]", "lane[j] = lane[2 * j] + lane[2 * j + 1]" },
    { "layernorm_fwd_f64_h20_stats_scalar", "((variance + eps", "((variance + 1.001 * eps" },
    { "layernorm_fwd_f32_h48_addout_stats_scalar", "rstd[row] =", "rstd[0] =" },
    { "rmsnorm_fwd_bf16_h64_llama_scalar", "0x7fffu", "0x8000u" },
  } do
    it(("finds %s in place of %s"):format(fault[3], fault[2]), function()
      local printed = planted(unpack(fault))
      assert.is_truthy(printed:find("^%d+ a kernel gives other bits than the contract " .. fault[1] .. "$"), printed)
    end)
  end

  it("finds a product that a compiler merges into a sum", function()
    if not is_x86 then return end
    local name = "rmsnorm_fwd_f32_h80_addafter_scalar"
    local text, replacement = '__asm__("" : "+m"(v));', ""
    assert.equal("0 all is well", planted(name, text, replacement, "gcc -O2 -mfma -ffp-contract=off"))
    assert.is_truthy(planted(name, text, replacement, "gcc -O2 -mfma -ffp-contract=fast"):find(name, 1, true))
  end)
end)

-- Thousands of instructions of the interpreter: unlike seconds they are the same on every machine, however busy.
local function instructions(action)
  local steps = 0
  if jit then -- hooks never fire in compiled code
    jit.off()
    jit.flush()
  end
  debug.sethook(function() steps = steps + 1 end, "", 1000)
  action()
  debug.sethook()
  if jit then jit.on() end
  return steps
end

describe("golden rows", function()
  local function hashes(text, rows)
    local p = problem.new(spec.parse(text))
    return golden.hashes(p, setmetatable({ rows = rows, batch = rows, positions = 3, chunks = 1 }, { __index = p.axes.extents }))
  end

  it("take at most two million instructions", function()
    local steps = instructions(function()
      for _, text in ipairs(SPECS) do hashes(text, golden.period) end
    end)
    assert.is_true(steps / #SPECS < 2000, steps .. " thousand instructions")
  end)

  it("differ from row to row and from kernel to kernel", function()
    local seen, different = {}, 0
    for _, text in ipairs(SPECS) do
      for _, hash in ipairs(hashes(text, 9)) do
        assert.is_nil(seen[hash])
        seen[hash], different = true, different + 1
      end
    end
    assert.equal(#SPECS * golden.period, different)
  end)
end)

describe("arithmetic in Lua", function()
  it("rounds to nearest even", function()
    local f32, bf16, f16 = arithmetic.round.f32, arithmetic.round.bf16, arithmetic.round.f16
    local cases = {
      { f32, 1 + 2 ^ -24, 1 }, { f32, 1 + 3 * 2 ^ -24, 1 + 2 ^ -22 }, { f32, 1 + 2 ^ -24 + 2 ^ -50, 1 + 2 ^ -23 },
      { f32, 2 - 2 ^ -52, 2 }, { f32, 2 ^ -150, 0 }, { f32, 3 * 2 ^ -150, 2 ^ -148 },
      { f32, 2 ^ 128 - 2 ^ 103, math.huge },
      { f32, 2 ^ 128 - 2 ^ 104, 2 ^ 128 - 2 ^ 104 }, { bf16, 1 + 2 ^ -8, 1 }, { bf16, 1 + 3 * 2 ^ -8, 1 + 2 ^ -6 },
      { f16, 65519, 65504 }, { f16, 65520, math.huge }, { f16, 2 ^ -25, 0 }, { f16, 3 * 2 ^ -25, 2 ^ -23 },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[3], case[1](case[2]))
      assert.equal(-case[3], case[1](-case[2]))
    end
    assert.equal(-math.huge, 1 / f32(-2 ^ -200))
    assert.is_true(f32(0 / 0) ~= f32(0 / 0))
  end)

  it("fuses with one rounding", function()
    local fma = arithmetic.fma
    local a, b = 1 + 2 ^ -12, 1 + 2 ^ -30
    assert.equal(2 ^ -24, fma.f32(a, a, -(1 + 2 ^ -11)))
    assert.equal(2 ^ -60, fma.f64(b, b, -(1 + 2 ^ -29)))
    -- Halfway in double between two floats, and what was lost decides.
    assert.equal(1 + 2 ^ -23, fma.f32(2 ^ -12, 2 ^ -12 + 2 ^ -35, 1))
    assert.equal(1, fma.f32(2 ^ -12, 2 ^ -12, 1))
    assert.equal(1, fma.f32(2 ^ -12, 2 ^ -12 - 2 ^ -36, 1))
    assert.equal(1 + 2 ^ -52, fma.f64(2 ^ -27, 2 ^ -26 + 2 ^ -78, 1))
    assert.equal(1, fma.f64(2 ^ -27, 2 ^ -26, 1))
  end)

  it("knows bits", function()
    local cases = {
      { "f32", 1, 0x3f800000, 0 }, { "f32", -0.0, 0x80000000, 0 }, { "f32", 2 ^ -149, 1, 0 },
      { "f32", -2.5, 0xc0200000, 0 },
      { "bf16", -1, 0xbf80, 0 }, { "f16", 65504, 0x7bff, 0 }, { "f16", 2 ^ -24, 1, 0 },
      { "f64", 1 + 2 ^ -52, 1, 0x3ff00000 },
      { "f64", -2 ^ -1074, 1, 0x80000000 },
    }
    for _, case in ipairs(cases) do assert.same({ case[3], case[4] }, { arithmetic.bits(case[1], case[2]) }) end
  end)
end)
