-- Symbolic execution of lowered code: its words act on expressions instead of numbers.
--
-- A target becomes a ghost of itself: widths, layouts and the indices of its fold words are the real ones, but each word makes a
-- token that the interpreter below knows how to compute. What the statements store is then compared with what the contract says,
-- written down here once more, independently of gen/. Equal expressions are the same number; x + 0 and
-- fma(0, 0, x) are x.
--
-- On the way the interpreter checks that every access stays within its row and has the dtype of its array, that nothing is
-- read before it was written, and that only values whose NaN have a zero low half reach the word `narrow`.

local symbolic = {}

local LANES = 64

-- Terms --------------------------------------------------------------------------------------------------------------

local ARITHMETIC = { "add", "sub", "mul", "div", "sqrt", "fma", "fnma", "clamp0" }

local ZERO, MOST_TERMS = 1, 2 ^ 26
local terms, number_of, tokens

-- symbolic.reset(): forgets all terms and tokens; first thing to do for a kernel.
function symbolic.reset()
  terms, number_of, tokens = { { op = "leaf", name = "0.0" } }, { leaf = {}, round = {} }, {}
  for _, op in ipairs(ARITHMETIC) do number_of[op] = {} end
end

local function leaf(name, dtype)
  local id = number_of.leaf[name]
  if not id then
    id = #terms + 1
    terms[id], number_of.leaf[name] = { op = "leaf", name = name, dtype = dtype, is_wild = dtype == "f32" }, id
  end
  return id
end

local function const(value)
  if value == 0 then return ZERO end
  return leaf(("%d.0"):format(value))
end

local function term(op, a, b, c)
  if op == "add" and a == ZERO then return b end
  if op == "add" and b == ZERO then return a end
  if op == "fma" and a == ZERO and b == ZERO then return c end
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
    id = #terms + 1
    local is_wild = terms[a].is_wild or b and terms[b].is_wild or c and terms[c].is_wild
    terms[id], same_start[second] = { op = op, a, b, c, is_wild = is_wild }, id
  end
  return id
end

local function rounded(dtype, v)
  if dtype == "f32" or v == ZERO or terms[v].dtype == dtype then return v end
  local id = term("round", v)
  terms[id].dtype, terms[id].is_wild = dtype, false
  return id
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
  return "<" .. #tokens .. ">"
end

-- Where an environment keeps the length of rows, apart from all names of variables.
local ROW_LENGTH = {}

-- A sum of products of numbers and counters.
local function index_of(text, env)
  local total = 0
  for part in (text .. " + "):gmatch("(.-) %+ ") do
    local product = 1
    for factor in (part .. " * "):gmatch("(.-) %* ") do product = product * (tonumber(factor) or env[factor]) end
    total = total + product
  end
  return total
end

local function pointer(text, env)
  local name, rest = text:match("^([%w_]+) %+ (.+)$")
  local base = assert(env[name or text], "no pointer " .. text)
  return { array = base.array, index = base.index + (rest and index_of(rest, env) or 0) }
end

-- The memory behind a pointer, after a check of n elements from there.
local function memory(at, n, dtype, env)
  local array, h = at.array, env[ROW_LENGTH]
  assert(array.dtype == dtype, array.name .. " holds " .. array.dtype .. ", not " .. dtype)
  local row = math.floor(at.index / h)
  assert(at.index >= 0 and row < array.rows and (n == 0 or math.floor((at.index + n - 1) / h) == row),
    ("%s: %d elements at %d are not in a row of %d"):format(array.name, n, at.index, h))
  return array.cells
end

-- symbolic.evaluate(text, env): the value of a token, a name or an element of an array.
local function evaluate(text, env)
  local token = text:match("^<(%d+)>$")
  if token then return tokens[tonumber(token)](env) end
  if env[text] ~= nil then return env[text] end
  local array, index = text:match("^([%a_][%w_]*)%[(.+)%]$")
  if array then return assert(env[array].items[index_of(index, env)], text .. " is read before it was set") end
  return const(assert(tonumber(text:match("^(%d+%.0)f$")), "what is " .. text .. "?"))
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

local function vector_words(width)
  local words = {}
  local function make(slot)
    local v = {}
    for s = 1, width do v[s] = slot(s) end
    return v
  end
  for _, op in ipairs(ARITHMETIC) do
    words[op] = function(...)
      local texts = { ... }
      return defer(function(env)
        local v = values_of(texts, env)
        return make(function(s) return term(op, v[1][s], v[2] and v[2][s], v[3] and v[3][s]) end)
      end)
    end
  end
  function words.zero() return defer(function() return make(function() return ZERO end) end) end
  function words.set1(text)
    return defer(function(env)
      local value = evaluate(text, env)
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
  function words.pin(text) return defer(function(env) return evaluate(text, env) end) end
  function words.forget() return defer(function() end) end
  return words
end

-- symbolic.fold(low, high): a fold word by its indices.
function symbolic.fold(low, high)
  return { low = low, high = high, text = function(a, b)
    return defer(function(env)
      local va, vb, v = evaluate(a, env), evaluate(b, env), {}
      local width = #va
      local function slot(index) return index < width and va[index + 1] or vb[index - width + 1] end
      for s = 1, width do v[s] = term("add", slot(low[s]), slot(high[s])) end
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
      local value = memory(at, 1, dtype, env)[at.index]
      for s = 1, width do v[s] = value end
      return v
    end)
  end
  local function held(j, n) return math.max(0, math.min(per_raw, n - (j - 1) * per_raw)) end
  function words.load_n(p, j, n)
    return defer(function(env)
      local at, v, count = pointer(p, env), {}, held(j, n)
      local cells = memory(at, math.min(n, chunk), dtype, env)
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
            assert(not is_guarded or not terms[v[k][s]].is_wild, "a NaN of any kind reaches narrow")
            elements[layout.element(k - 1, s - 1)] = rounded(dtype, v[k][s])
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
      local cells = memory(at, n, dtype, env)
      for s = 1, held(j, n) do cells[at.index + (j - 1) * per_raw + s - 1] = raw[s] end
    end)
  end
  function words.store(p, j, q) return words.store_n(p, j, q, chunk) end
  return words
end

local function place_of(place, env)
  local name, index = place:match("^([%w_]+)%[(.+)%]$")
  return { array = env[name].array, index = env[name].index + index_of(index, env) }
end

local function scalar_dtype(dtype)
  return {
    load = function(place)
      return defer(function(env)
        local at = place_of(place, env)
        return assert(memory(at, 1, dtype, env)[at.index], "read before it was stored")
      end)
    end,
    store = function(place, text)
      return defer(function(env)
        local at = place_of(place, env)
        memory(at, 1, dtype, env)[at.index] = rounded(dtype, evaluate(text, env))
      end)
    end,
    round = function(text)
      return defer(function(env) return rounded(dtype, evaluate(text, env)) end)
    end,
  }
end

local function halving_tree(lane)
  local w = LANES / 2
  while w >= 1 do
    for j = 0, w - 1 do lane[j] = term("add", lane[j], lane[j + w]) end
    w = w / 2
  end
  return lane[0]
end

local function pairwise_tree(part, n)
  while n > 1 do
    n = n / 2
    for i = 0, n - 1 do part[i] = term("add", part[2 * i], part[2 * i + 1]) end
  end
  return part[0]
end

local function scalar_words()
  local words = { dtypes = { f32 = scalar_dtype "f32", bf16 = scalar_dtype "bf16" } }
  for _, op in ipairs(ARITHMETIC) do
    words[op] = function(...)
      local texts = { ... }
      return defer(function(env)
        local v = values_of(texts, env)
        return term(op, v[1], v[2], v[3])
      end)
    end
  end
  function words.tree(array) return defer(function(env) return halving_tree(env[array].items) end) end
  function words.pairwise(array, n) return defer(function(env) return pairwise_tree(env[array].items, n) end) end
  return words
end

-- symbolic.target(real): the ghost of a target. Its fold words may be replaced (`folds`).
function symbolic.target(real)
  local ghost = copied(real)
  ghost.leave = nil
  if not real.layouts then
    ghost.words = scalar_words()
    return ghost
  end
  ghost.words, ghost.folds, ghost.layouts = vector_words(real.width), {}, {}
  for i, fold in ipairs(real.folds) do ghost.folds[i] = symbolic.fold(fold.low, fold.high) end
  for name, layout in pairs(real.layouts) do
    ghost.layouts[name] = { vecs = layout.vecs, element = layout.element, dtypes = {} }
    for dtype, words in pairs(layout.dtypes) do
      ghost.layouts[name].dtypes[dtype] = chunk_words(words, layout, real.width, dtype)
    end
  end
  return ghost
end

-- The interpreter ----------------------------------------------------------------------------------------------------

local run

local RUN = {
  note = function() end,
  splice = function(s, env) run(s.body, env) end,
  def = function(s, env)
    if s.type == "size_t" then
      env[s.name] = index_of(s.text, env)
    elseif s.type:sub(-1) == "*" then
      env[s.name] = pointer(s.text, env)
    elseif s.name == "tame_eps" then
      env[s.name] = env.eps
    else
      env[s.name] = evaluate(s.text, env)
    end
  end,
  set = function(s, env)
    local value = evaluate(s.text, env)
    local array, index = s.name:match("^([%a_][%w_]*)%[(.+)%]$")
    if array then env[array].items[index_of(index, env)] = value else env[s.name] = value end
  end,
  call = function(s, env) evaluate(s.text, env) end,
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
    while env.rows - env.row >= s.count do
      run(s.body, env)
      env.row = env.row + s.count
    end
  end,
}

run = function(body, env)
  for _, statement in ipairs(body) do RUN[statement.kind](statement, env) end
end

local function input(name, row, column) return name .. "[" .. row .. "][" .. column .. "]" end

-- symbolic.run(code, rows, alias): executes a code that was lowered for a ghost on `rows` rows of distinct elements.
-- alias: outputs by name -> the input in whose place they are stored. Returns the outputs' cells by name.
function symbolic.run(code, rows, alias)
  local h = code.problem.h
  local env = { rows = rows, eps = leaf("eps"), [ROW_LENGTH] = h }
  local results = {}
  for _, argument in ipairs(code.problem.args) do
    if argument.shape ~= "scalar" then
      local array = { name = argument.name, dtype = argument.dtype, cells = {}, rows = #argument.shape == 2 and rows or 1 }
      if argument.io == "out" then
        local shared = alias and alias[argument.name]
        if shared then array.cells = env[shared].array.cells end
        results[argument.name] = array.cells
      else
        for row = 0, array.rows - 1 do
          for k = 0, h - 1 do array.cells[row * h + k] = leaf(input(argument.name, row, k), argument.dtype) end
        end
      end
      env[argument.name] = { array = array, index = 0 }
    end
  end
  run(code.body, env)
  return results
end

-- The contract -------------------------------------------------------------------------------------------------------

local function block_length(n)
  if n <= 1024 then return 1, n end
  local count = 2
  while LANES * math.ceil(n / (LANES * count)) > 4096 do count = count * 2 end
  return count, LANES * math.ceil(n / (LANES * count))
end

-- The sum over elements 0..n-1; `put(lane, k)` is the lane after element k.
local function sum(n, put)
  local count, length = block_length(n)
  local parts = {}
  for block = 0, count - 1 do
    local lane = {}
    for j = 0, LANES - 1 do lane[j] = ZERO end
    for k = block * length, math.min(n, (block + 1) * length) - 1 do
      local j = (k - block * length) % LANES
      lane[j] = put(lane[j], k)
    end
    parts[block] = halving_tree(lane)
  end
  return pairwise_tree(parts, count)
end

local function mean(n, put) return term("div", sum(n, put), const(n)) end

local function rstd_of(v) return term("div", const(1), term("sqrt", term("add", v, leaf("eps")))) end

-- The normalised value of each element.
local NORMS = {
  rmsnorm = function(x, n)
    local rstd = rstd_of(mean(n, function(lane, k) return term("fma", x[k], x[k], lane) end))
    return function(k) return term("mul", x[k], rstd) end
  end,
  layernorm = function(x, n)
    local m = 1
    while m < n / 64 do m = m * 2 end
    local mu = m == 1 and x[0] or mean(m, function(lane, k) return term("add", lane, x[k]) end)
    local function d(k) return term("sub", x[k], mu) end
    local delta = mean(n, function(lane, k) return term("add", lane, d(k)) end)
    local squares = mean(n, function(lane, k) return term("fma", d(k), d(k), lane) end)
    local rstd = rstd_of(term("clamp0", term("fnma", delta, delta, squares)))
    return function(k) return term("mul", term("sub", d(k), delta), rstd) end
  end,
}

-- symbolic.expected(spec, rows): the outputs' cells by name, as the contract defines them.
function symbolic.expected(s, rows)
  local results, n = { y = {} }, s.h
  if s.fusion == "addout" then results.sum = {} end
  for row = 0, rows - 1 do
    local x = {}
    for k = 0, n - 1 do
      x[k] = leaf(input("x", row, k), s.x)
      if s.fusion then x[k] = rounded(s.residual, term("add", x[k], leaf(input("residual", row, k), s.residual))) end
      if results.sum then results.sum[row * n + k] = x[k] end
    end
    local normalised = NORMS[s.norm](x, n)
    for k = 0, n - 1 do
      local y = normalised(k)
      if s.cast == "llama" then y = rounded(s.x, y) end
      local gamma = s.affine ~= "none" and leaf(input("gamma", 0, k), s.gamma)
      if s.offset == 1 then gamma = term("add", gamma, const(1)) end
      if s.affine == "gamma" then y = term("mul", y, gamma) end
      if s.affine == "gamma+beta" then y = term("fma", y, gamma, leaf(input("beta", 0, k), s.gamma)) end
      results.y[row * n + k] = rounded(s.out, y)
    end
  end
  return results
end

-- symbolic.difference(wanted, got, count): nil if the first `count` cells of every output are equal, else the first one
-- that differs, as text.
function symbolic.difference(wanted, got, count)
  for _, name in ipairs { "sum", "y" } do
    for index = 0, wanted[name] and count - 1 or -1 do
      if wanted[name][index] ~= got[name][index] then
        return ("%s[%d] is %s, not %s"):format(name, index, got[name][index] and symbolic.text(got[name][index]) or "not stored",
          symbolic.text(wanted[name][index]))
      end
    end
  end
end

return symbolic
