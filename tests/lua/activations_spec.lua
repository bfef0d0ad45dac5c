-- What is said of activations in other places is what their rows say.

local activations = require "gen.formula.activations"
local files = require "tests.support.files"

local function names(is_wanted)
  local list = {}
  for name, row in pairs(activations.named) do
    if not is_wanted or is_wanted(row) then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

-- What a pattern with the captures name and value finds in a file, by name.
local function found(path, pattern)
  local values = {}
  for name, value in files.read(path):gmatch(pattern) do values[name] = value end
  return values
end

local function errors()
  local values = {}
  for name, row in pairs(activations.named) do values[name] = ("%g"):format(row.ulps) end
  return values
end

describe("activations", function()
  it("are those of the reference, in the same types", function()
    local types = {}
    for _, name in ipairs(activations.words) do types[name] = activations.named[name].types.f64 and "real" or "float" end
    assert.same(types, found("reference/activations.inc", "\nACTIVATION%((%w+), %w+, (%l+)%)"))
  end)

  it("have the errors that the oracle judges by, and that the documents state", function()
    assert.same(errors(), found("tests/oracle/functions.c", '{"(%w+)", ref_%w+, exact_%w+, [%w.]+, ([%d.]+)}'))
    assert.same(errors(), found("docs/numerics.md", "\n| `(%w+)` | ([%d.]+) |%f[\n]"))
  end)

  it("are listed where options are", function()
    local list = table.concat(activations.words, "|")
    for _, path in ipairs { "README.md", "CHANGELOG.md" } do
      assert.is_truthy(files.read(path):find("`act=" .. list .. "`", 1, true), path)
    end
    local told = files.read("docs/numerics.md"):match("\n`act=` applies (.-) to the result")
    local words = {}
    for name in told:gmatch("`(%w+)`") do words[#words + 1] = name end
    assert.same(activations.words, words)
    assert.same({ "hardswish", "relu", "relu6" }, names(function(row) return row.types.f64 end))
  end)
end)
