--- Specs: what the user asks for, as one line of text or one Lua table, read into a plain table.
--
--   { norm = "rmsnorm", dir = "fwd", x = "bf16", out = "bf16", residual = "bf16", gamma = "f32", h = 4096,
--     fusion = false | "add" | "addout" | "addafter", offset = 0 | 1, affine = "none" | "gamma" | "gamma+beta",
--     cast = false | "llama", zgate = false | "before" | "after", act = false | "silu" | ..., site = nil | string, eps = nil | number }
--
-- The grammar is one table: a row for each field, in the order of the canonical text and of kernel names.

local tree = require "gen.tree"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local spec = {}

local MAX_H = 65536

local norms, is_norm = tree.norms(), {}
for _, name in ipairs(norms) do is_norm[name] = true end

local function now(text, value)
  return { text = text, value = value == nil and text or value }
end

local function later(text)
  return { text = text, later = true }
end

local function same_as_x(s) return s.x end

local function norm_of(s) return require("gen.norms." .. s.norm) end

--- Whether a spec counts channels (c=) instead of the elements of a row (h=).
local function has_channels(s) return norm_of(s).sizes == "c" end

--- Chunks and what ranks exchange know no parameters; AdaLN has none beside scale and shift unless it is asked for them.
local function default_affine(s)
  local has_none = s.mod or s.folded or s.dir == "stats" or s.dir == "merge"
  return has_none and "none" or norm_of(s).affine
end

local function size(text)
  local n = text:match("^[1-9]%d*$") and tonumber(text)
  return n and n <= MAX_H and n
end

local SIZE = "a whole number from 1 to " .. MAX_H .. " in plain decimal digits"

local dtypes = { now "f32", now "bf16", now "f16", now "f64" }
local out_dtypes = { now "f32", now "bf16", now "f16", now "f64", now "s8", now "u8", now "e4m3" }

--- The rows. field: name in the spec table. about: for `normgen list options`. key: written key=value, otherwise the
-- bare words of `choices`, of which `later` ones are refused as not supported yet. read: text -> value, for open sets.
-- default: value, or function of the spec; a row without one is left out of the spec. required: the error if absent, or a
-- function of the spec that returns it or nil. always: printed even if it is the default. token: how kernel names write
-- it, a prefix or a table by text.
spec.grammar = {
  { field = "dir", about = "direction: training, inference, or a step of either", always = true, default = "fwd",
    choices = { now "fwd", now "infer", now "foldstats", now "stats", now "merge", now "apply", later "bwd" } },
  { field = "x", about = "dtype of x", always = true, required = "the dtype of x is missing (f32, bf16, f16, f64)",
    choices = dtypes },
  { field = "out", about = "dtype of y", key = "out", token = "y", default = same_as_x, choices = out_dtypes },
  { field = "residual", about = "dtype of residual and sum", key = "residual", token = "r", default = same_as_x,
    choices = dtypes },
  { field = "gamma", about = "dtype of gamma and beta", key = "gamma", token = "g", default = same_as_x,
    choices = dtypes },
  { field = "h", about = "row length", key = "h", token = "h", default = false, read = size, expects = SIZE,
    required = function(s) return not has_channels(s) and "h is missing (h=N, N from 1 to " .. MAX_H .. ")" end },
  { field = "c", about = "channels", key = "c", token = "c", default = false, read = size, expects = SIZE,
    required = function(s) return has_channels(s) and "c is missing (c=N, N from 1 to " .. MAX_H .. ")" end },
  { field = "g", about = "groups of channels", key = "g", token = "g", default = false, read = size, expects = SIZE,
    required = function(s) return s.norm == "groupnorm" and "g is missing (g=N, a divisor of c)" end },
  { field = "layout", about = "order of channels and positions in memory; rows: there are no positions", key = "layout", token = "",
    default = false, choices = { now "nchw", now "nhwc", now "rows" },
    required = function(s)
      return has_channels(s) and s.dir ~= "foldstats" and
        "layout is missing (layout=" .. table.concat(norm_of(s).layouts, ", ") .. ")"
    end },
  { field = "shards", about = "parts of a row on ranks of their own", key = "shards", token = "shards", default = false, read = size,
    expects = SIZE },
  { field = "folded", about = "inference by a scale and a shift for each channel", default = false, choices = { now("folded", true) } },
  { field = "fusion", default = false, choices = { now "add", now "addout", now "addafter", now "sandwich" },
    about = "normalise x + residual; addout stores the sum too; addafter: residual + norm(x); sandwich: norms that, too" },
  { field = "alpha", about = "normalise x + alpha * residual", default = false, choices = { now("alpha", true) } },
  { field = "gate", about = "normalise residual + gate * x, a gate for each batch", default = false, choices = { now("gate", true) } },
  { field = "offset", about = "1: gamma is stored as gamma - 1", key = "offset", token = "offset", default = 0,
    choices = { now("0", 0), now("1", 1) } },
  { field = "affine", about = "parameters after the norm; group: gamma and beta of each group", key = "affine", default = default_affine,
    token = { none = "nogamma", gamma = "nobeta", ["gamma+beta"] = "beta", group = "groupaffine" },
    choices = { now "none", now "gamma", now "gamma+beta", now "group" } },
  { field = "mod", about = "y * (1 + scale) + shift, both for each batch (AdaLN)", default = false, choices = { now("mod", true) } },
  { field = "twin", about = "a second gamma, beta and y", default = false, choices = { now("twin", true) } },
  { field = "groups", about = "parts of a row with statistics of their own", key = "groups", token = "groups", default = 1,
    read = size, expects = SIZE },
  { field = "heads", about = "the same with strides of their own, gamma [heads, h/heads]", key = "heads", token = "heads",
    default = 1, read = size, expects = SIZE },
  { field = "epsform", about = "l2norm: where eps stands", key = "epsform", token = "eps", default = "inside",
    choices = { now "inside", now "outside", now "max" } },
  { field = "p", about = "lpnorm: the exponent", key = "p", token = "p", default = 1, choices = { now("1", 1) } },
  { field = "cast", about = "llama: round to the dtype of x before gamma", key = "cast", token = "", default = false,
    choices = { now "llama" } },
  { field = "acc", about = "dtype of sums and row scalars", key = "acc", token = "acc", default = false,
    choices = { now "f64" } },
  { field = "center", about = "full: the pivot is the mean of the whole row", key = "center", token = "",
    default = false, choices = { now "full" } },
  { field = "momentum", about = "of running statistics: the weight of the batch, or onnx: of the old value", key = "momentum",
    token = "", default = "torch", choices = { now "torch", now "onnx" } },
  { field = "zgate", about = "multiply by silu(z), before the norm or after gamma and beta", key = "zgate", token = "zgate",
    default = false, choices = { now "before", now "after" } },
  { field = "act", about = "activation of the result", key = "act", token = "", default = false,
    choices = { now "silu", now "gelu", now "gelutanh", now "tanh", now "sigmoid" } },
  { field = "quant", about = "out=s8|u8|e4m3: the scale is made for each row, or given", key = "quant", token = "q", default = false,
    choices = { now "row", now "static" } },
  { field = "round", about = "io: round to the dtype of x before quantising", key = "round", token = "round", default = false,
    choices = { now "io" } },
  { field = "side", about = "store what is quantised, too, in the dtype of x", default = false, choices = { now("side", true) } },
  { field = "stats", about = "store mean and rstd of each row", default = false, choices = { now("stats", true) } },
  { field = "strided", about = "row strides as arguments", default = false, choices = { now("strided", true) } },
}

--- Notes travel with a spec table and change nothing about the kernel.
local notes = {
  { field = "site", expects = "a name made of letters, digits and . _ - + * [ ]",
    fits = function(v) return type(v) == "string" and v:match("^[%w._+*%[%]-]+$") end },
  { field = "eps", expects = "a finite number >= 0",
    fits = function(v) return type(v) == "number" and v >= 0 and v < math.huge end },
  { field = "deepnorm", expects = "what deepnorm{ encoder = N } or deepnorm{ decoder = M } gives",
    fits = function(v)
      return type(v) == "table" and type(v.alpha) == "number" and type(v.beta) == "number" and v.alpha < math.huge and v.beta > 0
    end },
}

--- Whether a spec's statistics run over other axes than a row.
local function is_of_channels(s) return has_channels(s) or s.layout end

--- Fields that kernels of channels have; of fusions, add and addafter.
local OF_CHANNELS = { dir = true, x = true, out = true, residual = true, gamma = true, h = true, c = true, g = true, layout = true,
  folded = true, fusion = true, offset = true, affine = true, momentum = true,
  act = true }

--- Fields that steps of a row have that ranks share.
local OF_SHARDS = { dir = true, x = true, out = true, gamma = true, h = true, shards = true, offset = true, affine = true }

--- A word of a spec that only kernels of whole rows have, or nil.
local function word_of_rows(s)
  local known = s.shards and OF_SHARDS or OF_CHANNELS
  for _, entry in ipairs(spec.words(s)) do
    if not known[entry.row.field] then return entry.word end
  end
  return s.fusion and s.fusion ~= "add" and s.fusion ~= "addafter" and s.fusion
end

local function direction_of(s) return (norm_of(s).directions or {})[s.dir] end

--- Whether a kernel of channels makes statistics of its own.
local function has_sums(s) return direction_of(s) and direction_of(s).sums ~= nil end

--- Steps that ranks share.
local STEPS = { stats = true, merge = true, apply = true }

local function has_direction(s)
  if has_channels(s) then return direction_of(s) end
  return s.shards and STEPS[s.dir] or not s.shards and s.dir == "fwd"
end

local function has_layout(s)
  if not has_channels(s) then return norm_of(s).words.layout and s.layout == "nchw" end
  for _, layout in ipairs(norm_of(s).layouts) do
    if layout == s.layout then return true end
  end
end

local function adds_before(s) return s.fusion == "add" or s.fusion == "addout" end

--- What must not be said together: `{ message, holds }`, a message may be a function of the spec; holds(s, given), given: set of
-- the fields that the user wrote.
spec.contradictions = {
  { function(s) return ("%s has no shards"):format(s.norm) end, function(s) return s.shards and not norm_of(s).words.shards end },
  { function(s)
      if s.shards then return "shards= goes with a step that ranks share: stats, merge or apply" end
      local needs_shards = norm_of(s).words.shards and STEPS[s.dir]
      return needs_shards and ("%s is a step of a row that ranks share: it needs shards="):format(s.dir)
        or ("%s has no direction %s"):format(s.norm, s.dir)
    end, function(s) return not has_direction(s) end },
  { function(s) return ("shards=%d does not divide h=%d"):format(s.shards, s.h) end,
    function(s) return s.shards and s.h % s.shards > 0 end },
  { function(s) return ("%s counts channels: c=, not h="):format(s.norm) end, function(s) return s.h and has_channels(s) end },
  { function(s) return ("%s counts the elements of a row: h=, not c="):format(s.norm) end,
    function(s) return s.c and not has_channels(s) end },
  { "g= divides the channels of groupnorm", function(s) return s.g and s.norm ~= "groupnorm" end },
  { function(s) return ("g=%d does not divide c=%d"):format(s.g, s.c) end, function(s) return s.g and s.c % s.g > 0 end },
  { "foldstats has no layout: it reads and writes one value for each channel",
    function(s) return s.dir == "foldstats" and s.layout end },
  { function(s) return ("%s has no layout=%s"):format(s.norm, s.layout) end, function(s) return s.layout and not has_layout(s) end },
  { function(s) return ("%s does not go with %s"):format(word_of_rows(s), s.shards and "shards=" or "a norm of channels") end,
    function(s) return (is_of_channels(s) or s.shards) and word_of_rows(s) end },
  { "folded is a form of batchnorm infer",
    function(s) return s.folded and not (s.norm == "batchnorm" and s.dir == "infer") end },
  { "folded has its parameters in a and b", function(s) return s.folded and s.affine ~= "none" end },
  { function(s) return ("%s takes no parameters: affine=none is all there is"):format(s.norm == "mvn" and "mvn" or s.dir) end,
    function(s) return (s.norm == "mvn" or s.dir == "stats" or s.dir == "merge") and s.affine ~= "none" end },
  { "affine=group gives gamma and beta to each group of groupnorm",
    function(s) return s.affine == "group" and s.norm ~= "groupnorm" end },
  { "momentum= says how running statistics move, but there are none",
    function(s, given) return given.momentum and not (direction_of(s) and direction_of(s).updates) end },
  { function(s) return ("out= is the dtype of y, but %s has none"):format(s.dir) end,
    function(s, given) return given.out and s.out ~= s.x and (s.dir == "stats" or s.dir == "merge" or s.dir == "foldstats") end },
  { function(s) return ("%s reads no x to add to"):format(s.dir) end,
    function(s) return s.fusion and (s.dir == "foldstats" or s.dir == "merge") end },
  { function(s) return ("addafter and act= need a y, but %s has none"):format(s.dir) end,
    function(s) return (s.fusion == "addafter" or s.act) and (s.dir == "stats" or s.dir == "merge" or s.dir == "foldstats") end },
  { "layout=nhwc and layout=rows: c is at most 8192 (groups: 4096), for there are statistics of each channel on the stack",
    function(s) return s.c and has_sums(s) and s.layout ~= "nchw" and s.c > (norm_of(s).over == "group" and 4096 or 8192) end },
  { "offset=1 needs a gamma, but affine is none",
    function(s) return s.offset == 1 and s.affine == "none" end },
  { "gamma= names the dtype of gamma, but affine is none, and there is neither mod nor gate",
    function(s, given) return given.gamma and s.affine == "none" and not s.mod and not s.gate end },
  { "residual= names the dtype of a residual, but there is no add, addout or addafter, nor sandwich",
    function(s, given) return given.residual and not s.fusion end },
  { "cast=llama is defined for rmsnorm only",
    function(s) return s.cast == "llama" and not norm_of(s).words.cast end },
  { "cast=llama needs affine=gamma",
    function(s) return s.cast == "llama" and s.affine ~= "gamma" end },
  { "cast=llama rounds to the dtype of x, so x must be bf16 or f16",
    function(s) return s.cast == "llama" and s.x ~= "bf16" and s.x ~= "f16" end },
  { "alpha scales the residual, so it needs add or addout",
    function(s) return s.alpha and not adds_before(s) end },
  { "gate scales what is added to the residual, so it needs add or addout, without alpha",
    function(s) return s.gate and (not adds_before(s) or s.alpha) end },
  { "twin needs a gamma, and neither addafter, sandwich nor mod",
    function(s) return s.twin and (s.affine == "none" or s.mod or s.fusion == "addafter" or s.fusion == "sandwich") end },
  { "sandwich needs one gamma for each norm, and no mod",
    function(s) return s.fusion == "sandwich" and (s.affine == "none" or s.mod) end },
  { "f64 mixes with no other dtype",
    function(s)
      local wide = 0
      for _, data in ipairs { s.x, s.residual, s.gamma, s.out } do wide = wide + (data == "f64" and 1 or 0) end
      return wide % 4 ~= 0
    end },
  { "acc=f64 is what f64 does anyway", function(s) return s.acc and s.x == "f64" end },
  { "center=full moves the pivot of layernorm's variance",
    function(s) return s.center and not norm_of(s).words.center end },
  { "epsform= says where eps stands in l2norm", function(s, given) return given.epsform and not norm_of(s).words.epsform end },
  { "p= is the exponent of lpnorm", function(s, given) return given.p and not norm_of(s).words.p end },
  { "groups= and heads= must divide h, and exclude each other",
    function(s) return s.h and s.h % (s.groups * s.heads) ~= 0 or (s.groups > 1 and s.heads > 1) end },
  { "groups= and heads= go with neither sandwich nor quant=",
    function(s) return (s.groups > 1 or s.heads > 1) and (s.fusion == "sandwich" or s.quant) end },
  { "out=s8, u8 and e4m3 need quant=row or quant=static, and quant= needs one of them",
    function(s) return (s.out == "s8" or s.out == "u8" or s.out == "e4m3") ~= (s.quant ~= false) end },
  { "quant= goes with neither addafter, sandwich nor twin",
    function(s) return s.quant and (s.fusion == "addafter" or s.fusion == "sandwich" or s.twin) end },
  { "round=io rounds to the dtype of x before quantising, so it needs quant= and x in bf16 or f16",
    function(s) return s.round and (not s.quant or s.x == "f32") end },
  { "side stores what is quantised, so it needs quant=", function(s) return s.side and not s.quant end },
  { "stats stores what this norm does not have",
    function(s) return s.stats and (not norm_of(s).statistics or s.fusion == "sandwich") end },
  { "weightnorm and fold take weights: their dtypes, h, affine=, offset=1 and strided are all that they know",
    function(s)
      return norm_of(s).is_of_weights and (s.fusion or s.mod or s.quant or s.twin or s.groups > 1 or s.heads > 1 or s.act)
    end },
  { "fold needs a gamma", function(s) return norm_of(s).is_of_weights and norm_of(s).affine ~= "none" and s.affine == "none" end },
  { "zgate= is defined for rmsnorm only", function(s) return s.zgate and not norm_of(s).words.zgate end },
  { "zgate= and act= are computed in f32, so they do not go with f64",
    function(s) return s.x == "f64" and (s.zgate or s.act) end },
  { "twin goes with neither act= nor zgate=", function(s) return s.twin and (s.act or s.zgate) end },
  { "dyt is computed in f32, so it does not go with f64", function(s) return s.norm == "dyt" and s.x == "f64" end },
  { "dyt has no sums, so it does not go with acc=", function(s) return s.norm == "dyt" and s.acc end },
  { "dyt has an alpha of its own, so the residual can have none", function(s) return s.norm == "dyt" and s.alpha end },
}

--- The texts of a row that are supported today.
function spec.supported(row)
  local list = {}
  for _, choice in ipairs(row.choices or {}) do
    if not choice.later then list[#list + 1] = choice.text end
  end
  return list
end

local row_of_key, row_of_word, note_of = {}, {}, {}
local known, known_keys = {}, {} -- for messages: all words of a line, the keys of a table
for _, row in ipairs(spec.grammar) do
  local texts = spec.supported(row)
  if not row.key then
    for _, choice in ipairs(row.choices) do row_of_word[choice.text] = row end
    for _, text in ipairs(texts) do known[#known + 1] = text end
  else
    row_of_key[row.key] = row
    if row.read or #texts > 0 then
      known[#known + 1] = row.key .. "="
      known_keys[#known_keys + 1] = row.key
    end
  end
end
for _, note in ipairs(notes) do
  note_of[note.field] = note
  known_keys[#known_keys + 1] = note.field
end

local function written(row, text)
  return (row.key and row.key .. "=" or "") .. text
end

local function find_row(key, text)
  if key then
    return row_of_key[key]
      or note_of[key] and usage.fail("%s= is not part of a spec line, only a note in a spec table", key)
      or row_of_word[key] and usage.fail("%s is a word of its own, without =", usage.quote(key))
      or suggest.unknown("key", key .. "=", known)
  end
  return row_of_word[text]
    or row_of_key[text] and usage.fail("%s needs a value: %s=...", usage.quote(text), text)
    or suggest.unknown("word", text, known)
end

local function shown(text)
  return usage.quote(text):sub(2, -2)
end

local function read_choice(row, text)
  for _, choice in ipairs(row.choices) do
    if choice.text == text then
      if choice.later then usage.fail("%s is not supported yet", usage.quote(written(row, text))) end
      return choice.value
    end
  end
  suggest.unknown(row.key .. "= value", text, spec.supported(row))
end

local function read_value(row, text)
  if row.choices then return read_choice(row, text) end
  return row.read(text) or usage.fail("%s=%s: %s must be %s", row.key, shown(text), row.key, row.expects)
end

local function assign(s, given, key, text)
  local row = find_row(key, text)
  local value = read_value(row, text)
  local word, earlier = written(row, text), given[row.field]
  if earlier == word then usage.fail("%s is repeated", usage.quote(word)) end
  if earlier then usage.fail("%s and %s exclude each other", usage.quote(earlier), usage.quote(word)) end
  given[row.field], s[row.field] = word, value
end

local function assign_line(s, given, line)
  for word in line:gmatch("%S+") do
    if not s.norm then
      s.norm = is_norm[word] and word or suggest.unknown("norm", word, norms)
    else
      local key, value = word:match("^(.-)=(.*)$")
      assign(s, given, key, value or word)
    end
  end
end

local function value_text(key, value)
  if value ~= value then return "nan" end
  if type(value) == "number" then
    return value % 1 == 0 and string.format("%.0f", value) or string.format("%.14g", value)
  end
  return type(value) == "string" and value or usage.fail("%s must be a string or a number, not a %s", key, type(value))
end

local function sorted_keys(t)
  local keys, entries = {}, 0
  for key in pairs(t) do
    entries = entries + 1
    if type(key) == "string" then keys[#keys + 1] = key end
  end
  if #keys + #t ~= entries then usage.fail("a spec table has words and named keys only, without gaps") end
  table.sort(keys)
  return keys
end

local function read_note(key, value)
  local note = note_of[key]
  if note.fits(value) then return value end
  usage.fail("%s=%s: %s must be %s", key, type(value) == "table" and "{...}" or shown(value_text(key, value)), key, note.expects)
end

local function assign_table(s, given, t)
  local keys = sorted_keys(t)
  for i = 1, #t do
    local word = t[i]
    assign_line(s, given, type(word) == "string" and word or usage.fail("word %d of the spec is a %s", i, type(word)))
  end
  if not s.norm then return end
  for _, key in ipairs(keys) do
    local value = t[key]
    if note_of[key] then
      s[key] = read_note(key, value)
    elseif row_of_key[key] then
      assign(s, given, key, value_text(key, value))
    else
      suggest.unknown("key", key, known_keys)
    end
  end
end

--- Where ranks share the work, the word stats is a step of it.
local function has_steps(s) return s.shards or (norm_of(s).directions or {}).stats ~= nil end

local function default_of(row, s)
  if type(row.default) == "function" then return row.default(s) end
  return row.default
end

local function complete(s, given)
  if s.stats and not s.dir and has_steps(s) then s.dir, s.stats, given.stats = "stats", nil, nil end
  for _, row in ipairs(spec.grammar) do
    if s[row.field] == nil then
      local missing = row.required
      if type(missing) == "function" then missing = missing(s) end
      if missing then usage.fail("%s", missing) end
      s[row.field] = default_of(row, s)
    end
  end
  for _, rule in ipairs(spec.contradictions) do
    if rule[2](s, given) then usage.fail("%s", type(rule[1]) == "function" and rule[1](s) or rule[1]) end
  end
  return s
end

--- Reads a spec.
-- @param source a line such as "rmsnorm fwd bf16 h=4096 addout" (words in any order after the norm), or a table such as
--   { "rmsnorm", "bf16", "addout", h = 4096, gamma = "f32", site = "input_layernorm", eps = 1e-5 }
-- @return the spec table, every field filled with its default
-- Raises a usage error that names the word and what is allowed.
function spec.parse(source)
  local s, given = {}, {}
  if type(source) == "table" then
    assign_table(s, given, source)
  elseif type(source) == "string" then
    assign_line(s, given, source)
  else
    usage.fail("a spec is a string or a table, not a %s", type(source))
  end
  if not s.norm then usage.fail("empty spec: it starts with a norm (%s)", table.concat(norms, ", ")) end
  return complete(s, given)
end

local function text_of(row, value)
  for _, choice in ipairs(row.choices or {}) do
    if choice.value == value then return choice.text end
  end
  return string.format("%d", value)
end

--- The canonical words of a spec after its norm, in grammar order; what equals its default is left out.
-- @param s spec table
-- @return array of { row = grammar row, text = "f32", word = "gamma=f32" }
function spec.words(s)
  local words = {}
  for _, row in ipairs(spec.grammar) do
    local value = s[row.field]
    if row.always or value ~= default_of(row, s) then
      local text = text_of(row, value)
      words[#words + 1] = { row = row, text = text, word = written(row, text) }
    end
  end
  return words
end

--- The canonical text of a spec, to paste back: parse(format(s)) equals s but for the notes.
-- @param s spec table
-- @return string such as "rmsnorm fwd bf16 h=4096 addout"
function spec.format(s)
  local list = { s.norm }
  for _, entry in ipairs(spec.words(s)) do list[#list + 1] = entry.word end
  return table.concat(list, " ")
end

return spec
