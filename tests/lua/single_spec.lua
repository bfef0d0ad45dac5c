-- emit --format single: one header that compiles as C and C++, alone, twice, static, and keeps two prefixes apart.

local files = require "tests.support.files"
local normgen = require "tests.support.normgen"
local shell = require "host.shell"

local SPECS = { "layernorm f32 h=7 addout stats", "rmsnorm bf16 h=20 add alpha strided" }
local WARNINGS = { "-O1", "-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow" }

-- What a program is built with; those that are not installed are left out.
local COMPILERS = {
  { "gcc", "-std=c11", "-Wmissing-prototypes" }, { "g++", "-std=c++17", "-x", "c++" },
  { "clang-14", "-std=c11", "-Wmissing-prototypes" }, { "clang++-14", "-std=c++17", "-x", "c++" },
  { "clang-19", "-std=c11", "-Wmissing-prototypes" }, { "clang++-19", "-std=c++17", "-x", "c++" },
  { "aarch64-linux-gnu-gcc", "-std=c11", "-Wmissing-prototypes" },
}

local unpack = table.unpack or unpack
local scratch, available

local function emit(more)
  local words = { "emit", "--format", "single", "--target", "all", unpack(SPECS) }
  for _, word in ipairs(more) do words[#words + 1] = word end
  local code, out, err = normgen.run(words)
  assert.equal("", err)
  assert.equal(0, code)
  return out
end

-- Compiles files of the scratch directory.
local function compile(compiler, ...)
  local line = normgen.line(shell.words(compiler, WARNINGS, { "-I", scratch }, { ... }))
  local code, out, err = normgen.sh("cd " .. scratch .. " && " .. line)
  assert.equal(0, code, line .. "\n" .. out .. err)
end

local function build_and_run(compiler, ...)
  compile(compiler, "-o", "program", ...)
  if compiler[1]:find "^aarch64" then return end
  local code, out = normgen.sh(scratch .. "/program")
  assert.equal(0, code, out)
end

local function write(name, ...) files.write(scratch .. "/" .. name, table.concat({ ... }, "\n") .. "\n") end

local MAIN = [[
int main(void)
{
    size_t one, two;
    one_registry(&one);
    two_registry(&two);
    return one != two || one == 0 || one_selftest() != 0 || two_selftest() != 0 || one_target()[0] != two_target()[0];
}]]

describe("the single header", function()
  setup(function()
    scratch, available = normgen.scratch(), {}
    emit { "-o", scratch, "--prefix", "one_" }
    emit { "-o", scratch, "--prefix", "two_" }
    for _, compiler in ipairs(COMPILERS) do
      if normgen.sh("command -v " .. compiler[1]) == 0 then available[#available + 1] = compiler end
    end
    assert.is_true(#available > 0)
  end)

  teardown(function() normgen.remove(scratch) end)

  it("is one file, or goes to standard output", function()
    local directory = scratch .. "/dir"
    local text = emit {}
    assert.equal("", emit { "-o", directory })
    assert.same({ directory .. "/ng_kernels_single.h" }, files.under(directory, ""))
    assert.equal(text, files.read(directory .. "/ng_kernels_single.h"))
    assert.is_truthy(text:find("--format single", 1, true))
    assert.is_nil(text:find("\n\n\n", 1, true))
  end)

  it("includes nothing inside extern \"C\"", function()
    local inside, includes = false, 0
    for line in emit({}):gmatch("[^\n]+") do
      if line:find '^extern "C" {' then inside = true end
      if inside and line == "}" then inside = false end
      includes = includes + (line:find "^#include" and 1 or 0)
      assert.is_false(inside and line:find "^#include" ~= nil, line)
    end
    assert.is_true(includes > 4)
  end)

  it("has two prefixes in one translation unit, included more than once", function()
    write("both.c", "#define ONE_IMPLEMENTATION", "#define TWO_IMPLEMENTATION", '#include "one_kernels_single.h"',
      '#include "two_kernels_single.h"', '#include "one_kernels_single.h"', MAIN)
    for _, compiler in ipairs(available) do build_and_run(compiler, "both.c") end
  end)

  it("has static functions where that is asked for", function()
    write("static.c", "#define ONE_STATIC", "#define TWO_STATIC", "#define ONE_IMPLEMENTATION",
      "#define TWO_IMPLEMENTATION", '#include "one_kernels_single.h"', '#include "two_kernels_single.h"', MAIN)
    for _, compiler in ipairs(available) do
      build_and_run(compiler, "static.c")
      compile(compiler, "-c", "-o", "static.o", "static.c")
      local _, symbols = normgen.sh("nm -g --defined-only " .. scratch .. "/static.o | grep -v ' main$'")
      assert.equal("", symbols, compiler[1])
    end
  end)

  it("declares for others what one file implements, in C and C++", function()
    write("one.c", "#define ONE_IMPLEMENTATION", '#include "one_kernels_single.h"')
    write("two.c", "#define TWO_IMPLEMENTATION", '#include "two_kernels_single.h"')
    write("main.c", '#include "one_kernels_single.h"', '#include "two_kernels_single.h"', MAIN)
    for i = 1, 2 do build_and_run(available[i], "one.c", "two.c", "main.c") end
  end)
end)

describe("the macro for visibility", function()
  it("stands in front of all that is public, in every format", function()
    local directory = normgen.scratch()
    local hidden = "-DNG_API='__attribute__((visibility(\"hidden\")))'"
    for format, sources in pairs { dir = "*.c", single = "-x c -DNG_IMPLEMENTATION ng_kernels_single.h" } do
      local out = directory .. "/" .. format
      normgen.run { "emit", "--format", format, "--target", "native,scalar", "-o", out, unpack(SPECS) }
      local function command(api)
        return ("cd %s && cc -shared -fPIC %s -o lib.so %s && nm -D --defined-only lib.so"):format(out, api, sources)
      end
      local code, symbols, err = normgen.sh(command(hidden))
      assert.equal("", err)
      assert.equal(0, code)
      assert.is_nil(symbols:find("ng_", 1, true), symbols)
      local _, visible = normgen.sh(command "")
      assert.is_truthy(visible:find("ng_selftest", 1, true), visible)
    end
    normgen.remove(directory)
  end)
end)
