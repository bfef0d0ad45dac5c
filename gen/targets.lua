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

--- Fails with a usage error unless a target with vectors has the words that every kernel needs, this layout, and all words
-- of these dtypes in it.
function targets.require_words(target, layout, dtypes)
  local function need(value, what)
    if not value then usage.fail("target %s has no %s", target.name, what) end
    return value
  end
  for _, name in ipairs(vocabulary.structural) do need(target.words[name], "word " .. name) end
  local words = need(target.layouts[layout], "layout " .. layout).dtypes
  for _, dtype in ipairs(dtypes) do
    local chunk = need(words[dtype], ("dtype %s in layout %s"):format(dtype, layout))
    for _, name in ipairs(vocabulary.memory) do need(chunk[name], ("word %s of dtype %s in layout %s"):format(name, dtype, layout)) end
  end
end

return targets
