--- Kernel names: the canonical words of a spec, each written as a token, joined by single underscores.
--
--   <norm>_<dir>_<types>_h<n>[_<option>...][_<target>]     rmsnorm_fwd_bf16_rf32_h4096_addout_avx2
--
-- build and parse share the rows of spec.grammar, so a name and its spec cannot drift apart.

local spec = require "gen.spec.spec"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local names = {}

local function token_of(row, text)
  if type(row.token) == "table" then return row.token[text] end
  return (row.token or "") .. text
end

local word_of, size_key, tokens = {}, {}, {}
for _, row in ipairs(spec.grammar) do
  if row.read then size_key[row.token] = row.key end
  for _, choice in ipairs(row.choices or {}) do
    local token = token_of(row, choice.text)
    word_of[token] = (row.key and row.key .. "=" or "") .. choice.text
    if not choice.later then tokens[#tokens + 1] = token end
  end
end

--- The word of a token that is a key's token and a number, or nil.
local function sized(token)
  local key, number = token:match("^(%l+)(%d+)$")
  return size_key[key] and size_key[key] .. "=" .. number
end

--- Whether a word means something in kernel names, so that no target can bear it.
function names.is_token(word) return word_of[word] ~= nil or sized(word) ~= nil end

--- The name of a kernel, without prefix and target.
-- @param s spec table
-- @return string such as "layernorm_fwd_f32_h768_addout"
function names.build(s)
  local list = { s.norm }
  for _, entry in ipairs(spec.words(s)) do list[#list + 1] = token_of(entry.row, entry.text) end
  return table.concat(list, "_")
end

local function split(name)
  local list = {}
  for token in (name .. "_"):gmatch("([^_]*)_") do list[#list + 1] = token end
  return list
end

local function contains(list, wanted)
  for _, item in ipairs(list) do
    if item == wanted then return true end
  end
end

local function with_targets(targets)
  local list = {}
  for _, token in ipairs(tokens) do list[#list + 1] = token end
  for _, target in ipairs(targets) do list[#list + 1] = target end
  return list
end

local function to_word(token, targets)
  return sized(token) or word_of[token]
    or suggest.unknown("part of a kernel name", token, with_targets(targets))
end

--- Reads a kernel name.
-- @param symbol a name with or without prefix and target, e.g. "ng_rmsnorm_fwd_bf16_h4096_addout_avx2"
-- @param options nil or { prefix = "ng_", targets = {"avx2", ...} }: what to recognise in front and at the end
-- @return spec table, target name or nil
-- Raises a usage error if the name is not exactly what build() writes.
function names.parse(symbol, options)
  options = options or {}
  local prefix, targets = options.prefix or "ng_", options.targets or {}
  local name = symbol:sub(1, #prefix) == prefix and symbol:sub(#prefix + 1) or symbol
  local list, target = split(name), nil
  if contains(targets, list[#list]) then
    target = table.remove(list)
  end
  local words = { list[1] }
  for i = 2, #list do words[i] = to_word(list[i], targets) end
  local s = spec.parse(table.concat(words, " "))
  if names.build(s) ~= table.concat(list, "_") then
    usage.fail("%s is not how that kernel is named: %s", usage.quote(symbol), names.build(s))
  end
  return s, target
end

return names
