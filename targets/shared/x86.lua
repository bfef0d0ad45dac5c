--- What the targets of x86 share: words whose intrinsics differ in the width of registers alone.

local words = require "targets.shared.words"

local x86 = {}

--- A function that makes C of a pattern: MM is what intrinsics for registers of `bits` bits begin with, BITS that number, PS how those
-- of a type end, NAME the target.
local function maker(bits, suffix, target)
  local values = { MM = bits == 128 and "_mm" or ("_mm%d"):format(bits), BITS = ("%d"):format(bits), PS = suffix, NAME = target }
  return function(pattern) return (pattern:gsub("%u%u+", values)) end
end

--- The arithmetic words of a type.
-- @param suffix how intrinsics of the type end: "ps" or "pd"
-- @param target name of the target, whose helpers have it in front
-- @param more words that only some targets have, or have in their own way
function x86.arithmetic(bits, suffix, target, more)
  local make = maker(bits, suffix, target)
  local function call(name, before) return words.call(make(name), before and make(before)) end
  local max = make "MM_max_PS(%s, %s)"
  return words.with({
    zero = call "MM_setzero_PS", set1 = call "MM_set1_PS", add = call "MM_add_PS", sub = call "MM_sub_PS", mul = call "MM_mul_PS",
    div = call "MM_div_PS", sqrt = call "MM_sqrt_PS", fma = call "MM_fmadd_PS", fnma = call "MM_fnmadd_PS",
    clamp0 = call("MM_max_PS", "MM_setzero_PS(), "), max = function(a, b) return max:format(b, a) end,
    abs = call("MM_andnot_PS", suffix == "ps" and "MM_set1_PS(-0.0f), " or "MM_set1_PS(-0.0), "),
    pin = call "@NAME_pin", forget = call "@NAME_forget", prefetch = call "__builtin_prefetch",
  }, more)
end

--- Memory words made of patterns; `fields`, as words.chunk takes them, go before.
local function chunk(make, patterns, fields)
  for name, pattern in pairs(patterns) do patterns[name] = make(pattern) end
  return words.chunk(words.with(patterns, fields))
end

--- The memory words of f32 in vectors of f32 (suffix "ps"), or of f64 in those of f64 ("pd").
-- @param fields what differs: `load_n`, `store_n`
function x86.floats(bits, suffix, fields)
  return chunk(maker(bits, suffix), {
    raw = suffix == "ps" and "__mBITS" or "__mBITSd", first = "MM_set1_PS(*(%s))", widen = "%s", narrow = "%s",
    load = "MM_loadu_PS(%s)", store = "MM_storeu_PS(%s, %s)", stream = "MM_stream_PS(%s, %s)",
  }, words.with({ is_compute = true }, fields))
end

--- The memory words of integers that fill a register of `bits` bits.
-- @param fields what belongs to the dtype, and what differs
function x86.integers(bits, fields)
  return chunk(maker(bits), {
    raw = "__mBITSi", load = "MM_loadu_siBITS((const __mBITSi *)(const void *)(%s))",
    store = "MM_storeu_siBITS((__mBITSi *)(void *)(%s), %s)", stream = "MM_stream_siBITS((__mBITSi *)(void *)(%s), %s)",
  }, fields)
end

--- The memory words of bf16 in the layout `plain` of vectors of `bits` bits: each element is widened and shifted up.
-- @param fields what differs: `load_n`, `store_n`
function x86.bf16_plain(bits, target, fields)
  local make = maker(bits, nil, target)
  return x86.integers(bits / 2, words.with({
    first = make "MM_castsiBITS_ps(MM_slli_epi32(MM_set1_epi32(@NAME_u16(%s)), 16))",
    widen = make "MM_castsiBITS_ps(MM_slli_epi32(MM_cvtepu16_epi32(%s), 16))",
    narrow = make "@NAME_to_bf16(%s)", narrow_nan = make "@NAME_to_bf16_nan(%s)",
  }, fields))
end

--- The same in the layout `split`: of each pair, one element is shifted up, and one stays where it is.
function x86.bf16_split(bits, target, fields)
  local make = maker(bits, nil, target)
  return x86.integers(bits, words.with({
    widen = { make "MM_castsiBITS_ps(MM_slli_epi32(%s, 16))", make "MM_castsiBITS_ps(MM_and_siBITS(%s, MM_set1_epi32(-65536)))" },
    narrow = make "@NAME_pair_to_bf16(%s, %s)", narrow_nan = make "@NAME_pair_to_bf16_nan(%s, %s)",
  }, fields))
end

--- The slots of a fold within quads of slots of two vectors: slots a and b of each, of both vectors.
function x86.within_quads(width, a, b)
  local result = {}
  for quad = 0, width - 4, 4 do
    for _, s in ipairs { a, b, a + width, b + width } do result[#result + 1] = quad + s end
  end
  return result
end

return x86
