--- Lowering for targets without vectors: loops over an array of the contract's lanes, one row at a time.

local c_text = require "gen.c.text"
local contract = require "gen.formula.contract"
local usage = require "gen.errors.usage"

local unpack = table.unpack or unpack

local lanes = {}

local Body = {}
Body.__index = Body

--- What the target says of a type: its C type, words and dtypes.
function Body:type_of(node) return self.kernel.target.types[node.type] end

--- The memory words of a dtype; a target that lacks them says so.
function Body:memory(node, dtype)
  local target = self.kernel.target
  return self:type_of(node).dtypes[dtype] or usage.fail("target %s has no dtype %s", target.name, dtype)
end

--- The name of the pointer to the row of a matrix.
function Body:row(name) return (self.rows_at.pointer(name, 0)) end

function Body:load(node, name, dtype, index)
  local place = node.scope == "column" and name or self:row(name)
  return self:memory(node, dtype).load(("%s[%s]"):format(place, index))
end

--- A text that stands alone needs no parentheses around it.
local function bare(text)
  return text:match("^%b()$") and text:sub(2, -2) or text
end

--- C text of a node for the element at `index`; values that are used again or bear a name are defined first.
function Body:value(node, builder, index, memo)
  if node.op == "const" then return self.kernel.literal(node.value, node.type) end
  if node.op == "arg" then return self.kernel.scalars[node.name] end
  if node.scope == "uniform" and node.op ~= "convert" then return self:uniform(node) end
  if node.scope == "row" or node.scope == "uniform" then return self:row_value(node) end
  if memo[node] then return memo[node] end
  local text
  if self.reload and node == self.reload.node then
    text = self:load(node, self.reload.name, self.reload.dtype, index)
  elseif node.op == "load" then
    text = self:load(node, node.name, node.dtype, index)
  else
    text = self:apply(node, function(operand) return self:value(operand, builder, index, memo) end)
  end
  local hint = node.label or node.hint
  if not c_text.is_name(text) and (hint or self.kernel.uses[node] > 1) then
    local is_of_index = node.op == "load" or node.label == "h"
    text = builder:def(self:type_of(node).ctype, is_of_index and node.label .. "_i" or hint or "value", bare(text))
  end
  memo[node] = text
  return text
end

function Body:apply(node, operand)
  local texts = {}
  for i, child in ipairs(node) do texts[i] = operand(child) end
  if node.op == "round" then return self:memory(node, node.dtype).round(texts[1]) end
  local words = node.op == "convert" and self:type_of(node[1]).words or self:type_of(node).words
  local word = words[node.op] or usage.fail("target %s has no word '%s'", self.kernel.target.name, node.op)
  return word(unpack(texts, 1, #node))
end

--- A value that is the same for all rows, defined before the row loop.
function Body:uniform(node)
  local memo = self.kernel.uniforms
  if not memo[node] then
    local text = self:apply(node, function(operand) return self:value(operand) end)
    memo[node] = self.kernel.prologue:def(self:type_of(node).ctype, node.label or "value", bare(text))
  end
  return memo[node]
end

--- The name of a row node's value; sums were put into the memo when their sweep ended.
function Body:row_value(node)
  local memo = self.row_values
  if not memo[node] then
    assert(node.op ~= "sum", "a sum is read before its sweep")
    local text
    if node.op == "first" then
      text = self:load(node, node.name, node.dtype, 0)
    elseif node.op == "load" then
      text = self:memory(node, node.dtype).load(node.name .. "[row]")
    else
      text = self:apply(node, function(operand) return self:value(operand) end)
    end
    local is_used_once = not node.label and self.kernel.uses[node] == 1
    memo[node] = is_used_once and text or self.builder:def(self:type_of(node).ctype, node.label or "value", bare(text))
  end
  return memo[node]
end

--- What happens at one element: its values, its stores, its lane of each sum.
function Body:element(builder, sweep, index, lane_arrays, lane)
  local memo = {}
  local function value(node) return self:value(node, builder, index, memo) end
  local stores = {}
  for _, output in ipairs(sweep.stores) do
    if output.node.scope ~= "row" then
      local place = ("%s[%s]"):format(self:row(output.name), index)
      stores[#stores + 1] = self:memory(output.node, output.dtype).store(place, value(output.node))
    end
  end
  for _, text in ipairs(stores) do builder:call(text) end
  for s, sum in ipairs(sweep.sums) do
    if sum.op == "amax" then
      builder:set(lane_arrays[s], self:type_of(sum).words.amax(lane_arrays[s], value(sum[1])))
      return
    end
    local term, place, words = sum[1], ("%s[%s]"):format(lane_arrays[s], lane), self:type_of(sum).words
    local function part(node)
      return node.type == sum.type and value(node) or self:type_of(node).words.convert(value(node))
    end
    if term.op == "mul" then
      builder:set(place, words.fma(part(term[1]), part(term[2]), place))
    else
      builder:set(place, bare(words.add(place, part(term))))
    end
  end
end

--- The sums of one block of `length` elements from `start` (C text or 0) as C texts.
function Body:block_sums(builder, sweep, start, length)
  local arrays, texts, lanes_here = {}, {}, self.lanes
  for s, sum in ipairs(sweep.sums) do arrays[s] = builder:array(self:type_of(sum).ctype, "lane", lanes_here) end
  local zero, j = builder:loop("j", 0, lanes_here, 1)
  for s, sum in ipairs(sweep.sums) do zero:set(("%s[%s]"):format(arrays[s], j), self.kernel.literal(0, sum.type)) end
  local full = math.floor(length / lanes_here) * lanes_here
  local function text_of(offset) return start == 0 and ("%d"):format(offset) or offset == 0 and start or start .. " + " .. offset end
  if full > 0 then
    local stripe, i = builder:loop("i", start, text_of(full), lanes_here)
    local inner, lane = stripe:loop("j", 0, lanes_here, 1)
    self:element(inner, sweep, i .. " + " .. lane, arrays, lane)
  end
  if full < length then
    local inner, lane = builder:loop("j", 0, length - full, 1)
    local from = text_of(full)
    self:element(inner, sweep, from == "0" and lane or from .. " + " .. lane, arrays, lane)
  end
  for s, sum in ipairs(sweep.sums) do texts[s] = self:type_of(sum).words.tree(arrays[s]) end
  return texts
end

function Body:sum_sweep(sweep)
  local cut = contract.blocks(sweep.count)
  local function finish(s, text)
    local sum = sweep.sums[s]
    self.row_values[sum] = self.builder:def(self:type_of(sum).ctype, "sum_" .. (sum[1].label or "squares"), text)
  end
  if cut.count == 1 then
    for s, text in ipairs(self:block_sums(self.builder, sweep, 0, sweep.count)) do finish(s, text) end
    return
  end
  local parts = {}
  for s in ipairs(sweep.sums) do parts[s] = self.builder:array(self:type_of(sweep.sums[s]).ctype, "parts", cut.count) end
  local full = math.floor(sweep.count / cut.length)
  local inner, block = self.builder:loop("block", 0, full, 1)
  local start = inner:def("size_t", "start", ("%s * %d"):format(block, cut.length))
  local sums = self:block_sums(inner, sweep, start, cut.length)
  for s, text in ipairs(sums) do inner:set(("%s[%s]"):format(parts[s], block), text) end
  for b = full, cut.count - 1 do
    local from = b * cut.length
    local texts = self:block_sums(self.builder, sweep, ("%d"):format(from), math.min(cut.length, sweep.count - from))
    for s, text in ipairs(texts) do self.builder:set(("%s[%d]"):format(parts[s], b), text) end
  end
  for s, sum in ipairs(sweep.sums) do finish(s, self:type_of(sum).words.pairwise(parts[s], cut.count)) end
end

--- The largest magnitude of each element in turn; the order does not matter.
function Body:largest_sweep(sweep)
  local names = {}
  for s, largest in ipairs(sweep.sums) do
    names[s] = self.builder:var(self:type_of(largest).ctype, "largest", self.kernel.literal(0, largest.type))
    self.row_values[largest] = names[s]
  end
  local inner, i = self.builder:loop("i", 0, sweep.count, 1)
  self:element(inner, sweep, i, names, nil)
end

--- Writes the loop over rows. Arguments as for gen/lower/vectors.lua.
function lanes.rows(kernel, root)
  local builder = root:row_blocks(1)
  kernel.uniforms = {}
  local body = setmetatable({ kernel = kernel, builder = builder, rows_at = kernel.rows_at(builder, "row", "_row"),
    row_values = {}, lanes = kernel.plan.problem.contract.lanes }, Body)
  for index, sweep in ipairs(kernel.sweeps) do
    builder:note(sweep.note)
    local reload = kernel.reload
    body.reload = reload and index > reload.by and reload or nil
    for _, node in ipairs(sweep.rows) do body:row_value(node) end
    for _, output in ipairs(sweep.stores) do
      if output.node.scope == "row" then builder:set(output.name .. "[row]", body:row_value(output.node)) end
    end
    if #sweep.sums > 0 and sweep.sums[1].op == "amax" then
      body:largest_sweep(sweep)
    elseif #sweep.sums > 0 then
      body:sum_sweep(sweep)
    elseif sweep.kind ~= "end" then
      local inner, i = builder:loop("i", 0, sweep.count, 1)
      body:element(inner, sweep, i, {}, nil)
    end
  end
end

return lanes
