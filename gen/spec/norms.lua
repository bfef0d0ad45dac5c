--- The norms as a spec sees them: found by their files, asked for what these say.

local form = require "gen.formula.norm"
local tree = require "gen.tree"

local norms = {}

--- Names of the norms, sorted.
norms.names = tree.norms()

local is_norm = {}
for _, name in ipairs(norms.names) do is_norm[name] = true end

--- Whether there is a norm of this name.
function norms.is_known(name) return is_norm[name] == true end

local definitions = {}

--- What the norm of a spec declares (gen/formula/norm.lua). Its file is read when it is asked for: kernels of other norms do not hang
-- on it.
function norms.of(s)
  definitions[s.norm] = definitions[s.norm] or require("gen.norms." .. s.norm)
  return definitions[s.norm]
end

--- Whether a spec counts channels (c=) instead of the elements of a row (h=).
function norms.has_channels(s) return norms.of(s).sizes == "c" end

--- What a spec asks of its norm (gen/formula/norm.lua), or nil.
function norms.direction(s) return form.direction(norms.of(s), s) end

--- The names of the norms that have a field of the grammar, for messages.
function norms.having(field)
  local list = {}
  for _, name in ipairs(norms.names) do
    if norms.of({ norm = name }).words[field] then list[#list + 1] = name end
  end
  return table.concat(list, ", ")
end

return norms
