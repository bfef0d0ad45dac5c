--- Where normgen's own files are: the directory that holds gen/, found from this module's own path.

local root = {}

local directory = debug.getinfo(1, "S").source:match("^@(.*)gen/root%.lua$") or "./"

--- The path of a file that belongs to normgen.
-- @param name path below the root directory
function root.path(name) return directory .. name end

return root
