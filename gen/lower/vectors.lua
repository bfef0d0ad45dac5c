--- Lowering for targets with vectors: sweeps over chunks, accumulators with labels, row blocks, strips.
--
-- Nouns (docs/architecture.md): a *chunk* is the vectors that belong to one raw load; a *stripe* is one round of the
-- contract's lanes; a *strip* is the residue class of chunks that one walk accumulates; a *walker* is a (row, block)
-- pair; the walkers of a row's blocks are walked together, as are all rows where nothing is summed.

local Body = require "gen.lower.body"
local c_text = require "gen.c.text"
local plans = require "gen.plan.plan"
local rows = require "gen.lower.rows"
local statements = require "gen.c.statements"

-- Each adds its methods to Body.
require "gen.lower.steps"
require "gen.lower.sums"

local vectors = {}

--- Chunks of each walker that are computed before their stores are written: their values should stay in registers.
function Body:group_size(sweep, walkers)
  local values = self.layout.vecs * walkers
  return math.max(1, math.floor(self.target.registers / 4 / values / plans.length(sweep)))
end

--- Writes stores, `{ text=, stream= }`: in two ways where one of them may go past the caches.
function Body:write(builder, stores)
  local is_streamed = false
  for _, store in ipairs(stores) do is_streamed = is_streamed or store.stream end
  local past_caches, otherwise
  if is_streamed then past_caches, otherwise = builder:branch(self.kernel.streams, true) end
  for _, store in ipairs(stores) do
    if is_streamed then past_caches:call(store.stream or store.text) end
    (otherwise or builder):call(store.text)
  end
end

--- Runs the sweep over steps: all loads and values of a group, then its stores, then the sums.
function Body:run(builder, sweep, steps, group)
  local columns = {}
  for first = 1, #steps, group do
    local stores, done = {}, {}
    for index = first, math.min(first + group - 1, #steps) do
      local place = steps[index]
      local column_key = place.offset .. (place.i or "")
      columns[column_key] = columns[column_key] or {}
      local step = self:step({ builder = builder, row = place.walker.row, i = place.i, offset = place.offset,
        chunk = place.chunk, n = place.n, has_sums = #sweep.sums > 0, memo = {}, columns = columns[column_key], stores = stores })
      step:prefetch()
      for _, output in ipairs(sweep.stores) do
        if output.node.scope ~= "row" then step:store(output) end
      end
      done[#done + 1] = { step = step, walker = place.walker }
    end
    self:write(builder, stores)
    for _, entry in ipairs(done) do
      for s, sum in ipairs(sweep.sums) do entry.step:accumulate(sum, entry.walker.accumulators[s]) end
    end
  end
end

--- Steps of one stripe for some walkers: chunks outside, walkers inside. `i` names where the stripes are counted from. A stripe
-- is a round of the lanes; where nothing is summed it is what fits the registers.
function Body:stripe_steps(walkers, strip, i, stripe)
  local steps, size = {}, self.chunk
  for chunk = strip, self.stripe / size - 1, self.strips_now do
    for _, walker in ipairs(walkers) do
      local left = walker.length - stripe * self.stripe - chunk * size
      if left > 0 then
        steps[#steps + 1] = { walker = walker, chunk = chunk, i = i, n = left < size and left or nil,
          offset = walker.base + stripe * self.stripe + chunk * size }
      end
    end
  end
  return steps
end

--- Full stripes of the shortest walker, all stripes of the longest one, and the vectors of one stripe in the whole row
-- block.
function Body:extent(walkers)
  local full, most = math.huge, 0
  for _, walker in ipairs(walkers) do
    full = math.min(full, math.floor(walker.length / self.stripe))
    most = math.max(most, math.ceil(walker.length / self.stripe))
  end
  return full, most, self.stripe / self.type.width * math.max(#walkers, self.rows)
end

--- The vectors that may be swept in straight-line code: fewer where each takes more code.
function Body:unrolled(sweep)
  return self.unroll / math.max(self.rows > 1 and self:weight(sweep) or 1, plans.length(sweep))
end

--- Walks the chunks of a strip: a loop over the stripes that all walkers fill, then what is left of each.
-- `start` names the element offset of the group of blocks, or is false where it is literal.
function Body:walk(builder, sweep, walkers, strip, start)
  local full, most, vectors_per_stripe = self:extent(walkers)
  local group = self:group_size(sweep, #walkers) * #walkers
  local done = 0
  local unrolled = self:unrolled(sweep)
  if most * vectors_per_stripe > unrolled and full > 1 then
    self:start_lanes(builder, sweep, walkers, strip)
    local inner, i = builder:loop("i", start or 0, c_text.sum(start, full * self.stripe), self.stripe)
    self:run(inner, sweep, self:stripe_steps(walkers, strip, i, 0), group)
    done = full
  end
  if (most - done) * vectors_per_stripe > unrolled and #walkers > 1 then
    for _, walker in ipairs(walkers) do
      local part = { row = walker.row, base = walker.base + done * self.stripe, length = walker.length - done * self.stripe,
        accumulators = walker.accumulators }
      if part.length > 0 then self:walk(builder, sweep, { part }, strip, start) end
    end
    return
  end
  local steps = {}
  for stripe = done, most - 1 do
    for _, step in ipairs(self:stripe_steps(walkers, strip, start, stripe)) do steps[#steps + 1] = step end
  end
  self.is_straight = true
  self:run(builder, sweep, steps, group)
  self.is_straight = false
end

--- Lanes of a loop start at +0.
function Body:start_lanes(builder, sweep, walkers, strip)
  for _, walker in ipairs(walkers) do
    for s, sum in ipairs(sweep.sums) do
      for _, step in ipairs(self:stripe_steps({ walker }, strip, false, 0)) do
        local list = walker.accumulators[s]
        for k = 1, self.layout.vecs do
          for part = 1, sum.op == "sum" and self.parts or 1 do
            local index = self:accumulator(step.chunk, k, part)
            list[index] = list[index] or builder:var(self:type_of(sum).vector, self.accumulator_name(sum), self:zero(sum.type))
          end
        end
      end
    end
  end
end

--- A sweep without sums: every element once. What may be there is the largest magnitude, in whose order nothing lies.
function Body:map_sweep(sweep)
  local walkers = {}
  for row = 0, self.rows - 1 do
    walkers[row + 1] = { row = row, base = 0, length = sweep.count, accumulators = {} }
    for s in ipairs(sweep.sums) do walkers[row + 1].accumulators[s] = {} end
  end
  self.strips_now, self.stripe = 1, math.min(self.lanes, self:group_size(sweep, self.rows) * self.chunk)
  self:walk(self.builder, sweep, walkers, 0, false)
  for s, largest in ipairs(sweep.sums) do
    local names = {}
    for i, walker in ipairs(walkers) do names[i] = self:largest_of(largest, walker.accumulators[s]) end
    self.row_values[largest] = rows.spread(names)
  end
end

--- The largest magnitude in a walker's accumulators, in every slot.
function Body:largest_of(largest, accumulators)
  local amax, value = self:word(largest, "amax"), nil
  for index = 1, self.lanes * self.parts do
    local name = accumulators[index]
    value = value and name and self:define(largest, "largest", amax(value, name)) or value or name
  end
  local distance = self.type.width / 2
  while distance >= 1 do
    value = self:define(largest, "largest", amax(value, self:word(largest, "swap")(value, distance)))
    distance = distance / 2
  end
  return value
end

--- Stores the row values that a sweep is to store.
function Body:store_rows(sweep)
  for _, output in ipairs(sweep.stores) do
    if output.node.scope == "row" then
      for row = 0, self.rows - 1 do
        local value = self:row_vector(output.node, row)
        self.builder:call(self:word(output.node, "store_first")(c_text.sum(output.name, self.first, row), value))
      end
    end
  end
end

--- A straight-line sweep whose values would need more than a quarter of the registers: compilers would keep what an earlier
-- sweep has loaded, in spilled registers.
function Body:is_crowded(sweep)
  local held = math.ceil(sweep.count / self.type.width) * self.rows
  return held > self.target.registers / 4 and held <= 2 * self.unroll
end

--- Writes what stands in front of a sweep's elements: its note and row values.
-- @param is_behind whether another sweep over the same rows stands directly in front of it
-- @return the sweep
function Body:begin_sweep(index, is_behind)
  local sweep, reload = self.kernel.sweeps[index], self.kernel.reload
  self.builder:note(sweep.note)
  self.reload = reload and index > reload.by and reload or nil
  for _, node in ipairs(sweep.rows) do
    for row = 0, self.rows - 1 do self:row_vector(node, row) end
  end
  self:store_rows(sweep)
  if is_behind and self:is_crowded(sweep) then self.builder:call(self.words.forget()) end
  return sweep
end

--- Writes what a sweep does with the elements.
function Body:elements(sweep)
  if #sweep.sums > 0 and sweep.sums[1].op == "sum" then
    self:sum_sweep(sweep)
  elseif sweep.kind ~= "end" then
    self:map_sweep(sweep)
  end
end

--- Writes a sweep that is not the last one.
function Body:sweep(index, is_behind) self:elements(self:begin_sweep(index, is_behind)) end

--- The last sweep over the rows from `row` on, and what goes with it alone. Where no rows come, it has a loop that asks for
-- none: for one row alone that saves up to 5 %. A branch around what asks would be shorter, and 1 % slower for many rows.
-- @param ahead C texts: `row`, one that is read soon, and `exists`, the condition that a whole block lies there
function Body:last_sweep(how, ahead, is_behind)
  local sweep = self:begin_sweep(#self.kernel.sweeps, is_behind)
  if how.prefetch ~= 1 then return self:elements(sweep) end
  local outside = self.builder
  local builder, otherwise = outside:branch(ahead.exists, true)
  self.rows_ahead = self.kernel.rows_at(builder, builder:def("size_t", "ahead", ahead.row), "_ahead")
  self.builder, self.prefetched = builder, plans.input_matrices(self.plan)
  self:elements(sweep)
  self.builder, self.prefetched = otherwise, {}
  self:elements(sweep)
  self.builder = outside
end

--- A row value of `count` rows that is carried from one turn of a loop to the next.
-- @param outside builder in front of the loop. copies: builder at its start
-- @return the row value at the start of the next turn
function Body:carry(node, outside, copies)
  local value, names = self:row_value(node), {}
  for v, text in ipairs(value.vectors) do
    local label, ctype = node.label or "value", self:type_of(node).vector
    local carried = outside:var(ctype, "next_" .. label, self:zero(node.type))
    self.builder:set(carried, text)
    names[v] = copies:def(ctype, "this_" .. label, carried)
  end
  return rows.value(names, value.at, self.rows)
end

--- A loop over blocks of `count` rows whose turns have the last sweep over one block and all sweeps before it over the next
-- one, so that neither waits for the other's sums.
local function pipelined(kernel, root, count, how)
  local outside = root:splice()
  local loop, next_row = root:row_blocks_ahead(count)
  local copies = loop:splice()
  local sums = Body.new(kernel, loop:branch(statements.rows_left(next_row, count)), count, next_row)
  local last = #kernel.sweeps
  for index = 1, last - 1 do sums:sweep(index, index > 1) end
  local map = Body.new(kernel, loop:branch(next_row .. " != row"), count, "row")
  for _, node in ipairs(kernel.sweeps[last].rows) do map.row_values[node] = sums:carry(node, outside, copies) end
  map:last_sweep(how, { exists = statements.rows_left("row", 3 * count), row = ("row + %d"):format(2 * count) }, false)
  map.builder:call(statements.advance("row", count))
end

--- A loop over blocks of `count` rows, each from its first sweep to its last.
local function blocks(kernel, root, count, how)
  local body = Body.new(kernel, root:row_blocks(count), count, "row")
  local last = #kernel.sweeps
  for index = 1, last - 1 do body:sweep(index, index > 1) end
  body:last_sweep(how, { exists = statements.rows_left("row", 2 * count), row = ("row + %d"):format(count) }, last > 1)
end

--- Writes the loop that normalises blocks of `count` rows, as long as so many are left.
-- @param kernel what all loops share: `plan`, `target`, `schedule`, `prologue` (builder), `scalars` (names by argument),
--   `literal(number)` (C text), `rows_at(builder, first, hint)` (pointers to the rows of a block), `streamed` (true by the
--   store that goes past the caches if `streams`, the name of a variable, is true)
-- @param root the builder in which the loop stands; its variable `row` counts the rows that are done
-- @param how `pipe` and `prefetch` as in a schedule; both may be missing
function vectors.rows(kernel, root, count, how)
  if how.pipe == 1 then pipelined(kernel, root, count, how) else blocks(kernel, root, count, how) end
end

return vectors
