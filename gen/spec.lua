--- Specs: what the user asks for, as one line of text or one Lua table, read into a plain table.
--
--   { norm = "rmsnorm", dir = "fwd", x = "bf16", out = "bf16", residual = "bf16", gamma = "f32", h = 4096,
--     fusion = false | "add" | "addout" | "addafter", offset = 0 | 1, affine = "none" | "gamma" | "gamma+beta",
--     cast = false | "llama", zgate = false | "before" | "after", act = false | "silu" | ..., site = nil | string, eps = nil | number }
--
-- The grammar is one table: a row for each field, in the order of the canonical text and of kernel names.

local directory = require "gen.directory"
local suggest = require "gen.suggest"
local usage = require "gen.usage"

local spec = {}

local MAX_H = 65536

local norms, is_norm = directory.norms(), {}
for _, name in ipairs(norms) do is_norm[name] = true end

local function now(text, value)
  return { text = text, value = value == nil and text or value }
end

local function later(text)
  return { text = text, later = true }
end

local function same_as_x(s) return s.x end

local function affine_of_norm(s) return require("gen.norms." .. s.norm).affine end

local function hidden_size(text)
  local h = text:match("^[1-9]%d*$") and tonumber(text)
  return h and h <= MAX_H and h
end

local dtypes = { now "f32", now "bf16", now "f16", now "f64" }

--- The rows. field: name in the spec table. about: for `normgen list options`. key: written key=value, otherwise the
-- bare words of `choices`, of which `later` ones are refused as not supported yet. read: text -> value, for open sets.
-- default: value, or function of the spec; a row without one is left out of the spec. required: the error if absent.
-- always: printed even if it is the default. token: how kernel names write it, a prefix or a table by text.
spec.grammar = {
  { field = "dir", about = "direction", always = true, default = "fwd", choices = { now "fwd", later "bwd" } },
  { field = "x", about = "dtype of x", always = true, required = "the dtype of x is missing (f32, bf16, f16, f64)",
    choices = dtypes },
  { field = "out", about = "dtype of y", key = "out", token = "y", default = same_as_x, choices = dtypes },
  { field = "residual", about = "dtype of residual and sum", key = "residual", token = "r", default = same_as_x,
    choices = dtypes },
  { field = "gamma", about = "dtype of gamma and beta", key = "gamma", token = "g", default = same_as_x,
    choices = dtypes },
  { field = "h", about = "row length", key = "h", token = "h", always = true, read = hidden_size,
    expects = "a whole number from 1 to " .. MAX_H .. " in plain decimal digits",
    required = "h is missing (h=N, N from 1 to " .. MAX_H .. ")" },
  { field = "fusion", about = "normalise x + residual; addout stores the sum too; addafter: residual + norm(x)", default = false,
    choices = { now "add", now "addout", now "addafter" } },
  { field = "alpha", about = "normalise x + alpha * residual", default = false, choices = { now("alpha", true) } },
  { field = "offset", about = "1: gamma is stored as gamma - 1", key = "offset", token = "offset", default = 0,
    choices = { now("0", 0), now("1", 1) } },
  { field = "affine", about = "parameters after the norm", key = "affine", default = affine_of_norm,
    token = { none = "nogamma", gamma = "nobeta", ["gamma+beta"] = "beta" },
    choices = { now "none", now "gamma", now "gamma+beta" } },
  { field = "cast", about = "llama: round to the dtype of x before gamma", key = "cast", token = "", default = false,
    choices = { now "llama" } },
  { field = "acc", about = "dtype of sums and row scalars", key = "acc", token = "acc", default = false,
    choices = { now "f64" } },
  { field = "center", about = "full: the pivot is the mean of the whole row", key = "center", token = "",
    default = false, choices = { now "full" } },
  { field = "zgate", about = "multiply by silu(z), before the norm or after gamma and beta", key = "zgate", token = "zgate",
    default = false, choices = { now "before", now "after" } },
  { field = "act", about = "activation of the result", key = "act", token = "", default = false,
    choices = { now "silu", now "gelu", now "gelutanh", now "tanh", now "sigmoid" } },
  { field = "stats", about = "store mean and rstd of each row", default = false, choices = { now("stats", true) } },
  { field = "strided", about = "row strides as arguments", default = false, choices = { now("strided", true) } },
}

--- Notes travel with a spec table and change nothing about the kernel.
local notes = {
  { field = "site", expects = "a name made of letters, digits and . _ - * [ ]",
    fits = function(v) return type(v) == "string" and v:match("^[%w._*%[%]-]+$") end },
  { field = "eps", expects = "a finite number >= 0",
    fits = function(v) return type(v) == "number" and v >= 0 and v < math.huge end },
}

--- What must not be said together: `{ message, holds }`; holds(s, given), given: set of the fields that the user wrote.
spec.contradictions = {
  { "offset=1 needs a gamma, but affine is none",
    function(s) return s.offset == 1 and s.affine == "none" end },
  { "gamma= names the dtype of gamma, but affine is none",
    function(s, given) return given.gamma and s.affine == "none" end },
  { "residual= names the dtype of a residual, but there is no add, addout or addafter",
    function(s, given) return given.residual and not s.fusion end },
  { "cast=llama is defined for rmsnorm only",
    function(s) return s.cast == "llama" and s.norm ~= "rmsnorm" end },
  { "cast=llama needs affine=gamma",
    function(s) return s.cast == "llama" and s.affine ~= "gamma" end },
  { "cast=llama rounds to the dtype of x, so x must be bf16 or f16",
    function(s) return s.cast == "llama" and s.x ~= "bf16" and s.x ~= "f16" end },
  { "alpha scales the residual, so it needs add or addout",
    function(s) return s.alpha and s.fusion ~= "add" and s.fusion ~= "addout" end },
  { "f64 mixes with no other dtype",
    function(s)
      local wide = 0
      for _, data in ipairs { s.x, s.residual, s.gamma, s.out } do wide = wide + (data == "f64" and 1 or 0) end
      return wide % 4 ~= 0
    end },
  { "acc=f64 is what f64 does anyway", function(s) return s.acc and s.x == "f64" end },
  { "center=full moves the pivot of layernorm's variance",
    function(s) return s.center and s.norm ~= "layernorm" end },
  { "zgate= is defined for rmsnorm only", function(s) return s.zgate and s.norm ~= "rmsnorm" end },
  { "zgate= and act= are computed in f32, so they do not go with f64",
    function(s) return s.x == "f64" and (s.zgate or s.act) end },
  { "dyt is computed in f32, so it does not go with f64", function(s) return s.norm == "dyt" and s.x == "f64" end },
  { "dyt has no sums and no statistics, so it goes with neither acc= nor stats",
    function(s) return s.norm == "dyt" and (s.acc or s.stats) end },
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
  usage.fail("%s=%s: %s must be %s", key, shown(value_text(key, value)), key, note.expects)
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

local function default_of(row, s)
  if type(row.default) == "function" then return row.default(s) end
  return row.default
end

local function complete(s, given)
  for _, row in ipairs(spec.grammar) do
    if s[row.field] == nil then
      if row.required then usage.fail("%s", row.required) end
      s[row.field] = default_of(row, s)
    end
  end
  for _, rule in ipairs(spec.contradictions) do
    if rule[2](s, given) then usage.fail("%s", rule[1]) end
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
