--- What build systems read: which files an emission writes, which files it reads, and the rule in between.

local emission = require "cli.emission"
local shell = require "host.shell"
local template = require "gen.emit.template"

local rules = {}

-- A path in a makefile or depfile.
local function escape(path) return (path:gsub("[ #]", "\\%0"):gsub("%$", "$$$$")) end

local function escaped(paths)
  local list = {}
  for i, path in ipairs(paths) do list[i] = escape(path) end
  return list
end

--- The text of a depfile, in the form that make, ninja and compilers share. Inputs have rules without prerequisites, so that
-- make does not miss one that is gone.
-- @param outputs, inputs arrays of paths
function rules.depfile(outputs, inputs)
  local list = escaped(inputs)
  return ("%s: \\\n  %s\n\n%s:\n"):format(table.concat(escaped(outputs), " "), table.concat(list, " \\\n  "),
    table.concat(list, ":\n"))
end

-- The names of the files that end in an extension, one a line, each with an ending.
local function names(list, extension, ending)
  local found = {}
  for _, file in ipairs(list) do
    if file.path:find(extension .. "$") then found[#found + 1] = file.path .. ending end
  end
  return table.concat(found, "\n")
end

local function fill(name, run, list, ending)
  return template.fill(name, { p = run.prefix, command = run.options.command, emit = shell.line(run.words):gsub("%$", "$$$$"),
    sources = names(list, "%.c", ending), headers = names(list, "%.h", ending) })
end

local FORMATS = {
  files = function(_, list) return names(list, "", "") .. "\n" end,
  make = function(run, list) return fill("rules.mk", run, list, " \\") end,
  cmake = function(run, list) return fill("rules.cmake", run, list, "") end,
}

--- The files of an emission as a build system wants to be told.
-- @param format "files": names, one on each line; "make": a fragment to include, with variables and rules; "cmake": variables
-- @param run emission (cli/emission.lua)
function rules.text(format, run) return FORMATS[format](run, emission.files(run)) end

--- Whether there is such a format.
function rules.has(format) return FORMATS[format] ~= nil end

return rules
