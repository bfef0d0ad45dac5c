--- Folding the lanes of sums by the contract's halving tree.
--
-- Every slot of every accumulator bears a label: which row it belongs to, its position (lane + lanes * block) and how
-- many accumulated lanes it already holds. One level of the tree adds position p + w to position p for all p with the
-- bit w clear. Whole vectors are added where all their slots are partners; otherwise a fold word of the target is
-- searched that brings partners together. At the end the labels must show that every lane was added exactly once: a
-- wrong tree is an error at generation time.

local usage = require "gen.errors.usage"

local fold = {}

local function has_bit(position, w)
  return math.floor(position / w) % 2 == 1
end

--- A vector with labels. `slots[s] = { row=, position=, lanes= }` or false for a slot that no longer matters.
function fold.vector(name, slots) return { name = name, slots = slots } end

--- Whether a vector has slots with the bit w both clear and set, and whether it has any with the bit set.
local function is_mixed(vector, w)
  local clear, set = false, false
  for _, slot in ipairs(vector.slots) do
    if slot then
      if has_bit(slot.position, w) then set = true else clear = true end
      if clear and set then return true, true end
    end
  end
  return false, set
end

local function are_partners(low, high, w)
  return low and high and low.row == high.row and high.position == low.position + w
end

local function merged(low, high)
  return { row = low.row, position = low.position, lanes = low.lanes + high.lanes }
end

--- Adds vectors whose slots are all partners; a vector without a partner passes.
local function add_whole(vectors, w, add)
  local used, result = {}, {}
  for i, low in ipairs(vectors) do
    local _, set = is_mixed(low, w)
    if not set then
      local partner
      for j, high in ipairs(vectors) do
        local fits = i ~= j and not used[j]
        for s, slot in ipairs(low.slots) do
          fits = fits and (are_partners(slot, high.slots[s], w) or not slot and not high.slots[s])
        end
        if fits then
          partner = j
          break
        end
      end
      if partner then
        used[partner] = true
        local slots = {}
        for s, slot in ipairs(low.slots) do slots[s] = slot and merged(slot, vectors[partner].slots[s]) end
        result[#result + 1] = fold.vector(add(low.name, vectors[partner].name), slots)
      else
        result[#result + 1] = low
      end
      used[i] = true
    end
  end
  for i in ipairs(vectors) do assert(used[i], "a lane has no partner") end
  return result
end

--- Row, position and lanes as one number; no row has as many positions or lanes.
local function key_of(slot) return (slot.row * 2 ^ 20 + slot.position) * 2 ^ 20 + slot.lanes end

--- The slots that a fold word makes of two vectors, or nil where it would lose a value.
local function slots_of(word, a, b, w)
  local width, slots, kept, wanted = #a.slots, {}, {}, {}
  local function slot_at(index) return index < width and a.slots[index + 1] or index >= width and b.slots[index - width + 1] end
  for s = 1, width do
    local low, high = word.low[s] and slot_at(word.low[s]), word.high[s] and slot_at(word.high[s])
    slots[s] = are_partners(low, high, w) and merged(low, high) or false
    if slots[s] then kept[key_of(low)] = true end
  end
  for index = 0, 2 * width - 1 do
    local slot = slot_at(index)
    if slot and not has_bit(slot.position, w) then wanted[#wanted + 1] = key_of(slot) end
  end
  for _, key in ipairs(wanted) do
    if not kept[key] then return nil end
  end
  return slots
end

local function find_word(vocabulary, a, b, w)
  for _, word in ipairs(vocabulary.folds) do
    local takes_both = #word.low == #a.slots
    local slots = (a == b or takes_both) and slots_of(word, a, b, w)
    if slots then return word, slots end
  end
end

--- Folds inside vectors, two at a time where a word fits both.
local function fold_mixed(vectors, w, vocabulary, define)
  local used, result = {}, {}
  for i, a in ipairs(vectors) do
    if not used[i] then
      local partner, word, slots
      for j = i + 1, #vectors do
        if not used[j] and not word then
          word, slots = find_word(vocabulary, a, vectors[j], w)
          partner = word and j
        end
      end
      if not word then
        partner = i
        word, slots = find_word(vocabulary, a, a, w)
      end
      if not word then usage.fail("the target has no fold word for %s at a distance of %d lanes", vocabulary.vector, w) end
      used[i], used[partner] = true, true
      result[#result + 1] = fold.vector(define(word.text(a.name, vectors[partner].name)), slots)
    end
  end
  return result
end

--- Only lanes that never saw an element stand in the upper half: adding them would change nothing.
local function upper_is_empty(vector, w)
  for _, slot in ipairs(vector.slots) do
    if slot and has_bit(slot.position, w) and slot.lanes > 0 then return false end
  end
  return true
end

local function drop_upper(vector, w)
  local slots = {}
  for s, slot in ipairs(vector.slots) do slots[s] = slot and not has_bit(slot.position, w) and slot end
  return fold.vector(vector.name, slots)
end

--- One level of the tree.
-- @param vectors array of labelled vectors
-- @param w distance of partners in position
-- @param vocabulary a type of the target, for `folds` and the word `add`
-- @param define function that defines a vector from C text and returns its name
-- @return array of labelled vectors whose positions have the bit w clear
function fold.level(vectors, w, vocabulary, define)
  local whole, mixed, result = {}, {}, {}
  for _, vector in ipairs(vectors) do
    local list = is_mixed(vector, w) and mixed or whole
    list[#list + 1] = vector
  end
  if #mixed == 1 and #whole == 0 and upper_is_empty(mixed[1], w) then return { drop_upper(mixed[1], w) } end
  local function add(a, b) return define(vocabulary.words.add(a, b)) end
  for _, vector in ipairs(add_whole(whole, w, add)) do result[#result + 1] = vector end
  for _, vector in ipairs(fold_mixed(mixed, w, vocabulary, define)) do result[#result + 1] = vector end
  return result
end

--- Where the finished sums stand: `{ vectors = {name..}, at = {[row] = {vector, slot, everywhere}} }`.
-- Fails unless each of `rows` rows has a slot that holds `lanes` accumulated lanes.
function fold.finish(vectors, rows, lanes)
  local result = { vectors = {}, at = {} }
  for v, vector in ipairs(vectors) do
    result.vectors[v] = vector.name
    local everywhere = true
    for s, slot in ipairs(vector.slots) do
      if slot then
        assert(slot.position == 0 and slot.lanes == lanes,
          ("row %d: %d of %d lanes were added"):format(slot.row, slot.lanes, lanes))
        result.at[slot.row] = result.at[slot.row] or { vector = v, slot = s - 1 }
      end
      everywhere = everywhere and slot and slot.row == vector.slots[1].row
    end
    if everywhere then result.at[vector.slots[1].row].everywhere = true end
  end
  for row = 0, rows - 1 do assert(result.at[row], "a row has no sum") end
  return result
end

return fold
