-- Files of the source tree, for tests that read it.

local lfs = require "lfs"

local files = {}

-- files.under(directory, pattern): paths below a directory (relative, sorted) whose name matches the Lua pattern.
function files.under(directory, pattern)
  local found = {}
  for name in lfs.dir(directory) do
    local path = directory .. "/" .. name
    if name ~= "." and name ~= ".." then
      if lfs.attributes(path, "mode") == "directory" then
        for _, below in ipairs(files.under(path, pattern)) do found[#found + 1] = below end
      elseif name:find(pattern) then
        found[#found + 1] = path
      end
    end
  end
  table.sort(found)
  return found
end

-- files.read(path): the whole text of a file.
function files.read(path)
  local file = assert(io.open(path, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

-- files.write(path, text): writes a whole file.
function files.write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
end

-- files.write_depfile(path, output): tells ninja that `output` depends on every file of the generator and of this directory.
function files.write_depfile(path, output)
  local read = { output .. ":" }
  for _, root in ipairs { "gen", "runtime", "specs", "targets", "templates", "tests/support" } do
    for _, name in ipairs(files.under(root, "%w$")) do read[#read + 1] = lfs.currentdir() .. "/" .. name end
  end
  files.write(path, table.concat(read, " ") .. "\n")
end

return files
