-- Symbolic execution of lowered code: its words act on expressions instead of numbers.
--
-- A target becomes a ghost of itself: widths, layouts and the indices of its fold words are the real ones, but each word makes a
-- token that the interpreter below knows how to compute. What the statements store is then compared with what the contract says,
-- written down here once more, independently of gen/. Equal expressions are the same number; x + 0 and
-- fma(0, 0, x) are x.
--
-- On the way the interpreter checks that every access stays within its row and has the dtype of its array, that nothing is
-- read before it was written, that f32 and f64 meet only in conversions, that no empty slot is stored, that only values
-- whose NaN have a zero low half reach the word `narrow`, and that no product or quotient meets a sum unless it is pinned.

local axes = require "gen.problem.axes"

local symbolic = {}

local LANES = { f32 = 64, f64 = 32 }

-- Terms --------------------------------------------------------------------------------------------------------------

local ARITHMETIC = { "add", "sub", "mul", "div", "sqrt", "fma", "fnma", "clamp0", "max", "nonzero", "abs" }
local OTHERS = { "widen", "shorten", "round bf16", "round f16", "leaf", "pin" }

-- What a conversion makes, and the type of a dtype in memory.
local RESULT_TYPE = { widen = "f64", shorten = "f32" }
local TYPE_OF = { f32 = "f32", bf16 = "f32", f16 = "f32", f64 = "f64" }

-- EMPTY stands in slots that hold nothing.
local EMPTY, ZERO, MOST_TERMS = false, 1, 2 ^ 26
local terms, number_of, tokens

-- symbolic.reset(): forgets all terms and tokens; first thing to do for a kernel.
function symbolic.reset()
  terms, number_of, tokens = { { op = "leaf", name = "0.0" } }, {}, {}
  for _, list in ipairs { ARITHMETIC, OTHERS } do
    for _, op in ipairs(list) do number_of[op] = {} end
  end
end

-- A value of memory or of the call. Its NaN are wild, with any low half, unless it is bf16.
local function leaf(name, dtype)
  local id = number_of.leaf[name]
  if not id then
    id = #terms + 1
    terms[id] = { op = "leaf", name = name, dtype = dtype, type = TYPE_OF[dtype], is_wild = dtype and dtype ~= "bf16" }
    number_of.leaf[name] = id
  end
  return id
end

-- A literal number, of either type.
local function const(value)
  if value == 0 then return ZERO end
  return leaf(("%d.0"):format(value))
end

-- The type that two terms have in common; constants have any.
local function common_type(a, b)
  local left, right = a.type, b and b.type
  assert(not left or not right or left == right, "f32 meets f64")
  return left or right
end

local function new_term(op, a, b, c)
  local first, second, third = terms[a], b and terms[b], c and terms[c]
  local its_type = common_type(first, second)
  if third and third.type ~= its_type then its_type = common_type(third, first) and common_type(third, second) end
  assert(not RESULT_TYPE[op] or its_type ~= RESULT_TYPE[op], op .. " of a value that has this type")
  terms[#terms + 1] = { op = op, a, b, c, type = RESULT_TYPE[op] or its_type,
    is_wild = first.is_wild or second and second.is_wild or third and third.is_wild }
  return #terms
end

local function term(op, a, b, c)
  if a == EMPTY or b == EMPTY or c == EMPTY then return EMPTY end
  if op == "add" and a == ZERO then return b end
  if op == "add" and b == ZERO then return a end
  if op == "fma" and a == ZERO and b == ZERO then return c end
  if op == "widen" and a == ZERO then return a end
  -- A string as the key of every term would take most of the time.
  local known = number_of[op]
  local first, second = a * MOST_TERMS + (b or 0), c or 0
  local same_start = known[first]
  if not same_start then
    same_start = {}
    known[first] = same_start
  end
  local id = same_start[second]
  if not id then
    id = new_term(op, a, b, c)
    same_start[second] = id
  end
  return id
end

-- Whether compilers may fuse a value with an addition: a division may be a product to them, and a conversion is no protection.
local CONVERTS = { widen = true, shorten = true }
local function is_fusible(v)
  local t = terms[v]
  return t.op == "mul" or t.op == "div" or CONVERTS[t.op] and is_fusible(t[1])
end

-- A fusible value that is pinned, and any value without its pin: what is stored and computed has none.
local function pinned(v) return v and is_fusible(v) and term("pin", v) or v end
local function unpinned(v) return v and terms[v].op == "pin" and terms[v][1] or v end

-- What a word makes of values.
local function computed(op, a, b, c)
  if op == "add" or op == "sub" then
    assert(not (a and is_fusible(a) or b and is_fusible(b)), "a product or a quotient meets a sum and is not pinned")
  end
  return term(op, unpinned(a), unpinned(b), unpinned(c))
end

-- v as memory of this dtype holds it.
local function rounded(dtype, v)
  v = unpinned(v)
  if v == EMPTY or v == ZERO then return v end
  assert((terms[v].type or TYPE_OF[dtype]) == TYPE_OF[dtype], "a dtype of another type")
  if dtype == TYPE_OF[dtype] or terms[v].dtype == dtype then return v end
  local id = term("round " .. dtype, v)
  terms[id].dtype, terms[id].is_wild = dtype, dtype ~= "bf16"
  return id
end

-- v in a type.
local function converted(to, v)
  if v == EMPTY or (terms[v].type or to) == to then return v end
  local value = term(to == "f64" and "widen" or "shorten", unpinned(v))
  return terms[v].op == "pin" and pinned(value) or value
end

-- symbolic.text(id): a term as text, "(x[0][0] + x[0][2])".
function symbolic.text(id)
  local t = terms[id]
  if t.op == "leaf" then return t.name end
  local parts = {}
  for i, operand in ipairs(t) do parts[i] = symbolic.text(operand) end
  if t.op == "add" then return "(" .. table.concat(parts, " + ") .. ")" end
  return t.op .. "(" .. table.concat(parts, ", ") .. ")"
end

-- Texts --------------------------------------------------------------------------------------------------------------

local function defer(compute)
  tokens[#tokens + 1] = compute
  local name = "<" .. #tokens .. ">"
  tokens[name] = compute
  return name
end

-- A parsed index is a list of products of numbers, names and (for what stands in parentheses) parsed indices.
local parsed = {}

local function parse_index(text)
  if parsed[text] then return parsed[text] end
  local inner, plain = {}, text:gsub("%(ptrdiff_t%)", "")
  plain = plain:gsub("%b()", function(enclosed)
    inner[#inner + 1] = parse_index(enclosed:sub(2, -2))
    return "#" .. #inner
  end)
  local products = {}
  for part in (plain .. " + "):gmatch("(.-) %+ ") do
    local factors = {}
    for factor in (part .. " * "):gmatch("(.-) %* ") do
      factors[#factors + 1] = tonumber(factor) or inner[tonumber(factor:match("^#(%d+)$"))] or factor
    end
    products[#products + 1] = factors
  end
  parsed[text] = products
  return products
end

local function index_value(products, env)
  local total = 0
  for _, factors in ipairs(products) do
    local product = 1
    for _, factor in ipairs(factors) do
      local kind = type(factor)
      product = product * (kind == "number" and factor or kind == "table" and index_value(factor, env) or env[factor])
    end
    total = total + product
  end
  return total
end

-- The value of an expression of numbers and counters.
local function index_of(text, env) return index_value(parse_index(text), env) end

-- text = { its first name, what comes behind it }, once for each text.
local function split_by(pattern)
  return setmetatable({}, { __index = function(cache, text)
    local name, rest = text:match(pattern)
    cache[text] = { name = name or text, rest = rest }
    return cache[text]
  end })
end

local addresses, places = split_by "^([%w_]+) %+ (.+)$", split_by "^([%a_][%w_]*)%[(.+)%]$"

local function pointer(text, env)
  local address = addresses[text]
  local base = assert(env[address.name], "no pointer")
  return { array = base.array, index = base.index + (address.rest and index_of(address.rest, env) or 0) }
end

-- The memory behind a pointer, after a check of n elements from there.
local function memory(at, n, dtype)
  local array = at.array
  local column = at.index % math.abs(array.stride)
  local row = (at.index - column) / array.stride
  if array.dtype ~= dtype then error(array.name .. " holds " .. array.dtype .. ", not " .. dtype) end
  if row < 0 or row >= array.rows or column + n > array.length then
    error(("%s: %d elements at %d are not in a row"):format(array.name, n, at.index))
  end
  return array.cells
end

local function store(at, dtype, value)
  assert(value, "an empty slot is stored")
  memory(at, 1, dtype)[at.index] = unpinned(value)
end

local function place_of(text, env)
  local place = places[text]
  local base = env[place.name]
  return { array = base.array, index = base.index + index_of(place.rest, env) }
end

-- Sets a variable or an element of an array, of the code's own or of the caller.
local function set(text, value, env)
  local place = places[text]
  if not place.rest then
    env[text] = value
  elseif env[place.name].items then
    env[place.name].items[index_of(place.rest, env)] = value
  else
    store(place_of(text, env), terms[value].type, value)
  end
end

-- symbolic.evaluate(text, env): the value of a token, a name or an element of an array.
local function evaluate(text, env)
  local token = tokens[text]
  if token then return token(env) end
  if env[text] ~= nil then return env[text] end
  local place = places[text]
  if place.rest then return assert(env[place.name].items[index_of(place.rest, env)], "read before it was set") end
  return const(assert(tonumber(text:match("^(%d+%.0)f?$")), "what is this?"))
end

symbolic.evaluate = evaluate

-- symbolic.lanes(vector): a leaf for each labelled slot (gen/lower/fold.lua), named by its row and position.
function symbolic.lanes(vector)
  local values = {}
  for s, slot in ipairs(vector.slots) do values[s] = leaf(("lane[%d][%d]"):format(slot.row, slot.position)) end
  return values
end

-- Ghosts -------------------------------------------------------------------------------------------------------------

local function copied(t)
  local copy = {}
  for key, value in pairs(t) do copy[key] = value end
  return copy
end

local function values_of(texts, env)
  local values = {}
  for i, text in ipairs(texts) do values[i] = evaluate(text, env) end
  return values
end

-- The words of a type; `wide` is the width of its f64 vectors.
local function vector_words(of_type, width, wide)
  local words = {}
  local function make(slot)
    local v = {}
    for s = 1, width do
      v[s] = slot(s)
      if v[s] and (terms[v[s]].type or of_type) ~= of_type then error("a value of another type in a vector of " .. of_type) end
    end
    return v
  end
  for _, op in ipairs(ARITHMETIC) do
    words[op] = function(...)
      local texts = { ... }
      return defer(function(env)
        local v = values_of(texts, env)
        return make(function(s) return computed(op, v[1][s], v[2] and v[2][s], v[3] and v[3][s]) end)
      end)
    end
  end
  words.sub_fma = words.sub
  function words.zero() return defer(function() return make(function() return ZERO end) end) end
  function words.set1(text)
    return defer(function(env)
      local value = evaluate(text, env)
      -- C widens a float argument by itself.
      if of_type == "f64" then value = converted("f64", value) end
      return make(function() return value end)
    end)
  end
  function words.keep_n(text, n)
    return defer(function(env)
      local v = evaluate(text, env)
      return make(function(s) return s <= n and v[s] or ZERO end)
    end)
  end
  function words.bcast(text, slot)
    return defer(function(env)
      local v = evaluate(text, env)
      return make(function() return v[slot + 1] end)
    end)
  end
  function words.store_first(p, text)
    return defer(function(env) store(pointer(p, env), of_type, evaluate(text, env)[1]) end)
  end
  function words.pin(name)
    return defer(function(env)
      local v = evaluate(name, env)
      set(name, make(function(s) return pinned(v[s]) end), env)
    end)
  end
  function words.forget() return defer(function() end) end
  -- Rows that are asked for are there, which the kernel would not need.
  function words.prefetch(p)
    return defer(function(env)
      local at = pointer(p, env)
      memory(at, 1, at.array.dtype)
    end)
  end
  if of_type == "f64" then
    -- The upper half of what it makes is empty.
    function words.to_f32(text)
      return defer(function(env)
        local v, result = evaluate(text, env), {}
        for s = 1, 2 * width do result[s] = s <= width and converted("f32", v[s]) end
        return result
      end)
    end
    return words
  end
  local function widened(from)
    return function(text)
      return defer(function(env)
        local v, result = evaluate(text, env), {}
        for s = 1, wide do result[s] = converted("f64", v[from + s]) end
        return result
      end)
    end
  end
  words.widen_low, words.widen_high = widened(0), widened(wide)
  return words
end

-- symbolic.fold(low, high): a fold word by its indices.
function symbolic.fold(low, high)
  return { low = low, high = high, text = function(a, b)
    return defer(function(env)
      local va, vb, v = evaluate(a, env), evaluate(b, env), {}
      local width = #va
      local function slot(index) return index < width and va[index + 1] or index >= width and vb[index - width + 1] end
      for s = 1, width do v[s] = low[s] and computed("add", slot(low[s]), slot(high[s])) or EMPTY end
      return v
    end)
  end }
end

local function chunk_words(real, layout, width, dtype)
  local chunk = layout.vecs * width
  local per_raw = chunk / real.raws
  local words = { raw = real.raw, raws = real.raws, is_compute = real.is_compute }
  function words.first(p)
    return defer(function(env)
      local at, v = pointer(p, env), {}
      local value = memory(at, 1, dtype)[at.index]
      for s = 1, width do v[s] = value end
      return v
    end)
  end
  local function held(j, n) return math.max(0, math.min(per_raw, n - (j - 1) * per_raw)) end
  function words.load_n(p, j, n)
    return defer(function(env)
      local at, v, count = pointer(p, env), {}, held(j, n)
      local cells = memory(at, math.min(n, chunk), dtype)
      for s = 1, per_raw do
        v[s] = s <= count and assert(cells[at.index + (j - 1) * per_raw + s - 1], "read before it was stored") or ZERO
      end
      return v
    end)
  end
  function words.load(p, j) return words.load_n(p, j, chunk) end
  function words.widen(q, k)
    local texts = copied(q)
    return defer(function(env)
      local raws, v = values_of(texts, env), {}
      for s = 1, width do
        local element = layout.element(k - 1, s - 1)
        v[s] = raws[math.floor(element / per_raw) + 1][element % per_raw + 1]
      end
      return v
    end)
  end
  local function narrow(is_guarded)
    return function(vectors, j)
      local texts = copied(vectors)
      return defer(function(env)
        local v, elements, raw = values_of(texts, env), {}, {}
        for k = 1, layout.vecs do
          for s = 1, width do
            local value = v[k][s]
            if is_guarded and value and terms[value].is_wild then error("a NaN of any kind reaches narrow") end
            elements[layout.element(k - 1, s - 1)] = rounded(dtype, value)
          end
        end
        for s = 1, per_raw do raw[s] = elements[(j - 1) * per_raw + s - 1] end
        return raw
      end)
    end
  end
  words.narrow = narrow(real.narrow_nan)
  words.narrow_nan = real.narrow_nan and narrow(false)
  function words.store_n(p, j, q, n)
    return defer(function(env)
      local at, raw = pointer(p, env), evaluate(q, env)
      local cells = memory(at, n, dtype)
      for s = 1, held(j, n) do cells[at.index + (j - 1) * per_raw + s - 1] = assert(raw[s], "an empty slot is stored") end
    end)
  end
  function words.store(p, j, q) return words.store_n(p, j, q, chunk) end
  words.stream = real.stream and words.store
  return words
end

local function scalar_dtype(dtype)
  return {
    load = function(place)
      return defer(function(env)
        local at = place_of(place, env)
        return assert(memory(at, 1, dtype)[at.index], "read before it was stored")
      end)
    end,
    store = function(place, text)
      return defer(function(env) store(place_of(place, env), dtype, rounded(dtype, evaluate(text, env))) end)
    end,
    round = function(text)
      return defer(function(env) return rounded(dtype, evaluate(text, env)) end)
    end,
  }
end

local function halving_tree(lane, lanes)
  local w = lanes / 2
  while w >= 1 do
    for j = 0, w - 1 do lane[j] = computed("add", lane[j], lane[j + w]) end
    w = w / 2
  end
  return lane[0]
end

local function pairwise_tree(part, n)
  while n > 1 do
    n = n / 2
    for i = 0, n - 1 do part[i] = computed("add", part[2 * i], part[2 * i + 1]) end
  end
  return part[0]
end

local function scalar_words(of_type)
  local words = {}
  for _, op in ipairs(ARITHMETIC) do
    words[op] = function(...)
      local texts = { ... }
      return defer(function(env)
        local v = values_of(texts, env)
        local result = computed(op, v[1], v[2], v[3])
        assert((terms[result].type or of_type) == of_type, "a word of another type")
        return result
      end)
    end
  end
  local other = of_type == "f32" and "f64" or "f32"
  function words.convert(text) return defer(function(env) return converted(other, evaluate(text, env)) end) end
  function words.pin(text) return defer(function(env) return pinned(evaluate(text, env)) end) end
  function words.tree(array) return defer(function(env) return halving_tree(env[array].items, LANES[of_type]) end) end
  function words.pairwise(array, n) return defer(function(env) return pairwise_tree(env[array].items, n) end) end
  return words
end

local function scalar_type(real, name)
  local ghost = copied(real)
  ghost.words, ghost.dtypes = scalar_words(name), {}
  for dtype in pairs(real.dtypes) do ghost.dtypes[dtype] = scalar_dtype(dtype) end
  return ghost
end

local function vector_type(real, name, wide)
  local ghost = copied(real)
  ghost.words, ghost.folds, ghost.layouts = vector_words(name, real.width, wide), {}, {}
  for i, fold in ipairs(real.folds) do ghost.folds[i] = symbolic.fold(fold.low, fold.high) end
  for layout_name, layout in pairs(real.layouts) do
    local dtypes = {}
    for dtype, words in pairs(layout.dtypes) do dtypes[dtype] = chunk_words(words, layout, real.width, dtype) end
    ghost.layouts[layout_name] = { vecs = layout.vecs, element = layout.element, dtypes = dtypes }
  end
  return ghost
end

local FENCE = "fence()"

-- symbolic.target(real): the ghost of a target. Its fold words may be replaced (`types.f32.folds`).
function symbolic.target(real)
  local ghost = copied(real)
  ghost.leave, ghost.fence, ghost.types = nil, real.fence and FENCE, {}
  for name, of_type in pairs(real.types) do
    ghost.types[name] = of_type.vector and vector_type(of_type, name, real.types.f64.width) or scalar_type(of_type, name)
  end
  return ghost
end

-- The interpreter ----------------------------------------------------------------------------------------------------

local run

-- The value of a condition: "next != row", "row < rows", "rows - row >= 4", "streams" or "!streams".
local function holds(text, env)
  if env[text] ~= nil then return env[text] end
  local negated = text:match("^!(%w+)$")
  if negated then return not env[negated] end
  local a, b = text:match "^(%w+) != (%w+)$"
  if a then return env[a] ~= env[b] end
  a, b = text:match "^(%w+) < (%w+)$"
  if a then return env[a] < env[b] end
  local total, counted, least = text:match "^(%w+) %- (%w+) >= (%d+)$"
  return env[total] - env[counted] >= tonumber(least)
end

-- Moves a counter: "++row", "row += 4"; nil for other statements.
local function moved(text, env)
  local name, step = text:match "^%+%+(%w+)$", 1
  if not name then name, step = text:match "^(%w+) %+= (%d+)$" end
  if name then env[name] = env[name] + tonumber(step) end
  return name
end

-- Whether the last `if` held, for the `else` behind it.
local taken

local RUN = {
  note = function() end,
  splice = function(s, env) run(s.body, env) end,
  ["if"] = function(s, env)
    local is_taken = holds(s.text, env)
    if is_taken then run(s.body, env) end
    taken = is_taken
  end,
  ["else"] = function(s, env)
    if not taken then run(s.body, env) end
  end,
  def = function(s, env)
    local tamed = s.name:match("^tame_(%a+)$")
    if s.type == "int" then
      env[s.name] = env.may_stream
    elseif s.type == "size_t" then
      env[s.name] = index_of(s.text, env)
    elseif s.type:sub(-1) == "*" then
      env[s.name] = pointer(s.text, env)
    elseif tamed then
      env[s.name] = env[tamed]
      terms[env[tamed]].is_wild = false
    else
      env[s.name] = evaluate(s.text, env)
    end
  end,
  set = function(s, env) set(s.name, evaluate(s.text, env), env) end,
  call = function(s, env)
    if s.text ~= FENCE and not moved(s.text, env) then evaluate(s.text, env) end
  end,
  array = function(s, env) env[s.name] = { items = {} } end,
  ["for"] = function(s, env)
    local i, to = index_of(tostring(s.from), env), index_of(tostring(s.to), env)
    while i < to do
      env[s.name] = i
      run(s.body, env)
      i = i + s.step
    end
  end,
  rows = function(s, env)
    local counter = s.next or "row"
    env[counter] = env.row
    while env.rows - env.row >= s.count do
      run(s.body, env)
      env[counter] = env[counter] + s.count
    end
  end,
}

-- The statement that runs, for messages.
local current

run = function(body, env)
  for _, statement in ipairs(body) do
    current = statement
    RUN[statement.kind](statement, env)
  end
end

local function input(name, row, column) return name .. "[" .. row .. "][" .. column .. "]" end

-- The array behind an argument that is no scalar.
local function array_of(argument, code, rows, env)
  local length = axes.elements(argument.shape, { rows = 1, h = code.problem.h })
  return { name = argument.name, dtype = argument.dtype, cells = {}, length = length,
    rows = argument.shape[1] == "rows" and rows or 1, stride = argument.is_matrix and env[argument.name .. "_stride"] or length }
end

-- The scalar arguments. Where strides are among them, rows of different matrices lie differently, some of them backwards.
local function scalars(code, rows)
  local env, h, strides = { rows = rows }, code.problem.h, 0
  for _, argument in ipairs(code.problem.args) do
    if argument.dtype == "ptrdiff_t" then
      strides = strides + 1
      env[argument.name] = (h + strides) * (strides % 2 == 1 and 1 or -1)
    elseif argument.shape == "scalar" and argument.name ~= "rows" then
      env[argument.name] = leaf(argument.name, argument.dtype)
    end
  end
  return env
end

-- symbolic.run(code, rows, alias, may_stream): executes a code that was lowered for a ghost on `rows` rows of distinct elements.
-- alias: outputs by name -> the input in whose place they are stored. may_stream: what the kernel finds out about that.
-- Returns the outputs' values by name, row after row.
function symbolic.run(code, rows, alias, may_stream)
  local env, outputs, results = scalars(code, rows), {}, {}
  env.may_stream = may_stream or false
  for _, argument in ipairs(code.problem.args) do
    if argument.shape ~= "scalar" then
      local array = array_of(argument, code, rows, env)
      if argument.io == "out" then
        local shared = alias and alias[argument.name]
        if shared then array.cells = env[shared].array.cells end
        outputs[#outputs + 1] = array
      else
        for row = 0, array.rows - 1 do
          for k = 0, array.length - 1 do
            array.cells[row * array.stride + k] = leaf(input(argument.name, row, k), argument.dtype)
          end
        end
      end
      env[argument.name] = { array = array, index = 0 }
    end
  end
  local ok, message = pcall(run, code.body, env)
  if not ok then error(("%s, in a statement %s %s"):format(message, current.kind, current.name or ""), 0) end
  for _, array in ipairs(outputs) do
    local values = {}
    for row = 0, rows - 1 do
      for k = 0, array.length - 1 do values[row * array.length + k] = array.cells[row * array.stride + k] end
    end
    results[array.name] = values
  end
  return results
end

-- The contract -------------------------------------------------------------------------------------------------------

local function block_length(n)
  if n <= 1024 then return 1, n end
  local count = 2
  while 64 * math.ceil(n / (64 * count)) > 4096 do count = count * 2 end
  return count, 64 * math.ceil(n / (64 * count))
end

-- The sum over elements 0..n-1 in a type; `put(lane, k)` is the lane after element k.
local function sum(acc, n, put)
  local count, length = block_length(n)
  local parts, lanes = {}, LANES[acc]
  for block = 0, count - 1 do
    local lane = {}
    for j = 0, lanes - 1 do lane[j] = ZERO end
    for k = block * length, math.min(n, (block + 1) * length) - 1 do
      local j = (k - block * length) % lanes
      lane[j] = put(lane[j], k)
    end
    parts[block] = halving_tree(lane, lanes)
  end
  return pairwise_tree(parts, count)
end

-- The means of v and of v * v over elements 0..n-1; v(k) is widened to the type of sums.
local function mean(acc, n, v)
  return term("div", sum(acc, n, function(lane, k) return term("add", lane, converted(acc, v(k))) end), const(n))
end

local function mean_square(acc, n, v)
  return term("div", sum(acc, n, function(lane, k)
    local wide = converted(acc, v(k))
    return term("fma", wide, wide, lane)
  end), const(n))
end

local function rstd_of(v, acc, eps)
  return term("div", const(1), term("sqrt", term("add", v, converted(acc, eps))))
end

-- The normalised value of each element, and the statistics of the row. x: elements of type `its`; sums have type `acc`.
local NORMS = {
  rmsnorm = function(x, s, its, acc, eps)
    local rstd = converted(its, rstd_of(mean_square(acc, s.h, function(k) return x[k] end), acc, eps))
    return function(k) return term("mul", x[k], rstd) end, { rstd = rstd }
  end,
  layernorm = function(x, s, its, acc, eps)
    local m, n = 1, s.h
    while m < n / 64 do m = m * 2 end
    if s.center == "full" then m = n end
    local is_first = m == 1 and s.center ~= "full"
    local mu = is_first and x[0] or converted(its, mean(acc, m, function(k) return x[k] end))
    local function d(k) return term("sub", x[k], mu) end
    local delta = mean(acc, n, d)
    local variance = term("clamp0", term("fnma", delta, delta, mean_square(acc, n, d)))
    local rstd, short_delta = converted(its, rstd_of(variance, acc, eps)), converted(its, delta)
    local its_mean = converted(its, term("add", converted(acc, mu), delta))
    return function(k) return term("mul", term("sub", d(k), short_delta), rstd) end, { rstd = rstd, mean = its_mean }
  end,
}

-- x, or its sum with the residual, as the norm reads it.
local function normed_row(s, row, its)
  local x = {}
  for k = 0, s.h - 1 do
    local v = leaf(input("x", row, k), s.x)
    if s.fusion == "add" or s.fusion == "addout" then
      local residual = leaf(input("residual", row, k), s.residual)
      v = rounded(s.residual, s.alpha and term("fma", leaf("alpha", its), residual, v) or term("add", v, residual))
    end
    x[k] = v
  end
  return x
end

-- The normalised value with its parameters and what comes after them.
local function finished(s, y, row, k)
  if s.cast == "llama" then y = rounded(s.x, y) end
  local gamma = s.affine ~= "none" and leaf(input("gamma", 0, k), s.gamma)
  if s.offset == 1 then gamma = term("add", gamma, const(1)) end
  if s.affine == "gamma" then y = term("mul", y, gamma) end
  if s.affine == "gamma+beta" then y = term("fma", y, gamma, leaf(input("beta", 0, k), s.gamma)) end
  y = rounded(s.out, y)
  if s.fusion ~= "addafter" then return y end
  return rounded(s.residual, term("add", leaf(input("residual", row, k), s.residual), y))
end

-- symbolic.expected(spec, rows): the outputs' values by name, as the contract defines them.
function symbolic.expected(s, rows)
  local its = TYPE_OF[s.x]
  local acc, n = s.acc or its, s.h
  local results = { y = {}, sum = s.fusion == "addout" and {} or nil, rstd = s.stats and {} or nil,
    mean = s.stats and s.norm == "layernorm" and {} or nil }
  for row = 0, rows - 1 do
    local x = normed_row(s, row, its)
    local normalised, statistics = NORMS[s.norm](x, s, its, acc, leaf("eps", its))
    for name, value in pairs(statistics) do
      if results[name] then results[name][row] = value end
    end
    for k = 0, n - 1 do
      if results.sum then results.sum[row * n + k] = x[k] end
      results.y[row * n + k] = finished(s, normalised(k), row, k)
    end
  end
  return results
end

-- symbolic.difference(wanted, got): nil if all values of every output are equal, else the first one that differs, as text.
function symbolic.difference(wanted, got)
  for _, name in ipairs { "sum", "y", "mean", "rstd" } do
    if (wanted[name] == nil) ~= (got[name] == nil) then return "the output " .. name .. " is there in one of both" end
    for index = 0, wanted[name] and #wanted[name] or -1 do
      local value = got[name][index]
      if wanted[name][index] ~= value then
        return ("%s[%d] is %s, not %s"):format(name, index, value and symbolic.text(value) or "not stored",
          symbolic.text(wanted[name][index]))
      end
    end
  end
end

return symbolic
