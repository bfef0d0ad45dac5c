-- --target-path: targets from outside of the tree, by a copy of neon under another name.

local files = require "tests.support.files"
local json = require "dkjson"
local lfs = require "lfs"
local normgen = require "tests.support.normgen"

local NEON, HEADER = files.read "targets/neon.lua", files.read "targets/neon.h"
local SPEC = "layernorm bf16 h=65 add"

local unpack = table.unpack or unpack
local scratch

-- A text with some pieces replaced, each of which must be there; that of neon if no other is given.
local function edited(edits, text)
  text = text or NEON
  for _, edit in ipairs(edits) do
    local at, last = text:find(edit[1], 1, true)
    assert.is_truthy(at, edit[1])
    text = text:sub(1, at - 1) .. edit[2] .. text:sub(last + 1)
  end
  return text
end

local RENAMED = { 'name = "neon"', 'name = "neonx"' }

-- A directory with neonx.lua, and with neonx.h if there is a text for it.
local function directory_with(text, header)
  local path = scratch .. "/targets"
  lfs.mkdir(path)
  files.write(path .. "/neonx.lua", text)
  if header then files.write(path .. "/neonx.h", header) end
  return path
end

local function run(words)
  local code, out, err = normgen.run(words)
  assert.equal("", err)
  assert.equal(0, code, out)
  return out
end

describe("--target-path", function()
  before_each(function() scratch = normgen.scratch() end)
  after_each(function() normgen.remove(scratch) end)

  it("adds a target to every command", function()
    local path = directory_with(edited { RENAMED }, HEADER)
    local symbol = "ng_layernorm_fwd_bf16_h65_add_neonx"
    local emitted = run { "emit", SPEC, "--target", "neonx", "--target-path", path }
    assert.is_truthy(emitted:find(symbol, 1, true))
    assert.is_truthy(emitted:find("--target-path ./targets\n", 1, true))
    local names = {}
    for _, target in ipairs(json.decode(run { "list", "targets", "--format", "json", "--target-path", path })) do
      names[target.name] = target.arch
    end
    assert.equal("aarch64", names.neonx)
    assert.is_truthy(names.neon)
    assert.is_truthy(run({ "list", SPEC, "--target", "neonx", "--target-path", path }):find(symbol, 1, true))
    assert.equal(run { "describe", SPEC }, run { "describe", symbol, "--target-path", path })
    run { "explain", "--stage=code", SPEC, "--target", "neonx", "--target-path", path }
  end)

  it("gives kernels that keep to the contract", function()
    local path = directory_with(edited { RENAMED }, HEADER)
    local out = run { "check", SPEC, "rmsnorm f16 h=33", "--target", "neon,neonx", "--target-path", path }
    assert.is_truthy(out:find "kernels=4 .*mismatches=0" or out:find "skipped", out)
  end)

  it("may be repeated, for architectures that runtime/ does not know", function()
    local first = directory_with(edited { RENAMED }, HEADER)
    local second = scratch .. "/more"
    lfs.mkdir(second)
    files.write(second .. "/other.lua", edited {
      { 'name = "neon"', 'name = "other"' }, { 'arch = "aarch64"', 'arch = "somearch"' },
      { 'guard = "defined(__aarch64__) && !defined(__AARCH64EB__)"', 'guard = "defined(__somearch__)"' },
      { "@hwcap_bit(1)", "@has_vectors()" },
    })
    files.write(second .. "/other.h", HEADER)
    local out = scratch .. "/out"
    run { "emit", SPEC, "--target", "scalar,neonx,other", "--target-path", first, "--target-path", second, "-o", out }
    assert.is_truthy(files.read(out .. "/ng_registry.c"):find("return ng_has_vectors() /* asimd */;", 1, true))
    local code, _, err = normgen.sh("cd " .. out .. " && cc -Wall -Werror -O1 -c *.c")
    assert.equal(0, code, err)
    local skipped = run { "check", SPEC, "--target", "other", "--target-path", second }
    assert.equal("somearch: skipped: somearch-linux-gnu-gcc is not installed\n", skipped)
  end)

  it("refuses helpers of one name that differ", function()
    local header = edited({ { "v = vcombine_f32(vld1_f32(p), vdup_n_f32(0.0f));", ";" } }, HEADER)
    local path = directory_with(edited { RENAMED }, header)
    local code, _, err = normgen.run { "emit", "rmsnorm f32 h=7", "--target", "neon,neonx", "--target-path", path,
      "-o", scratch .. "/out" }
    assert.equal(2, code)
    assert.equal("normgen: targets neon and neonx have different helpers named neon_load_f32\n", err)
  end)

  it("takes a target that says how it differs from another one", function()
    local path = directory_with [[return { name = "neonx", extends = "neon", rank = 21,
      features = { { name = "asimddp", check = "@hwcap_bit(20)" } }, types = { f32 = { words = { widen_low = false } } } }]]
    local code, out = normgen.run({ "emit", "rmsnorm bf16 h=100", "--target", "neonx", "--target-path", path })
    assert.equal(0, code)
    assert.is_truthy(out:find("ng_neon_to_bf16", 1, true) or out:find("ng_neon_pair_to_bf16", 1, true))
    local _, listed = normgen.run { "list", "targets", "--target-path", path }
    assert.is_truthy(listed:find("neonx +aarch64 +asimd,asimddp"), listed)
    local refused, _, err = normgen.run({ "emit", "rmsnorm bf16 h=100 acc=f64", "--target", "neonx", "--target-path", path })
    assert.equal(2, refused)
    assert.is_truthy(err:find("target neonx has no word 'widen_low' for f32", 1, true), err)
  end)

  it("gives the right bits with the example of docs/porting-a-target.md", function()
    for _, words in ipairs {
      { "rmsnorm f32 h=100", "layernorm bf16 h=77 addout", "rmsnorm bf16 gamma=f32 h=3 add", "layernorm f64 h=35 stats",
        "layernorm f16 h=77 add alpha strided acc=f64 stats", "rmsnorm f16 h=29 addafter", "groupnorm bf16 c=24 g=3 layout=nhwc" },
      { "rmsnorm bf16 h=71", "layernorm f32 out=bf16 h=1100", "--schedule", "layout=split,rows=4,strips=2" },
      { "rmsnorm bf16 h=71", "layernorm f32 h=131 add", "--schedule", "layout=plain,rows=2" },
    } do
      local out = run { "check", "--target", "xmm", "--target-path", "examples/target", unpack(words) }
      assert.is_truthy(out:find "mismatches=0" or out:find "skipped", out)
    end
  end)

  describe("refuses in one line", function()
    local function refused(path, pattern, words)
      local code, out, err = normgen.run(words or { "list", "targets", "--target-path", path })
      assert.equal(2, code, err)
      assert.equal("", out)
      assert.is_truthy(err:match "^normgen: [^\n]+\n$", err)
      assert.is_truthy(err:find(pattern, 1, true), err)
    end

    it("what is no directory, or holds no target", function()
      refused("/none", "'/none' is no directory")
      refused(scratch, "no target (*.lua)")
    end)

    it("a name that is taken", function()
      refused(directory_with(NEON), "neonx.lua: there is a target neon already")
    end)

    it("what extends no target, or with something else than tables", function()
      refused(directory_with [[return { name = "neonx", extends = "neo" }]], "neonx.lua: extends: there is no target 'neo'")
      refused(directory_with [[return { name = "neonx", extends = {} }]], "neonx.lua: extends: there is no target")
      refused(directory_with [[return { name = "neonx", extends = "neon", features = 1 }]], "field features of the target must be a table")
    end)

    it("files that are not Lua, fail or return something else", function()
      refused(directory_with "return {", "neonx.lua:1: ")
      refused(directory_with "local t = nil; return t.x", "neonx.lua:1: ")
      refused(directory_with "return 7", "a target file returns a table, not a number")
      refused(directory_with "", "a target file returns a table, not a nil")
    end)

    for what, case in pairs {
      ["no .h file"] = { nil, "target neonx has no helper ng_neon_" },
      ["a helper that is missing"] = { edited({ { "ng_neon_keep(", "ng_neon_kept(" } }, HEADER),
        "target neonx has no helper ng_neon_keep" },
      ["a .h file that cannot be cut"] = { HEADER:gsub("\n\n", "\n"), "neonx.h: there is no empty line between ng_neon_forget and " },
    } do
      it(what, function()
        local path = directory_with(edited { RENAMED }, case[1])
        refused(path, case[2], { "emit", "layernorm f32 h=65", "--target", "neonx", "--target-path", path })
      end)
    end

    for _, case in ipairs {
      { "name", { 'name = "neon"', 'name = "neon_x"' } },
      { "name", { 'name = "neon"', 'name = "stats"' } },
      { "name", { 'name = "neon"', 'name = "native"' } },
      { "rank", RENAMED, { "rank = 20", 'rank = "20"' } },
      { "arch", RENAMED, { 'arch = "aarch64"', "arch = nil" } },
      { "features[1].check", RENAMED, { 'check = "@hwcap_bit(1)"', "check = 1" } },
      { "registers", RENAMED, { "registers = 32,", "" } },
      { "types.f32.width", RENAMED, { 'vector = "float32x4_t", width = 4', 'vector = "float32x4_t"' } },
      { "types.f32.layouts.plain.element", RENAMED, { "plain = words.plain {", "plain = { vecs = 1, element = 1 }, more = {" } },
    } do
      it("a wrong " .. case[1] .. ": " .. case[#case][2], function()
        refused(directory_with(edited { unpack(case, 2) }), "field " .. case[1] .. " of the target must be a")
      end)
    end
  end)
end)
