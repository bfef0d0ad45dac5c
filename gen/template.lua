--- Templates: `${name}` is replaced by a value. A value of several lines takes the indentation of its hole, and a line that
-- holds nothing but a hole with an empty value vanishes. No logic.

local root = require "gen.root"

local template = {}

--- Fills templates/<name>; every hole needs a value.
function template.fill(name, values)
  local out = {}
  for line in root.read("templates/" .. name):gmatch("([^\n]*)\n") do
    local indent, only = line:match("^(%s*)%${([%w_]+)}$")
    if only then
      local value = assert(values[only], "no value for the hole " .. only)
      if value ~= "" and indent ~= "" then value = (indent .. value:gsub("\n", "\n" .. indent)):gsub("\n%s+\n", "\n\n") end
      if value ~= "" then out[#out + 1] = value end
    else
      out[#out + 1] = line:gsub("%${([%w_]+)}", function(hole) return assert(values[hole], "no value for the hole " .. hole) end)
    end
  end
  return table.concat(out, "\n") .. "\n"
end

return template
