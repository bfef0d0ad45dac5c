--- Templates: `${name}` is replaced by a value. A value of several lines takes the indentation of its hole, and a line that
-- holds nothing but a hole with an empty value vanishes. No logic.

local tree = require "gen.tree"

local template = {}

--- The lines of templates, `{ text=, has_hole=, indent=, only= }`: `only` names a hole that the line holds nothing but.
local templates = {}

local function lines_of(name)
  if not templates[name] then
    local lines = {}
    for text in tree.read("templates/" .. name):gmatch("([^\n]*)\n") do
      local indent, only = text:match("^(%s*)%${([%w_]+)}$")
      lines[#lines + 1] = { text = text, has_hole = text:find("${", 1, true), indent = indent, only = only }
    end
    templates[name] = lines
  end
  return templates[name]
end

--- Fills templates/<name>; every hole needs a value.
function template.fill(name, values)
  local out = {}
  local function value_of(hole) return assert(values[hole], "no value for the hole " .. hole) end
  for _, line in ipairs(lines_of(name)) do
    local indent = line.indent
    if line.only then
      local value = value_of(line.only)
      if value ~= "" and indent ~= "" then value = (indent .. value:gsub("\n", "\n" .. indent)):gsub("\n%s+\n", "\n\n") end
      if value ~= "" then out[#out + 1] = value end
    else
      out[#out + 1] = line.has_hole and line.text:gsub("%${([%w_]+)}", value_of) or line.text
    end
  end
  return table.concat(out, "\n") .. "\n"
end

--- A text without blanks and newlines at its end.
function template.trimmed(text) return text:match("^.*%S") or "" end

--- A filled template that stands in another one.
function template.piece(name, values) return template.trimmed(template.fill(name, values)) end

return template
