--- Lowering for targets with vectors: sweeps over chunks, accumulators with labels, row blocks, strips.
--
-- Nouns (docs/architecture.md): a *chunk* is the vectors that belong to one raw load; a *stripe* is one round of the
-- contract's lanes; a *strip* is the residue class of chunks that one walk accumulates; a *walker* is a (row, block)
-- pair; the walkers of a row's blocks are walked together, as are all rows where nothing is summed.

local contract = require "gen.contract"
local fold = require "gen.lower.fold"
local rows = require "gen.lower.rows"
local usage = require "gen.usage"

local unpack = table.unpack or unpack

local vectors = {}

--- Straight-line code up to this many vectors in a sweep over a row block; longer ones are loops over stripes.
local UNROLL = 32

-- The body of one row block ------------------------------------------------------------------------------------------

local Body = {}
Body.__index = Body

local function c_sum(...)
  local terms = {}
  for _, term in ipairs { ... } do
    if term and term ~= 0 then terms[#terms + 1] = tostring(term) end
  end
  return table.concat(terms, " + ")
end

--- Text of the address of an element of an array: `i` names a loop counter or is false.
function Body:address(name, domain, row, i, offset)
  if domain == "column" then return c_sum(name, i, offset) end
  if self.row_loop then return c_sum(name .. "_at", i, offset) end
  local pointer, rows_on = self.kernel.row_pointer(name, row)
  return c_sum(pointer, i, rows_on * self.plan.n + offset)
end

--- What the target says of a type: its vectors, words and folds.
function Body:type_of(node) return self.target.types[node.type] end

--- The word of a node's type for an operation; a target that lacks it says so.
function Body:word(node, op)
  local word = self:type_of(node).words[op]
  if not word then usage.fail("target %s has no word '%s' for %s", self.target.name, op, node.type) end
  return word
end

--- A value that is the same for all rows, as a vector defined before the row loop.
function Body:uniform(node)
  if node.op == "const" and node.value == 0 then return self:zero(node.type) end
  local memo = self.kernel.uniforms
  if not memo[node] then
    local text, hint
    local source = node.op == "convert" and node[1] or node
    if source.op == "const" then
      hint, text = node.value == 1 and "one" or "count", self.kernel.literal(node.value, node.type)
    else
      assert(source.op == "arg", "a uniform value is a literal or an argument")
      hint, text = "all_" .. (node.label or source.name), self.kernel.scalars[source.name]
    end
    memo[node] = self.kernel.prologue:def(self:type_of(node).vector, hint, self:word(node, "set1")(text))
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
function Body:apply(node, operand)
  local texts = {}
  for i, child in ipairs(node) do texts[i] = operand(child) end
  return self:word(node, node.op)(unpack(texts, 1, #node))
end

--- Where a node is loaded from: array and dtype, or nil for a computed one.
function Body:source(node)
  local reload = self.reload
  if reload and node == reload.node then return reload.name, reload.dtype end
  if node.op == "load" then return node.name, node.dtype end
end

-- Row values ---------------------------------------------------------------------------------------------------------

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

--- The row operands of a node, in one arrangement.
function Body:row_operands(node)
  local operands, key, differ = {}, nil, false
  for i, child in ipairs(node) do
    assert(child.domain == "row" or child.domain == "uniform", "a row value needs operands of its own domain")
    if child.domain == "row" then
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

local ROW_VALUES = { first = Body.first_elements, convert = Body.converted_rows }

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

-- Element values -----------------------------------------------------------------------------------------------------

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
local ZERO_KEEPING = { add = true, sub = true, mul = true, round = true }
local function is_zero_padded(node)
  if node.op == "load" then return true end
  if not ZERO_KEEPING[node.op] then return false end
  for _, operand in ipairs(node) do
    if not is_zero_padded(operand) then return false end
  end
  return true
end

--- A step is one chunk of one walker: where it is, and what is known of it.
local Step = {}
Step.__index = Step

local function owner(node, step) return node.domain == "column" and step.columns or step.memo end

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
        local address = body:address(load_from, node.domain, self.row, self.i, self.offset)
        text = self.n and words.load_n(address, j, self.n) or words.load(address, j)
      else
        text = body:narrow_word(words, node)(values, j)
      end
      local is_name = text:match("^[%a_][%w_]*$")
      raws[j] = is_name and text or self.builder:def(words.raw, self:hint(words, load_from or node.label or "out"), text)
    end
    memo[key] = raws
  end
  return memo[key]
end

function Step:hint(words, label)
  return words.is_compute and label or label .. "_raw"
end

--- C text of vector k of a node; values that are used again or bear a name are defined first.
function Step:value(node, k)
  if node.domain == "uniform" then return self.body:uniform(node) end
  if node.domain == "row" then return self.body:row_vector(node, self.row) end
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
      text = self.body:apply(node, function(operand) return self:value(operand, k) end)
    end
    local is_name = text:match("^[%a_][%w_]*$")
    if not is_name and (node.label or self.body.kernel.uses[node] > 1) then
      text = self.builder:def(self.body.type.vector, node.label or "value", text)
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

--- Vector k of a term of a sum: +0 past the end of the row.
function Step:term(node, k)
  local value, held = self:value(node, k), self:held(k)
  if held == self.body.type.width or is_zero_padded(node) then return value end
  return self.body.words.keep_n(value, held)
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

local function sum_hint(sum) return sum[1].op == "mul" and "squares" or "total" end

--- Adds this step's vectors to the accumulators of a sum: a product by fused multiply-add. Straight-line additions are
-- pinned: compilers would delay them to the end and spill all their operands.
function Step:accumulate(sum, accumulators)
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
        accumulators[index] = self.builder:var(body.acc.vector, sum_hint(sum), text)
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
  for j = 1, words.raws do
    self.stores[#self.stores + 1] = self.n and words.store_n(address, j, raws[j], self.n) or words.store(address, j, raws[j])
  end
end

-- Walks --------------------------------------------------------------------------------------------------------------

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
      local step = setmetatable({ body = self, builder = builder, row = place.walker.row, i = place.i, offset = place.offset,
        chunk = place.chunk, n = place.n, memo = {}, columns = columns[column_key], stores = stores }, Step)
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
  if most * vectors_per_stripe > UNROLL and full > 1 then
    self:start_lanes(builder, sweep, walkers, strip)
    local inner, i = builder:loop("i", start or 0, c_sum(start, full * self.stripe), self.stripe)
    self:run(inner, sweep, self:stripe_steps(walkers, strip, i, 0), group)
    done = full
  end
  if (most - done) * vectors_per_stripe > UNROLL and #walkers > 1 then
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
            list[index] = list[index] or builder:var(self.acc.vector, sum_hint(sum), self:zero(sum.type))
          end
        end
      end
    end
  end
end

-- Sums ---------------------------------------------------------------------------------------------------------------

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

--- Sums of a group of blocks in one row: for each sum, vectors folded as far as whole vectors can be.
-- @param blocks array of { index=, base=, length= }
function Body:row_sums(builder, sweep, row, blocks, start)
  local lists, mine, places = empty_lists(sweep.sums), empty_lists(sweep.sums), {}
  for b, block in ipairs(blocks) do places[b] = { row = row, block = block.index, base = block.base, length = block.length } end
  for strip = 0, self.strips_now - 1 do self:strip_sums(builder, sweep, places, strip, start, mine) end
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
      local index = c_sum(#list == 1 and counter or ("%s * %d"):format(counter, #list), v - 1)
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

--- The matrices that the elements of a sweep are loaded from and stored to, in the order of their use.
function Body:matrices(sweep)
  local names, seen = {}, {}
  local function add(name)
    if not seen[name] then names[#names + 1] = name end
    seen[name] = true
  end
  local function visit(node)
    if node.domain == "row" or seen[node] then return end
    seen[node] = true
    local source = self:source(node)
    if source and node.domain == "element" then add(source) end
    if not source then
      for _, operand in ipairs(node) do visit(operand) end
    end
  end
  for _, sum in ipairs(sweep.sums) do visit(sum[1]) end
  for _, store in ipairs(sweep.stores) do
    if store.node.domain ~= "row" then
      visit(store.node)
      add(store.name)
    end
  end
  return names
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
      inner:def(self.kernel.pointer_types[name], name .. "_at", self.kernel.row_in_block(name, counter))
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
  if self.rows > 1 and self.rows * vectors_of_row > UNROLL then
    lists = self:looped_rows(builder, sweep, blocks, start)
  else
    for row = 0, self.rows - 1 do
      for s, list in ipairs(self:row_sums(builder, sweep, row, blocks, start)) do
        for _, vector in ipairs(list) do lists[s][#lists[s] + 1] = vector end
      end
    end
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
  local function collect(more)
    for s in ipairs(sweep.sums) do
      for _, vector in ipairs(more[s]) do lists[s][#lists[s] + 1] = vector end
    end
  end

  local groups = math.floor(full / together)
  if present > 2 and groups > 1 then
    collect(self:looped_groups(sweep, groups, together, cut.length))
    next_block = groups * together
  end
  while next_block < present do
    local blocks = {}
    for b = next_block, math.min(next_block + together, present) - 1 do
      local base = b * cut.length
      blocks[#blocks + 1] = { index = b, base = base, length = math.min(cut.length, sweep.count - base) }
    end
    collect(self:group_sums(self.builder, sweep, blocks, false))
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
        self.builder:call(self:word(output.node, "store_first")(c_sum(output.name, "row", row), value))
      end
    end
  end
end

--- A straight-line sweep whose values would need more than a quarter of the registers: compilers would keep what an earlier
-- sweep has loaded, in spilled registers.
function Body:is_crowded(sweep)
  local held = math.ceil(sweep.count / self.type.width) * self.rows
  return held > self.target.registers / 4 and held <= 2 * UNROLL
end

--- Writes the statements that normalise a block of rows.
-- @param kernel what all blocks share: `plan`, `target`, `schedule`, `prologue` (builder), `scalars` (names by
--   argument), `literal(number)` (C text)
-- @param builder the builder of the block's body; row pointers `<array>_row` are defined in it
-- @param count rows in the block
function vectors.block(kernel, builder, count)
  kernel.uniforms, kernel.tame = kernel.uniforms or {}, kernel.tame or {}
  local contract_of_problem = kernel.plan.problem.contract
  local compute, acc = kernel.target.types[contract_of_problem.compute], kernel.target.types[contract_of_problem.acc]
  local layout = compute.layouts[kernel.schedule.layout]
  local body = setmetatable({ kernel = kernel, plan = kernel.plan, target = kernel.target, schedule = kernel.schedule,
    type = compute, words = compute.words, acc = acc, parts = compute.width / acc.width, layout = layout,
    dtypes = layout.dtypes, chunk = layout.vecs * compute.width, lanes = contract_of_problem.lanes,
    builder = builder, rows = count, row_values = {}, spreads = {} }, Body)
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
