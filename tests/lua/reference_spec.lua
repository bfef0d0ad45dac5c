-- What the reference set says of itself: all norms, all directions, all dtypes, every option; and what generated/ shows of it.

local files = require "tests.support.files"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"
local tree = require "gen.tree"

local SETS = { "specs/reference.lua", "specs/relatives.lua" }

-- The specs of the set but those that leave(text) is true for.
local function specs_of(leave)
  local list = {}
  for _, path in ipairs(SETS) do
    for _, text in ipairs(dofile(path)) do
      if not (leave and leave(text)) then list[#list + 1] = spec.parse(text) end
    end
  end
  return list
end

-- What no spec has: norms, words that stand alone, dtypes of y, keys with a value that is not the default.
local function missing(specs)
  local seen, list = {}, {}
  for _, s in ipairs(specs) do
    seen[s.norm], seen["out=" .. s.out] = true, true
    for _, entry in ipairs(spec.words(s)) do
      seen[entry.word] = true
      if entry.row.key then seen[entry.row.key .. "="] = true end
    end
  end
  local function need(word) list[#list + 1] = not seen[word] and word or nil end
  for _, name in ipairs(tree.norms()) do need(name) end
  for _, row in ipairs(spec.grammar) do
    local texts = spec.supported(row)
    for _, text in ipairs(texts) do
      if not row.key then need(text) elseif row.field == "out" then need("out=" .. text) end
    end
    -- A key with one choice has nothing to say but its default.
    if row.key and (row.read or #texts > 1 or row.default == false) then need(row.key .. "=") end
  end
  return list
end

describe("the reference set", function()
  it("has all norms, all directions, all dtypes and every option", function()
    assert.same({}, missing(specs_of()))
  end)

  it("would miss what it lacks", function()
    local function without(pattern) return missing(specs_of(function(text) return text:find(pattern) end)) end
    assert.same({ "mvn" }, without "^mvn")
    assert.same({ "foldstats" }, without "foldstats")
    assert.same({ "out=e4m3", "side" }, without "e4m3")
    assert.same({ "twin" }, without "twin")
    assert.same({ "acc=" }, without "acc=")
  end)

  it("is shown for every target", function()
    local found = {}
    for _, path in ipairs(files.under("generated", "%.c$")) do found[path:match("_([^_]+)%.c$")] = true end
    for _, target in ipairs(targets.all()) do assert.is_true(found[target.name], target.name) end
  end)
end)
