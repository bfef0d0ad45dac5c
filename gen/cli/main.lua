--- The command: builds the parser from the tables of the subcommands, runs one, turns errors into one line and a code.
-- Exit codes: 0 done, 1 I/O or a check failed, 2 bad usage, 3 a bug of normgen (with a traceback).

package.path = arg[0]:match("^(.*)gen/cli/main%.lua$") .. "?.lua;" .. package.path

local argparse = require "argparse"
local files = require "gen.cli.files"
local options = require "gen.cli.options"
local targets = require "gen.targets"
local usage = require "gen.usage"

local COMMANDS = { "emit", "list", "describe", "explain", "check", "model", "bench", "doctor" }

-- What stands at the end of --help: examples, and what else there is to say.
local function epilog_of(command)
  local examples = "Examples:\n  " .. table.concat(command.examples, "\n  ")
  return command.notes and examples .. "\n\n" .. command.notes or examples
end

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

local function version_text()
  return ("normgen %s\ncontract %d\n"):format(require "gen.version", require("gen.contract").version)
end

local function with_help(parser)
  return parser:add_help { action = answer(function() return parser:get_help() .. "\n" end) }
end

local function build_parser(commands)
  local parser = argparse("normgen", "Generates portable C kernels for normalisation layers.")
    :epilog("normgen COMMAND --help tells more, with examples.")
  with_help(parser):command_target("command")
  parser:flag("--version", "Print the version of normgen and of the numeric contract."):action(answer(version_text))
  for _, name in ipairs(COMMANDS) do
    local command = commands[name]
    options.add(with_help(parser:command(name, command.summary)):epilog(epilog_of(command)), command.arguments)
  end
  return parser
end

local function main()
  local commands = {}
  for _, name in ipairs(COMMANDS) do commands[name] = require("gen.cli." .. name) end
  local ok, args = build_parser(commands):pparse(arg)
  if not ok then usage.fail("%s", (args:gsub("\nDid you", ", did you"))) end
  for _, path in ipairs(args.target_path or {}) do targets.add_directory(path) end
  commands[args.command].run(args)
end

run(main)
