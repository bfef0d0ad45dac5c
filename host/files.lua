--- Files and directories for the subcommands. Failures are failure: exit 1.

local failure = require "host.failure"
local lfs = require "lfs"
local usage = require "gen.errors.usage"

local files = {}

--- The text of a file, or nil and the reason.
function files.read(path)
  local file, reason = io.open(path, "rb")
  if not file then return nil, reason end
  local text, why = file:read("*a")
  file:close()
  return text, why
end

--- Writes text to standard output.
function files.print(text)
  local written, reason = io.stdout:write(text)
  if written then written, reason = io.stdout:flush() end
  if not written then failure("cannot write the output: %s", reason) end
end

--- Makes a directory and its parents.
function files.make_directory(path)
  if lfs.attributes(path, "mode") == "directory" then return end
  local parent = path:match("^(.+)/+[^/]+/*$")
  if parent then files.make_directory(parent) end
  local made, reason = lfs.mkdir(path)
  if not made then failure("cannot make directory %s: %s", usage.quote_path(path), reason) end
end

local function write(path, text)
  local file, reason = io.open(path, "wb")
  if not file then return nil, reason:sub(#path + #": " + 1) end
  local written, why = file:write(text)
  local closed, what = file:close()
  return written and closed, why or what
end

-- A name in the same directory that two runs at a time do not share.
local function temporary_name(path)
  return path .. "." .. tostring({}):match("(%x+)$") .. ".tmp"
end

--- Writes a file anew, whether its content changes or not. It is either the old or the new one.
function files.write(path, text)
  local temporary = temporary_name(path)
  local written, reason = write(temporary, text)
  if written then written, reason = os.rename(temporary, path) end
  if not written then
    os.remove(temporary)
    failure("cannot write %s: %s", usage.quote_path(path), reason)
  end
end

-- Writes what changes under temporary names, then renames all; `pending` gets both names of each.
local function write_pending(directory, each, pending)
  each(function(file)
    local path = directory .. "/" .. file.path
    if files.read(path) ~= file.text then
      local temporary = temporary_name(path)
      pending[#pending + 1] = { path = path, temporary = temporary }
      local written, reason = write(temporary, file.text)
      if not written then failure("cannot write %s: %s", usage.quote_path(path), reason) end
    end
  end)
  for _, file in ipairs(pending) do
    local renamed, reason = os.rename(file.temporary, file.path)
    if not renamed then failure("cannot write %s: %s", usage.quote_path(file.path), reason) end
  end
end

local function traced(err) return type(err) == "string" and debug.traceback(err, 2) or err end

--- Writes files so that each is either the old or the new one: first all under temporary names, then renamed.
-- A file whose content would not change is not touched; after an error no temporary is left.
-- @param directory existing directory
-- @param each function that calls the function which it gets with each file, { path = name in the directory, text = content }
function files.write_each(directory, each)
  local pending = {}
  local ok, err = xpcall(write_pending, traced, directory, each, pending)
  if not ok then
    for _, file in ipairs(pending) do os.remove(file.temporary) end
    error(err, 0)
  end
end

--- The same for an array of files.
function files.write_all(directory, list)
  files.write_each(directory, function(act)
    for _, file in ipairs(list) do act(file) end
  end)
end

return files
