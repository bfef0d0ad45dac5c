--- The body of one row block in vectors: words, uniform values and row values. Steps, walks and sums add to it.

local c_text = require "gen.c.text"
local rows = require "gen.lower.rows"
local usage = require "gen.errors.usage"

local unpack = table.unpack or unpack

local Body = {}
Body.__index = Body

--- Straight-line code up to this many vectors in a sweep over one row, or over a block of several rows; longer ones are loops
-- over stripes. Straight-line blocks are 5 to 15 % faster on AVX-512, straight-line rows at most 3 %.
local UNROLL_ROW, UNROLL_BLOCK = 8, 32

--- The body of a block of `count` rows, the first of which is `first` (name of a variable). `kernel` as for
-- gen/lower/vectors.lua; blocks of a kernel share its `uniforms` (names of vectors defined before the row loop) and `tame`
-- (what is known of NaN).
function Body.new(kernel, builder, count, first)
  kernel.uniforms, kernel.tame = kernel.uniforms or {}, kernel.tame or {}
  local c = kernel.plan.problem.contract
  local compute, acc = kernel.target.types[c.compute], kernel.target.types[c.acc]
  local layout = compute.layouts[kernel.schedule.layout]
  return setmetatable({ kernel = kernel, plan = kernel.plan, target = kernel.target, schedule = kernel.schedule,
    type = compute, words = compute.words, acc = acc, parts = compute.width / acc.width, layout = layout,
    dtypes = layout.dtypes, chunk = layout.vecs * compute.width, lanes = c.lanes, builder = builder, rows = count,
    unroll = count > 1 and UNROLL_BLOCK or UNROLL_ROW, rows_at = kernel.rows_at(builder, first, "_row"),
    first = first, prefetched = {}, row_values = {}, spreads = {} }, Body)
end

--- Text of the address of an element of an array: `i` names a loop counter or is false.
function Body:address(name, domain, row, i, offset)
  if domain == "column" then return c_text.sum(name, i, offset) end
  if self.row_loop then return c_text.sum(name .. "_at", i, offset) end
  local pointer, rows_on = self.rows_at.pointer(name, row)
  return c_text.sum(pointer, i, rows_on * self.plan.n + offset)
end

--- What the target says of a type: its vectors, words and folds.
function Body:type_of(node) return self.target.types[node.type] end

--- The word of a node's type for an operation; a target that lacks it says so.
function Body:word(node, op)
  local word = self:type_of(node).words[op]
  if not word then usage.fail("target %s has no word '%s' for %s", self.target.name, op, node.type) end
  return word
end

--- Numbers that are called by their own names, whatever they are for.
local NUMBERS = { [1] = "one", [2] = "two", [0.5] = "half", [-0.5] = "minus_half", [-1] = "minus_one", [-2] = "minus_two" }

--- A value that is the same for all rows, as a vector defined before the row loop.
function Body:uniform(node)
  if node.op == "const" and node.value == 0 then return self:zero(node.type) end
  local memo = self.kernel.uniforms
  if not memo[node] then
    local text, hint
    local source = node.op == "convert" and node[1] or node
    if source.op == "const" then
      hint = NUMBERS[node.value] or node.hint or "constant"
      text = self:word(node, "set1")(self.kernel.literal(node.value, node.type))
    elseif source.op == "arg" then
      hint, text = "all_" .. (node.label or source.name), self:word(node, "set1")(self.kernel.scalars[source.name])
    else
      hint, text = node.label or "all", self:apply(node, function(operand) return self:uniform(operand) end, node.op)
    end
    memo[node] = self.kernel.prologue:def(self:type_of(node).vector, hint, text)
  end
  return memo[node]
end

--- The vector of zeros of a type.
function Body:zero(of_type)
  local memo, words = self.kernel.uniforms, self.target.types[of_type]
  memo[of_type] = memo[of_type] or self.kernel.prologue:def(words.vector, "zero", words.words.zero())
  return memo[of_type]
end

--- C text of an arithmetic node over the texts of its operands.
-- @param op the word to use
function Body:apply(node, operand, op)
  local texts = {}
  for i, child in ipairs(node) do texts[i] = operand(child) end
  return self:word(node, op)(unpack(texts, 1, #node))
end

--- Where a node is loaded from: array and dtype, or nil for a computed one.
function Body:source(node)
  local reload = self.reload
  if reload and node == reload.node then return reload.name, reload.dtype end
  if node.op == "load" then return node.name, node.dtype end
end

function Body:define(node, hint, text) return self.builder:def(self:type_of(node).vector, hint, text) end

--- A row node's value with one vector per row.
function Body:spread(node)
  local spread = self.spreads[node]
  if spread then return spread end
  local value, names = self:row_value(node), {}
  for row = 0, self.rows - 1 do
    local at = value.at[row]
    local name = value.vectors[at.vector]
    names[row + 1] = at.everywhere and name
      or self:define(node, node.label or "spread", self:word(node, "bcast")(name, at.slot))
  end
  self.spreads[node] = rows.spread(names)
  return self.spreads[node]
end

--- Whether a node's value is formed before the elements are walked.
function Body:is_fixed(node) return node.scope == "row" end

--- The name of the vector that holds a row node's value for one row in every slot.
function Body:row_vector(node, row)
  if self.row_loop then return self.row_loop.vectors[node] end
  return self:spread(node).vectors[row + 1]
end

--- The first element of each row.
function Body:first_elements(node)
  local words, names = self.dtypes[node.dtype], {}
  for row = 0, self.rows - 1 do
    names[row + 1] = self:define(node, node.label, words.first(self:address(node.name, "element", row, false, 0)))
  end
  return rows.spread(names)
end

--- Rounds each vector of a row value through a dtype.
function Body:rounded_rows(node, value)
  local words, names = self.dtypes[node.dtype], {}
  local narrow = self:narrow_word(words, node[1])
  for i, name in ipairs(value.vectors) do
    local copies = {}
    for k = 1, self.layout.vecs do copies[k] = name end
    local raws = {}
    for j = 1, words.raws do raws[j] = self.builder:def(words.raw, "raw", narrow(copies, j)) end
    names[i] = self:define(node, node.label or "rounded", words.widen(raws, 1))
  end
  return rows.value(names, value.at, self.rows)
end

--- Computes each vector of a row value where it stands.
function Body:pinned_rows(node, value)
  local names = {}
  for i, text in ipairs(value.vectors) do
    names[i] = self.builder:var(self:type_of(node).vector, node.label or "pinned", text)
    self.builder:call(self:word(node, "pin")(names[i]))
  end
  return rows.value(names, value.at, self.rows)
end

--- The row operands of a node, in one arrangement.
function Body:row_operands(node)
  local operands, key, differ = {}, nil, false
  for i, child in ipairs(node) do
    assert(child.scope == "row" or child.scope == "uniform", "a row value needs operands of its own domain")
    if child.scope == "row" then
      operands[i] = self:row_value(child)
      differ = differ or key ~= nil and key ~= operands[i].key
      key = operands[i].key
    end
  end
  for i, child in ipairs(node) do
    if differ and operands[i] then operands[i] = self:spread(child) end
  end
  return operands
end

--- A row value in another type. What was in slot s is in slot s of the rounded vector, whose upper half is empty; only a
-- spread value can be widened.
function Body:converted_rows(node)
  local is_narrower = node.type == "f32"
  local value = is_narrower and self:row_value(node[1]) or self:spread(node[1])
  local names, at = {}, {}
  for v, name in ipairs(value.vectors) do
    local text = is_narrower and self:word(node[1], "to_f32")(name) or self:word(node[1], "widen_low")(name)
    names[v] = self:define(node, node.label or "converted", text)
  end
  for row = 0, self.rows - 1 do
    local old = value.at[row]
    at[row] = { vector = old.vector, slot = old.slot, everywhere = old.everywhere and not is_narrower }
  end
  return rows.value(names, at, self.rows)
end

--- Combines row values vector by vector; a value that is used once and bears no name stays text.
function Body:combined_rows(node)
  local operands = self:row_operands(node)
  local example = operands[1] or operands[2] or operands[3]
  if node.op == "round" then return self:rounded_rows(node, example) end
  if node.op == "pin" then return self:pinned_rows(node, example) end
  local names = {}
  for v in ipairs(example.vectors) do
    local texts = {}
    for i, child in ipairs(node) do texts[i] = operands[i] and operands[i].vectors[v] or self:uniform(child) end
    local text = self:word(node, node.op)(unpack(texts, 1, #node))
    local is_used_once = not node.label and self.kernel.uses[node] == 1
    names[v] = is_used_once and text or self:define(node, node.label or "value", text)
  end
  return rows.value(names, example.at, self.rows)
end

--- The one element that each row has.
function Body:loaded_rows(node)
  local words, names = self.dtypes[node.dtype], {}
  for row = 0, self.rows - 1 do
    names[row + 1] = self:define(node, node.label, words.first(c_text.sum(node.name, self.first, row)))
  end
  return rows.spread(names)
end

local ROW_VALUES = { first = Body.first_elements, load = Body.loaded_rows, convert = Body.converted_rows }

--- The row value of a row node; sums were put into the memo when their sweep ended.
function Body:row_value(node)
  local value = self.row_values[node]
  if not value then
    assert(node.op ~= "sum", "a sum is read before its sweep")
    local how = ROW_VALUES[node.op] or self.combined_rows
    value = how(self, node)
    self.row_values[node] = value
  end
  return value
end

return Body
