-- Norms: the form of their files, and that nothing else of the generator knows one by its name.

local files = require "tests.support.files"
local norm = require "gen.formula.norm"
local tree = require "gen.tree"

-- Names that other things in gen/ bear, too: there only a text that is nothing else is one of a norm.
local SHARED = { fold = true }

-- The norms that lines of code name. Comments may give examples.
local function names_in(code)
  local found = {}
  for line in code:gmatch("[^\n]+") do
    line = line:gsub("%-%-.*$", ""):gsub("require *%(?\"[^\"]*\"", "")
    for _, name in ipairs(tree.norms()) do
      local pattern = SHARED[name] and '"' .. name .. '"' or "%f[%w_]" .. name .. "%f[^%w_]"
      if line:find(pattern) then found[#found + 1] = name end
    end
  end
  return found
end

describe("a norm", function()
  it("needs all its fields", function()
    local definition = { name = "n", title = "N", cites = "c", affine = "gamma", words = {}, formula = "f", domain = "d",
      over = { "h" }, bound = function() end, forward = function() end }
    assert.equal(definition, norm.new(definition))
    for _, field in ipairs { "name", "title", "cites", "affine", "words", "formula", "over", "domain", "bound", "forward" } do
      local kept = definition[field]
      definition[field] = nil
      assert.has_error(function() norm.new(definition) end, "a norm needs the field " .. field)
      definition[field] = kept
    end
  end)

  it("does what a spec asks, or not", function()
    local rows, channels = { sums = "moments" }, { directions = { infer = {}, folded = {} } }
    assert.equal(rows, norm.direction(rows, { dir = "fwd" }))
    assert.is_nil(norm.direction(rows, { dir = "infer" }))
    assert.equal(norm.steps("moments").merge, norm.direction(rows, { dir = "merge", shards = 2 }))
    assert.is_nil(norm.direction({}, { dir = "merge", shards = 2 }))
    assert.equal(channels.directions.infer, norm.direction(channels, { dir = "infer", folded = false }))
    assert.equal(channels.directions.folded, norm.direction(channels, { dir = "infer", folded = true }))
    assert.is_nil(norm.direction(channels, { dir = "fwd" }))
  end)

  it("is named nowhere in the generator but in its own file", function()
    local count = 0
    for _, path in ipairs(files.under("gen", "%.lua$")) do
      if not path:find("^gen/norms/") then
        assert.same({}, names_in(files.read(path)), path)
        count = count + 1
      end
    end
    assert.is_true(count > 50, count .. " files")
  end)

  it("would be found if it were", function()
    assert.same({ "rmsnorm" }, names_in 'if s.norm == "rmsnorm" then')
    assert.same({ "mvn", "fold" }, names_in 'says = "mvn has none" -- dyt\nlocal s = { "fold" }')
    assert.same({ "l2norm" }, names_in 'local knows = { l2norm = true }')
    assert.same({}, names_in 'local fold = require "gen.lower.fold"\nfold.finish(labels) -- of layernorm')
  end)
end)
