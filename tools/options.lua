--- Which dtypes and options a norm takes, found by asking the parser.

local spec = require "gen.spec.spec"

local options = {}

-- What may stand beside an option, where it needs something: sizes, a gamma, a residual, a step of ranks, a quantised y.
local ROWS = { "h=8", "h=8 affine=gamma", "h=8 add", "h=8 out=s8", "h=8 out=s8 quant=row", "h=8 stats", "h=8 shards=2" }
local CHANNELS = { "c=8 layout=nchw", "c=8 g=2 layout=nchw", "c=8 infer layout=nchw", "c=8", "c=8 g=2", "c=8 layout=nchw affine=none" }

local function has_channels(norm) return require("gen.norms." .. norm).sizes == "c" end

-- The spec of a norm with a dtype and an option, or nil where the grammar refuses it.
local function parsed(norm, dtype, option)
  for _, beside in ipairs(has_channels(norm) and CHANNELS or ROWS) do
    local ok, result = pcall(spec.parse, ("%s %s %s %s"):format(norm, dtype, beside, option))
    if ok then return result end
  end
end

local SIZES = { h = true, c = true, g = true }
local DTYPES = { x = true, out = true, residual = true, gamma = true }

-- The options of a grammar's row as they are tried: array of { label =, word = }. The label of those with a key is the key.
local function options_in(row)
  local list = {}
  if SIZES[row.field] or DTYPES[row.field] then return list end
  if row.read then return { { label = row.key .. "=", word = row.key .. "=2" } } end
  for _, choice in ipairs(row.choices) do
    local is_default = not choice.later and choice.value == row.default
    if not choice.later and not is_default then
      list[#list + 1] = { label = row.key and row.key .. "=" or choice.text, word = (row.key and row.key .. "=" or "") .. choice.text }
    end
  end
  return list
end

-- Whether a spec's canonical text has a word, which it has not if that is the default.
local function says(s, word) return (" " .. spec.format(s) .. " "):find(" " .. word .. " ", 1, true) ~= nil end

local function dtypes_of(norm)
  local list = {}
  for _, row in ipairs(spec.grammar) do
    for _, dtype in ipairs(row.field == "x" and spec.supported(row) or {}) do
      if parsed(norm, dtype, "") then list[#list + 1] = dtype end
    end
  end
  return list
end

--- What a norm takes: its dtypes, the labels of options that go with any of them, and for each label a spec with each dtype that
-- has it.
function options.of(norm)
  local dtypes, list, specs = dtypes_of(norm), {}, {}
  for _, row in ipairs(spec.grammar) do
    for _, option in ipairs(options_in(row)) do
      for _, dtype in ipairs(dtypes) do
        local s = parsed(norm, dtype, option.word)
        s = s and says(s, option.word) and s
        if s and not specs[option.label] then list[#list + 1], specs[option.label] = option.label, {} end
        if s then table.insert(specs[option.label], s) end
      end
    end
  end
  return dtypes, list, specs
end

return options
