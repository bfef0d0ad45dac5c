--- What there is: norms and targets are found by their files, so that a file is all that it takes to add one.

local lfs = require "lfs"
local root = require "gen.root"

local directory = {}

local cache = {}

--- Names of the Lua files in a directory, sorted, without `.lua`.
function directory.modules(path)
  if not cache[path] then
    local list = {}
    for entry in lfs.dir(path) do list[#list + 1] = entry:match("^([^.].*)%.lua$") end
    table.sort(list)
    cache[path] = list
  end
  return cache[path]
end

--- Whether there is a directory of this path.
function directory.exists(path) return lfs.attributes(path, "mode") == "directory" end

--- Names of the norms, sorted.
function directory.norms() return directory.modules(root.path "gen/norms") end

--- Names of the files in targets, sorted; one of them is the vocabulary.
function directory.targets() return directory.modules(root.path "targets") end

return directory
