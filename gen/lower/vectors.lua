--- Lowering for targets with vectors: sweeps over chunks, accumulators with labels, row blocks, strips.
--
-- Nouns (docs/architecture.md): a *chunk* is the vectors that belong to one raw load; a *stripe* is one round of the
-- contract's lanes; a *strip* is the residue class of chunks that one walk accumulates; a *walker* is a (row, block)
-- pair; the walkers of a row's blocks are walked together, as are all rows where nothing is summed.

local contract = require "gen.contract"
local fold = require "gen.lower.fold"
local rows = require "gen.lower.rows"

local unpack = table.unpack or unpack

local vectors = {}

--- Straight-line code up to this many vectors in a sweep over a row block; longer ones are loops over stripes.
local UNROLL = 32

local LANES = contract.lanes

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
  return c_sum(name .. "_row", i, row * self.plan.n + offset)
end

--- A word of the target; a target that lacks it says so.
function Body:word(op)
  return self.words[op] or error({ usage = ("target %s has no word '%s'"):format(self.target.name, op) }, 0)
end

--- A value that is the same for all rows, as a vector defined before the row loop.
function Body:uniform(node)
  if node.op == "const" and node.value == 0 then return self:zero() end
  local memo = self.kernel.uniforms
  if not memo[node] then
    local text, hint
    if node.op == "const" then
      hint, text = node.value == 1 and "one" or "count", self.words.set1(self.kernel.literal(node.value))
    elseif node.op == "arg" then
      hint, text = "all_" .. node.name, self.words.set1(self.kernel.scalars[node.name])
    else
      hint, text = node.label or "uniform", self:apply(node, function(operand) return self:uniform(operand) end)
    end
    memo[node] = self.kernel.prologue:def(self.target.vector, hint, text)
  end
  return memo[node]
end

function Body:zero()
  local memo = self.kernel.uniforms
  memo.zero = memo.zero or self.kernel.prologue:def(self.target.vector, "zero", self.words.zero())
  return memo.zero
end

--- C text of an arithmetic node over the texts of its operands.
function Body:apply(node, operand)
  local texts = {}
  for i, child in ipairs(node) do texts[i] = operand(child) end
  return self:word(node.op)(unpack(texts, 1, #node))
end

-- Row values ---------------------------------------------------------------------------------------------------------

function Body:define(hint, text) return self.builder:def(self.target.vector, hint, text) end

--- A row value with one vector per row.
function Body:spread(value, hint)
  local names = {}
  for row = 0, self.rows - 1 do
    local at = value.at[row]
    local name = value.vectors[at.vector]
    names[row + 1] = at.everywhere and name or self:define(hint, self.words.bcast(name, at.slot))
  end
  return rows.spread(names)
end

--- The first element of each row.
function Body:first_elements(node)
  local words, names = self.dtypes[node.dtype], {}
  for row = 0, self.rows - 1 do
    names[row + 1] = self:define(node.label, words.first(self:address(node.name, "element", row, false, 0)))
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
    names[i] = self:define(node.label or "rounded", words.widen(raws, 1))
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
    if differ and operands[i] then operands[i] = self:spread(operands[i], child.label or "spread") end
  end
  return operands
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
    local text = self:word(node.op)(unpack(texts, 1, #node))
    local is_used_once = not node.label and self.kernel.uses[node] == 1
    names[v] = is_used_once and text or self:define(node.label or "value", text)
  end
  return rows.value(names, example.at, self.rows)
end

--- The row value of a row node; sums were put into the memo when their sweep ended.
function Body:row_value(node)
  local value = self.row_values[node]
  if not value then
    assert(node.op ~= "sum", "a sum is read before its sweep")
    value = node.op == "first" and self:first_elements(node) or self:combined_rows(node)
    self.row_values[node] = value
  end
  return value
end

--- The name of the vector that holds a row node's value for one row in every slot.
function Body:row_vector(node, row)
  local spread = self.spreads[node]
  if not spread then
    spread = self:spread(self:row_value(node), node.label or "spread")
    self.spreads[node] = spread
  end
  return spread.vectors[row + 1]
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

--- Where a node is loaded from: array and dtype, or nil for a computed one.
function Step:source(node)
  local reload = self.body.reload
  if reload and node == reload.node then return reload.name, reload.dtype end
  if node.op == "load" then return node.name, node.dtype end
end

--- C text of vector k of a node; values that are used again or bear a name are defined first.
function Step:value(node, k)
  if node.domain == "uniform" then return self.body:uniform(node) end
  if node.domain == "row" then return self.body:row_vector(node, self.row) end
  local memo, key = owner(node, self), node.id .. "." .. k
  if not memo[key] then
    local text
    local name, dtype = self:source(node)
    if name then
      text = self.body.dtypes[dtype].widen(self:raws(node, dtype, name), k)
    elseif node.op == "round" then
      text = self.body.dtypes[node.dtype].widen(self:raws(node[1], node.dtype), k)
    else
      text = self.body:apply(node, function(operand) return self:value(operand, k) end)
    end
    local is_name = text:match("^[%a_][%w_]*$")
    if not is_name and (node.label or self.body.kernel.uses[node] > 1) then
      text = self.builder:def(self.body.target.vector, node.label or "value", text)
    end
    memo[key] = text
  end
  return memo[key]
end

--- How many slots of vector k hold elements of this step.
function Step:held(k)
  local layout, width = self.body.layout, self.body.target.width
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
  if held == self.body.target.width or is_zero_padded(node) then return value end
  return self.body.words.keep_n(value, held)
end

--- Adds this step's vectors to the accumulators of a sum: a product by fused multiply-add. Straight-line additions are
-- pinned: compilers would delay them to the end and spill all their operands.
function Step:accumulate(sum, accumulators)
  local body, node = self.body, sum[1]
  for k = 1, body.layout.vecs do
    local index = self.chunk * body.layout.vecs + k
    local name = accumulators[index]
    local hint = node.op == "mul" and "squares" or "total"
    local text
    if node.op == "mul" then
      local a = self:term(node[1], k)
      local b = node[2] == node[1] and a or self:term(node[2], k)
      text = body.words.fma(a, b, name or body:zero())
    else
      local term = self:term(node, k)
      text = name and body.words.add(name, term) or term
    end
    if name then
      self.builder:set(name, text)
      if body.is_straight and node.op ~= "mul" then self.builder:call(body.words.pin(name)) end
    else
      accumulators[index] = self.builder:var(body.target.vector, hint, text)
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

--- Chunks that are computed before their stores are written: their values should stay in registers.
function Body:group_size(walkers)
  local values = self.layout.vecs * #walkers
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
      for _, output in ipairs(sweep.stores) do step:store(output) end
      done[#done + 1] = { step = step, walker = place.walker }
    end
    for _, text in ipairs(stores) do builder:call(text) end
    for _, entry in ipairs(done) do
      for s, sum in ipairs(sweep.sums) do entry.step:accumulate(sum, entry.walker.accumulators[s]) end
    end
  end
end

--- Steps of one stripe for some walkers: chunks outside, walkers inside. `i` names where the stripes are counted from.
function Body:stripe_steps(walkers, strip, i, stripe)
  local steps, size = {}, self.chunk
  for chunk = strip, LANES / size - 1, self.strips_now do
    for _, walker in ipairs(walkers) do
      local left = walker.length - stripe * LANES - chunk * size
      if left > 0 then
        steps[#steps + 1] = { walker = walker, chunk = chunk, i = i, n = left < size and left or nil,
          offset = walker.base + stripe * LANES + chunk * size }
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
    full = math.min(full, math.floor(walker.length / LANES))
    most = math.max(most, math.ceil(walker.length / LANES))
  end
  return full, most, LANES / self.target.width * math.max(#walkers, self.rows)
end

--- Walks the chunks of a strip: a loop over the stripes that all walkers fill, then what is left of each.
-- `start` names the element offset of the group of blocks, or is false where it is literal.
function Body:walk(builder, sweep, walkers, strip, start)
  local full, most, vectors_per_stripe = self:extent(walkers)
  local group = self:group_size(walkers) * #walkers
  local done = 0
  if most * vectors_per_stripe > UNROLL and full > 1 then
    self:start_lanes(builder, sweep, walkers, strip)
    local inner, i = builder:loop("i", start or 0, c_sum(start, full * LANES), LANES)
    self:run(inner, sweep, self:stripe_steps(walkers, strip, i, 0), group)
    done = full
  end
  if (most - done) * vectors_per_stripe > UNROLL and #walkers > 1 then
    for _, walker in ipairs(walkers) do
      local part = { row = walker.row, base = walker.base + done * LANES, length = walker.length - done * LANES,
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
        for k = 1, self.layout.vecs do
          local index, list = step.chunk * self.layout.vecs + k, walker.accumulators[s]
          list[index] = list[index]
            or builder:var(self.target.vector, sum[1].op == "mul" and "squares" or "total", self:zero())
        end
      end
    end
  end
end

-- Sums ---------------------------------------------------------------------------------------------------------------

--- The labelled vectors of a walker's accumulators for one sum.
function Body:labelled(walker, accumulators)
  local list, vecs = {}, self.layout.vecs
  local present = math.min(walker.length, LANES)
  for index = 1, LANES / self.target.width do
    if accumulators[index] then
      local chunk, k = math.floor((index - 1) / vecs), (index - 1) % vecs
      local slots = {}
      for slot = 0, self.target.width - 1 do
        local lane = chunk * self.chunk + self.layout.element(k, slot)
        slots[slot + 1] = { row = walker.row, position = lane + LANES * walker.block, lanes = lane < present and 1 or 0 }
      end
      list[#list + 1] = fold.vector(accumulators[index], slots)
    end
  end
  return list
end

--- Folds from the distance `from` down to `to` (a power of two).
function Body:fold_lanes(builder, list, from, to)
  local function define(text) return builder:var(self.target.vector, "part", text) end
  local w = from
  while w >= to do
    list = fold.level(list, w, self.target, define)
    w = w / 2
  end
  return list
end

--- Folds blocks at the distances `from` up to `to` (in blocks).
function Body:fold_blocks(builder, list, from, to)
  local function define(text) return builder:def(self.target.vector, "part", text) end
  local distance = from
  while distance <= to do
    list = fold.level(list, distance * LANES, self.target, define)
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
    self:append_pinned(builder, lists[s], self:fold_lanes(builder, mine, LANES / 2, self.strips_now * self.chunk))
  end
end

--- Appends vectors to a list, each computed by then.
function Body:append_pinned(builder, list, vectors_to_add)
  for _, vector in ipairs(vectors_to_add) do
    builder:call(self.words.pin(vector.name))
    list[#list + 1] = vector
  end
end

local function empty_lists(sums)
  local lists = {}
  for s in ipairs(sums) do lists[s] = {} end
  return lists
end

--- Sums of a group of blocks in all rows: for each sum, vectors that are folded down to the group. Rows are walked one after
-- the other, so that few vectors live at once and hardware prefetchers see few streams; blocks are walked together.
-- @param blocks array of { index=, base=, length= }
function Body:group_sums(builder, sweep, blocks, start)
  local lists = empty_lists(sweep.sums)
  self.strips_now = math.min(self.schedule.strips, LANES / self.chunk)
  for row = 0, self.rows - 1 do
    local mine, places = empty_lists(sweep.sums), {}
    for b, block in ipairs(blocks) do places[b] = { row = row, block = block.index, base = block.base, length = block.length } end
    for strip = 0, self.strips_now - 1 do self:strip_sums(builder, sweep, places, strip, start, mine) end
    for s in ipairs(sweep.sums) do
      self:append_pinned(builder, lists[s], self:fold_lanes(builder, mine[s], self.strips_now * self.chunk / 2, self.chunk))
    end
  end
  for s in ipairs(sweep.sums) do
    lists[s] = self:fold_lanes(builder, lists[s], self.chunk / 2, 1)
    lists[s] = self:fold_blocks(builder, lists[s], 1, #blocks / 2)
  end
  return lists
end

--- Labels of a vector that stands for blocks further on.
local function shifted(vector, name, blocks)
  local slots = {}
  for s, slot in ipairs(vector.slots) do
    slots[s] = slot and { row = slot.row, position = slot.position + blocks * LANES, lanes = slot.lanes }
  end
  return fold.vector(name, slots)
end

--- Sums of `groups` groups of full blocks in a loop over the groups; the groups' vectors meet in arrays.
function Body:looped_groups(sweep, groups, together, length)
  local arrays, lists = {}, {}
  for s in ipairs(sweep.sums) do
    arrays[s] = { kind = "array", type = self.target.vector, name = self.builder:name("parts") }
    self.builder:add(arrays[s])
  end
  local inner, group = self.builder:loop("group", 0, groups, 1)
  local start = inner:def("size_t", "start", ("%s * %d"):format(group, together * length))
  local blocks = {}
  for b = 0, together - 1 do blocks[b + 1] = { index = b, base = b * length, length = length } end
  local folded = self:group_sums(inner, sweep, blocks, start)
  for s in ipairs(sweep.sums) do
    local count = #folded[s]
    arrays[s].count, lists[s] = groups * count, {}
    for v, vector in ipairs(folded[s]) do
      local index = c_sum(count == 1 and group or ("%s * %d"):format(group, count), v - 1)
      inner:set(("%s[%s]"):format(arrays[s].name, index), vector.name)
    end
    for g = 0, groups - 1 do
      for v, vector in ipairs(folded[s]) do
        local name = ("%s[%d]"):format(arrays[s].name, g * count + v - 1)
        table.insert(lists[s], shifted(vector, name, g * together))
      end
    end
  end
  return lists
end

--- Computes the sums of a sweep and puts them into the memo of row values.
function Body:sum_sweep(sweep)
  local cut = contract.blocks(sweep.count)
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
  for b = 0, present - 1 do lanes = lanes + math.min(LANES, sweep.count - b * cut.length) end
  for s, sum in ipairs(sweep.sums) do
    local done = fold.finish(self:fold_blocks(self.builder, lists[s], 1, cut.count / 2), self.rows, lanes)
    if sum[1].op ~= "mul" then
      for v, name in ipairs(done.vectors) do
        done.vectors[v] = self:define("sum_" .. (sum[1].label or "x"), self.words.add(name, self:zero()))
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
  self.strips_now = 1
  self:walk(self.builder, sweep, walkers, 0, false)
end

--- A straight-line sweep whose values would need more than a quarter of the registers: compilers would keep what an earlier
-- sweep has loaded, in spilled registers.
function Body:is_crowded(sweep)
  local held = math.ceil(sweep.count / self.target.width) * self.rows
  return held > self.target.registers / 4 and held <= 2 * UNROLL
end

--- Writes the statements that normalise a block of rows.
-- @param kernel what all blocks share: `plan`, `target`, `schedule`, `prologue` (builder), `scalars` (names by
--   argument), `literal(number)` (C text)
-- @param builder the builder of the block's body; row pointers `<array>_row` are defined in it
-- @param count rows in the block
function vectors.block(kernel, builder, count)
  kernel.uniforms, kernel.tame = kernel.uniforms or {}, kernel.tame or {}
  local layout = kernel.target.layouts[kernel.schedule.layout]
  local body = setmetatable({ kernel = kernel, plan = kernel.plan, target = kernel.target, schedule = kernel.schedule,
    words = kernel.target.words, layout = layout, dtypes = layout.dtypes, chunk = layout.vecs * kernel.target.width,
    builder = builder, rows = count, row_values = {}, spreads = {} }, Body)
  for index, sweep in ipairs(kernel.sweeps) do
    builder:note(sweep.note)
    local reload = kernel.reload
    body.reload = reload and index > reload.by and reload or nil
    for _, node in ipairs(sweep.rows) do
      for row = 0, count - 1 do body:row_vector(node, row) end
    end
    if index > 1 and body:is_crowded(sweep) then builder:call(body.words.forget()) end
    if #sweep.sums > 0 then body:sum_sweep(sweep) else body:map_sweep(sweep) end
  end
end

return vectors
