-- Writes the words of a target for a type (f32 or f64) as C functions (tests/bits/vocabulary.h):
--   lua tests/support/vocabulary.lua TARGET TYPE OUTPUT.c [DEPFILE OUTPUT]

local emit = require "gen.emit.emit"
local files = require "tests.support.files"
local targets = require "gen.target.targets"
local vocabulary = require "gen.target.vocabulary"

local target, type_name = targets.named(arg[1]), arg[2]
local of_type = target.types[type_name]
local has_vectors = targets.has_vectors(target)
local width, vector = of_type.width or 1, of_type.vector or of_type.ctype
local out = {}

local function add(format, ...) out[#out + 1] = format:format(...) end

local function define(format, ...)
  add("static %s void " .. format, target.attribute, ...)
end

-- Vectors of the operands a, b, c from memory.
local function operands(names)
  for _, name in ipairs(names) do
    add("    %s v%s;\n    memcpy(&v%s, %s, sizeof v%s);", vector, name, name, name, name)
  end
end

local function result(text) add("    const %s result = %s;\n    memcpy(out, &result, sizeof result);\n}\n", vector, text) end

local function array(name, list)
  if #list == 0 then list = { -1 } end
  add("static const int %s[] = { %s };", name, table.concat(list, ", "))
end

local function arithmetic()
  local rows = {}
  local words = {}
  for _, word in ipairs(vocabulary.arithmetic) do
    if of_type.words[word.name] or not word.optional then words[#words + 1] = word end
  end
  for _, word in ipairs(words) do
    local name = word.name
    local used = { "a", "b", "c" }
    local texts = {}
    define("word_%s(const real *a, const real *b, const real *c, real *out)\n{", name)
    add("    (void)a, (void)b, (void)c;")
    for i = word.arity + 1, 3 do used[i] = nil end
    operands(used)
    for i, operand in ipairs(used) do texts[i] = "v" .. operand end
    result(of_type.words[name](texts[1], texts[2], texts[3]))
    add("static real meaning_%s(real a, real b, real c)\n{\n    (void)a, (void)b, (void)c;\n    return %s;\n}\n", name, word.meaning)
    rows[#rows + 1] = ('    { "%s", %d, word_%s, meaning_%s },'):format(name, word.arity, name, name)
  end
  add("const vocabulary_word vocabulary_words[] = {\n%s\n};", table.concat(rows, "\n"))
  add("const size_t vocabulary_word_count = %d;\n", #rows)
end

local function moves()
  local rows = {}
  local function move(name, text, low, high)
    define("%s(const real *a, const real *b, real *out)\n{\n    (void)a, (void)b;", name)
    operands { "a", "b" }
    add("    (void)va, (void)vb;")
    result(text)
    array(name .. "_low", low)
    if high then array(name .. "_high", high) end
    rows[#rows + 1] = ('    { "%s", %s, %s_low, %s, %d },'):format(name, name, name, high and name .. "_high" or "NULL", #low)
  end
  local function slots(make)
    local list = {}
    for s = 0, width - 1 do list[s + 1] = make(s) end
    return list
  end
  if has_vectors then
    local its = of_type.words
    for n = 0, width - 1 do
      move("keep_" .. n, its.keep_n("va", n), slots(function(s) return s < n and s or -1 end))
      move("bcast_" .. n, its.bcast("va", n), slots(function() return n end))
    end
    for _, d in ipairs(its.swap and { 1, 2, 4, 8 } or {}) do
      if d < width then move("swap_" .. d, its.swap("va", d), slots(function(s) return s % (2 * d) < d and s + d or s - d end)) end
    end
    move("zero", its.zero(), slots(function() return -1 end))
    for i, fold in ipairs(of_type.folds) do move("fold_" .. i, fold.text("va", "vb"), fold.low, fold.high) end
  end
  if has_vectors then
    define("store_first(const real *a, const real *b, real *out)\n{\n    (void)b;")
    operands { "a" }
    add("    %s;\n}\n", of_type.words.store_first("out", "va"))
    array("store_first_low", { 0 })
    rows[#rows + 1] = '    { "store_first", store_first, store_first_low, NULL, 1 },'
  end
  rows[#rows + 1] = "    { NULL, NULL, NULL, NULL, 0 },"
  add("const vocabulary_move vocabulary_moves[] = {\n%s\n};", table.concat(rows, "\n"))
  add("const size_t vocabulary_move_count = %d;\n", #rows - 1)
end

-- The words that convert to the other type: name, first slot and number of slots.
local CONVERSIONS = {
  f32 = { { "widen_low", 0, width / 2 }, { "widen_high", width / 2, width / 2 }, { "convert", 0, 1 } },
  f64 = { { "to_f32", 0, width }, { "convert", 0, 1 } },
}

local function conversions()
  local rows = {}
  for _, conversion in ipairs(CONVERSIONS[type_name]) do
    local name, first, count = conversion[1], conversion[2], conversion[3]
    local word = of_type.words[name]
    if word then
      local result_type = has_vectors and target.types[type_name == "f32" and "f64" or "f32"].vector or "other"
      define("%s(const real *a, other *out)\n{", name)
      operands { "a" }
      add("    const %s result = %s;\n    memcpy(out, &result, %d * sizeof *out);\n}\n", result_type, word "va", count)
      rows[#rows + 1] = ('    { "%s", %s, %d, %d },'):format(name, name, first, count)
    end
  end
  add("const vocabulary_conversion vocabulary_conversions[] = {\n%s\n};", table.concat(rows, "\n"))
  add("const size_t vocabulary_conversion_count = %d;\n", #rows)
end

local DTYPES = { f32 = { "f32", "bf16", "f16", "s8", "u8", "e4m3" }, f64 = { "f64" } }
local CTYPES = { f32 = "float", f64 = "double", bf16 = "uint16_t", f16 = "uint16_t", s8 = "int8_t", u8 = "uint8_t",
  e4m3 = "uint8_t" }

-- A switch over the number of elements, since the words take it literally.
local function for_each_n(chunk, make)
  add("    switch (n) {")
  for n = 1, chunk do
    add("    case %d: {", n)
    make(n < chunk and n or nil)
    add("        break;\n    }")
  end
  add("    }\n}\n")
end

local function loads(id, dtype, layout, m)
  define("load_%s(const void *from, int n, real *out)\n{\n    const %s *p = (const %s *)from;", id, CTYPES[dtype], CTYPES[dtype])
  for_each_n(layout.vecs * width, function(n)
    local raws = {}
    for j = 1, m.raws do
      raws[j] = "q" .. j
      add("        const %s q%d = %s;", m.raw, j, n and m.load_n("p", j, n) or m.load("p", j))
    end
    for k = 1, layout.vecs do
      add("        const %s v%d = %s;\n        memcpy(out + %d, &v%d, sizeof v%d);", vector, k, m.widen(raws, k), (k - 1) * width, k, k)
    end
  end)
  define("first_%s(const void *from, real *out)\n{\n    const %s *p = (const %s *)from;", id, CTYPES[dtype], CTYPES[dtype])
  result(m.first("p"))
end

local function stores(name, dtype, layout, m, narrow, store)
  define("%s(void *to, int n, const real *values)\n{\n    %s *p = (%s *)to;", name, CTYPES[dtype], CTYPES[dtype])
  local vs = {}
  for k = 1, layout.vecs do
    vs[k] = "v" .. k
    add("    %s v%d;\n    memcpy(&v%d, values + %d, sizeof v%d);", vector, k, k, (k - 1) * width, k)
  end
  for_each_n(layout.vecs * width, function(n)
    for j = 1, m.raws do add("        const %s q%d = %s;", m.raw, j, narrow(vs, j)) end
    for j = 1, m.raws do add("        %s;", n and m.store_n("p", j, "q" .. j, n) or store("p", j, "q" .. j)) end
    if store == m.stream then add("        %s;", target.fence) end
  end)
end

-- The memory words of a target without vectors take places, not addresses.
local function scalar_memory(id, dtype, m)
  if m.load then
    define("load_%s(const void *from, int n, real *out)\n{\n    const %s *p = (const %s *)from;\n    (void)n;\n    out[0] = %s;\n}\n", id,
      CTYPES[dtype], CTYPES[dtype], m.load("p[0]"))
    define("first_%s(const void *from, real *out)\n{\n    load_%s(from, 1, out);\n}\n", id, id)
  end
  define("store_%s(void *to, int n, const real *values)\n{\n    %s *p = (%s *)to;\n    (void)n;\n    %s;\n}\n", id, CTYPES[dtype],
    CTYPES[dtype], m.store("p[0]", "values[0]"))
  if m.round then
    define("store_nan_%s(void *to, int n, const real *values)\n{\n    const real rounded = %s;\n    store_%s(to, n, &rounded);\n}\n", id,
      m.round("values[0]"), id)
  end
  return m.round
end

local function memory()
  local rows = {}
  local layouts = of_type.layouts or { plain = { vecs = 1, element = function() return 0 end, dtypes = of_type.dtypes } }
  for _, layout_name in ipairs { "plain", "split" } do
    local layout = layouts[layout_name]
    for _, dtype in ipairs(DTYPES[type_name]) do
      if layout and layout.dtypes[dtype] then
        local id, m, elements = layout_name .. "_" .. dtype, layout.dtypes[dtype], {}
        for k = 0, layout.vecs - 1 do
          for s = 0, width - 1 do elements[#elements + 1] = layout.element(k, s) end
        end
        array("element_" .. id, elements)
        local takes_any
        local is_read = m.load ~= nil
        if has_vectors then
          if is_read then loads(id, dtype, layout, m) end
          stores("store_" .. id, dtype, layout, m, m.narrow, m.store)
          if m.narrow_nan then stores("store_nan_" .. id, dtype, layout, m, m.narrow_nan, m.store) end
          if m.stream then stores("stream_" .. id, dtype, layout, m, m.narrow, m.stream) end
          takes_any = m.narrow_nan
        else
          takes_any = scalar_memory(id, dtype, m)
        end
        rows[#rows + 1] = ('    { "%s", "%s", %d, element_%s, %s, %s, store_%s, %s, %s },'):format(layout_name, dtype,
          layout.vecs, id, is_read and "load_" .. id or "NULL", is_read and "first_" .. id or "NULL", id,
          takes_any and "store_nan_" .. id or "NULL", m.stream and "stream_" .. id or "NULL")
      end
    end
  end
  add("const vocabulary_memory vocabulary_memories[] = {\n%s\n};", table.concat(rows, "\n"))
  add("const size_t vocabulary_memory_count = %d;", #rows)
end

arithmetic()
moves()
conversions()
memory()

local head = {
  '#include "vocabulary.h"', "#include <tgmath.h>", "#include <stdint.h>", "#include <string.h>",
  "static inline real larger_bits(real a, real b)", "{", "    int32_t left, right;", "    memcpy(&left, &a, sizeof left);",
  "    memcpy(&right, &b, sizeof right);", "    return left > right ? a : b;", "}",
}
head[#head + 1] = target.includes
head[#head + 1] = "#if " .. target.guard
for _, helper in ipairs(targets.helpers(target)) do head[#head + 1] = emit.helper(helper, "vocabulary_") end
head[#head + 1] = emit.detection(target, "vocabulary_")
head[#head + 1] = ('const char vocabulary_target[] = "%s";\nconst int vocabulary_width = %d;'):format(target.name, width)
head[#head + 1] = ("int (*const vocabulary_runs_here)(void) = vocabulary_runs_%s;\n"):format(target.name)
local text = table.concat(head, "\n") .. "\n" .. table.concat(out, "\n")
files.write(arg[3], (text:gsub("@", "vocabulary_")) .. "\n#endif\n")
if arg[4] then files.write_depfile(arg[4], arg[5]) end
