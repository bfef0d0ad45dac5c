-- Spec files: what they may say, and what stops them.

local files = require "tests.support.files"
local normgen = require "tests.support.normgen"
local spec = require "gen.spec.spec"
local specfile = require "host.specfile"

local scratch, path

local function load_text(text)
  files.write(path, text)
  local ok, result = pcall(specfile.load, path)
  return ok, result
end

local function texts_of(text)
  local ok, result = load_text(text)
  assert.is_true(ok, type(result) == "table" and (result.usage or result.failure) or result)
  local list = {}
  for i, s in ipairs(result) do list[i] = spec.format(s) end
  return list
end

describe("a spec file", function()
  setup(function()
    scratch = normgen.scratch()
    path = scratch .. "/a file's.lua"
  end)
  teardown(function() normgen.remove(scratch) end)

  it("returns an array of strings and tables, or a model", function()
    assert.same({ "rmsnorm fwd f32 h=4", "rmsnorm fwd f32 h=5" },
      texts_of 'return { "rmsnorm f32 h=4", { "rmsnorm", "f32", h = 5 } }')
    assert.same({ "rmsnorm fwd f32 h=4" }, texts_of 'return { model = "m", kernels = { "rmsnorm f32 h=4" } }')
  end)

  it("may compute", function()
    assert.same({ "rmsnorm fwd f32 h=2", "rmsnorm fwd f32 h=4" }, texts_of [[
      local list = {}
      for i, h in ipairs { 2, 4 } do table.insert(list, "rmsnorm f32 h=" .. math.max(1, h)) end
      return list]])
  end)

  it("knows the constants of DeepNorm", function()
    local function constants(text)
      local ok, result = load_text(("local d = %s\nreturn { { 'layernorm f32 h=4 add alpha', deepnorm = d } }"):format(text))
      assert.is_true(ok, type(result) == "table" and result.usage or result)
      return ("%.3f %.3f"):format(result[1].deepnorm.alpha, result[1].deepnorm.beta)
    end
    assert.equal("4.472 0.158", constants "deepnorm{ decoder = 200 }")
    assert.equal("2.213 0.319", constants "deepnorm{ encoder = 12 }")
    assert.equal("1.418 0.497", constants "deepnorm{ encoder = 6, decoder = 6 }.encoder")
    assert.equal("2.060 0.343", constants "deepnorm{ encoder = 6, decoder = 6 }.decoder")
    for text, message in pairs { ["deepnorm(3)"] = "deepnorm takes a table", ["deepnorm{}"] = "needs the layers of an encoder",
      ["deepnorm{ decoder = 0 }"] = "decoder must be a whole number of layers", ["{}"] = "deepnorm={...}: deepnorm must be" } do
      local ok, err = load_text(("return { { 'layernorm f32 h=4 add alpha', deepnorm = %s } }"):format(text))
      assert.is_false(ok)
      assert.is_truthy(err.usage:find(message, 1, true), err.usage)
    end
  end)

  it("cannot harm the string library", function()
    texts_of 'string.upper = nil; math.max = nil; return { "rmsnorm f32 h=4" }'
    assert.equal("A", ("a"):upper())
    assert.equal("aa", ("a"):rep(2))
    assert.equal(2, math.max(1, 2))
  end)

  for _, name in ipairs { "reference", "llama3_8b", "gpt2", "post_ln", "pre_ln", "sandwich", "parallel", "deepnorm", "normformer" } do
    it("of ours loads: " .. name, function()
      assert.is_true(#specfile.load("specs/" .. name .. ".lua") <= 64)
    end)
  end

  local stopped = {
    { "a syntax error", "return {\n{", ":2: " },
    { "an endless loop", "while true do end", "runs for too long" },
    { "an endless loop in a function", "local function f() for i = 1, math.huge do end end f()", "runs for too long" },
    { "endless recursion", "local function f() return 1 + f() end f()", "" }, -- stack or memory
    { "a huge table", "local t = {} for i = 1, 1e9 do t[i] = i end return t", "too much memory" },
    { "an endless loop of slow steps", "local t = {} while true do table.insert(t, 1, 0) end", "runs for too long" },
    { "a string that doubles", "local s = 'x' while true do s = s .. s end", "memory" },
    { "too many kernels", "local t = {} for i = 1, 70000 do t[i] = 'rmsnorm f32 h=4' end return t", "70000 kernels are too many" },
    { "nothing", "", "not a nil" },
    { "a number", "return 7", "not a number" },
    { "kernels that are no array", "return { kernels = 'rmsnorm f32 h=4' }", "not a string" },
    { "an empty array", "return {}", "no kernels" },
    { "a wrong entry", "return { 'rmsnorm f32 h=4', 'rmsnorm f32 h=0' }", "kernel 2: h=0: " },
    { "an entry of a wrong type", "return { 'rmsnorm f32 h=4', 7 }", "kernel 2: a spec is a string or a table" },
    { "a function that is not there", "return { pairs {} }", ":1: " },
    { "bytecode", "\27Lua", "chunk" },
  }
  for _, case in ipairs(stopped) do
    it("is stopped by " .. case[1], function()
      local ok, err = load_text(case[2])
      assert.is_false(ok)
      assert.is_truthy(err.usage and err.usage:find(case[3], 1, true), err.usage or err.failure or err)
      assert.equal(path, err.usage:sub(1, #path))
      assert.is_nil(err.usage:find("\n", 1, true))
      assert.is_nil(debug.gethook())
    end)
  end

  for _, name in ipairs { "pairs", "next", "pcall", "coroutine", "load", "require", "os", "io", "debug", "_G", "setmetatable",
    "getmetatable", "string.rep", "string.find", "string.match", "string.gsub", "string.gmatch", "string.dump", "math.random" } do
    it("does not see " .. name, function()
      local ok, err = load_text("return { 'rmsnorm f32 h=' .. (" .. name .. " == nil and 7 or 0) }")
      assert.is_true(ok, type(err) == "table" and err.usage or err)
    end)
  end

  it("does not reach string methods through a string", function()
    local ok, err = load_text "return { ('rmsnorm f32 h=4'):rep(1) }"
    assert.is_false(ok)
    assert.is_truthy(err.usage:find("rep", 1, true), err.usage)
  end)

  it("that meets a limit as it ends leaves nothing behind", function()
    for lines = 0, 12 do
      local ok, err = load_text("local s = 'x' for i = 1, 24 do s = s .. s end " .. ("local a = 1 "):rep(lines) .. "return s .. s .. s")
      assert.is_false(ok)
      assert.is_truthy(err.usage)
      assert.is_nil(debug.gethook())
      assert.equal("aa", ("a"):rep(2))
    end
  end)

  it("that cannot be read is a failure, not bad usage", function()
    for _, missing in ipairs { scratch .. "/none.lua", scratch } do
      local ok, err = pcall(specfile.load, missing)
      assert.is_false(ok)
      assert.is_truthy(err.failure, err.usage)
    end
  end)
end)
