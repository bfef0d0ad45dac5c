--- What there is: norms and targets are found by their files, so that a file is all that it takes to add one.

local lfs = require "lfs"
local root = require "gen.root"

local directory = {}

local cache = {}

local function modules(path)
  if not cache[path] then
    local list = {}
    for entry in lfs.dir(root.path(path)) do list[#list + 1] = entry:match("^([%w_]+)%.lua$") end
    table.sort(list)
    cache[path] = list
  end
  return cache[path]
end

--- Names of the norms, sorted.
function directory.norms() return modules "gen/norms" end

--- Names of the files in targets, sorted; one of them is the vocabulary.
function directory.targets() return modules "targets" end

return directory
