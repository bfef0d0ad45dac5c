--- Targets: the tables that the files in targets/ return.

local directory = require "gen.directory"
local suggest = require "gen.suggest"
local usage = require "gen.usage"
local vocabulary = require "targets.vocabulary"

local targets = {}

local function by_rank(a, b)
  if a.rank ~= b.rank then return a.rank < b.rank end
  return a.name < b.name
end

--- All targets, lowest rank first (the name decides between equals).
function targets.all()
  local list = {}
  for _, name in ipairs(directory.targets()) do
    if name ~= "vocabulary" then list[#list + 1] = require("targets." .. name) end
  end
  table.sort(list, by_rank)
  return list
end

--- The target of this name; a usage error if there is none.
function targets.named(name)
  local known = {}
  for i, target in ipairs(targets.all()) do
    if target.name == name then return target end
    known[i] = target.name
  end
  suggest.unknown("target", name, known)
end

--- The helpers of a target: those of the target that it borrows from, then its own.
function targets.helpers(target)
  local list = {}
  for _, source in ipairs { target.borrows and targets.named(target.borrows) or { helpers = {} }, target } do
    for _, helper in ipairs(source.helpers) do list[#list + 1] = helper end
  end
  return list
end

--- Whether a target computes in vectors (or else in loops over the contract's lanes).
function targets.has_vectors(target) return target.types.f32.vector ~= nil end

--- Fails with a usage error unless a target with vectors has the words that a kernel of this contract needs, this layout, and
-- all words of these dtypes in it.
-- @param contract the contract of a problem, for `compute` and `acc`
function targets.require_words(target, contract, layout, dtypes)
  local function need(value, format, ...)
    if not value then usage.fail("target %s has no " .. format, target.name, ...) end
    return value
  end
  for _, name in ipairs { contract.compute, contract.acc } do
    local words = need(target.types[name], "type %s", name).words
    for _, word in ipairs(vocabulary.structural) do need(words[word], "word %s for %s", word, name) end
  end
  local memory = need(target.types[contract.compute].layouts[layout], "layout %s for %s", layout, contract.compute).dtypes
  for _, dtype in ipairs(dtypes) do
    local chunk = need(memory[dtype], "dtype %s in layout %s", dtype, layout)
    for _, name in ipairs(vocabulary.memory) do need(chunk[name], "word %s of dtype %s in layout %s", name, dtype, layout) end
  end
end

return targets
