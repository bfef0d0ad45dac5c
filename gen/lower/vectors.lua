--- Lowering for targets with vectors: sweeps over chunks, accumulators with labels, row blocks, strips.
--
-- Nouns (docs/architecture.md): a *chunk* is the vectors that belong to one raw load; a *stripe* is one round of the
-- contract's lanes; a *strip* is the residue class of chunks that one walk accumulates; a *walker* is a (row, block)
-- pair; the walkers of a row's blocks are walked together, as are all rows where nothing is summed.

local Body = require "gen.lower.body"
local c_text = require "gen.lower.c_text"

-- Each adds its methods to Body.
require "gen.lower.steps"
require "gen.lower.sums"

local vectors = {}

--- Chunks of each walker that are computed before their stores are written: their values should stay in registers.
function Body:group_size(walkers)
  local values = self.layout.vecs * walkers
  return math.max(1, math.floor(self.target.registers / 4 / values))
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
        chunk = place.chunk, n = place.n, memo = {}, columns = columns[column_key], stores = stores })
      for _, output in ipairs(sweep.stores) do
        if output.node.domain ~= "row" then step:store(output) end
      end
      done[#done + 1] = { step = step, walker = place.walker }
    end
    for _, text in ipairs(stores) do builder:call(text) end
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

--- Walks the chunks of a strip: a loop over the stripes that all walkers fill, then what is left of each.
-- `start` names the element offset of the group of blocks, or is false where it is literal.
function Body:walk(builder, sweep, walkers, strip, start)
  local full, most, vectors_per_stripe = self:extent(walkers)
  local group = self:group_size(#walkers) * #walkers
  local done = 0
  if most * vectors_per_stripe > self.UNROLL and full > 1 then
    self:start_lanes(builder, sweep, walkers, strip)
    local inner, i = builder:loop("i", start or 0, c_text.sum(start, full * self.stripe), self.stripe)
    self:run(inner, sweep, self:stripe_steps(walkers, strip, i, 0), group)
    done = full
  end
  if (most - done) * vectors_per_stripe > self.UNROLL and #walkers > 1 then
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
          for part = 1, self.parts do
            local index = self:accumulator(step.chunk, k, part)
            list[index] = list[index] or builder:var(self.acc.vector, self.accumulator_name(sum), self:zero(sum.type))
          end
        end
      end
    end
  end
end

--- A sweep without sums: every element once.
function Body:map_sweep(sweep)
  local walkers = {}
  for row = 0, self.rows - 1 do
    walkers[row + 1] = { row = row, base = 0, length = sweep.count, accumulators = {} }
  end
  self.strips_now, self.stripe = 1, math.min(self.lanes, self:group_size(self.rows) * self.chunk)
  self:walk(self.builder, sweep, walkers, 0, false)
end

--- Stores the row values that a sweep is to store.
function Body:store_rows(sweep)
  for _, output in ipairs(sweep.stores) do
    if output.node.domain == "row" then
      for row = 0, self.rows - 1 do
        local value = self:row_vector(output.node, row)
        self.builder:call(self:word(output.node, "store_first")(c_text.sum(output.name, "row", row), value))
      end
    end
  end
end

--- A straight-line sweep whose values would need more than a quarter of the registers: compilers would keep what an earlier
-- sweep has loaded, in spilled registers.
function Body:is_crowded(sweep)
  local held = math.ceil(sweep.count / self.type.width) * self.rows
  return held > self.target.registers / 4 and held <= 2 * self.UNROLL
end

--- Writes the statements that normalise a block of rows.
-- @param kernel what all blocks share: `plan`, `target`, `schedule`, `prologue` (builder), `scalars` (names by
--   argument), `literal(number)` (C text)
-- @param builder the builder of the block's body; row pointers `<array>_row` are defined in it
-- @param count rows in the block
function vectors.block(kernel, builder, count)
  local body = Body.new(kernel, builder, count)
  for index, sweep in ipairs(kernel.sweeps) do
    builder:note(sweep.note)
    local reload = kernel.reload
    body.reload = reload and index > reload.by and reload or nil
    for _, node in ipairs(sweep.rows) do
      for row = 0, count - 1 do body:row_vector(node, row) end
    end
    body:store_rows(sweep)
    if index > 1 and body:is_crowded(sweep) then builder:call(body.words.forget()) end
    if #sweep.sums > 0 then body:sum_sweep(sweep) else body:map_sweep(sweep) end
  end
end

return vectors
