--- The body of a channel kernel: where arguments lie in the loops around, and the values that are formed before elements are
-- walked. Those are vectors: one with the same value in every slot, or one for each vector of a tile.
--
-- A *tile* is some vectors of neighbouring channels (or positions), each slot of which has statistics of its own. A *scope*
-- is where the values of a domain are formed: row values where a set of statistics is known, column values where a channel is.

local RowBody = require "gen.lower.body"
local c_text = require "gen.c.text"

require "gen.lower.steps"

local Body = setmetatable({}, { __index = RowBody })
Body.__index = Body

--- @param kernel as for gen/lower/vectors.lua
function Body.new(kernel)
  kernel.uniforms, kernel.tame, kernel.streamed = {}, {}, {}
  local c = kernel.plan.problem.contract
  local its = kernel.target.types[c.compute]
  return setmetatable({ kernel = kernel, plan = kernel.plan, target = kernel.target, schedule = kernel.schedule, type = its,
    words = its.words, acc = its, parts = 1, layout = its.layouts.plain, dtypes = its.layouts.plain.dtypes, chunk = its.width,
    lanes = c.lanes, real = c.compute, ctype = c.compute == "f64" and "double" or "float", rows = 1, prefetched = {}, places = {},
    counts = {}, scopes = {}, arrays = {} }, Body)
end

--- The names of arguments that lie in arrays of elements, in call order: those that sweeps read and write element by element.
function Body:matrices()
  local list = {}
  for _, argument in ipairs(self.plan.problem.args) do
    if argument.shape ~= "scalar" and #argument.shape > 1 and argument.shape[1] == "rows" then list[#list + 1] = argument.name end
  end
  return list
end

--- Text of the pointer to where an argument is in the loops around; it is defined when it is first asked for.
function Body:pointer(name, place)
  if not place then return name end
  if not place.name then
    local base = self:pointer(name, place.base)
    place.name = place.builder:def(self.kernel.pointer_types[name], name .. place.hint, ("%s + %s"):format(base, place.text))
  end
  return place.name
end

--- Text of the address of an element: the pointer to its argument, counter and offset. Where positions are mapped together,
-- `row` says which of them.
function Body:address(name, _, row, i, offset)
  local place = self.places[name]
  local on = place and place.distance and place.distance * row or 0
  return c_text.sum(self:pointer(name, place), i, offset + on)
end

--- Moves the places of arguments on, for what is written in the builder.
-- @param names array of names of arguments
-- @param hint what the names of pointers end in
-- @param text C text of the distance, or 0
-- @param distance elements between steps with different `row`, or nil
-- @return function that takes that back
function Body:step_to(builder, names, hint, text, distance)
  if text == 0 or text == "0" then return function() end end
  local before, place = {}, builder:splice()
  for i, name in ipairs(names) do
    before[i] = self.places[name] or false
    self.places[name] = { base = self.places[name], builder = place, hint = hint, text = text, distance = distance }
  end
  return function()
    for i, name in ipairs(names) do self.places[name] = before[i] or nil end
  end
end

--- Opens the scope of a domain.
-- @param how `vectors` (of a tile; or one), `broadcast` (an array's element is loaded into every slot), `n` (elements in the
--   last vector of the tile, a number or C text, or nil), `known` (names of vectors by node)
function Body:open(domain, builder, how)
  self.scopes[domain] = { builder = builder, memo = how.known or {}, vectors = how.vectors or 1, broadcast = how.broadcast, n = how.n }
end

--- Closes a scope, and takes back the places that were opened with it.
function Body:close(domain)
  for _, back in ipairs(self.scopes[domain].back or {}) do back() end
  self.scopes[domain] = nil
end

--- Elements of vector `v` of a tile, or nil for all its slots.
local function elements_of(scope, v) return v == scope.vectors - 1 and scope.n or nil end

local function loaded(body, scope, node)
  local words, names = body.dtypes[node.dtype], {}
  for v = 0, scope.broadcast and 0 or scope.vectors - 1 do
    local address, n = body:address(node.name, nil, nil, false, v * body.chunk), elements_of(scope, v)
    local text = scope.broadcast and words.first(address)
      or words.widen({ n and words.load_n(address, 1, n) or words.load(address, 1) }, 1)
    names[v + 1] = scope.builder:def(body.type.vector, node.label, text)
  end
  return names
end

local function rounded(body, scope, node, operand)
  local words, names = body.dtypes[node.dtype], {}
  local narrow = body:narrow_word(words, node[1])
  for v, name in ipairs(operand) do
    local raw = scope.builder:def(words.raw, "raw", narrow({ name }, 1))
    names[v] = scope.builder:def(body.type.vector, node.label or "rounded", words.widen({ raw }, 1))
  end
  return names
end

local function pinned(body, scope, node, operand)
  local names = {}
  for v, name in ipairs(operand) do
    names[v] = scope.builder:var(body.type.vector, node.label or "pinned", name)
    scope.builder:call(body.words.pin(names[v]))
  end
  return names
end

local function combined(body, scope, node)
  local operands, count, names = {}, 1, {}
  for i, child in ipairs(node) do
    operands[i] = body:fixed(child)
    count = math.max(count, #operands[i])
  end
  if node.op == "round" then return rounded(body, scope, node, operands[1]) end
  if node.op == "pin" then return pinned(body, scope, node, operands[1]) end
  local function text_of(v)
    return body:apply(node, function(child)
      for i, other in ipairs(node) do
        if other == child then return operands[i][v] or operands[i][1] end
      end
    end, node.op)
  end
  for v = 1, count do
    names[v] = scope.builder:def(body.type.vector, node.label or "value", text_of(v))
  end
  return names
end

--- The vectors of a value that does not vary along the elements: array of names.
function Body:fixed(node)
  if node.scope == "uniform" then return { self:uniform(node) } end
  local scope = self.scopes[node.scope]
  local names = scope.memo[node]
  if not names then
    if node.op == "load" then
      names = loaded(self, scope, node)
    elseif node.op == "count" then
      local text = ("(%s)%s"):format(self.ctype, self.counts[node.name])
      names = { scope.builder:def(self.type.vector, "n", self.words.set1(text)) }
    else
      assert(node.op ~= "sum" and node.op ~= "statistic", "a sum is read before its sweep")
      names = combined(self, scope, node)
    end
    scope.memo[node] = names
  end
  return names
end

--- Whether a node has a scope, or lies in an array.
function Body:is_fixed(node) return self.scopes[node.scope] ~= nil or self.arrays[node] ~= nil end

--- The vector of such a node for a step, whose `row` is its place in the tile.
function Body:row_vector(node, _, step)
  local array, memo = self.arrays[node], step.columns
  if array then
    local text = self.dtypes[self.real].load(c_text.sum(array, step.i, step.offset), 1)
    memo[text] = memo[text] or step.builder:def(self.type.vector, node.label or "value", text)
    return memo[text]
  end
  local names = self:fixed(node)
  return names[step.row + 1] or names[1]
end

--- Stores the row values that a sweep is to store, each where its argument is now.
function Body:store_fixed(builder, stores)
  local scope = self.scopes.row
  for _, store in ipairs(stores) do
    if store.node.scope == "row" or store.node.scope == "uniform" then
      local names = self:fixed(store.node)
      for v = 0, scope.broadcast and 0 or scope.vectors - 1 do
        local address, n = self:address(store.name, nil, nil, false, v * self.chunk), elements_of(scope, v)
        local words, name = self.dtypes[store.dtype], names[v + 1] or names[1]
        local text = scope.broadcast and self.words.store_first(address, name)
          or n and words.store_n(address, 1, name, n) or words.store(address, 1, name)
        builder:call(text)
      end
    end
  end
end

--- One vector of elements: its values, its stores; returns the step, for what is summed.
-- @param at `{ builder=, row= (place in the tile, or among positions), i=, offset=, n=, are_apart= (slots), stores= (of the sweep),
--   has_sums=, columns= (memo of what steps share, or nil), pending= (list that its stores join, or nil to write them) }`
function Body:walk_step(at)
  local pending = at.pending or {}
  local step = self:step { builder = at.builder, row = at.row, i = at.i, offset = at.offset, chunk = at.row, n = at.n,
    has_sums = at.has_sums, are_apart = at.are_apart, memo = {}, columns = at.columns or {}, stores = pending }
  for _, output in ipairs(at.stores or {}) do
    if output.node.scope ~= "row" and output.node.scope ~= "uniform" then step:store(output) end
  end
  if not at.pending then self.write_stores(at.builder, pending) end
  return step
end

--- Writes stores that steps have put into a list.
function Body.write_stores(builder, list)
  for _, store in ipairs(list) do builder:call(store.text) end
end

return Body
