--- Specs: what the user asks for, as one line of text or one Lua table, read into a plain table.
--
--   { norm = "rmsnorm", dir = "fwd", x = "bf16", out = "bf16", residual = "bf16", gamma = "f32", h = 4096,
--     fusion = false | "add" | "addout" | "addafter", offset = 0 | 1, affine = "none" | "gamma" | "gamma+beta",
--     cast = false | "llama", zgate = false | "before" | "after", act = false | "silu" | ..., site = nil | string, eps = nil | number }

local grammar = require "gen.spec.grammar"
local norms = require "gen.spec.norms"
local rules = require "gen.spec.rules"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local spec = { grammar = grammar.rows, supported = grammar.supported, about = grammar.about }

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

local row_of_key, row_of_word, note_of = {}, {}, {}
local known, known_keys = {}, {} -- for messages: all words of a line, the keys of a table
for _, row in ipairs(grammar.rows) do
  local texts = grammar.supported(row)
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
      if choice.later then usage.fail("%s is not supported yet", usage.quote(grammar.written(row, text))) end
      return choice.value
    end
  end
  suggest.unknown(row.key .. "= value", text, grammar.supported(row))
end

local function read_value(row, text)
  if row.choices then return read_choice(row, text) end
  return row.read(text) or usage.fail("%s=%s: %s must be %s", row.key, shown(text), row.key, row.expects)
end

local function assign(s, given, key, text)
  local row = find_row(key, text)
  local value = read_value(row, text)
  local word, earlier = grammar.written(row, text), given[row.field]
  if earlier == word then usage.fail("%s is repeated", usage.quote(word)) end
  if earlier then usage.fail("%s and %s exclude each other", usage.quote(earlier), usage.quote(word)) end
  given[row.field], s[row.field] = word, value
end

local function assign_line(s, given, line)
  for word in line:gmatch("%S+") do
    if not s.norm then
      s.norm = norms.is_known(word) and word or suggest.unknown("norm", word, norms.names)
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
local function has_steps(s) return norms.direction { norm = s.norm, shards = s.shards, dir = "stats" } ~= nil end

local function complete(s, given)
  if s.stats and not s.dir and has_steps(s) then s.dir, s.stats, given.stats = "stats", nil, nil end
  for _, row in ipairs(grammar.rows) do
    if s[row.field] == nil then
      local missing = row.required
      if type(missing) == "function" then missing = missing(s) end
      if missing then usage.fail("%s", missing) end
      s[row.field] = grammar.default(row, s)
    end
  end
  local wrong = rules.broken(s, function(field) return given[field] ~= nil end)
  if wrong then usage.fail("%s", wrong) end
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
  if not s.norm then usage.fail("empty spec: it starts with a norm (%s)", table.concat(norms.names, ", ")) end
  return complete(s, given)
end

--- The canonical words of a spec after its norm, in grammar order; what equals its default is left out.
-- @param s spec table
-- @return array of { row = grammar row, text = "f32", word = "gamma=f32" }
function spec.words(s)
  local words = {}
  for _, row in ipairs(grammar.rows) do
    if row.always or not grammar.is_default(row, s) then
      words[#words + 1] = { row = row, text = grammar.text(row, s[row.field]), word = grammar.word(row, s) }
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
