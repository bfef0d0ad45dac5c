--- Maps: loops that compute what is stored for each element, once statistics are known.

local Body = require "gen.lower.channels.body"

--- Maps `length` elements (C text) that lie next to each other, from where matrices are on.
function Body:map_run(builder, stores, length)
  local whole = self.chunk == 1 and length
  local rest = not whole and builder:def("size_t", "rest", ("%s %% %d"):format(length, self.chunk))
  whole = whole or builder:def("size_t", "full", ("%s - %s"):format(length, rest))
  local inner, i = builder:loop("i", 0, whole, self.chunk)
  self:walk_step { builder = inner, row = 0, i = i, offset = 0, stores = stores }
  if not rest then return end
  local last = builder:branch(rest .. " > 0")
  self:walk_step { builder = last, row = 0, i = whole, offset = 0, n = "(int)" .. rest, stores = stores }
end

--- Maps `count` channels (a number) of some positions together: what these share is loaded once, and all is stored in the end,
-- since a load may wait for a store before it whose address has the same last 12 bits.
function Body:map_channels(builder, stores, count, positions)
  local function walk(place, i, offset, n)
    local columns, pending = {}, {}
    for row = 0, positions - 1 do
      self:walk_step { builder = place, row = row, i = i, offset = offset, n = n, stores = stores, columns = columns, pending = pending }
    end
    self.write_stores(place, pending)
  end
  local rest = count % self.chunk
  if count > rest then
    local inner, i = builder:loop("i", 0, count - rest, self.chunk)
    walk(inner, i, 0, nil)
  end
  if rest > 0 then walk(builder, false, count - rest, rest) end
end

--- Visits the tiles of `count` slots (a number) in a loop over whole tiles and what is left.
-- @param visit function(builder, first (C text or 0), vectors, n)
function Body:each_tile(builder, count, visit)
  local size = self.schedule.tile * self.chunk
  local full = count - count % size
  if full > 0 then
    local inner, first = builder:loop("channel", 0, full, size)
    visit(inner, first, self.schedule.tile, nil)
  end
  if full < count then
    local left = count - full
    local block = builder:block ""
    visit(block, full, math.ceil(left / self.chunk), left % self.chunk > 0 and left % self.chunk or nil)
  end
end

--- The same where `count` is C text: whole tiles, whole vectors, and the rest.
function Body:each_tile_of(builder, count, visit)
  local size, from = self.schedule.tile * self.chunk, "0"
  if self.schedule.tile > 1 then
    local whole = builder:def("size_t", "tiles", ("%s - %s %% %d"):format(count, count, size))
    local inner, first = builder:loop("position", 0, whole, size)
    visit(inner, first, self.schedule.tile, nil)
    from = whole
  end
  local full = self.chunk == 1 and count or builder:def("size_t", "full", ("%s - %s %% %d"):format(count, count, self.chunk))
  local inner, first = builder:loop("position", from, full, self.chunk)
  visit(inner, first, 1, nil)
  if self.chunk > 1 then
    local last = builder:branch(("%s < %s"):format(full, count))
    visit(last, full, 1, ("(int)(%s - %s)"):format(count, full))
  end
end
