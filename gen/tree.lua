--- normgen's own tree of files: the one door through which the generator reads. The tree's top is found from this module's own
-- path. Norms and targets are found by their files, so that a file is all that it takes to add one.

local lfs = require "lfs"

local tree = {}

local top = debug.getinfo(1, "S").source:match("^@(.*)gen/tree%.lua$") or "./"

local texts, names_read, listed = {}, {}, {}

--- The path of a file that belongs to normgen.
-- @param name path below the top of the tree
function tree.path(name) return top .. name end

--- The text of a file that belongs to normgen, or nil if there is none. It is read once.
-- @param name path below the top of the tree
function tree.read(name)
  local file = not texts[name] and io.open(tree.path(name), "rb")
  if file then
    texts[name] = file:read("*a")
    names_read[#names_read + 1] = name
    file:close()
  end
  return texts[name]
end

--- Names of the files that have been read, in the order of their first use.
function tree.names_read() return names_read end

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

--- Names of the files in targets, sorted; one of them is the vocabulary.
function tree.targets() return tree.modules(tree.path "targets") end

--- Names of the files with tuned schedules, sorted.
function tree.records() return names(tree.path "records", "^[^.].*%.jsonl$") end

return tree
