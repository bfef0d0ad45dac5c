--- Sums: accumulators, strips, and the tree over lanes, rows and blocks.

local Body = require "gen.lower.body"
local c_text = require "gen.c.text"
local contract = require "gen.formula.contract"
local fold = require "gen.lower.fold"
local rows = require "gen.lower.rows"

--- The number of the accumulator for a part of vector k of a chunk.
function Body:accumulator(chunk, k, part)
  return (chunk * self.layout.vecs + k - 1) * self.parts + part
end

--- The labels of that accumulator's slots.
function Body:labels(walker, chunk, k, part)
  local slots, present = {}, math.min(walker.length, self.lanes)
  for slot = 0, self.acc.width - 1 do
    local lane = chunk * self.chunk + self.layout.element(k - 1, slot + (part - 1) * self.acc.width)
    slots[slot + 1] = { row = walker.row, position = lane + self.lanes * walker.block, lanes = lane < present and 1 or 0 }
  end
  return slots
end

--- The labelled vectors of a walker's accumulators for one sum.
function Body:labelled(walker, accumulators)
  local list = {}
  for chunk = 0, self.lanes / self.chunk - 1 do
    for k = 1, self.layout.vecs do
      for part = 1, self.parts do
        local name = accumulators[self:accumulator(chunk, k, part)]
        if name then list[#list + 1] = fold.vector(name, self:labels(walker, chunk, k, part)) end
      end
    end
  end
  return list
end

--- Folds from the distance `from` down to `to` (a power of two).
function Body:fold_lanes(builder, list, from, to)
  local function define(text) return builder:var(self.acc.vector, "part", text) end
  local w = from
  while w >= to do
    list = fold.level(list, w, self.acc, define)
    w = w / 2
  end
  return list
end

--- Folds blocks at the distances `from` up to `to` (in blocks).
function Body:fold_blocks(builder, list, from, to)
  local function define(text) return builder:def(self.acc.vector, "part", text) end
  local distance = from
  while distance <= to do
    list = fold.level(list, distance * self.lanes, self.acc, define)
    distance = distance * 2
  end
  return list
end

--- Walks one strip and folds what lies in it: appends each sum's labelled vectors to its list.
function Body:strip_sums(builder, sweep, places, strip, start, lists)
  local walkers = {}
  for i, place in ipairs(places) do
    local accumulators = {}
    for s in ipairs(sweep.sums) do accumulators[s] = {} end
    walkers[i] = { row = place.row, block = place.block, base = place.base, length = place.length, accumulators = accumulators }
  end
  self:walk(builder, sweep, walkers, strip, start)
  for s in ipairs(sweep.sums) do
    local mine = {}
    for _, walker in ipairs(walkers) do
      for _, vector in ipairs(self:labelled(walker, walker.accumulators[s])) do mine[#mine + 1] = vector end
    end
    self:append_pinned(builder, lists[s], self:fold_lanes(builder, mine, self.lanes / 2, self.strips_now * self.chunk))
  end
end

--- Appends vectors to a list, each computed by then.
function Body:append_pinned(builder, list, vectors_to_add)
  for _, vector in ipairs(vectors_to_add) do
    builder:call(self.acc.words.pin(vector.name))
    list[#list + 1] = vector
  end
end

local function empty_lists(sums)
  local lists = {}
  for s in ipairs(sums) do lists[s] = {} end
  return lists
end

--- Appends the vectors of each list to the list in its place.
local function append_lists(lists, more)
  for s, list in ipairs(more) do
    for _, vector in ipairs(list) do lists[s][#lists[s] + 1] = vector end
  end
end

--- Sums of a group of blocks in one row: for each sum, vectors folded as far as whole vectors can be.
-- @param blocks array of { index=, base=, length= }
function Body:row_sums(builder, sweep, row, blocks, start)
  local lists, mine, places = empty_lists(sweep.sums), empty_lists(sweep.sums), {}
  for b, block in ipairs(blocks) do places[b] = { row = row, block = block.index, base = block.base, length = block.length } end
  for strip = 0, self.strips_now - 1 do self:strip_sums(builder, sweep, places, strip, start, mine) end
  if self.strips_now * self.parts == 1 then return mine end
  for s in ipairs(sweep.sums) do
    local folded = self:fold_lanes(builder, mine[s], self.strips_now * self.chunk / 2, self.chunk / self.parts)
    self:append_pinned(builder, lists[s], folded)
  end
  return lists
end

--- Writes a loop over `count` instances of what `make` writes; the instances' vectors meet in arrays.
-- @param make function(builder of the body, counter) that returns lists of labelled vectors, one for each sum
-- @param relabel function(slot, instance) that returns the label of an instance's slot
-- @return for each sum, the labelled vectors of all instances
function Body:looped(builder, sweep, hint, count, make, relabel)
  local arrays, lists = {}, empty_lists(sweep.sums)
  for s in ipairs(sweep.sums) do
    arrays[s] = { kind = "array", type = self.acc.vector, name = builder:name("parts") }
    builder:add(arrays[s])
  end
  local inner, counter = builder:loop(hint, 0, count, 1)
  for s, list in ipairs(make(inner, counter)) do
    arrays[s].count = count * #list
    for v, vector in ipairs(list) do
      local index = c_text.sum(#list == 1 and counter or ("%s * %d"):format(counter, #list), v - 1)
      inner:set(("%s[%s]"):format(arrays[s].name, index), vector.name)
    end
    for instance = 0, count - 1 do
      for v, vector in ipairs(list) do
        local slots = {}
        for i, slot in ipairs(vector.slots) do slots[i] = slot and relabel(slot, instance) end
        table.insert(lists[s], fold.vector(("%s[%d]"):format(arrays[s].name, instance * #list + v - 1), slots))
      end
    end
  end
  return lists
end

--- The matrices that the elements of a sweep are loaded from and stored to, in the order of their use, and how many of its
-- values are rounded on the way.
function Body:matrices(sweep)
  local names, seen, rounded = {}, {}, 0
  local function add(name)
    if not seen[name] then names[#names + 1] = name end
    seen[name] = true
  end
  local function visit(node, is_stored)
    if node.scope == "row" or seen[node] then return end
    seen[node] = true
    local source = self:source(node)
    if source then
      if node.scope == "element" then add(source) end
      return
    end
    if node.op == "round" and not is_stored then rounded = rounded + 1 end
    for _, operand in ipairs(node) do visit(operand) end
  end
  for _, store in ipairs(sweep.stores) do
    if store.node.scope ~= "row" then
      visit(store.node, true)
      add(store.name)
    end
  end
  for _, sum in ipairs(sweep.sums) do visit(sum[1]) end
  return names, rounded
end

--- How much code a vector of a sweep takes, in units of two conversions from, to or through memory's dtypes; at least 1.
function Body:weight(sweep)
  local dtype_of, names, conversions = {}, self:matrices(sweep)
  for _, argument in ipairs(self.plan.problem.args) do dtype_of[argument.name] = argument.dtype end
  for _, name in ipairs(names) do
    local words = self.dtypes[dtype_of[name]]
    if not words.is_compute or words.raws > 1 then conversions = conversions + 1 end
  end
  return math.max(1, (conversions + (self.parts - 1) * #sweep.sums) / 2)
end

--- Row values of a sweep in arrays, for a loop over rows.
function Body:row_arrays(builder, sweep)
  local arrays = {}
  for i, node in ipairs(sweep.rows) do
    arrays[i] = builder:array(self:type_of(node).vector, (node.label or "value") .. "_of", self.rows)
    for row = 0, self.rows - 1 do builder:set(("%s[%d]"):format(arrays[i], row), self:row_vector(node, row)) end
  end
  return arrays
end

--- The same sums for all rows of the block in a loop over them.
function Body:looped_rows(builder, sweep, blocks, start)
  local arrays = self:row_arrays(builder, sweep)
  local function make(inner, counter)
    self.row_loop = { vectors = {} }
    for _, name in ipairs(self:matrices(sweep)) do
      inner:def(self.kernel.pointer_types[name], name .. "_at", self.rows_at.in_loop(name, counter))
    end
    for i, node in ipairs(sweep.rows) do
      local text = ("%s[%s]"):format(arrays[i], counter)
      self.row_loop.vectors[node] = inner:def(self:type_of(node).vector, (node.label or "value") .. "_here", text)
    end
    local lists = self:row_sums(inner, sweep, 0, blocks, start)
    self.row_loop = nil
    return lists
  end
  return self:looped(builder, sweep, "r", self.rows, make, function(slot, instance)
    return { row = instance, position = slot.position, lanes = slot.lanes }
  end)
end

--- Sums of a group of blocks in all rows: for each sum, vectors that are folded down to the group. Rows are walked one after
-- the other, so that few vectors live at once and hardware prefetchers see few streams; blocks are walked together.
function Body:group_sums(builder, sweep, blocks, start)
  local lists = empty_lists(sweep.sums)
  local vectors_of_row = blocks[1].length * #blocks / self.type.width
  if self.rows > 1 and self.rows * vectors_of_row > self:unrolled(sweep) then
    lists = self:looped_rows(builder, sweep, blocks, start)
  else
    for row = 0, self.rows - 1 do append_lists(lists, self:row_sums(builder, sweep, row, blocks, start)) end
  end
  for s in ipairs(sweep.sums) do
    lists[s] = self:fold_lanes(builder, lists[s], self.chunk / self.parts / 2, 1)
    lists[s] = self:fold_blocks(builder, lists[s], 1, #blocks / 2)
  end
  return lists
end

--- Sums of `groups` groups of full blocks in a loop over the groups.
function Body:looped_groups(sweep, groups, together, length)
  local blocks = {}
  for b = 0, together - 1 do blocks[b + 1] = { index = b, base = b * length, length = length } end
  local function make(inner, counter)
    local start = inner:def("size_t", "start", ("%s * %d"):format(counter, together * length))
    return self:group_sums(inner, sweep, blocks, start)
  end
  return self:looped(self.builder, sweep, "group", groups, make, function(slot, instance)
    return { row = slot.row, position = slot.position + instance * together * self.lanes, lanes = slot.lanes }
  end)
end

--- Computes the sums of a sweep and puts them into the memo of row values.
function Body:sum_sweep(sweep)
  local cut = contract.blocks(sweep.count)
  self.stripe, self.strips_now = self.lanes, math.min(self.schedule.strips, self.lanes / self.chunk)
  local full = math.floor(sweep.count / cut.length)
  local present = math.ceil(sweep.count / cut.length)
  local together = math.min(self.schedule.blocks, present)
  local lists, next_block = empty_lists(sweep.sums), 0
  local groups = math.floor(full / together)
  if groups > 1 then
    append_lists(lists, self:looped_groups(sweep, groups, together, cut.length))
    next_block = groups * together
  end
  while next_block < present do
    local blocks = {}
    for b = next_block, math.min(next_block + together, present) - 1 do
      local base = b * cut.length
      blocks[#blocks + 1] = { index = b, base = base, length = math.min(cut.length, sweep.count - base) }
    end
    append_lists(lists, self:group_sums(self.builder, sweep, blocks, false))
    next_block = next_block + #blocks
  end

  local lanes = 0
  for b = 0, present - 1 do lanes = lanes + math.min(self.lanes, sweep.count - b * cut.length) end
  for s, sum in ipairs(sweep.sums) do
    local done = fold.finish(self:fold_blocks(self.builder, lists[s], 1, cut.count / 2), self.rows, lanes)
    if sum[1].op ~= "mul" then
      for v, name in ipairs(done.vectors) do
        done.vectors[v] = self:define(sum, "sum_" .. (sum[1].label or "x"), self.acc.words.add(name, self:zero(sum.type)))
      end
    end
    self.row_values[sum] = rows.value(done.vectors, done.at, self.rows)
  end
end

