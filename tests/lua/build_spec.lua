-- What build systems rely on: which files emit writes and reads, whether files are up to date, and the rules of `list`.

local files = require "tests.support.files"
local lfs = require "lfs"
local normgen = require "tests.support.normgen"

local SPECS = { "rmsnorm f32 h=5", "layernorm bf16 h=7 add" }
local TARGETS = { "--target", "scalar,avx2" }

local unpack = table.unpack or unpack
local scratch, out

local function words(...)
  local list = {}
  for _, part in ipairs { ... } do
    for _, word in ipairs(type(part) == "table" and part or { part }) do list[#list + 1] = word end
  end
  return list
end

local function ok(...)
  local code, text, err = normgen.run(words(...))
  assert.equal("", err)
  assert.equal(0, code)
  return text
end

local function refused(message, ...)
  local code, text, err = normgen.run(words(...))
  assert.equal(2, code, err)
  assert.equal("", text)
  assert.is_truthy(err:find(message, 1, true), err)
end

-- Names in a directory, sorted, one a line.
local function names_in(directory)
  local list = files.under(directory, "")
  for i, path in ipairs(list) do list[i] = path:sub(#directory + 2) end
  return table.concat(list, "\n") .. "\n"
end

local function sorted_lines(text)
  local list = {}
  for line in text:gmatch("[^\n]+") do list[#list + 1] = line end
  table.sort(list)
  return table.concat(list, "\n") .. "\n"
end

-- The prerequisites of the first rule of a depfile, as a set, and its targets.
local function read_depfile(path)
  local text = files.read(path):gsub("\\\n", " ")
  local outputs, inputs = text:match("^([^:]*):([^\n]*)\n")
  local set = {}
  for name in inputs:gmatch("%S+") do set[name] = true end
  return set, outputs, text
end

describe("emit", function()
  before_each(function()
    scratch = normgen.scratch()
    out = scratch .. "/out"
  end)
  after_each(function() normgen.remove(scratch) end)

  it("--check names what differs, and writes nothing", function()
    ok("emit", SPECS, TARGETS, "-o", out)
    assert.equal("", ok("emit", SPECS, TARGETS, "-o", out, "--check"))
    files.write(out .. "/ng_kernels.h", "other")
    os.remove(out .. "/ng_registry.c")
    files.write(out .. "/of_the_user.c", "")
    local before = names_in(out)
    local code, text, err = normgen.run(words("emit", SPECS, TARGETS, "-o", out, "--check"))
    assert.equal(1, code)
    assert.equal(("%s/ng_kernels.h: differs\n%s/ng_registry.c: missing\n"):format(out, out), text)
    assert.equal("normgen: emit: 2 of 7 files are not what would be written\n", err)
    assert.equal(before, names_in(out))
    assert.equal("other", files.read(out .. "/ng_kernels.h"))
    local missing = normgen.run(words("emit", SPECS, TARGETS, "-o", scratch .. "/none", "--check"))
    assert.equal(1, missing)
    assert.is_nil(lfs.attributes(scratch .. "/none"))
  end)

  it("--check looks at the files of one header, too", function()
    ok("emit", SPECS, TARGETS, "--format", "single", "-o", out)
    ok("emit", SPECS, TARGETS, "--format", "single", "-o", out, "--check")
    local code, text = normgen.run(words("emit", SPECS[1], TARGETS, "--format", "single", "-o", out, "--check"))
    assert.equal(1, code)
    assert.equal(out .. "/ng_kernels_single.h: differs\n", text)
  end)

  it("changes nothing where a later kernel cannot be made", function()
    ok("emit", "rmsnorm f32 h=2048", "--target", "avx2", "-o", out)
    local before, header = names_in(out), files.read(out .. "/ng_kernels.h")
    local code, _, err = normgen.run(words("emit", "rmsnorm f32 h=2047", "rmsnorm f32 h=8", "--target", "avx2",
      "--schedule", "blocks=2", "-o", out))
    assert.equal(2, code)
    assert.equal("normgen: schedule blocks=2: a row of 8 elements is one block\n", err)
    assert.equal(before, names_in(out))
    assert.equal(header, files.read(out .. "/ng_kernels.h"))
  end)

  it("--depfile names every file that it writes or reads", function()
    local spec, targets, depfile = scratch .. "/a b.lua", scratch .. "/targets", scratch .. "/out.d"
    files.write(spec, "return { 'rmsnorm f32 h=5' }")
    lfs.mkdir(targets)
    files.write(targets .. "/mine.lua", (files.read("targets/scalar.lua"):gsub('name = "scalar"', 'name = "mine"')))
    files.write(targets .. "/mine.h", files.read "targets/scalar.h")
    ok("emit", spec, "--target", "avx2,mine", "--target-path", targets, "-o", out, "--depfile", depfile)
    local inputs, outputs, text = read_depfile(depfile)
    assert.is_truthy(text:find(scratch .. "/a\\ b.lua", 1, true))
    local root = lfs.currentdir() .. "/"
    for _, name in ipairs {
      targets .. "/mine.lua", targets .. "/mine.h", root .. "bin/normgen", root .. "gen/plan/plan.lua", root .. "gen/norms/rmsnorm.lua",
      root .. "targets/avx2.lua", root .. "targets/avx2.h", root .. "targets/shared/x86.lua", root .. "templates/kernel.c",
      root .. "runtime/x86_64.c", root .. "cli/emit.lua",
    } do
      assert.is_true(inputs[name], name)
      assert.is_truthy(text:find("\n" .. name .. ":\n", 1, true), "no rule for " .. name)
    end
    assert.is_nil(inputs[root .. "gen/norms/layernorm.lua"])
    assert.is_nil(inputs[root .. "targets/neon.h"])
    for name in pairs(inputs) do
      if name:sub(1, #root) == root then assert.is_truthy(lfs.attributes(name), name) end
    end
    local written = {}
    for name in outputs:gmatch("%S+") do written[#written + 1] = name:sub(#out + 2) end
    table.sort(written)
    assert.equal(names_in(out), table.concat(written, "\n") .. "\n")
  end)

  it("--depfile finds every module that the emission loads", function()
    ok("emit", SPECS, TARGETS, "-o", out, "--depfile", scratch .. "/out.d")
    local inputs = read_depfile(scratch .. "/out.d")
    -- The files that Lua opens, told by Lua.
    local watch = [[local open = io.open
      io.open = function(path, mode)
        if not mode or mode:find "r" then io.stderr:write("opened ", path, "\n") end
        return open(path, mode)
      end
      local from_file = package.loaders[2]
      package.loaders[2] = function(name)
        local path = package.searchpath(name, package.path)
        if path then io.stderr:write("opened ", path, "\n") end
        return from_file(name)
      end]]
    local main = lfs.currentdir() .. "/cli/main.lua"
    local code, _, err = normgen.sh(normgen.line(words("luajit", "-e", watch, main, "emit", SPECS, TARGETS, "-o", scratch .. "/2")))
    assert.equal(0, code, err)
    local count = 0
    for path in err:gmatch("opened ([^\n]+)") do
      if path:sub(1, #lfs.currentdir()) == lfs.currentdir() then
        count = count + 1
        assert.is_true(inputs[path], path)
      end
    end
    assert.is_true(count > 50, count .. " files")
  end)

  it("--stamp is new after every run, and what the depfile names", function()
    local stamp = scratch .. "/out.stamp"
    local function run() ok("emit", SPECS, TARGETS, "-o", out, "--stamp", stamp, "--depfile", scratch .. "/out.d") end
    run()
    local _, outputs = read_depfile(scratch .. "/out.d")
    assert.equal(stamp, outputs)
    lfs.touch(stamp, 1000, 1000)
    lfs.touch(out .. "/ng_kernels.h", 1000, 1000)
    run()
    assert.is_true(lfs.attributes(stamp, "modification") > 1000)
    assert.equal(1000, lfs.attributes(out .. "/ng_kernels.h", "modification"))
  end)

  it("leaves no stamp behind if it cannot write the files", function()
    files.write(out, "")
    local code = normgen.run(words("emit", SPECS, TARGETS, "-o", out, "--stamp", scratch .. "/stamp"))
    assert.equal(1, code)
    assert.is_nil(lfs.attributes(scratch .. "/stamp"))
  end)

  it("refuses options without the one that they need", function()
    for _, option in ipairs { { "--check" }, { "--depfile", "a" }, { "--stamp", "a" } } do
      refused(option[1] .. " needs -o", "emit", SPECS, TARGETS, option)
    end
    for _, option in ipairs { "--depfile", "--stamp" } do
      refused("--check writes nothing, so there is no " .. option, "emit", SPECS, TARGETS, "-o", out, "--check", option, "a")
    end
    assert.is_nil(lfs.attributes(out))
  end)
end)

describe("list", function()
  before_each(function()
    scratch = normgen.scratch()
    out = scratch .. "/out"
    files.write(scratch .. "/tiny.lua", "return { model = 'tiny', kernels = { { 'rmsnorm', 'f32', h = 5, site = 'norm', eps = 1e-6 } } }")
  end)
  after_each(function() normgen.remove(scratch) end)

  it("names the files that emit writes", function()
    for _, case in ipairs {
      { words(SPECS, TARGETS) },
      { words(SPECS, "--target", "neon", "--prefix", "my_", "--schedule", "rows=1") },
      { words(scratch .. "/tiny.lua", TARGETS) },
      { words(scratch .. "/tiny.lua", TARGETS), single = true },
    } do
      local directory = normgen.scratch()
      ok("emit", case[1], "-o", directory, case.single and { "--format", "single" } or {})
      local listed = ok("list", case[1], "--format", "files", case.single and "--single" or {})
      assert.equal(names_in(directory), sorted_lines(listed))
      normgen.remove(directory)
    end
  end)

  it("gives CMake two variables", function()
    assert.equal([[
# Made by:   normgen emit 'rmsnorm fwd f32 h=5' --target scalar,neon --prefix my_
set(my_SOURCES
  my_rmsnorm_fwd_f32_h5_scalar.c
  my_rmsnorm_fwd_f32_h5_neon.c
  my_registry.c
  my_dispatch.c
  )
set(my_HEADERS
  my_kernels.h
  )
]], ok("list", SPECS[1], "--target", "neon,scalar", "--prefix", "my_", "--format", "cmake"))
  end)

  it("gives make rules that make all files by one command", function()
    local text = ok("list", "rmsnorm h=5 f32", "--target", "avx2", "--schedule", "rows=2", "--format", "make")
    local command = "emit 'rmsnorm fwd f32 h=5' --target avx2 --schedule rows=2 -o $(ng_DIR)"
    local _, count = text:gsub(" emit '", "")
    assert.is_truthy(text:find("; $(NORMGEN) " .. command, 1, true), text)
    assert.equal(2, count, "the command and the comment")
    files.write(scratch .. "/kernels.mk", text)
    files.write(scratch .. "/Makefile", "all: use\nng_DIR = out\ninclude kernels.mk\nuse: $(ng_SOURCES) $(ng_HEADERS)\n")
    local line = normgen.line { "make", "-s", "-j", "8", "-C", scratch, "NORMGEN=echo run >> runs; " .. normgen.path }
    local code, _, err = normgen.sh(line)
    assert.equal(0, code, err)
    assert.equal("run\n", files.read(scratch .. "/runs"))
    assert.is_truthy(lfs.attributes(out .. "/ng_kernels.h"))
  end)

  it("is the same under every interpreter", function()
    for _, format in ipairs { "files", "make", "cmake" } do
      local list = { "list", unpack(words(SPECS, TARGETS, "--format", format)) }
      local _, first = normgen.run(list, normgen.interpreters[1])
      local _, second = normgen.run(list, normgen.interpreters[2])
      assert.equal(first, second)
      assert.is_true(#first > 100)
    end
  end)
end)
