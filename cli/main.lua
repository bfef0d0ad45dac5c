--- The command: parses the arguments, runs a subcommand, turns errors into one line and a code.
-- Exit codes: 0 done, 1 I/O or a check failed, 2 bad usage, 3 a bug of normgen (with a traceback).

-- LuaJIT's own limits hold a tenth of the generator: it would throw away compiled code and compile it again, all the time.
if jit then jit.opt.start("maxtrace=10000", "maxmcode=16384") end

package.path = arg[0]:match("^(.*)cli/main%.lua$") .. "?.lua;" .. package.path

local files = require "host.files"
local new_parser = require "cli.parser"
local targets = require "gen.target.targets"
local usage = require "gen.errors.usage"

local function describe(err)
  if type(err) == "table" and (err.usage or err.failure) then return err end
  return { bug = debug.traceback(tostring(err), 2) }
end

local function stop(message, code)
  io.stderr:write("normgen: ", message, "\n")
  os.exit(code)
end

-- Calls action(...) and ends the process: code 0, or one line and the code of the error.
local function run(action, ...)
  local ok, err = xpcall(action, describe, ...)
  if ok then os.exit(0) end
  if err.usage then stop((err.usage:gsub("%c", " ")), 2) end
  if err.failure then stop((err.failure:gsub("%c", " ")), 1) end
  stop("internal error, please report it: " .. err.bug, 3)
end

-- For argparse: prints what text() returns, and ends there. (Its own --help does not notice a full disk.)
local function answer(text)
  return function() run(function() files.print(text()) end) end
end

local function main()
  local parser, commands = new_parser(answer)
  local ok, args = parser:pparse(arg)
  if not ok then usage.fail("%s", (args:gsub("\nDid you", ", did you"))) end
  for _, path in ipairs(args.target_path or {}) do targets.add_directory(path) end
  for _, command in ipairs(commands) do
    if command.name == args.command then command.run(args) end
  end
end

run(main)
