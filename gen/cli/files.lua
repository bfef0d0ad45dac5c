--- Files and directories for the subcommands. Failures are failure: exit 1.

local failure = require "gen.failure"
local lfs = require "lfs"
local usage = require "gen.usage"

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

local function remove_all(pending)
  for _, file in ipairs(pending) do os.remove(file.temporary) end
end

--- Writes files so that each is either the old or the new one: first all under temporary names, then renamed.
-- A file whose content would not change is not touched.
-- @param directory existing directory
-- @param list array of { path = name in the directory, text = content }
function files.write_all(directory, list)
  local pending = {}
  for _, file in ipairs(list) do
    local path = directory .. "/" .. file.path
    if files.read(path) ~= file.text then
      local entry = { path = path, temporary = temporary_name(path) }
      pending[#pending + 1] = entry
      local written, reason = write(entry.temporary, file.text)
      if not written then
        remove_all(pending)
        failure("cannot write %s: %s", usage.quote_path(path), reason)
      end
    end
  end
  for _, file in ipairs(pending) do
    local renamed, reason = os.rename(file.temporary, file.path)
    if not renamed then
      remove_all(pending)
      failure("cannot write %s: %s", usage.quote_path(file.path), reason)
    end
  end
end

return files
