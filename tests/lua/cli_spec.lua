-- The command as a process: exit codes, one line on standard error, exact JSON, files that are whole or absent.

local files = require "tests.support.files"
local json = require "dkjson"
local lfs = require "lfs"
local normgen = require "tests.support.normgen"

local SPEC = "rmsnorm fwd bf16 h=4096 addout"

local unpack = table.unpack or unpack
local scratch

local function file(name, text)
  files.write(scratch .. "/" .. name, text)
  return scratch .. "/" .. name
end

local function count_files(directory)
  return lfs.attributes(directory, "mode") and #files.under(directory, "") or 0
end

local function ok(words, lua)
  local code, out, err = normgen.run(words, lua)
  assert.equal("", err)
  assert.equal(0, code)
  return out
end

-- The same bytes from every interpreter.
local function same(words)
  local first = ok(words, normgen.interpreters[1])
  for i = 2, #normgen.interpreters do assert.equal(first, ok(words, normgen.interpreters[i])) end
  return first
end

local function refused(words, code, pattern)
  for _, lua in ipairs(normgen.interpreters) do
    local exit, out, err = normgen.run(words, lua)
    assert.equal(code, exit, err)
    assert.equal("", out)
    assert.is_truthy(err:match("^normgen: [^\n]+\n$"), "not one line: " .. err)
    assert.is_truthy(err:find(pattern, 1, true), err .. "   wanted: " .. pattern)
  end
end

describe("normgen", function()
  before_each(function() scratch = normgen.scratch() end)
  after_each(function() normgen.remove(scratch) end)

  describe("refuses", function()
    local cases = {
      { "no command", {}, "a command is required" },
      { "an unknown command", { "emti" }, "unknown command 'emti', did you mean 'emit'?" },
      { "an unknown option", { "emit", SPEC, "--targt", "avx2" }, "unknown option '--targt', did you mean '--target'?" },
      { "no spec", { "emit", "--target", "avx2" }, "argument 'SPEC'" },
      { "no target", { "emit", SPEC }, "--target is missing" },
      { "an unknown target", { "emit", SPEC, "--target", "avx2,avx3" }, "unknown target 'avx3', did you mean 'avx2'?" },
      { "an empty target", { "emit", SPEC, "--target", "" }, "unknown target ''" },
      { "an unknown norm", { "emit", "rmsnrom f32 h=4", "--target", "all" }, "did you mean 'rmsnorm'?" },
      { "an unknown word", { "emit", "rmsnorm f32 h=4 addotu", "--target", "all" }, "did you mean 'addout'?" },
      { "an unknown dtype", { "emit", "rmsnorm bf61 h=4", "--target", "all" }, "did you mean 'bf16'?" },
      { "a word that comes later", { "emit", "rmsnorm f16 bwd h=4", "--target", "all" }, "'bwd' is not supported yet" },
      { "a repeated word", { "emit", "rmsnorm f32 h=4 add add", "--target", "all" }, "'add' is repeated" },
      { "a contradiction", { "emit", "rmsnorm f32 h=4 cast=llama", "--target", "all" }, "cast=llama" },
      { "a spec of several lines", { "emit", "rmsnorm\nf32\nh=4 wh\ny", "--target", "all" }, "unknown word 'wh'" },
      { "an unknown schedule key", { "emit", SPEC, "--target", "scalar", "--schedule", "strip=2" }, "did you mean 'strips'?" },
      { "a wrong schedule value", { "emit", SPEC, "--target", "avx2", "--schedule", "layout=spilt" }, "layout" },
      { "a schedule that is none", { "emit", SPEC, "--target", "avx2", "--schedule", "strips" }, "key=value" },
      { "a schedule key twice", { "emit", SPEC, "--target", "avx2", "--schedule", "rows=1,rows=2" }, "sets 'rows' twice" },
      { "a prefix that is no identifier", { "emit", SPEC, "--target", "avx2", "--prefix", "4ng_" }, "--prefix '4ng_'" },
      { "a reserved prefix", { "emit", SPEC, "--target", "avx2", "--prefix", "ng__" }, "--prefix 'ng__'" },
      { "an empty prefix", { "list", SPEC, "--target", "avx2", "--prefix", "" }, "--prefix ''" },
      { "an unknown list topic", { "list", "nroms" }, "did you mean" },
      { "an unknown format", { "list", "norms", "--format", "xml" }, "--format" },
      { "a build system's format for a topic", { "list", "norms", "--format", "make" }, "is for specs, not for topics" },
      { "an unknown kernel name", { "describe", "ng_rmsnorm_fwd_bf16_h4096_avx3" }, "did you mean 'avx2'?" },
      { "a wrong spec to describe", { "describe", "rmsnorm bf16" }, "h is missing" },
      { "an unknown stage", { "explain", "--stage=pla", SPEC }, "did you mean 'plan'?" },
      { "no stage", { "explain", SPEC }, "--stage" },
      { "a stage without its target", { "explain", "--stage=code", SPEC }, "needs a target" },
      { "a stage for several targets", { "explain", "--stage=code", SPEC, "--target", "all" }, "one target at a time" },
      { "a wrong spec to check", { "check", "rmsnorm f32 h=0" }, "h=0" },
    }
    for _, h in ipairs { "0", "-1", "1e9", "4096.5", "0x40", "1e3", "abc" } do
      cases[#cases + 1] = { "h=" .. h, { "emit", "rmsnorm f32 h=" .. h, "--target", "all" }, "h=" .. h .. ": h must be" }
    end
    for _, case in ipairs(cases) do
      it(case[1], function()
        local words = case[2]
        if words[1] == "emit" then words = { "emit", "-o", scratch .. "/out", unpack(words, 2) } end
        refused(words, 2, case[3])
        assert.equal(0, count_files(scratch))
      end)
    end

    it("wrong spec files", function()
      local list = {
        { "return {\n'rmsnorm f32 h=4',,}", ":2: " },
        { "while true do end", "runs for too long" },
        { "local t = {} for i = 1, 1e9 do t[i] = i end", "too much memory" },
        { "return 'rmsnorm f32 h=4'", "returns an array" },
        { "return { 'rmsnorm f32 h=4', 'rmsnorm f32 h=4 x=1' }", "kernel 2: unknown key 'x='" },
      }
      for _, case in ipairs(list) do
        refused({ "emit", file("specs.lua", case[1]), "--target", "all", "-o", scratch .. "/out" }, 2, case[2])
        assert.equal(1, count_files(scratch))
      end
    end)

    it("to write where it cannot", function()
      refused({ "emit", scratch .. "/none.lua", "--target", "scalar" }, 1, "cannot read")
      refused({ "emit", SPEC, "--target", "scalar", "-o", file("taken", "") }, 1, "cannot make directory")
      refused({ "emit", SPEC, "--target", "scalar", "-o", scratch .. "/taken/below" }, 1, "cannot make directory")
      refused({ "emit", SPEC, "--target", "scalar", "-o", "/proc/none" }, 1, "cannot make directory")
      assert.equal(1, count_files(scratch))
      lfs.mkdir(scratch .. "/out")
      lfs.mkdir(scratch .. "/out/ng_kernels.h")
      refused({ "emit", SPEC, "--target", "scalar", "-o", scratch .. "/out" }, 1, "cannot write")
      for _, path in ipairs(files.under(scratch .. "/out", "")) do assert.is_nil(path:find("%.tmp$")) end
    end)

    it("to lose output", function()
      for _, words in ipairs { { "list", "norms" }, { "emit", SPEC, "--target", "scalar" } } do
        local code, _, err = normgen.sh(normgen.line { normgen.path, unpack(words) } .. " > /dev/full")
        assert.equal(1, code)
        assert.is_truthy(err:match("^normgen: cannot write the output: [^\n]+\n$"), err)
      end
    end)
  end)

  describe("starts", function()
    it("through symbolic links, from any directory", function()
      normgen.sh(normgen.line { "ln", "-s", normgen.path, scratch .. "/a" })
      normgen.sh(normgen.line { "ln", "-s", "a", scratch .. "/b c" })
      local code, out = normgen.sh("cd / && " .. normgen.line { scratch .. "/b c", "list", "norms" })
      assert.equal(0, code)
      assert.equal(ok { "list", "norms" }, out)
    end)

    it("with help and a version", function()
      assert.equal("normgen 0.1.0\ncontract 1\n", same { "--version" })
      for _, command in ipairs { "emit", "list", "describe", "explain", "check" } do
        local help = same { command, "--help" }
        assert.is_truthy(help:find("Examples:\n  normgen " .. command, 1, true))
      end
    end)
  end)

  describe("list", function()
    it("knows norms, targets and options", function()
      assert.is_truthy(same({ "list", "norms" }):find("rmsnorm +gamma "))
      assert.is_truthy(same({ "list", "targets" }):find("neon +aarch64"))
      assert.is_truthy(same({ "list", "options" }):find("affine= +none,gamma,gamma%+beta"))
      local names = {}
      for i, target in ipairs(json.decode(same { "list", "targets", "--format", "json" })) do names[i] = target.name end
      assert.same({ "scalar", "sse2", "avx2", "neon", "avx512", "avx512bf16" }, names)
      assert.equal("batchnorm", json.decode(same { "list", "norms", "--format", "json" })[1].name)
    end)

    it("gives the kernels of specs as exact JSON", function()
      local path = file("a.lua", "return { 'rmsnorm bf16 addout h=4096', { 'rmsnorm', 'bf16 addout', h = 4096, site = 'b' } }")
      local rows = json.decode(same { "list", path, "layernorm f32 h=768", SPEC, "--target", "neon,avx2", "--format", "json" })
      assert.equal(4, #rows)
      assert.same({ spec = SPEC, name = "rmsnorm_fwd_bf16_h4096_addout", target = "avx2", arch = "x86_64",
        symbol = "ng_rmsnorm_fwd_bf16_h4096_addout_avx2", file = "ng_rmsnorm_fwd_bf16_h4096_addout_avx2.c" },
        setmetatable(rows[1], nil))
      assert.equal("aarch64", rows[2].arch)
      assert.equal("layernorm_fwd_f32_h768", rows[3].name)
    end)

    it("uses the prefix for symbols and files alone", function()
      local row = json.decode(same { "list", SPEC, "--target", "neon", "--prefix", "my_", "--format", "json" })[1]
      assert.equal("rmsnorm_fwd_bf16_h4096_addout", row.name)
      assert.equal("my_rmsnorm_fwd_bf16_h4096_addout_neon", row.symbol)
      assert.equal("my_rmsnorm_fwd_bf16_h4096_addout_neon.c", row.file)
    end)
  end)

  describe("describe", function()
    local function described(...)
      return json.decode(same { "describe", "--json", ... }, 1, nil, nil)
    end

    it("gives exact JSON", function()
      local d = described "rmsnorm bf16 h=4096 addout gamma=f32"
      local keys = {}
      for key in pairs(d) do keys[#keys + 1] = key end
      table.sort(keys)
      assert.same({ "args", "bytes", "contract", "dir", "error_bound", "h", "name", "norm", "spec" }, keys)
      assert.equal("rmsnorm_fwd_bf16_gf32_h4096_addout", d.name)
      assert.equal("rmsnorm fwd bf16 gamma=f32 h=4096 addout", d.spec)
      assert.same({ "rmsnorm", "fwd", 4096 }, { d.norm, d.dir, d.h })
      assert.same({ version = 1, compute = "f32", acc = "f32", lanes = 64, block = 2048, tree = "halving", fma = true,
        x = "bf16", residual = "bf16", gamma = "f32", y = "bf16", cast = false }, d.contract)
      assert.same({ row = { read = 16384, write = 16384 }, call = { read = 16384, write = 0 } }, d.bytes)
      assert.same({ "number", "number", "string" },
        { type(d.error_bound.rel_u), type(d.error_bound.abs_u), type(d.error_bound.domain) })
      assert.same({
        { name = "rows", ctype = "size_t", dtype = "size_t", shape = "scalar", io = "in" },
        { name = "x", ctype = "uint16_t", dtype = "bf16", shape = { "rows", "h" }, io = "in" },
        { name = "residual", ctype = "uint16_t", dtype = "bf16", shape = { "rows", "h" }, io = "in" },
        { name = "gamma", ctype = "float", dtype = "f32", shape = { "h" }, io = "in" },
        { name = "eps", ctype = "float", dtype = "f32", shape = "scalar", io = "in" },
        { name = "y", ctype = "uint16_t", dtype = "bf16", shape = { "rows", "h" }, io = "out" },
        { name = "sum", ctype = "uint16_t", dtype = "bf16", shape = { "rows", "h" }, io = "out" },
      }, d.args)
    end)

    it("takes names with and without prefix and target", function()
      local wanted = same { "describe", "layernorm f32 h=768" }
      for _, name in ipairs { "layernorm_fwd_f32_h768", "ng_layernorm_fwd_f32_h768", "ng_layernorm_fwd_f32_h768_avx2" } do
        assert.equal(wanted, same { "describe", name })
      end
      assert.equal(wanted, same { "describe", "my_layernorm_fwd_f32_h768", "--prefix", "my_" })
    end)
  end)

  describe("explain", function()
    for _, stage in ipairs { "problem", "plan", "schedule", "code", "text" } do
      it("prints the " .. stage, function()
        local text = same { "explain", "--stage=" .. stage, "layernorm fwd f32 h=768 addout", "--target", "avx2" }
        assert.is_true(#text > 0)
        assert.equal("\n", text:sub(-1))
      end)
    end

    it("needs no target for problem and plan", function()
      for _, stage in ipairs { "problem", "plan" } do same { "explain", "--stage", stage, SPEC } end
    end)
  end)

  describe("emit", function()
    it("writes a set of files, and does not touch them again", function()
      local out = scratch .. "/some/where"
      assert.equal("", ok { "emit", SPEC, "--target", "scalar,avx2", "-o", out })
      local written = files.under(out, "")
      assert.is_true(#written >= 5, #written .. " files")
      for _, path in ipairs(written) do
        assert.is_nil(path:find("%.tmp$"))
        lfs.touch(path, 1000, 1000)
      end
      files.write(out .. "/ng_kernels.h", "stale")
      ok { "emit", SPEC, "--target", "avx2,scalar", "-o", out }
      assert.same(written, files.under(out, ""))
      for _, path in ipairs(written) do
        assert.equal(path:find("kernels%.h$") == nil, lfs.attributes(path, "modification") == 1000, path)
      end
    end)

    it("writes the same bytes under every interpreter", function()
      for i, lua in ipairs(normgen.interpreters) do
        ok({ "emit", "specs/reference.lua", "--target", "scalar,avx2,avx512,neon", "-o", scratch .. "/" .. i }, lua)
        assert.is_true(count_files(scratch .. "/" .. i) <= 120)
      end
      local code, difference = normgen.sh(normgen.line { "diff", "-r", scratch .. "/1", scratch .. "/2" })
      assert.equal(0, code, difference)
    end)

    -- Runs a shell line in a directory, where normgen is found; returns what it prints.
    local function printed(directory, line)
      local bin = normgen.path:match("^(.*)/")
      local code, out, err = normgen.sh(("cd %s && PATH=%s:$PATH && %s"):format(directory, bin, line))
      assert.equal("", err, line)
      assert.equal(0, code, line)
      return out
    end

    -- The command that files of a directory bear, and the texts of all files by name.
    local function made_by(directory)
      local command, texts = nil, {}
      for _, path in ipairs(files.under(directory, "")) do
        local text = files.read(path)
        local its = text:match("Made by:   ([^\n]+)\n")
        assert.is_nil(text:find(scratch, 1, true), path)
        assert.is_nil(text:find("--target native", 1, true), path)
        assert.is_true(not its or not command or its == command, path)
        command, texts[path:match("[^/]+$")] = command or its, text
      end
      return command, texts
    end

    it("writes a command that makes the same again, run where it was given", function()
      for i, case in ipairs {
        { "sub/kernels.lua --target native" },
        { "./sub/kernels.lua 'rmsnorm f32 h=5 act=silu' --target avx2 --schedule rows=2 --prefix my_" },
        { "sub/kernels.lua --target scalar,avx2 --format single" },
        { "sub/kernels.lua --target scalar,avx2 --bindings luajit,python" },
        { scratch .. "/sub/kernels.lua --target scalar,avx2", at = "sub" },
      } do
        os.execute(("mkdir -p %s/sub %s/copy%d/sub"):format(scratch, scratch, i))
        for _, name in ipairs { "sub", ("copy%d/sub"):format(i) } do
          file(name .. "/kernels.lua", "return { 'rmsnorm f32 h=64', 'layernorm f32 h=7' }")
        end
        local place = ("%s/copy%d/%s"):format(scratch, i, case.at or "")
        printed(scratch, ("normgen emit %s -o out%d"):format(case[1], i))
        local command, texts = made_by(scratch .. "/out" .. i)
        local stands, to = printed(place, command), command:match " %-o (%S+)$"
        if not to then
          for name, text in pairs(texts) do
            local is_kernel = name:find "norm_fwd" or name:find "single"
            assert.is_truthy(not is_kernel or stands:find(text, 1, true), name)
          end
          printed(place, command .. " -o again")
        end
        for name, text in pairs(texts) do assert.equal(text, files.read(("%s/%s/%s"):format(place, to or "again", name))) end
      end
    end)

    it("prints kernels that compile, without -o", function()
      same { "emit", SPEC, "--target", "scalar", "--prefix", "my_" }
      local line = normgen.line { normgen.path, "emit", SPEC, "layernorm f32 h=7", "--target", "scalar" }
      local code, _, err = normgen.sh(line .. " | cc -x c -O1 -c -o " .. scratch .. "/a.o -")
      assert.equal(0, code, err)
    end)

    it("writes files that plain cc compiles", function()
      ok { "emit", SPEC, "--target", "native", "-o", scratch .. "/out" }
      local code, _, err = normgen.sh("cd " .. scratch .. "/out && cc -O2 -c *.c")
      assert.equal(0, code, err)
    end)
  end)

  describe("check", function()
    it("proves kernels, leaves nothing behind", function()
      local environment = "TMPDIR=" .. scratch .. " "
      local words = { normgen.path, "check", "rmsnorm f32 h=7", "layernorm bf16 h=65 add", "--target", "scalar" }
      local code, out, err = normgen.sh(environment .. normgen.line(words))
      assert.equal("", err)
      assert.equal(0, code)
      assert.is_truthy(out:find("kernels=2 .*mismatches=0"), out)
      assert.equal(0, count_files(scratch))
    end)

    it("fails in one line if a bit differs", function()
      -- A compiler whose program finds a mismatch.
      local cc = file("cc", [[
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\necho mismatch: here; echo verified: nothing; exit 1\n' > "$2"
chmod +x "$2"
]])
      normgen.sh("chmod +x " .. cc)
      local code, out, err = normgen.run { "check", SPEC, "--target", "scalar", "--cc", cc }
      assert.equal(1, code)
      assert.is_truthy(out:find(": mismatch: here\n.*: verified: nothing\n"), out)
      assert.is_truthy(err:match("^normgen: check: [^\n]+ do not match the reference\n$"), err)
    end)

    it("fails in one line without a working compiler", function()
      for compiler, pattern in pairs { ["false"] = "does not compile", ["no such cc"] = "is not installed" } do
        local code, out, err = normgen.run { "check", SPEC, "--target", "scalar", "--cc", compiler }
        assert.equal(1, code)
        assert.equal("", out)
        assert.is_truthy(err:match("^normgen: [^\n]+\n$") and err:find(pattern, 1, true), err)
      end
    end)
  end)
end)
