--- A target without vectors, seen as one whose vectors have one slot: what channel kernels need of it.

local function same(v) return v end

local function element(p) return ("(%s)[0]"):format(p) end

--- The memory words of a dtype, from those for one element.
local function memory(words, ctype)
  return { raw = ctype, raws = 1, is_compute = words.round == nil,
    first = function(p) return words.load(element(p)) end,
    load = function(p) return words.load(element(p)) end,
    widen = function(q) return q[1] end,
    narrow = function(v) return words.round and words.round(v[1]) or v[1] end,
    store = function(p, _, q) return words.store(element(p), q) end }
end

local function as_vectors(its, zero)
  local words, dtypes = {}, {}
  for name, word in pairs(its.words) do words[name] = word end
  words.zero, words.set1 = function() return zero end, same
  words.pin = function(v) return ("%s = %s"):format(v, its.words.pin(v)) end
  words.bcast = same
  words.store_first = function(p, v) return ("%s = %s"):format(element(p), v) end
  for name, dtype in pairs(its.dtypes) do dtypes[name] = memory(dtype, its.ctype) end
  return { vector = its.ctype, width = 1, words = words, folds = {},
    layouts = { plain = { vecs = 1, element = function(_, s) return s end, dtypes = dtypes } } }
end

--- @param target target without vectors
-- @return a table like it, whose `types` have vectors of one slot
return function(target)
  local result = {}
  for field, value in pairs(target) do result[field] = value end
  result.registers = 16
  result.types = { f32 = as_vectors(target.types.f32, "0.0f"), f64 = as_vectors(target.types.f64, "0.0") }
  return result
end
