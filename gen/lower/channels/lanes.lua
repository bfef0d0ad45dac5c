--- Sums over lanes of values that lie next to each other, of which there are as many as a call says: whole stripes in a loop,
-- then the rest.

local Body = require "gen.lower.channels.body"
local c_text = require "gen.c.text"
local fold = require "gen.lower.fold"

-- Adds fold_lanes and labelled.
require "gen.lower.sums"

--- Walks the chunks of one strip over a segment: whole stripes, then the chunks of the rest.
function Body:lane_segment(builder, sweep, accumulators, strip, strips, length)
  local stripe, chunks = self.lanes, self.lanes / self.chunk
  local function step(inner, i, chunk, n)
    local place = self:walk_step { builder = inner, row = chunk, i = i, offset = chunk * self.chunk, n = n, has_sums = true }
    for s, sum in ipairs(sweep.sums) do place:accumulate(sum, accumulators[s]) end
  end
  local rest = builder:def("size_t", "rest", ("%s %% %d"):format(length, stripe))
  local full = builder:def("size_t", "full", ("%s - %s"):format(length, rest))
  local inner, i = builder:loop("i", 0, full, stripe)
  for chunk = strip, chunks - 1, strips do step(inner, i, chunk) end
  for chunk = strip, chunks - 1, strips do
    local first, otherwise = chunk * self.chunk, builder
    if first + self.chunk < stripe then
      local whole
      whole, otherwise = builder:branch(("%s >= %d"):format(rest, first + self.chunk), true)
      step(whole, full, chunk)
    end
    local some = otherwise:branch(first == 0 and rest .. " > 0" or ("%s > %d"):format(rest, first))
    step(some, full, chunk, first == 0 and "(int)" .. rest or ("(int)(%s - %d)"):format(rest, first))
  end
end

--- The same where a vector has one slot: lanes are an array, and loops walk it.
function Body:lane_array_segment(builder, sweep, arrays, length)
  local outer, i = builder:loop("i", 0, length, self.lanes)
  local left = outer:def("size_t", "left", ("%s - %s"):format(length, i))
  local stripe = outer:def("size_t", "stripe", ("%s < %d ? %s : %d"):format(left, self.lanes, left, self.lanes))
  local inner, j = outer:loop("j", 0, stripe, 1)
  local step = self:walk_step { builder = inner, row = 0, i = c_text.sum(i, j), offset = 0, has_sums = true }
  for s, sum in ipairs(sweep.sums) do step:accumulate(sum, { ("%s[%s]"):format(arrays[s], j) }) end
end

local function in_arrays(body, builder, sweep, visit)
  local arrays, names = {}, {}
  for s in ipairs(sweep.sums) do arrays[s] = builder:array(body.ctype, "lane", body.lanes) end
  local zero, j = builder:loop("j", 0, body.lanes, 1)
  for s, sum in ipairs(sweep.sums) do zero:set(("%s[%s]"):format(arrays[s], j), body.kernel.literal(0, sum.type)) end
  visit(builder, function(inner, length) body:lane_array_segment(inner, sweep, arrays, length) end)
  for s in ipairs(sweep.sums) do names[s] = builder:def(body.ctype, "total", body.words.tree(arrays[s])) end
  return names
end

--- One strip's accumulators, each a variable.
local function strip_variables(body, builder, sweep, strip, strips)
  local lists = {}
  for s, sum in ipairs(sweep.sums) do
    lists[s] = {}
    for chunk = strip, body.lanes / body.chunk - 1, strips do
      lists[s][body:accumulator(chunk, 1, 1)] = builder:var(body.type.vector, Body.accumulator_name(sum), body:zero(sum.type))
    end
  end
  return lists
end

local function in_vectors(body, builder, sweep, visit)
  local strips, lists = math.min(body.schedule.strips, body.lanes / body.chunk), {}
  local walker = { row = 0, block = 0, length = body.lanes }
  for s in ipairs(sweep.sums) do lists[s] = {} end
  for strip = 0, strips - 1 do
    local accumulators = strip_variables(body, builder, sweep, strip, strips)
    visit(builder, function(inner, length) body:lane_segment(inner, sweep, accumulators, strip, strips, length) end)
    for s in ipairs(sweep.sums) do
      local folded = body:fold_lanes(builder, body:labelled(walker, accumulators[s]), body.lanes / 2, strips * body.chunk)
      body:append_pinned(builder, lists[s], folded)
    end
  end
  local names = {}
  for s in ipairs(sweep.sums) do
    local done = fold.finish(body:fold_lanes(builder, lists[s], strips * body.chunk / 2, 1), 1, body.lanes)
    local at = done.at[0]
    names[s] = at.everywhere and done.vectors[at.vector]
      or builder:def(body.type.vector, "total", body.words.bcast(done.vectors[at.vector], at.slot))
  end
  return names
end

--- Sums over lanes: for each sum of the sweep the name of a vector with it in every slot.
-- @param visit function(builder, walk) that writes the loops around segments; walk(builder, length) writes what is done to one:
--   a segment begins where matrices are, and `length` is C text
function Body:lane_sums(builder, sweep, visit)
  return (self.type.width == 1 and in_arrays or in_vectors)(self, builder, sweep, visit)
end
