--- Running other programs. Commands are arrays of words; quoting happens here and nowhere else.

local failure = require "host.failure"

local shell = {}

local function quote(word)
  return word:match("^[%w_./=,+-]+$") and word or "'" .. word:gsub("'", "'\\''") .. "'"
end

--- A command line that a POSIX shell splits into exactly these words.
-- @param words array of strings
function shell.line(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = quote(word) end
  return table.concat(list, " ")
end

--- One array of words out of several.
function shell.words(...)
  local list = {}
  for _, part in ipairs { ... } do
    for _, word in ipairs(part) do list[#list + 1] = word end
  end
  return list
end

--- Starts a command; several may run at a time.
-- @param words array of strings
-- @return what shell.finish takes
function shell.start(words)
  -- LuaJIT does not return the exit code of a pipe, so the shell prints it last.
  return io.popen(shell.line(words) .. " 2>&1; printf '\\n%d' $?", "r")
end

--- Waits for a command and collects what it prints, standard error included.
-- @return text, whether it exited with 0, the exit code
function shell.finish(pipe)
  local text = pipe:read("*a")
  pipe:close()
  local output, code = text:match("^(.*)\n(%d+)$")
  return output or text, code == "0", tonumber(code)
end

--- Runs a command and collects what it prints, standard error included.
-- @param words array of strings
-- @return text, whether it exited with 0, the exit code
function shell.capture(words) return shell.finish(shell.start(words)) end

--- Runs a command whose output goes where that of normgen goes.
-- @param words array of strings
-- @return whether it exited with 0
function shell.run(words)
  local status = os.execute(shell.line(words))
  return status == 0 or status == true
end

--- The output of a command that must not fail.
function shell.output(words)
  local text, ok = shell.capture(words)
  return ok and text or failure("%s failed: %s", words[1], text)
end

--- Whether a program can be found.
function shell.has(program)
  local _, ok = shell.capture { "sh", "-c", 'command -v "$1"', "sh", program }
  return ok
end

--- Calls action(directory) with a new empty directory, which is gone afterwards.
function shell.in_temporary_directory(action)
  local directory = shell.output({ "mktemp", "-d" }):match("[^\n]+")
  local ok, err = pcall(action, directory)
  shell.output { "rm", "-rf", directory }
  if not ok then error(err, 0) end
end

return shell
