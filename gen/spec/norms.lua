--- The norms as a spec sees them: found by their files, asked for what these say.

local form = require "gen.formula.norm"
local tree = require "gen.tree"

local norms = {}

--- Names of the norms, sorted.
norms.names = tree.norms()

local definitions = {}
for _, name in ipairs(norms.names) do definitions[name] = require("gen.norms." .. name) end

--- Whether there is a norm of this name.
function norms.is_known(name) return definitions[name] ~= nil end

--- What the norm of a spec declares (gen/formula/norm.lua).
function norms.of(s) return definitions[s.norm] end

--- Whether a spec counts channels (c=) instead of the elements of a row (h=).
function norms.has_channels(s) return norms.of(s).sizes == "c" end

--- What a spec asks of its norm (gen/formula/norm.lua), or nil.
function norms.direction(s) return form.direction(norms.of(s), s) end

--- Names of the norms that fit.
-- @param fits function(definition)
function norms.that(fits)
  local list = {}
  for _, name in ipairs(norms.names) do
    if fits(definitions[name]) then list[#list + 1] = name end
  end
  return list
end

--- The names of the norms that have a field of the grammar, for messages.
function norms.having(field)
  return table.concat(norms.that(function(norm) return norm.words[field] end), ", ")
end

return norms
