--- The parser of the command line, from the tables of the subcommands.

local argparse = require "argparse"
local contract = require "gen.formula.contract"
local options = require "cli.options"
local version = require "gen.emit.version"

local COMMANDS = { "emit", "list", "describe", "explain", "check", "model", "bench", "tune", "report", "doctor" }

local SUMMARY = "Generates portable C kernels for normalisation layers."

-- What stands at the end of --help: examples, and what else there is to say.
local function epilog_of(command)
  local examples = "Examples:\n  " .. table.concat(command.examples, "\n  ")
  return command.notes and examples .. "\n\n" .. command.notes or examples
end

local function version_text() return ("normgen %s\ncontract %d\n"):format(version, contract.version) end

--- @param answer answer(text) is an action for argparse: prints what text() returns, and ends the process
-- @return argparse parser, which sets `command`; array of the subcommands, `{ name=, summary=, arguments=, examples=,
--   notes=, run= }`; what normgen does, in one line
return function(answer)
  local function with_help(parser)
    return parser:add_help { action = answer(function() return parser:get_help() .. "\n" end) }
  end
  local parser, commands = argparse("normgen", SUMMARY):epilog("normgen COMMAND --help tells more, with examples."), {}
  with_help(parser):command_target("command")
  parser:flag("--version", "Print the version of normgen and of the numeric contract."):action(answer(version_text))
  for i, name in ipairs(COMMANDS) do
    local command = require("cli." .. name)
    command.name = name
    commands[i] = command
    options.add(with_help(parser:command(name, command.summary)):epilog(epilog_of(command)), command.arguments)
  end
  return parser, commands, SUMMARY
end
