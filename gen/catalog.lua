--- Catalog: which norms and targets there are. A file in gen/norms or targets is all that it takes to add one.

local lfs = require "lfs"
local root = require "gen.root"
local suggest = require "gen.suggest"

local catalog = {}

local cache = {}

--- Names of the Lua files in a directory of normgen, sorted.
local function modules(directory)
  if not cache[directory] then
    local list = {}
    for entry in lfs.dir(root.path(directory)) do
      local name = entry:match("^([%w_]+)%.lua$")
      if name and name ~= "vocabulary" then list[#list + 1] = name end
    end
    table.sort(list)
    cache[directory] = list
  end
  return cache[directory]
end

--- Names of all norms, sorted.
function catalog.norms() return modules "gen/norms" end

--- All targets, lowest rank first (name decides between equals). A target is the table that its file returns.
function catalog.targets()
  local list = {}
  for i, name in ipairs(modules "targets") do list[i] = require("targets." .. name) end
  table.sort(list, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.name < b.name
  end)
  return list
end

--- The target of this name; a usage error if there is none.
function catalog.target(name)
  local known = {}
  for i, target in ipairs(catalog.targets()) do
    if target.name == name then return target end
    known[i] = target.name
  end
  suggest.unknown("target", name, known)
end

return catalog
