-- The .h files of targets: C that compiles as it stands, cut into helpers.

local helpers = require "gen.target.helpers"
local files = require "tests.support.files"
local normgen = require "tests.support.normgen"
local targets = require "gen.target.targets"
local toolchain = require "host.toolchain"

local HEAD = "/* Head. */\n#include <stdint.h>\n\n"

local function cut(text, borrowed) return helpers.cut(text, "x.h", "A", borrowed or {}) end

local function names(list)
  local found = {}
  for i, helper in ipairs(list) do found[i] = helper.name end
  return table.concat(found, " ")
end

describe("a .h file", function()
  it("is cut at empty lines outside of functions", function()
    local list = cut(HEAD .. [[
/* A macro. */
#define ng_x_pin(v) __asm__("" : "+x"(v))

typedef uint16_t __attribute__((__may_alias__)) ng_x_u16;

static const float ng_x_table[2] = {1.0f, 2.0f};

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Two paragraphs. */
static inline NG_TARGET ng_x_u16 ng_x_first(float v)
{
    ng_x_pin(v);

    return (ng_x_u16)(v * ng_x_table[0]);
}
]])
    assert.equal("x_pin x_u16 x_table x_first", names(list))
    assert.equal('/* A macro. */\n#define @x_pin(v) __asm__("" : "+x"(v))', list[1].text)
    assert.equal("#if defined(__SSE2__)\n#include <emmintrin.h>\n#endif\n\n/* Two paragraphs. */\n"
      .. "static inline $A @x_u16 @x_first(float v)\n{\n    @x_pin(v);\n\n    return (@x_u16)(v * @x_table[0]);\n}", list[4].text)
    assert.equal("x_u16 x_pin x_u16 x_table", table.concat(list[4].uses, " "))
    assert.equal("A", list[4].attribute)
  end)

  it("may be empty, or have a head alone", function()
    assert.same({}, cut "")
    assert.same({}, cut(HEAD))
  end)

  it("may use what the target borrows", function()
    local borrowed = cut(HEAD .. "#define ng_y_a() 1\n")
    assert.equal("y_a x_b", names(cut(HEAD .. "#define ng_x_b() ng_y_a()\n", borrowed)))
  end)

  for what, case in pairs {
    ["a helper in the head"] = { "#define ng_x_a() 1\n\n", "ng_x_a stands in the head, which ends at the first empty line" },
    ["two helpers in one paragraph"] = { HEAD .. "#define ng_x_a() 1\n#define ng_x_b() 2\n",
      "there is no empty line between ng_x_a and ng_x_b" },
    ["two helpers of one name"] = { HEAD .. "#define ng_x_a() 1\n\n#define ng_x_a() 2\n", "two helpers are named ng_x_a" },
    ["a helper that is used before it is there"] = { HEAD .. "#define ng_x_a() ng_x_b()\n\n#define ng_x_b() 1\n",
      "ng_x_a uses ng_x_b, which does not stand in front of it" },
    ["a function without an end"] = { HEAD .. "static inline int ng_x_a(void)\n{\n    return 1; }\n",
      "no } at the start of a line ends what begins with 'static inline int ng_x_a(void)'" },
    ["what has no name"] = { HEAD .. "static int x_a;\n", "nothing whose name begins with ng_ stands behind 'static int x_a;'" },
  } do
    it("is refused with " .. what, function()
      local ok, message = pcall(cut, case[1])
      assert.is_false(ok)
      assert.same({ usage = "x.h: " .. case[2] }, message)
    end)
  end
end)

local C, CPP = "c -std=c11", "c++ -std=c++17"
local WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

-- What is installed of the compilers: `{ cc, language, machine= }`.
local function compilers()
  local clang, foreign, list = toolchain.newest_clang() or "clang", toolchain.foreign("aarch64").cc[1], {}
  for _, compiler in ipairs { { "cc", C }, { "cc", CPP }, { clang, C }, { clang, CPP }, { foreign, C } } do
    local _, machine = normgen.sh(compiler[1] .. " -dumpmachine")
    compiler.machine = machine
    if machine ~= "" then list[#list + 1] = compiler end
  end
  return list
end

describe("compiled by itself, without warnings:", function()
  local list = { { path = "examples/target/xmm.h", target = dofile "examples/target/xmm.lua" } }
  for _, target in ipairs(targets.all()) do list[#list + 1] = { path = "targets/" .. target.name .. ".h", target = target } end
  local installed = compilers()

  for _, file in ipairs(list) do
    it(file.path, function()
      for _, compiler in ipairs(installed) do
        if file.target.arch == "any" or compiler.machine:find(file.target.arch, 1, true) == 1 then
          -- As a file that includes it, since clang calls functions unused that stand in the first file and are not called.
          local code, _, err = normgen.sh(([[printf '#include "%s"\n' | %s -fsyntax-only -I. -D'NG_TARGET=%s' %s -x %s -]]):format(
            file.path, compiler[1], file.target.attribute, WARNINGS, compiler[2]))
          assert.equal(0, code, ("%s -x %s: %s"):format(compiler[1], compiler[2], err))
        end
      end
    end)
  end

  it("every .h file of targets/", function()
    local known = {}
    for _, file in ipairs(list) do known[file.path] = true end
    for _, path in ipairs(files.under("targets", "%.h$")) do assert.is_true(known[path], path) end
  end)
end)
