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
  local words, dtypes = setmetatable({ bcast = same, set1 = same }, { __index = its.words }), {}
  function words.zero() return zero end
  function words.pin(v) return ("%s = %s"):format(v, its.words.pin(v)) end
  function words.store_first(p, v) return ("%s = %s"):format(element(p), v) end
  for _, name in ipairs { "f32", "bf16", "f16", "f64" } do dtypes[name] = its.dtypes[name] and memory(its.dtypes[name], its.ctype) end
  return { vector = its.ctype, width = 1, words = words, folds = {},
    layouts = { plain = { vecs = 1, element = function(_, s) return s end, dtypes = dtypes } } }
end

--- @param target target without vectors
-- @return a table like it, whose `types` have vectors of one slot
return function(target)
  local types = { f32 = as_vectors(target.types.f32, "0.0f"), f64 = as_vectors(target.types.f64, "0.0") }
  return setmetatable({ registers = 16, types = types }, { __index = target })
end
