--- What there is: norms and targets are found by their files, so that a file is all that it takes to add one.

local lfs = require "lfs"
local root = require "gen.root"

local directory = {}

local cache = {}

local function names(path, pattern)
  local list = {}
  for entry in lfs.dir(path) do list[#list + 1] = entry:match(pattern) end
  table.sort(list)
  return list
end

--- Names of the Lua files in a directory, sorted, without `.lua`.
function directory.modules(path)
  cache[path] = cache[path] or names(path, "^([^.].*)%.lua$")
  return cache[path]
end

--- Whether there is a directory of this path.
function directory.exists(path) return lfs.attributes(path, "mode") == "directory" end

--- Names of the norms, sorted.
function directory.norms() return directory.modules(root.path "gen/norms") end

--- Names of the files in targets, sorted; one of them is the vocabulary.
function directory.targets() return directory.modules(root.path "targets") end

--- Names of the files with tuned schedules, sorted.
function directory.records() return names(root.path "tuned", "^[^.].*%.jsonl$") end

return directory
