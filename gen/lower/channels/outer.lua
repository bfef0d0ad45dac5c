--- Sums over an outer index: each slot of a tile has sums of its own, run by run.

local Body = require "gen.lower.channels.body"
local contract = require "gen.formula.contract"

--- One run: every value of `first` up to `last` joins the accumulators.
-- @param tile `{ vectors=, n= (elements in the last vector, or nil), stride= (C text) }`
local function run(body, builder, sweep, tile, first, last, accumulators)
  local inner, t = builder:loop("t", first, last, 1)
  local back = body:step_to(inner, body.plan.read, "_t", ("%s * %s"):format(t, tile.stride))
  for v = 0, tile.vectors - 1 do
    local step = body:walk_step { builder = inner, row = v, i = false, offset = v * body.chunk,
      n = v == tile.vectors - 1 and tile.n or nil, has_sums = true, are_apart = true }
    for s, sum in ipairs(sweep.sums) do step:accumulate(sum, accumulators[s]) end
  end
  back()
end

local function variables(body, builder, sweep, tile, hint)
  local lists = {}
  for s, sum in ipairs(sweep.sums) do
    lists[s] = {}
    for v = 1, tile.vectors do
      lists[s][v] = builder:var(body.type.vector, hint or Body.accumulator_name(sum), body:zero(sum.type))
    end
  end
  return lists
end

--- Sums of `count` values (C text) from `first` on: for each sum the names of the tile's vectors. `is_short`: one run is enough.
function Body:outer_sums(builder, sweep, tile, first, count, is_short)
  local last = first == "0" and count or builder:def("size_t", "last", ("%s + %s"):format(first, count))
  if is_short then
    local accumulators = variables(self, builder, sweep, tile)
    run(self, builder, sweep, tile, first, last, accumulators)
    return accumulators
  end
  local totals = variables(self, builder, sweep, tile)
  local inner, start = builder:loop("start", first, last, contract.RUN)
  local stop = inner:def("size_t", "stop", ("%s - %s < %d ? %s : %s + %d"):format(last, start, contract.RUN, last, start, contract.RUN))
  local accumulators = variables(self, inner, sweep, tile, "run")
  run(self, inner, sweep, tile, start, stop, accumulators)
  for s, list in ipairs(totals) do
    for v, name in ipairs(list) do inner:set(name, self.words.add(name, accumulators[s][v])) end
  end
  return totals
end

--- The size of the head of `count` values: defines it and returns its name.
-- @param most C text of how many values it may have, or nil
function Body:head_of(builder, count, most)
  local head = builder:var("size_t", "head", "1")
  local fits = most and (" && %s * 2 <= %s"):format(head, most) or ""
  local inner = builder:block(("while (%s * %d < %s%s)"):format(head, contract.RUN, count, fits))
  inner:set(head, head .. " * 2")
  return head
end

--- Statistics of one chunk of `count` values from `first` on.
function Body:outer_chunk(builder, tile, first, count)
  self.counts.head, self.counts.chunk = self:head_of(builder, count), count
  return self:chunk_statistics(builder, tile.vectors, function(inner, sweep)
    return #sweep.sums == 0 and {} or
      self:outer_sums(inner, sweep, tile, first, sweep.kind == "head" and self.counts.head or count, sweep.kind == "head")
  end)
end

--- Visits the chunks of `count` values (C text).
-- @param visit function(builder, first, length)
function Body:each_outer_chunk(builder, count, visit)
  local inner, first = builder:loop("first", 0, count, contract.CHUNK)
  local left = inner:def("size_t", "left", ("%s - %s"):format(count, first))
  visit(inner, first, inner:def("size_t", "length", ("%s < %d ? %s : %d"):format(left, contract.CHUNK, left, contract.CHUNK)))
end

--- Statistics of `count` values for a tile: names of vectors by statistic.
-- @param most the most values that there can be, or nil
function Body:outer_statistics(builder, tile, count, most)
  if most and most <= contract.CHUNK then return self:outer_chunk(builder, tile, "0", count) end
  local tree = self:chunk_tree(builder, tile.vectors)
  self:each_outer_chunk(builder, count, function(inner, first, length)
    tree:push(inner, self:outer_chunk(inner, tile, first, length), length)
  end)
  return tree:finish(builder)
end
