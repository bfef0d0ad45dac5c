-- Runs the real command as its users do.

local files = require "tests.support.files"
local lfs = require "lfs"

local normgen = { interpreters = { "luajit", "lua5.4" }, path = lfs.currentdir() .. "/bin/normgen" }

local function quote(word) return "'" .. word:gsub("'", "'\\''") .. "'" end

-- normgen.line(words): a line for the shell.
function normgen.line(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = quote(word) end
  return table.concat(list, " ")
end

-- normgen.scratch(): a new empty directory. normgen.remove(path) takes it away again.
function normgen.scratch()
  local pipe = io.popen("mktemp -d")
  local path = pipe:read("*l")
  pipe:close()
  return path
end

function normgen.remove(path) os.execute(normgen.line { "rm", "-rf", path }) end

-- normgen.sh(line): runs a shell line; returns its exit code, standard output and standard error.
function normgen.sh(line)
  local scratch = normgen.scratch()
  os.execute(("( %s ) > %s/out 2> %s/err < /dev/null; echo $? > %s/code"):format(line, scratch, scratch, scratch))
  local code, out, err = files.read(scratch .. "/code"), files.read(scratch .. "/out"), files.read(scratch .. "/err")
  normgen.remove(scratch)
  return tonumber(code), out, err
end

-- normgen.run(words[, lua]): runs normgen with these arguments, under an interpreter.
function normgen.run(words, lua)
  return normgen.sh(("NORMGEN_LUA=%s %s %s"):format(lua or "", quote(normgen.path), normgen.line(words)))
end

return normgen
