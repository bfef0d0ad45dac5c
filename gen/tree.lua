--- Where normgen's own files are: the directory that holds gen/, found from this module's own path.

local root = {}

local directory = debug.getinfo(1, "S").source:match("^@(.*)gen/root%.lua$") or "./"

local texts, names = {}, {}

--- The path of a file that belongs to normgen.
-- @param name path below the root directory
function root.path(name) return directory .. name end

--- The text of a file that belongs to normgen, or nil if there is none. It is read once.
-- @param name path below the root directory
function root.read(name)
  local file = not texts[name] and io.open(root.path(name), "rb")
  if file then
    texts[name] = file:read("*a")
    names[#names + 1] = name
    file:close()
  end
  return texts[name]
end

--- Names of the files that have been read, in the order of their first use.
function root.names_read() return names end

return root
