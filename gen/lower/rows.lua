--- Row values in vectors: one value per row, in some arrangement of slots.
--
-- A row value is `{ vectors = {name..}, at = {[row] = {vector=, slot=, everywhere=}}, key = }`. What a folded tree leaves
-- is one arrangement; one vector per row that holds the value in every slot ("spread") is another. Values of the same
-- arrangement (equal keys) are combined vector by vector: one division serves a whole row block.

local rows = {}

local function key_of(value, count)
  local parts = {}
  for row = 0, count - 1 do
    local at = value.at[row]
    parts[#parts + 1] = at.vector .. (at.everywhere and "*" or "." .. at.slot)
  end
  return table.concat(parts, " ")
end

--- Completes a row value of `count` rows with the key of its arrangement.
function rows.value(vectors, at, count)
  local value = { vectors = vectors, at = at }
  value.key = key_of(value, count)
  return value
end

--- The row value that has one vector per row, from the names of these vectors.
function rows.spread(names)
  local at = {}
  for row = 0, #names - 1 do at[row] = { vector = row + 1, slot = 0, everywhere = true } end
  return rows.value(names, at, #names)
end

return rows
