--- What words are made of: pieces that targets share. A format is a C text with %s where what a word is given belongs, in the order
-- in which it is given.

local words = {}

--- A word that calls a C function with what it is given; `before`: C text of what stands in front of that, with its comma.
function words.call(name, before)
  return function(...) return name .. "(" .. (before or "") .. table.concat({ ... }, ", ") .. ")" end
end

--- A word that fills a format.
function words.text(format)
  return function(...) return format:format(...) end
end

--- A count of elements as C: a number, or C text of an int, `times` it.
function words.count(n, times)
  if type(n) == "number" then return ("%d"):format(n * (times or 1)) end
  return times and ("%d * %s"):format(times, n) or n
end

--- The fields of a table, and those of `more` instead or beside them.
function words.with(list, more)
  local result = {}
  for _, fields in ipairs { list, more } do
    for name, word in pairs(fields) do result[name] = word end
  end
  return result
end

--- How a format becomes a memory word. p: address; j, k: numbers of a raw register and of a vector; q, v: raw registers and vectors;
-- n: count of elements.
local MEMORY = {
  first = words.text, load = words.text,
  load_n = function(format) return function(p, _, n) return format:format(p, words.count(n)) end end,
  widen = function(format) return function(q) return format:format(q[1], q[2]) end end,
  narrow = function(format) return function(v) return format:format(v[1], v[2]) end end,
  store = function(format) return function(p, _, q) return format:format(p, q) end end,
  store_n = function(format) return function(p, _, q, n) return format:format(p, q, words.count(n)) end end,
}
MEMORY.narrow_nan, MEMORY.stream = MEMORY.narrow, MEMORY.store

--- The memory words of a dtype in a layout where one raw register is loaded at a time.
-- @param fields `raw`, and each word as a function, as a format, or as two formats: for vectors (raw registers) 1 and 2
function words.chunk(fields)
  local chunk = { raws = 1 }
  for name, field in pairs(fields) do
    local make = MEMORY[name]
    if make and type(field) == "string" then
      chunk[name] = make(field)
    elseif make and type(field) == "table" then
      local both = { make(field[1]), make(field[2]) }
      chunk[name] = function(list, number) return both[number](list) end
    else
      chunk[name] = field
    end
  end
  return chunk
end

--- The word store_n of chunks of two halves, each of `size` elements, in the layout `split`.
-- @param half the words of the same dtype in the layout `plain`, for one half
-- @param low, high formats of the halves of a raw register
function words.in_halves(half, size, low, high)
  return function(p, _, q, n)
    if n < size then return half.store_n(p, 1, low:format(q), n) end
    local whole = half.store(p, 1, low:format(q))
    if n == size then return whole end
    return whole .. "; " .. half.store_n(("%s + %d"):format(p, size), 1, high:format(q), n - size)
  end
end

--- The memory words of the dtype of the vectors themselves in the layout `split`: two raw registers, which `widen` parts into even
-- and odd elements.
-- @param plain the same in the layout `plain`
-- @param width elements in a vector
-- @param fields as for words.chunk: `widen`, `narrow`
-- @param tails nil, or `{ empty=, has_masks= }`: C of a raw register of zeros, where load_n makes none; whether load_n and store_n
--   take whole registers, too
function words.pair(plain, width, fields, tails)
  tails = tails or {}
  local function at(p, j) return j == 1 and p or ("%s + %d"):format(p, width) end
  local function left(j, n) return math.max(n - width * (j - 1), 0) end
  local function is_whole(count) return count >= width and not tails.has_masks end
  return words.chunk(words.with({
    raw = plain.raw, raws = 2, is_compute = true, first = plain.first,
    load = function(p, j) return plain.load(at(p, j)) end,
    load_n = function(p, j, n)
      local count = left(j, n)
      if is_whole(count) then return plain.load(at(p, j)) end
      return count == 0 and tails.empty or plain.load_n(at(p, j), 1, count)
    end,
    store = function(p, j, q) return plain.store(at(p, j), 1, q) end,
    stream = plain.stream and function(p, j, q) return plain.stream(at(p, j), 1, q) end,
    store_n = function(p, j, q, n)
      local count = left(j, n)
      return is_whole(count) and plain.store(at(p, j), 1, q) or plain.store_n(at(p, j), 1, q, count)
    end,
  }, fields))
end

--- The layout `plain`.
function words.plain(dtypes)
  return { vecs = 1, element = function(_, s) return s end, dtypes = dtypes }
end

--- The layout `split`.
function words.split(dtypes)
  return { vecs = 2, element = function(k, s) return 2 * s + k end, dtypes = dtypes }
end

return words
