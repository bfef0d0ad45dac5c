--- The grammar of specs: a row for each field, in the order of the canonical text and of kernel names.

local activations = require "gen.formula.activations"
local form = require "gen.formula.norm"
local norms = require "gen.spec.norms"

local grammar = {}

local MAX_H = 65536

local function now(text, value)
  return { text = text, value = value == nil and text or value }
end

local function later(text)
  return { text = text, later = true }
end

--- A default that is the dtype of x.
local function same_as_x(s) return s.x end

--- Parts and what ranks exchange know no parameters; AdaLN has none beside scale and shift unless it is asked for them.
local function default_affine(s)
  local direction = norms.direction(s)
  local has_none = s.mod or s.folded or direction and not form.has_parameters(direction)
  return has_none and "none" or norms.of(s).affine
end

local function size(text)
  local n = text:match("^[1-9]%d*$") and tonumber(text)
  return n and n <= MAX_H and n
end

local SIZE = "a whole number from 1 to " .. MAX_H .. " in plain decimal digits"

local dtypes = { now "f32", now "bf16", now "f16", now "f64" }
local out_dtypes = { now "f32", now "bf16", now "f16", now "f64", now "s8", now "u8", now "e4m3" }
local acts = {}
for i, name in ipairs(activations.words) do acts[i] = now(name) end

--- The rows. field: name in the spec table. about: for `normgen list options`. key: written key=value, otherwise the
-- bare words of `choices`, of which `later` ones are refused as not supported yet. read: text -> value, for open sets.
-- default: value, or function of the spec, which then reads the fields in `hangs_on`; a row without one is left out of the spec.
-- required: the error if absent, or a function of the spec that returns it or nil. always: printed even if it is the default.
-- of_norms: whether only norms that say so in their `words` have it. token: how kernel names write it, a prefix or a table by text.
grammar.rows = {
  { field = "dir", about = "direction: training, inference, or a step of either", always = true, default = "fwd",
    choices = { now "fwd", now "infer", now "foldstats", now "stats", now "merge", now "apply", later "bwd" } },
  { field = "x", about = "dtype of x", always = true, required = "the dtype of x is missing (f32, bf16, f16, f64)",
    choices = dtypes },
  { field = "out", about = "dtype of y", key = "out", token = "y", default = same_as_x, hangs_on = { "x" },
    choices = out_dtypes },
  { field = "residual", about = "dtype of residual and sum", key = "residual", token = "r", default = same_as_x, hangs_on = { "x" },
    choices = dtypes },
  { field = "gamma", about = "dtype of gamma and beta", key = "gamma", token = "g", default = same_as_x, hangs_on = { "x" },
    choices = dtypes },
  { field = "h", about = "row length", key = "h", token = "h", default = false, read = size, expects = SIZE,
    required = function(s) return not norms.has_channels(s) and "h is missing (h=N, N from 1 to " .. MAX_H .. ")" end },
  { field = "c", about = "channels", key = "c", token = "c", default = false, read = size, expects = SIZE,
    required = function(s) return norms.has_channels(s) and "c is missing (c=N, N from 1 to " .. MAX_H .. ")" end },
  { field = "g", about = "groups of channels", key = "g", token = "g", default = false, of_norms = true, read = size,
    expects = SIZE, required = function(s) return norms.of(s).words.g and "g is missing (g=N, a divisor of c)" end },
  { field = "layout", about = "order of channels and positions in memory; rows: there are no positions", key = "layout", token = "",
    default = false, choices = { now "nchw", now "nhwc", now "rows" },
    required = function(s)
      local direction = norms.has_channels(s) and norms.direction(s)
      return direction and not direction.has_no_elements
        and "layout is missing (layout=" .. table.concat(norms.of(s).layouts, ", ") .. ")"
    end },
  { field = "shards", about = "parts of a row on ranks of their own", key = "shards", token = "shards", default = false,
    of_norms = true, read = size, expects = SIZE },
  { field = "folded", about = "inference by a scale and a shift for each channel", default = false, choices = { now("folded", true) } },
  { field = "fusion", default = false, choices = { now "add", now "addout", now "addafter", now "sandwich" },
    about = "normalise x + residual; addout stores the sum too; addafter: residual + norm(x); sandwich: norms that, too" },
  { field = "alpha", about = "normalise x + alpha * residual", default = false, choices = { now("alpha", true) } },
  { field = "gate", about = "normalise residual + gate * x, a gate for each batch", default = false, choices = { now("gate", true) } },
  { field = "offset", about = "1: gamma is stored as gamma - 1", key = "offset", token = "offset", default = 0,
    choices = { now("0", 0), now("1", 1) } },
  { field = "affine", about = "parameters after the norm; group: gamma and beta of each group", key = "affine", default = default_affine,
    hangs_on = { "norm", "dir", "shards", "folded", "mod" },
    token = { none = "nogamma", gamma = "nobeta", ["gamma+beta"] = "beta", group = "groupaffine" },
    choices = { now "none", now "gamma", now "gamma+beta", now "group" } },
  { field = "mod", about = "y * (1 + scale) + shift, both for each batch (AdaLN)", default = false, choices = { now("mod", true) } },
  { field = "twin", about = "a second gamma, beta and y", default = false, choices = { now("twin", true) } },
  { field = "groups", about = "parts of a row with statistics of their own", key = "groups", token = "groups", default = 1,
    read = size, expects = SIZE },
  { field = "heads", about = "the same with strides of their own, gamma [heads, h/heads]", key = "heads", token = "heads",
    default = 1, read = size, expects = SIZE },
  { field = "epsform", about = "where eps stands", key = "epsform", token = "eps", default = "inside", of_norms = true,
    choices = { now "inside", now "outside", now "max" } },
  { field = "p", about = "the exponent", key = "p", token = "p", default = 1, of_norms = true, choices = { now("1", 1) } },
  { field = "cast", about = "llama: round to the dtype of x before gamma", key = "cast", token = "", default = false, of_norms = true,
    choices = { now "llama" } },
  { field = "acc", about = "dtype of sums and row scalars", key = "acc", token = "acc", default = false,
    choices = { now "f64" } },
  { field = "center", about = "full: the pivot is the mean of the whole row", key = "center", token = "",
    default = false, of_norms = true, choices = { now "full" } },
  { field = "momentum", about = "of running statistics: the weight of the batch, or onnx: of the old value", key = "momentum",
    token = "", default = "torch", choices = { now "torch", now "onnx" } },
  { field = "zgate", about = "multiply by silu(z), before the norm or after gamma and beta", key = "zgate", token = "zgate",
    default = false, of_norms = true, choices = { now "before", now "after" } },
  { field = "act", about = "activation of the result", key = "act", token = "", default = false, choices = acts },
  { field = "quant", about = "out=s8|u8|e4m3: the scale is made for each row, or given", key = "quant", token = "q", default = false,
    choices = { now "row", now "static" } },
  { field = "round", about = "io: round to the dtype of x before quantising", key = "round", token = "round", default = false,
    choices = { now "io" } },
  { field = "side", about = "store what is quantised, too, in the dtype of x", default = false, choices = { now("side", true) } },
  { field = "stats", about = "store mean and rstd of each row", default = false, choices = { now("stats", true) } },
  { field = "strided", about = "row strides as arguments", default = false, choices = { now("strided", true) } },
}

--- The texts of a row that are supported today.
function grammar.supported(row)
  local list = {}
  for _, choice in ipairs(row.choices or {}) do
    if not choice.later then list[#list + 1] = choice.text end
  end
  return list
end

--- What a row is about, with the norms that have it, if not all do.
function grammar.about(row)
  return row.of_norms and ("%s (%s)"):format(row.about, norms.having(row.field)) or row.about
end

--- The value that a spec has where the user wrote none.
function grammar.default(row, s)
  if type(row.default) == "function" then return row.default(s) end
  return row.default
end

--- Whether a spec has the value that it would have by itself.
function grammar.is_default(row, s) return s[row.field] == grammar.default(row, s) end

--- The word of a row with a text: "gamma=f32".
function grammar.written(row, text)
  return (row.key and row.key .. "=" or "") .. text
end

--- The text of a value.
function grammar.text(row, value)
  for _, choice in ipairs(row.choices or {}) do
    if choice.value == value then return choice.text end
  end
  return string.format("%d", value)
end

--- The word of a row in a spec.
function grammar.word(row, s) return grammar.written(row, grammar.text(row, s[row.field])) end

return grammar
