-- docs/gallery.md is made from the definitions of norms and words.

local tree = require "gen.tree"
local files = require "tests.support.files"
local normgen = require "tests.support.normgen"
local options = require "tools.options"
local pipeline = require "gen.pipeline.pipeline"

describe("the gallery", function()
  it("is what the definitions say, under every interpreter", function()
    for _, lua in ipairs(normgen.interpreters) do
      local code, out, err = normgen.sh(lua .. " tools/gallery-doc.lua")
      assert.equal("", err)
      assert.equal(0, code)
      assert.equal(files.read "docs/gallery.md", out)
    end
  end)

  it("has a row for every norm", function()
    local text = files.read "docs/gallery.md"
    for _, name in ipairs(tree.norms()) do assert.is_truthy(text:find("\n| `" .. name .. "` |", 1, true), name) end
  end)

  it("lists no option that a target has not", function()
    local targets, turn, count = pipeline.targets(), 0, 0
    for _, name in ipairs(tree.norms()) do
      local _, labels, specs = options.of(name)
      for _, label in ipairs(labels) do
        -- One target after the other: the suite of bits crosses all of them with all options.
        for _, s in ipairs(specs[label]) do
          turn = turn % #targets + 1
          assert.is_truthy(pipeline.kernel(s, targets[turn]))
          count = count + 1
        end
      end
    end
    assert.is_true(count > 300, count .. " kernels")
  end)
end)
