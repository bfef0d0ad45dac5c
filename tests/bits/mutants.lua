-- Plants faults in a copy of the generator, one at a time; the bits suite must catch each.
--   luajit tests/bits/mutants.lua LIBREFERENCE
-- A mutant whose text is no longer in its file is an error, one that survives is a failure.

package.path = "./?.lua;" .. package.path

local files = require "tests.support.files"

-- fault: what goes wrong. file, text, replacement: the edit; the text occurs once.
local MUTANTS = {
  { fault = "lane order: neighbours meet first", file = "targets/scalar.h",
    text = "for (size_t w = 32; w > 0; w /= 2) {\n        for (size_t j = 0; j < w; ++j) lane[j] += lane[j + w];",
    replacement = "for (size_t w = 32; w > 0; w /= 2) {\n        for (size_t j = 0; j < w; ++j) lane[j] = lane[2 * j] + lane[2 * j + 1];" },
  { fault = "lane order: split vectors taken for plain ones", file = "targets/shared/words.lua",
    text = "element = function(k, s) return 2 * s + k end", replacement = "element = function(k, s) return s + 8 * k end" },
  { fault = "rounding: halves away from zero", file = "targets/avx2.h",
    text = "_mm256_set1_epi16(0x7ffe)", replacement = "_mm256_set1_epi16(0x7fff)" },
  { fault = "rounding: x + residual is not rounded", file = "gen/problem/stream.lua",
    text = "return rounded(spec.residual, spec.gate", replacement = "return rounded(its.x.type, spec.gate" },
  { fault = "rounding: NaN becomes a number", file = "gen/lower/steps.lua",
    text = "words.narrow or words.narrow_nan or words.narrow", replacement = "words.narrow or words.narrow" },
  { fault = "tail: the pivot is subtracted past the end", file = "gen/lower/steps.lua",
    text = "or is_zero_padded(node) then", replacement = "or node then" },
  { fault = "tail: reads a whole vector", file = "targets/avx2.lua",
    text = "_mm256_maskload_ps(%s, @avx2_first(%s))", replacement = "_mm256_loadu_ps(%s)" },
  { fault = "tail: writes one element too many", file = "targets/avx2.lua",
    text = 'store_n = "@avx2_store_f32(%s, %s, %s)"', replacement = "store_n = function(p, _, q, n)\n"
      .. '    return ("@avx2_store_f32(%s, %s, %s)"):format(p, q, type(n) == "number" and words.count(n + 1) or n)\n  end' },
  { fault = "block: too short", file = "gen/formula/contract.lua",
    text = "ONE_BLOCK, LONGEST_BLOCK, UNIT = 1024, 4096, 64", replacement = "ONE_BLOCK, LONGEST_BLOCK, UNIT = 1024, 2048, 64" },
  { fault = "block: halves meet first", file = "targets/scalar.h",
    text = "ng_scalar_pairwise(float *part, size_t n)\n{\n    for (; n > 1; n /= 2) {\n"
      .. "        for (size_t i = 0; i < n / 2; ++i) part[i] = part[2 * i] + part[2 * i + 1];",
    replacement = "ng_scalar_pairwise(float *part, size_t n)\n{\n    for (; n > 1; n /= 2) {\n"
      .. "        for (size_t i = 0; i < n / 2; ++i) part[i] = part[i] + part[i + n / 2];" },
  { fault = "alias: x + residual computed again after sum was stored", file = "gen/lower/lower.lua",
    text = "if plan.saved then", replacement = "if plan.never then" },
  { fault = "contraction: the mean is not pinned", file = "gen/formula/contract.lua",
    text = "return e.pin(mean(v, n))", replacement = "return mean(v, n)" },
  { fault = "contraction: pins hold nothing", file = "targets/avx2.h",
    text = '#define ng_avx2_pin(v) __asm__("" : "+x"(v))', replacement = "#define ng_avx2_pin(v) (void)(v)" },
  { fault = "alpha: left out", file = "gen/problem/stream.lua",
    text = 'spec.alpha and its.alpha * its.residual or its.residual', replacement = "its.residual" },
  { fault = "addafter: the normalised value is not rounded", file = "gen/problem/stream.lua",
    text = "k.spec.out == v.type and e.pin(v) or e.round(k.spec.out, v)", replacement = "e.pin(v)" },
  { fault = "acc=f64: one half counted twice", file = "targets/avx2.lua",
    text = "_mm256_cvtps_pd(_mm256_extractf128_ps(%s, 1))", replacement = "_mm256_cvtps_pd(_mm256_extractf128_ps(%s, 0))" },
  { fault = "stats: the pivot instead of the mean", file = "gen/formula/contract.lua",
    text = '(its.pivot + its.delta):as "mean"', replacement = '(its.pivot + 0):as "mean"' },
  { fault = "strided: rows taken as packed", file = "gen/lower/lower.lua",
    text = "if argument.is_matrix and p.strided then", replacement = "if argument.is_matrix and plan.never then" },
  { fault = "mod: every row takes the first batch", file = "gen/lower/lower.lua",
    text = "%s + %s / rows_per_batch * %d", replacement = "%s + %s * 0 / rows_per_batch * %d" },
  { fault = "groups: each takes gamma from its start", file = "gen/lower/lower.lua",
    text = 'return part and ("%s + %s * %d"):format(text, part, n) or text\nend',
    replacement = 'return part and ("%s + %s * 0 * %d"):format(text, part, n) or text\nend' },
  { fault = "heads: rows where the head is asked for", file = "gen/lower/lower.lua",
    text = '%s + (ptrdiff_t)(%s) * %s_head_stride"):format(text, part, name)',
    replacement = '%s + (ptrdiff_t)%s * %s_head_stride"):format(text, row, name)' },
  { fault = "sandwich: gamma twice", file = "gen/problem/problem.lua",
    text = 'forward(h, its), spec.residual, "2")', replacement = 'forward(h, its), spec.residual, "")' },
  { fault = "twin: beta for both", file = "gen/problem/stream.lua",
    text = 'k.values["beta" .. suffix]', replacement = "k.values.beta" },
  { fault = "quant: the largest number, not magnitude", file = "targets/scalar.h",
    text = "right = ng_scalar_bits(b) & 0x7fffffffu", replacement = "right = ng_scalar_bits(b)" },
  { fault = "quant: a row of zeros has no scale", file = "gen/problem/stream.lua",
    text = "e.max(e.nonzero(e.amax(v), range),", replacement = "e.max(e.amax(v)," },
  { fault = "quant: halves up", file = "targets/scalar.h",
    text = "(int)((bounded + 12582912.0f) - 12582912.0f)", replacement = "(int)(bounded + 128.5f) - 128" },
  { fault = "e4m3: numbers above 448 wrap", file = "targets/avx2.h",
    text = "_mm256_min_ps(magnitude, _mm256_set1_ps(448.0f))", replacement = "_mm256_min_ps(magnitude, _mm256_set1_ps(512.0f))" },
  { fault = "lpnorm: a row of zeros is divided by zero", file = "gen/norms/lpnorm.lua",
    text = "e.nonzero(e.total(e.abs(x)), 1)", replacement = "e.total(e.abs(x))" },
  { fault = "center=full: the head after all", file = "gen/formula/contract.lua",
    text = 'center == "full" and pinned_mean', replacement = 'center == "never" and pinned_mean' },
  { fault = "f16: halves away from zero", file = "targets/scalar.h",
    text = "+ 0xfffu +", replacement = "+ 0x1000u +" },
  { fault = "pipe: rows are mapped with the row values of the next ones", file = "gen/lower/vectors.lua",
    text = 'names[v] = copies:def(ctype, "this_" .. label, carried)', replacement = "names[v] = carried" },
  { fault = "exp: a wrong coefficient", file = "gen/formula/elementary.lua", text = "0x1.555556p-3, 0x1.5555p-5",
    replacement = "0x1.555554p-3, 0x1.5555p-5" },
  { fault = "gelu: a wrong coefficient", file = "gen/formula/elementary.lua", text = "0x1.7756d4p-11", replacement = "0x1.7756d4p-12" },
  { fault = "silu: no lower limit", file = "gen/formula/elementary.lua",
    text = 'return e.max(e.abs(x) * -factor, named(x, "limit", limit)):hinted', replacement = "return (e.abs(x) * -factor):hinted" },
  { fault = "softplus: a wrong coefficient", file = "gen/formula/elementary.lua", text = "0x1.0d21acp-3", replacement = "0x1.0d21aep-2" },
  { fault = "mish: the other half for negative numbers", file = "gen/formula/elementary.lua",
    text = 'pick(x, named(x, "half_down", DOWN / 2), down)', replacement = 'pick(x, down, named(x, "half_down", DOWN / 2))' },
  { fault = "relu6: no upper limit", file = "gen/formula/elementary.lua",
    text = 'return e.max(e.clamp0(x) * -1, x.domain.graph:const(-6, x.type, "minus_six")) * -1',
    replacement = "return e.clamp0(x)" },
  { fault = "hardswish: a sixth in f32 for f64, too", file = "gen/formula/elementary.lua",
    text = "f64 = 0x1.5555555555555p-3", replacement = "f64 = 0x1.555556p-3" },
  { fault = "tanh: the large formula for small numbers", file = "gen/formula/elementary.lua",
    text = '"border", 1.25', replacement = '"border", 0.25' },
  { fault = "pow2: the bias is forgotten", file = "targets/avx2.h", text = "_mm256_set1_epi32(0x3f800000)",
    replacement = "_mm256_set1_epi32(0x3f000000)" },
  { fault = "max: a NaN becomes the limit", file = "targets/shared/x86.lua", text = "max:format(b, a)", replacement = "max:format(a, b)" },
  { fault = "zgate: before and after exchanged", file = "gen/problem/problem.lua", text = 'spec.zgate == "before" and stream.gated',
    replacement = 'spec.zgate == "after" and stream.gated' },
  { fault = "stream: y is not asked whether it is aligned", file = "gen/lower/lower.lua",
    text = "((uintptr_t)%s & %d) == 0", replacement = "(uintptr_t)%s != %d" },
  { fault = "chunks: runs too long", file = "gen/formula/contract.lua",
    text = "contract.CHUNK, contract.RUN, contract.STRIPES = 4096, 64, 64",
    replacement = "contract.CHUNK, contract.RUN, contract.STRIPES = 4096, 128, 64" },
  { fault = "chunks: too short", file = "gen/formula/contract.lua",
    text = "contract.CHUNK, contract.RUN, contract.STRIPES = 4096, 64, 64",
    replacement = "contract.CHUNK, contract.RUN, contract.STRIPES = 2048, 64, 64" },
  { fault = "merge: the weight of the left side", file = "gen/formula/contract.lua",
    text = 'graph:count "right" / graph:count "both"', replacement = 'graph:count "left" / graph:count "both"' },
  { fault = "merge: an odd chunk joins late", file = "gen/lower/channels/chunks.lua",
    text = "%s %% 2 == 0; %s /= 2", replacement = "%s %% 4 == 0; %s /= 2" },
  { fault = "channels: gamma of the group's first one", file = "gen/lower/channels/memory.lua",
    text = '("%s * %d + %s"):format(group, where.per_group, channel)',
    replacement = '("%s * %d + 0 * %s"):format(group, where.per_group, channel)' },
  { fault = "channels: the rest of a run is left out", file = "gen/lower/channels/map.lua",
    text = 'rest .. " > 0"', replacement = 'rest .. " > 1"' },
  { fault = "running variance: biased", file = "gen/formula/contract.lua",
    text = 'mean_square(x, "all_but_one")', replacement = 'mean_square(x, "all")' },
  { fault = "nhwc: the statistics of the next channel", file = "gen/lower/channels/body.lua",
    text = "c_text.sum(array, step.i, step.offset)", replacement = "c_text.sum(array, step.i, step.offset + 1)" },
}

local function run(command, log)
  local result = os.execute(("%s >'%s' 2>&1"):format(command, log))
  return result == true or result == 0
end

local function occurrences(text, part)
  local count, from = 0, 1
  while true do
    local at, last = text:find(part, from, true)
    if not at then return count end
    count, from = count + 1, last + 1
  end
end

local function replaced(text, mutant)
  local count = occurrences(text, mutant.text)
  assert(count == 1, ("%s: its text occurs %d times in %s"):format(mutant.fault, count, mutant.file))
  local at, last = text:find(mutant.text, 1, true)
  return text:sub(1, at - 1) .. mutant.replacement .. text:sub(last + 1)
end

-- Quick, but for the pass in which gcc fuses products with additions.
local CC = "cc -O1 -fexpensive-optimizations"

-- Builds and compares the small set with the generator in `copy`, linked with `objects` (reference and verifier). Returns the step
-- that failed, or nil.
local function first_failure(copy, objects)
  local steps = {
    { "generator", ("cd '%s' && luajit tests/support/kernelset.lua mutants scalar,avx2 1 ."):format(copy) },
    { "compiler", ("cd '%s' && %s -o verify mutants_*.c %s"):format(copy, CC, objects) },
    -- A fault may loop without end. A minute of the processor's time is a hundred times what it takes.
    { "bits", ("(ulimit -t 60 && exec '%s/verify' --quick)"):format(copy) },
  }
  for _, step in ipairs(steps) do
    if not run(step[2], copy .. "/log") then return step[1] end
  end
end

-- The compiler is no test: a mutant must build.
local CATCHES = { generator = "the generator's own checks", bits = "the bits suite" }

local function try(mutant, copy, objects)
  local path = copy .. "/" .. mutant.file
  local original = files.read(path)
  files.write(path, replaced(original, mutant))
  local step = first_failure(copy, objects)
  files.write(path, original)
  print(("%s (%s): %s"):format(mutant.fault, mutant.file, CATCHES[step] and "caught by " .. CATCHES[step] or "SURVIVED"))
  assert(step ~= "compiler", "the mutant does not compile:\n" .. files.read(copy .. "/log"))
  return CATCHES[step] ~= nil
end

local function output(command)
  local pipe = io.popen(command)
  local text = pipe:read("*l")
  pipe:close()
  return text
end

local function main(reference)
  local copy = output("mktemp -d")
  assert(run(("cp -r gen targets templates runtime specs tests '%s'"):format(copy), "/dev/null"))
  local objects = ("'%s/main.o' '%s' -lm"):format(copy, reference)
  assert(run(("cc -O1 -I generated -c reference/verify_main.c -o '%s/main.o'"):format(copy), copy .. "/log"), "verify_main.c")
  local step = first_failure(copy, objects)
  local log = files.read(copy .. "/log")
  assert(not step, "without a fault: " .. tostring(step) .. "\n" .. log)
  if log:find("cannot run here") then
    print("SKIPPED: " .. log:match("skipped: ([^\n]*)"))
    os.exit(77)
  end
  local caught = 0
  for _, mutant in ipairs(MUTANTS) do
    if try(mutant, copy, objects) then caught = caught + 1 end
  end
  run(("rm -r '%s'"):format(copy), "/dev/null")
  print(("mutants caught: %d of %d"):format(caught, #MUTANTS))
  os.exit(caught == #MUTANTS and caught >= 5)
end

main(output("realpath " .. arg[1]))
