-- normgen doctor: tells what is there, in one form for people and one for programs, whatever is missing.

local json = require "dkjson"
local lfs = require "lfs"
local normgen = require "tests.support.normgen"
local targets = require "gen.target.targets"

local function doctor(words, path)
  return normgen.sh((path and "PATH=" .. path .. " " or "") .. normgen.line { normgen.path, "doctor", words })
end

local function sorted_keys(t)
  local keys = {}
  for key in pairs(t) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

-- A directory with links to these programs only.
local function path_with(programs)
  local directory = normgen.scratch()
  for _, name in ipairs(programs) do
    local _, place = normgen.sh("command -v " .. name)
    lfs.link(place:match "[^\n]+", directory .. "/" .. name, true)
  end
  return directory
end

local function check_form(report)
  assert.same({ "arch", "contract", "features", "programs", "targets", "version" }, sorted_keys(report))
  for _, program in ipairs(report.programs) do
    assert.same({ "found", "kind", "name", "version" }, sorted_keys(program))
    assert.equal(program.found, program.version ~= "")
  end
  assert.equal(#targets.all(), #report.targets)
  for i, target in ipairs(report.targets) do
    assert.equal(targets.all()[i].name, target.name)
    assert.same({ "arch", "build", "emulate", "name", "run" }, sorted_keys(target))
    for _, what in ipairs { "build", "run", "emulate" } do
      assert.equal("boolean", type(target[what].ok))
      assert.is_true(#target[what].reason > 0)
    end
  end
end

describe("normgen doctor", function()
  it("gives JSON of a fixed form", function()
    local code, out, err = doctor "--json"
    assert.equal("", err)
    assert.equal(0, code)
    local report = json.decode(out)
    check_form(report)
    assert.is_true(report.targets[1].run.ok, "the scalar target runs everywhere")
  end)

  it("says the same to people", function()
    local code, out = doctor()
    assert.equal(0, code)
    for _, target in ipairs(targets.all()) do
      for _, what in ipairs { "build", "run", "emulate" } do
        assert.is_truthy(out:find("target " .. target.name .. " +" .. what .. " +%l+"), out)
      end
    end
  end)

  it("ends well without compilers and emulators", function()
    local directory = path_with { "sh", "luajit", "readlink", "uname", "mktemp", "rm" }
    local code, out, err = doctor("--json", directory)
    normgen.remove(directory)
    assert.equal("", err)
    assert.equal(0, code)
    local report = json.decode(out)
    check_form(report)
    for _, target in ipairs(report.targets) do
      assert.is_false(target.build.ok)
      assert.is_truthy(target.build.reason:find "is not installed$")
    end
  end)
end)
