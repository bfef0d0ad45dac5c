-- docs/gallery.md is made from the definitions of norms and words.

local tree = require "gen.tree"
local files = require "tests.support.files"
local normgen = require "tests.support.normgen"

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
end)
