--- The one door through which the generator reads files: those of normgen's own tree, and targets of users. The tree's top is
-- found from this module's own path. Norms and targets are found by their files, so that a file is all that it takes to add one.

local lfs = require "lfs"

local tree = {}

local top = debug.getinfo(1, "S").source:match("^@(.*)gen/tree%.lua$") or "./"

local texts, paths_read, listed = {}, {}, {}

--- The path of a file that belongs to normgen.
-- @param name path below the top of the tree
function tree.path(name) return top .. name end

--- The text of a file, or nil if there is none. It is read once.
function tree.text(path)
  local file = not texts[path] and io.open(path, "rb")
  if file then
    texts[path] = file:read("*a")
    paths_read[#paths_read + 1] = path
    file:close()
  end
  return texts[path]
end

--- The text of a file that belongs to normgen, or nil if there is none.
-- @param name path below the top of the tree
function tree.read(name) return tree.text(tree.path(name)) end

--- Paths of the files that have been read, in the order of their first use.
function tree.paths_read() return paths_read end

local function names(path, pattern)
  local list = {}
  for entry in lfs.dir(path) do list[#list + 1] = entry:match(pattern) end
  table.sort(list)
  return list
end

--- Names of the Lua files in a directory, sorted, without `.lua`.
function tree.modules(path)
  listed[path] = listed[path] or names(path, "^([^.].*)%.lua$")
  return listed[path]
end

--- Whether there is a directory of this path.
function tree.exists(path) return lfs.attributes(path, "mode") == "directory" end

--- Names of the norms, sorted.
function tree.norms() return tree.modules(tree.path "gen/norms") end

--- Names of the targets in the tree, sorted.
function tree.targets() return tree.modules(tree.path "targets") end

--- Names of the files with tuned schedules, sorted.
function tree.records() return names(tree.path "records", "^[^.].*%.jsonl$") end

return tree
