--- The parser of the command line, from the tables of the subcommands.

local argparse = require "argparse"
local contract = require "gen.contract"
local files = require "gen.cli.files"
local options = require "gen.cli.options"
local version = require "gen.version"

local COMMANDS = { "emit", "list", "describe", "explain", "check", "model", "doctor" }

local SUMMARY = "Generates portable C kernels for normalisation layers."

-- What stands at the end of --help: examples, and what else there is to say.
local function epilog_of(command)
  local examples = "Examples:\n  " .. table.concat(command.examples, "\n  ")
  return command.notes and examples .. "\n\n" .. command.notes or examples
end

local function print_version()
  files.print(("normgen %s\ncontract %d\n"):format(version, contract.version))
  os.exit(0)
end

--- @return argparse parser, which sets `command`; array of the subcommands, `{ name=, summary=, arguments=, examples=,
--   notes=, run= }`; what normgen does, in one line
return function()
  local parser, commands = argparse("normgen", SUMMARY):epilog("normgen COMMAND --help tells more, with examples."), {}
  parser:command_target("command")
  parser:flag("--version", "Print the version of normgen and of the numeric contract."):action(print_version)
  for i, name in ipairs(COMMANDS) do
    local command = require("gen.cli." .. name)
    command.name = name
    commands[i] = command
    options.add(parser:command(name, command.summary):epilog(epilog_of(command)), command.arguments)
  end
  return parser, commands, SUMMARY
end
