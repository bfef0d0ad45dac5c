--- AVX-512 with BF16 (Zen 4, Cooper Lake, Sapphire Rapids and later): conversion to bf16 in one instruction.
--
-- vcvtneps2bf16 rounds to nearest even and keeps NaN, but takes subnormal numbers for zero. So each result is looked at,
-- and where one is zero the pair is rounded by integers.

local words = require "targets.shared.words"

return {
  name = "avx512bf16", extends = "avx512", rank = 40,
  attribute = '__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma")))',
  features = { { name = "avx512_bf16", check = "@cpuid_bit(7, 1, 0, 5)" } },
  types = { f32 = { layouts = {
    plain = { dtypes = { bf16 = words.chunk { narrow = "@avx512bf16_round(%s)", narrow_nan = false } } },
    split = { dtypes = { bf16 = words.chunk { narrow = "@avx512bf16_round_pair(%s, %s)", narrow_nan = false } } },
  } } },
}
