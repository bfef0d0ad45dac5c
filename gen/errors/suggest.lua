--- "Did you mean": the nearest known word, and the error about an unknown one.

local usage = require "gen.errors.usage"

local suggest = {}

--- Number of single-character edits (insert, delete, replace, swap of neighbours) between two strings.
local function distance(a, b)
  local before, above = nil, {}
  for j = 0, #b do above[j] = j end
  for i = 1, #a do
    local row = { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost)
      if i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
    before, above = above, row
  end
  return above[#b]
end

--- The known word closest to a given one.
-- @param word string
-- @param known array of strings; the first of equally near ones wins
-- @return string, or nil if nothing is near enough (one edit for each three characters, but not all of them)
function suggest.nearest(word, known)
  local best, least = nil, math.min(#word, math.max(1, math.floor(#word / 3)) + 1)
  for _, candidate in ipairs(known) do
    if math.abs(#candidate - #word) < least then
      local d = distance(word:lower(), candidate:lower())
      if d < least then best, least = candidate, d end
    end
  end
  return best
end

--- What is said about an unknown word.
-- @param what the kind of word, e.g. "target"
-- @param word what the user wrote
-- @param known array of strings: what is allowed, in the order to print
-- @return string such as "unknown target 'avx3', did you mean 'avx2'?", with the known ones if none is near
function suggest.text(what, word, known)
  local near = suggest.nearest(word, known)
  return ("unknown %s %s%s"):format(what, usage.quote(word),
    near and ", did you mean '" .. near .. "'?" or " (known: " .. table.concat(known, ", ") .. ")")
end

--- Raises the usage error about an unknown word; parameters as of suggest.text.
function suggest.unknown(what, word, known) usage.fail("%s", suggest.text(what, word, known)) end

return suggest
