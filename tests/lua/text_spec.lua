-- From statements to text: builders and their names, the unparser, templates.

local files = require "tests.support.files"
local tree = require "gen.tree"
local statements = require "gen.c.statements"
local template = require "gen.emit.template"
local unparse = require "gen.c.print"

local function lines(...) return table.concat({ ... }, "\n") end

-- What a builder holds as C text, without a prefix.
local function printed(builder)
  return unparse.body(builder.body, function(text) return text end)
end

describe("a builder", function()
  it("hands out names that no enclosing scope uses", function()
    local outer = statements.builder()
    assert.equal("x", outer:name "x")
    assert.equal("x1", outer:name "x")
    local inner = outer:nested { kind = "rows", count = 1 }
    assert.equal("x2", inner:name "x")
    assert.equal("i", inner:name "i")
    local sibling = outer:nested { kind = "rows", count = 1 }
    assert.equal("i", sibling:name "i")
    assert.equal("x2", sibling:name "x")
  end)

  it("does not hand out reserved names, nor the counter of a loop around", function()
    local outer = statements.builder()
    outer:reserve { "gamma" }
    assert.equal("gamma1", outer:def("float", "gamma", "0"))
    local inner, i = outer:loop("i", 0, 8, 1)
    assert.equal("i", i)
    local _, j = inner:loop("i", 0, 8, 1)
    assert.equal("i1", j)
  end)

  it("inserts at a splice, with the names of the place", function()
    local b = statements.builder()
    local early = b:splice()
    b:call "late()"
    assert.equal("zero", early:def("float", "zero", "0.0f"))
    assert.equal("zero1", b:name "zero")
    assert.equal(lines("    const float zero = 0.0f;", "    late();"), printed(b))
  end)
end)

describe("the unparser", function()
  local b
  before_each(function() b = statements.builder() end)

  it("prints every kind of statement", function()
    b:note "A note."
    b:def("float", "a", "1.0f")
    b:var("float", "v", "a")
    b:def("const float *", "p", "x + 8")
    b:def("uint16_t *", "q", "y")
    b:set("v", "v + a")
    b:array("float", "lane", 64)
    b:var("size_t", "row", "0")
    b:nested({ kind = "rows", count = 4 }):call "f(v)"
    local inner, i = b:nested({ kind = "rows", count = 1 }):loop("i", 0, 64, 1)
    inner:loop("j", i, i .. " + 64", 16):set("lane[j]", "0.0f")
    assert.equal(lines(
      "    /* A note. */",
      "    const float a = 1.0f;",
      "    float v = a;",
      "    const float *const p = x + 8;",
      "    uint16_t *const q = y;",
      "    v = v + a;",
      "    float lane[64];",
      "    size_t row = 0;",
      "    for (; rows - row >= 4; row += 4) {",
      "        f(v);",
      "    }",
      "    for (; row < rows; ++row) {",
      "        for (size_t i = 0; i < 64; ++i) {",
      "            for (size_t j = i; j < i + 64; j += 16) {",
      "                lane[j] = 0.0f;",
      "            }",
      "        }",
      "    }"), printed(b))
  end)

  it("prints a call of several statements on as many lines", function()
    b:call "f(a, b); g(c)"
    assert.equal(lines("    f(a, b);", "    g(c);"), printed(b))
  end)

  it("breaks long statements behind commas, and loses nothing", function()
    local arguments = {}
    for n = 1, 60 do
      arguments[n] = "argument" .. n
      b = statements.builder()
      local deep = b:nested { kind = "rows", count = 1 }
      local text = "word(" .. table.concat(arguments, ", ") .. ")"
      deep:def("__m256", "value", text)
      local all = printed(b)
      for line in all:gmatch("[^\n]+") do
        assert.is_true(#line <= 118, #line .. " columns")
        assert.is_nil(line:find(" $"))
      end
      local first, rest = all:match("^[^\n]*\n([^\n]*)(.*)\n    }$")
      assert.equal("        const __m256 value = word(argument1", first:match("^(.-)[,)]"))
      for line in rest:gmatch("[^\n]+") do assert.equal(16, #line:match("^ *")) end
      assert.equal("const __m256 value = " .. text .. ";", (first .. rest):gsub("\n%s+", " "):gsub("^%s+", ""))
      local filled = first .. " "
      assert.is_true(n == 1 or rest == "" or #filled > 118 - #("argument10,"), "a line is broken early")
    end
  end)

  it("breaks behind the = of a statement without a comma there, and nowhere else", function()
    b:set("v", ("x"):rep(100))
    b:set("v", ("x"):rep(110))
    b:call(("x"):rep(200))
    assert.equal(lines(
      "    v = " .. ("x"):rep(100) .. ";",
      "    v =",
      "            " .. ("x"):rep(110) .. ";",
      "    " .. ("x"):rep(200) .. ";"), printed(b))
  end)

  it("measures lines after their texts were changed", function()
    b:def("float", "v", "word(" .. ("@a, "):rep(10) .. "b)")
    local text = unparse.body(b.body, function(text) return (text:gsub("@", ("prefix_"):rep(3))) end)
    for line in text:gmatch("[^\n]+") do assert.is_true(#line <= 118, #line .. " columns") end
    assert.is_truthy(text:find("\n            prefix_prefix_prefix_a, ", 1, true))
    assert.is_truthy(printed(b):find("word(@a, @a, ", 1, true), "the statements are as they were")
  end)

  it("fills notes to the width", function()
    for length = 1, 90 do
      local words, text = {}, {}
      for n = 1, 20 do words[n] = ("w"):rep(length) .. n end
      b = statements.builder()
      b:note(table.concat(words, " "))
      local all = printed(b)
      for line in all:gmatch("[^\n]+") do
        assert.is_true(#line <= 118, #line .. " columns")
        text[#text + 1] = line:match("^%s*(.-)$")
      end
      assert.equal("/* " .. table.concat(words, " ") .. " */", table.concat(text, " "))
      assert.is_true(#text == 1 or all:find("\n       w", 1, true) ~= nil)
    end
  end)
end)

describe("a template", function()
  local path, written = tree.path, 0

  after_each(function() tree.path = path end)

  -- Fills a template of this text.
  local function fill(text, values)
    local name = os.tmpname()
    files.write(name, text)
    tree.path = function() return name end
    written = written + 1
    local ok, result = pcall(template.fill, "test template " .. written, values)
    os.remove(name)
    if not ok then error(result, 0) end
    return result
  end

  it("replaces holes", function()
    assert.equal("void f(int a);\n/* 100% $A @b */\n", fill("void ${name}(${args});\n/* ${note} */\n",
      { name = "f", args = "int a", note = "100% $A @b" }))
    assert.equal("a a ${a} }\n", fill("${x} ${x} ${y} }\n", { x = "a", y = "${a}" }))
  end)

  it("gives the lines of a value the indentation of its hole", function()
    assert.equal("{\n    a;\n    b;\n}\n", fill("{\n    ${body}\n}\n", { body = "a;\nb;" }))
    assert.equal("{\n    a {\n        b;\n    }\n}\n", fill("{\n    ${body}\n}\n", { body = "a {\n    b;\n}" }))
    assert.equal("a;\nb;\n", fill("${body}\n", { body = "a;\nb;" }))
  end)

  it("leaves no blanks on empty lines", function()
    assert.equal("{\n    a;\n\n    b;\n}\n", fill("{\n    ${body}\n}\n", { body = "a;\n\nb;" }))
  end)

  it("drops a line that holds only a hole with an empty value, and no other", function()
    assert.equal("a\nb\n", fill("a\n${nothing}\nb\n", { nothing = "" }))
    assert.equal("a\n\nb \n", fill("a\n\nb ${nothing}\n", { nothing = "" }))
  end)

  it("needs a value for every hole", function()
    for _, text in ipairs { "${name}\n", "void ${name}(void);\n" } do
      local ok, message = pcall(fill, text, { other = "x" })
      assert.is_false(ok)
      assert.is_truthy(tostring(message):find("no value for the hole name", 1, true))
    end
  end)

  it("ends with a newline and holds no tab, in all of templates/", function()
    local found = files.under("templates", "%.[ch]$")
    assert.is_true(#found >= 10)
    for _, name in ipairs(found) do
      assert.equal("\n", files.read(name):sub(-1), name)
      assert.is_nil(files.read(name):find("\t", 1, true), name)
    end
  end)
end)
