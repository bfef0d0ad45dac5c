-- Prints the man page, or the completion of a shell, from the tables that feed --help.
--   luajit install/manual.lua man|bash|zsh|fish       in the root of the source tree

local options = require "cli.options"
local version = require "gen.emit.version"
local parser, commands, summary = require("cli.parser")(function(text) return text end)

-- Text that roff prints as it is.
local function plain(text) return (text:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("^([.'])", "\\&%1"):gsub("\n([.'])", "\n\\&%1")) end

local function bold(text) return "\\fB" .. plain(text) .. "\\fR" end
local function italic(text) return "\\fI" .. plain(text) .. "\\fR" end

-- An option as it is written on the command line, and an argument as it stands in the usage.
local function heading(row)
  if row.kind == "argument" then return italic(row.name) end
  local names = {}
  for name in row.name:gmatch("%S+") do names[#names + 1] = bold(name) end
  local value = row.hint or row.choices and table.concat(row.choices, "|")
  return table.concat(names, ", ") .. (value and " " .. italic(value) or "")
end

local function synopsis(command)
  local words = { bold("normgen " .. command.name), "[" .. italic "option" .. " ...]" }
  for _, name in ipairs(command.arguments) do
    local row = options.row(name)
    if row.kind == "argument" then words[#words + 1] = italic(row.name) .. (type(row.args) == "string" and " ..." or "") end
  end
  return table.concat(words, " ")
end

local lines = {}
local function add(...)
  for _, line in ipairs { ... } do lines[#lines + 1] = line end
end

local function add_command(command)
  add(".SS " .. plain(command.name), plain(command.summary), ".PP", synopsis(command))
  for _, name in ipairs(command.arguments) do
    local row = options.row(name)
    add(".TP", heading(row), plain(row.about) .. (row.default and " (Default: " .. plain(row.default) .. ")" or ""))
  end
  if command.notes then add(".PP", ".nf", plain(command.notes), ".fi") end
  add(".PP", "Examples:", ".PP", ".nf", ".RS", plain(table.concat(command.examples, "\n")), ".RE", ".fi")
end

local function manual()
  add('.TH NORMGEN 1 "" "normgen ' .. version .. '"', ".SH NAME", "normgen \\- " .. plain((summary:gsub("%.$", ""))), ".SH SYNOPSIS")
  for _, command in ipairs(commands) do add(synopsis(command), ".br") end
  add(bold "normgen --version", ".br", bold "normgen" .. " [" .. italic "command" .. "] " .. bold "--help")
  add(".SH COMMANDS")
  for _, command in ipairs(commands) do add_command(command) end
  add(".SH EXIT STATUS", ".TP", "0", "Done.", ".TP", "1", "A file cannot be read or written, or a check failed.", ".TP", "2",
    "Bad usage.", ".TP", "3", "A bug of normgen.")
  add(".SH ENVIRONMENT", ".TP", "NORMGEN_LUA", "The interpreter to run with instead of luajit, else lua5.4.", ".TP",
    "NORMGEN_MAX_TARGET", "Read by emitted dispatchers: the highest target to choose.")
  return table.concat(lines, "\n") .. "\n"
end

local KINDS = {
  man = manual,
  bash = function() return parser:get_bash_complete() end,
  zsh = function() return parser:get_zsh_complete() end,
  fish = function() return parser:get_fish_complete() end,
}

io.write(KINDS[arg[1]]())
