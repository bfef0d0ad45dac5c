--- The vocabulary: the words that a target may define, with their scalar meaning as C.
--
-- A *word* makes C text. Arithmetic words act on each slot of vectors; the meaning is an expression over the slots'
-- values `a`, `b`, `c` (float). The memory words of a dtype and layout act on a chunk: `vecs` vectors of `width`
-- floats that belong to `raws` raw registers; vector k, slot s is element `layout.element(k - 1, s)` of the chunk.
--
--   zero() set1(x)                   every slot is +0, or the float x
--   add sub mul div sqrt             the IEEE operation
--   fma(a, b, c) fnma(a, b, c)       a * b + c and c - a * b, rounded once
--   sub_fma(a, b)                    a - b by the units of fma; may be missing
--   clamp0(a)                        a < 0 ? +0 : a
--   max(a, b)                        b > a ? b : a, so that a NaN in a stays
--   nonzero(a, b)                    a == 0 ? b : a
--   abs(a)                           a without its sign
--   pick(a, b, c)                    a < 0 ? b : c; f32 only
--   pow2(a)                          f32 only: 2^k for a = 1.5 * 2^23 + k, k a whole number from -126 to 127; in general the
--                                    float whose bits are those of a, shifted to the left by 23, plus those of 1
--   amax(a, b)                       f32: the larger one of a and |b| by their bits, so that NaN is largest; a has no sign
--   swap(v, d)                       f32: slot s is slot s xor d; d is a literal power of two below the width
--   keep_n(v, n)                     the first n slots, +0 in the others; n is a number, 0 <= n < width, or C text of an int
--   bcast(v, slot)                   one slot in all; slot is literal
--   store_first(p, v)                a statement: writes slot 0 to p
--   widen_low(v) widen_high(v)       f32: the lower, the upper half of the slots as f64
--   to_f32(v)                        f64: rounded to f32, slot s to slot s; what the other slots hold does not matter
--   pin(v)                           a statement: the variable v has its value now, and no compiler merges or delays it
--   forget()                         a statement: values loaded before it are not kept for loads behind it
--   prefetch(p)                      a statement: the cache line at p is read soon; reads nothing
--   fold.text(a, b)                  slot s is cat(a, b)[low[s]] + cat(a, b)[high[s]]; with shorter lists the word takes a
--                                    alone, and what stands in later slots does not matter
--
--   first(p)                         the element at p in every slot
--   load(p, j) load_n(p, j, n)       raw register j of the chunk at p; of its first n elements, the others 0; reads no byte more;
--                                    n is a number, in layout plain also C text of an int, 0 < n < width
--   widen(q, k)                      vector k of the raw registers q[1..raws], exactly
--   narrow(v, j)                     raw register j of the vectors v[1..vecs], rounded to nearest even; a NaN must have a zero
--                                    low half, where a target has the word
--   narrow_nan(v, j)                 the same for any NaN
--                                    s8 and u8: to the nearest integer, even ones at ties, within their range, NaN as 0; e4m3:
--                                    as OCP's FP8 says it, saturating, any NaN as 0x7f
--   store(p, j, q) store_n(p, j, q, n)   writes raw register j of the chunk at p; its first n elements and no byte more
--   stream(p, j, q)                  the same as store, past the caches: p is aligned to the size of a raw register, and the
--                                    target's `fence` follows before anything reads what was written
--
-- `arithmetic`: the scalar meanings; `fmaf` is exact. `structural`: the words that every kernel on vectors may need, and
-- `memory` those of a dtype in a layout; `stored` those of a dtype that is for outputs only; narrow_nan may be missing where
-- narrow takes any NaN, stream where there are no such stores. `widening`: those of f32 that sums in f64 need.

return {
  arithmetic = {
    { name = "add", arity = 2, meaning = "a + b" },
    { name = "sub", arity = 2, meaning = "a - b" },
    { name = "sub_fma", arity = 2, meaning = "a - b", optional = true },
    { name = "mul", arity = 2, meaning = "a * b" },
    { name = "div", arity = 2, meaning = "a / b" },
    { name = "sqrt", arity = 1, meaning = "sqrt(a)" },
    { name = "fma", arity = 3, meaning = "fma(a, b, c)" },
    { name = "fnma", arity = 3, meaning = "fma(-a, b, c)" },
    { name = "clamp0", arity = 1, meaning = "a < 0 ? 0 : a" },
    { name = "max", arity = 2, meaning = "b > a ? b : a" },
    { name = "nonzero", arity = 2, meaning = "a == 0 ? b : a" },
    { name = "abs", arity = 1, meaning = "fabs(a)" },
    { name = "pick", arity = 3, meaning = "a < 0 ? b : c", optional = true },
    { name = "pow2", arity = 1, meaning = "real_of((bits_of(a) << 23) + bits_of(1))", optional = true },
    { name = "amax", arity = 2, meaning = "larger_bits(a, fabs(b))", optional = true },
  },
  widening = { "widen_low", "widen_high" },
  structural = { "zero", "set1", "add", "fma", "keep_n", "bcast", "pin", "forget", "prefetch" },
  stored = { "narrow", "store", "store_n" },
  memory = { "first", "load", "load_n", "widen", "narrow", "store", "store_n" },
}
