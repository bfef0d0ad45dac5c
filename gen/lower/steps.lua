--- Element values: what a step computes. A step is one chunk of one walker: `body`, `builder`, `row`, `chunk` (its number in
-- the stripe), `i` and `offset` (where its elements are), `n` (how many of them there are: a number, in channel kernels also C
-- text, or nil for a full chunk), `memo`, `columns` (memo of values that all rows share), `stores` (the list that its stores
-- join).

local Body = require "gen.lower.body"
local c_text = require "gen.c.text"
local dtypes = require "gen.formula.dtype"
local schedules = require "gen.schedule.schedule"

--- A tame value, if NaN, has a zero low half: NaN of bf16 data, of invalid operations and of the tamed eps. Rounding
-- to bf16 by integer additions keeps them; other NaN need the word that looks for them.
local function is_tame(node, memo)
  if memo[node] == nil then
    local is_data = node.op == "load" or node.op == "first" or node.op == "round"
    local tame = not is_data or node.dtype == "bf16"
    if node.op ~= "round" or not tame then
      for _, operand in ipairs(node) do tame = is_tame(operand, memo) and tame end
    end
    memo[node] = tame
  end
  return memo[node]
end

function Body:narrow_word(words, node)
  return is_tame(node, self.kernel.tame) and words.narrow or words.narrow_nan or words.narrow
end

--- Elements past the end of a partial chunk are +0 in this node's vectors.
local ZERO_KEEPING = { add = true, sub = true, mul = true, round = true, abs = true }
local function is_zero_padded(node)
  if node.op == "load" then return true end
  if not ZERO_KEEPING[node.op] then return false end
  for _, operand in ipairs(node) do
    if not is_zero_padded(operand) then return false end
  end
  return true
end

local Step = {}
Step.__index = Step

--- Makes a table a step.
function Body:step(fields)
  fields.body = self
  return setmetatable(fields, Step)
end

local function owner(node, step) return node.scope == "column" and step.columns or step.memo end

--- The raw registers of a node in a dtype: loaded, or narrowed from its values.
function Step:raws(node, dtype, load_from)
  local memo = owner(node, self)
  local key = node.id .. "raws" .. dtype .. (load_from or "")
  if not memo[key] then
    local body, raws = self.body, {}
    local words = body.dtypes[dtype]
    local values = {}
    if not load_from then
      for k = 1, body.layout.vecs do values[k] = self:value(node, k) end
    end
    for j = 1, words.raws do
      local text
      if load_from then
        local address = body:address(load_from, node.scope, self.row, self.i, self.offset)
        text = self.n and words.load_n(address, j, self.n) or words.load(address, j)
      else
        text = body:narrow_word(words, node)(values, j)
      end
      local is_name = c_text.is_name(text)
      raws[j] = is_name and text or self.builder:def(words.raw, self:hint(words, load_from or node.label or "out"), text)
    end
    memo[key] = raws
  end
  return memo[key]
end

function Step:hint(words, label)
  return words.is_compute and label or label .. "_raw"
end

--- The operation that vector k of a node asks for. Where the units for additions are busy with sums, every second subtraction
-- goes to those for fma, if the target has such a word: 2 to 8 % of a LayerNorm on Zen 4.
function Step:operation(node, k)
  local is_second = (self.chunk * self.body.layout.vecs + k) % 2 == 0
  return node.op == "sub" and self.has_sums and is_second and self.body.words.sub_fma and "sub_fma" or node.op
end

--- C text of vector k of a node; values that are used again or bear a name are defined first.
function Step:value(node, k)
  if node.scope == "uniform" then return self.body:uniform(node) end
  if self.body:is_fixed(node) then return self.body:row_vector(node, self.row, self) end
  local memo, key = owner(node, self), node.id .. "." .. k
  if not memo[key] then
    local text
    local name, dtype = self.body:source(node)
    if name then
      text = self.body.dtypes[dtype].widen(self:raws(node, dtype, name), k)
    elseif node.op == "round" then
      text = self.body.dtypes[node.dtype].widen(self:raws(node[1], node.dtype), k)
    elseif node.op == "pin" then
      text = self.builder:var(self.body.type.vector, node.label or "pinned", self:value(node[1], k))
      self.builder:call(self.body.words.pin(text))
    else
      text = self.body:apply(node, function(operand) return self:value(operand, k) end, self:operation(node, k))
    end
    local is_name = c_text.is_name(text)
    local hint = node.label or node.hint
    if not is_name and (hint or self.body.kernel.uses[node] > 1) then
      text = self.builder:def(self.body.type.vector, hint or "value", text)
    end
    memo[key] = text
  end
  return memo[key]
end

--- How many slots of vector k hold elements of this step.
function Step:held(k)
  local layout, width = self.body.layout, self.body.type.width
  if not self.n then return width end
  local held = 0
  for slot = 0, width - 1 do
    if layout.element(k - 1, slot) < self.n then held = held + 1 end
  end
  return held
end

--- Vector k of a term of a sum: +0 past the end of the row, unless each slot has a sum of its own (`are_apart`).
function Step:term(node, k)
  local value, words = self:value(node, k), self.body.words
  if not self.n or self.are_apart or is_zero_padded(node) then return value end
  if type(self.n) == "string" then return words.keep_n(value, self.n) end
  local held = self:held(k)
  return held == self.body.type.width and value or words.keep_n(value, held)
end

--- The vectors of the accumulators' type that make up vector k of a term: itself, or its widened halves.
function Step:parts(node, k)
  local body = self.body
  local value = self:term(node, k)
  if body.parts == 1 then return { value } end
  local memo, key = owner(node, self), node.id .. "wide" .. k
  if not memo[key] then
    memo[key] = {
      self.builder:def(body.acc.vector, "low", body.words.widen_low(value)),
      self.builder:def(body.acc.vector, "high", body.words.widen_high(value)),
    }
  end
  return memo[key]
end

--- What the accumulators of a sum are called.
function Body.accumulator_name(sum) return sum.op == "amax" and "largest" or sum[1].op == "mul" and "squares" or "total" end

--- Takes this step's vectors into the accumulators of a largest magnitude.
function Step:accumulate_largest(largest, accumulators)
  local body = self.body
  for k = 1, body.layout.vecs do
    local index, term = body:accumulator(self.chunk, k, 1), self:term(largest[1], k)
    local name = accumulators[index]
    local text = body:word(largest, "amax")(name or body:zero(largest.type), term)
    if name then
      self.builder:set(name, text)
    else
      accumulators[index] = self.builder:var(body.type.vector, "largest", text)
    end
  end
end

--- Adds this step's vectors to the accumulators of a sum: a product by fused multiply-add. Straight-line additions are
-- pinned: compilers would delay them to the end and spill all their operands.
function Step:accumulate(sum, accumulators)
  if sum.op == "amax" then return self:accumulate_largest(sum, accumulators) end
  local body, node = self.body, sum[1]
  local words, is_product = body.acc.words, node.op == "mul"
  for k = 1, body.layout.vecs do
    local a = self:parts(is_product and node[1] or node, k)
    local b = is_product and self:parts(node[2], k)
    for part = 1, body.parts do
      local index = body:accumulator(self.chunk, k, part)
      local name, text = accumulators[index], a[part]
      if is_product then
        text = words.fma(a[part], b[part], name or body:zero(sum.type))
      elseif name then
        text = words.add(name, text)
      end
      if name then
        self.builder:set(name, text)
        if body.is_straight and not is_product then self.builder:call(words.pin(name)) end
      else
        accumulators[index] = self.builder:var(body.acc.vector, Body.accumulator_name(sum), text)
      end
    end
  end
end

--- Computes what an output stores; the store itself joins the stores of the group.
function Step:store(output)
  local body, node = self.body, output.node
  local words = body.dtypes[output.dtype]
  local is_rounded = node.op == "round" and node.dtype == output.dtype
  local raws = self:raws(is_rounded and node[1] or node, output.dtype)
  local address = body:address(output.name, "element", self.row, self.i, self.offset)
  local can_stream = body.rows == 1 and body.kernel.streamed[output] and not self.n
  for j = 1, words.raws do
    self.stores[#self.stores + 1] = { text = self.n and words.store_n(address, j, raws[j], self.n) or words.store(address, j, raws[j]),
      stream = can_stream and words.stream(address, j, raws[j]) }
  end
end

--- Asks for what later rows have where this step is.
function Step:prefetch()
  local body = self.body
  for _, argument in ipairs(body.prefetched) do
    local bytes, line = dtypes[argument.dtype].bytes, schedules.LINE
    local first, last = self.offset * bytes, (self.offset + (self.n or body.chunk)) * bytes - 1
    for at = math.ceil(first / line) * line, last, line do
      local pointer, rows_on = body.rows_ahead.pointer(argument.name, self.row)
      local address = c_text.sum(pointer, self.i, rows_on * body.plan.n + math.floor(at / bytes))
      self.builder:call(body.words.prefetch(address))
    end
  end
end

