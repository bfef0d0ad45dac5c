--- Rules of the grammar: what words of a spec need of each other and of their norm.
--
-- A rule is `{ needs, holds, says }`. needs: the fields that it looks at, so that it can speak about a spec that lacks others, too.
-- holds(s, said): whether the spec keeps to it; said(field): whether the user wrote that field. says: the error, or a function of the
-- spec that returns it. Of several broken rules the first one speaks, so that those which explain more stand in front.

local activations = require "gen.formula.activations"
local form = require "gen.formula.norm"
local grammar = require "gen.spec.grammar"
local norms = require "gen.spec.norms"

local rules = {}

local function add(list)
  for _, rule in ipairs(list) do rules[#rules + 1] = rule end
end

local function contains(items, item)
  for _, other in ipairs(items or {}) do
    if other == item then return true end
  end
  return false
end

--- What is said about a spec: a format with up to three of its fields, or what functions of it give.
local function message(format, ...)
  local parts = { ... }
  return function(s)
    local texts = {}
    for i, part in ipairs(parts) do texts[i] = type(part) == "function" and part(s) or s[part] end
    return format:format(texts[1], texts[2], texts[3])
  end
end

local function joined(a, b)
  local items = {}
  for _, from in ipairs { a, b or {} } do
    for _, item in ipairs(from) do items[#items + 1] = item end
  end
  return items
end

local function word_of(row)
  return function(s) return grammar.word(row, s) end
end

--- The fields that say what a spec asks of its norm.
local DIRECTION = { "norm", "dir", "shards", "folded" }

-- Words that only some norms have.
for _, row in ipairs(grammar.rows) do
  if row.of_norms then
    rules[#rules + 1] = { needs = { "norm", row.field },
      holds = function(s, said) return not said(row.field) or norms.of(s).words[row.field] end,
      says = message("%s has no %s, unlike %s", "norm", word_of(row), function() return norms.having(row.field) end) }
  end
end

add {
  { needs = DIRECTION,
    holds = function(s) return not s.folded or s.dir == "infer" and norms.direction(s) end,
    says = message("%s %s has no folded form", "norm", "dir") },
  { needs = DIRECTION, holds = norms.direction,
    says = function(s)
      if s.shards then return "shards= goes with a step that ranks share: stats, merge or apply" end
      local is_step = norms.of(s).words.shards and norms.direction { norm = s.norm, dir = s.dir, shards = 1 }
      return is_step and ("%s is a step of a row that ranks share: it needs shards="):format(s.dir)
        or ("%s has no direction %s"):format(s.norm, s.dir)
    end },
  { needs = { "shards", "h" }, holds = function(s) return not (s.shards and s.h) or s.h % s.shards == 0 end,
    says = message("shards=%d does not divide h=%d", "shards", "h") },
  { needs = { "norm", "h" }, holds = function(s) return not (s.h and norms.has_channels(s)) end,
    says = message("%s counts channels: c=, not h=", "norm") },
  { needs = { "norm", "c" }, holds = function(s) return not s.c or norms.has_channels(s) end,
    says = message("%s counts the elements of a row: h=, not c=", "norm") },
  { needs = { "g", "c" }, holds = function(s) return not (s.g and s.c) or s.c % s.g == 0 end,
    says = message("g=%d does not divide c=%d", "g", "c") },
  { needs = joined(DIRECTION, { "layout" }), holds = function(s) return not (s.layout and norms.direction(s).has_no_elements) end,
    says = message("%s has no layout: it reads and writes one value for each channel", "dir") },
  { needs = { "norm", "layout" }, holds = function(s) return not s.layout or contains(norms.of(s).layouts, s.layout) end,
    says = message("%s has no layout=%s", "norm", "layout") },
}

--- Whether a spec's statistics run over other axes than a row.
local function is_of_channels(s) return norms.has_channels(s) or s.layout end

--- Fields that kernels of channels have; of fusions, add and addafter.
local OF_CHANNELS = { dir = true, x = true, out = true, residual = true, gamma = true, h = true, c = true, g = true, layout = true,
  folded = true, fusion = true, offset = true, affine = true, momentum = true, act = true }

--- Fields that steps of a row have that ranks share.
local OF_SHARDS = { dir = true, x = true, out = true, gamma = true, h = true, shards = true, offset = true, affine = true }

-- Words that only kernels of whole rows have.
for _, row in ipairs(grammar.rows) do
  if not (OF_CHANNELS[row.field] and OF_SHARDS[row.field]) then
    rules[#rules + 1] = { needs = joined({ "norm", "layout", "shards", row.field }, row.hangs_on),
      holds = function(s)
        if s.shards then return OF_SHARDS[row.field] or grammar.is_default(row, s) end
        return OF_CHANNELS[row.field] or not is_of_channels(s) or grammar.is_default(row, s)
      end,
      says = message("%s does not go with %s", word_of(row), function(s) return s.shards and "shards=" or "a norm of channels" end) }
  end
end

add {
  { needs = { "norm", "layout", "fusion" },
    holds = function(s) return not s.fusion or s.fusion == "add" or s.fusion == "addafter" or not is_of_channels(s) end,
    says = message("%s does not go with a norm of channels", "fusion") },
  { needs = { "folded", "affine" }, holds = function(s) return not s.folded or s.affine == "none" end,
    says = "folded has its parameters in a and b" },
}

-- Words that some norms lack.
for _, row in ipairs(grammar.rows) do
  local function reason(s) return norms.of(s).lacks and norms.of(s).lacks[row.field] end
  rules[#rules + 1] = { needs = joined({ "norm", row.field }, row.hangs_on),
    holds = function(s) return not reason(s) or grammar.is_default(row, s) end,
    says = message("%s %s, so it does not go with %s", "norm", reason, word_of(row)) }
end

local function adds_before(s) return s.fusion == "add" or s.fusion == "addout" end
local function is_last(s) return s.fusion == "addafter" or s.fusion == "sandwich" end
local function is_half(dtype) return dtype == "bf16" or dtype == "f16" end
local function is_byte(dtype) return dtype == "s8" or dtype == "u8" or dtype == "e4m3" end
local function reads_x(s) return form.reads_x(norms.direction(s)) end
local function has_y(s) return form.has_y(norms.direction(s)) end

--- Whether an activation is there for elements of a dtype.
local function has_type(name, dtype) return dtype ~= "f64" or activations.named[name].types.f64 end

--- The most channels whose statistics go on the stack: of a batch, or of each of its rows.
local function most_channels(norm) return contains(norm.over, "rows") and 8192 or 4096 end

add {
  { needs = joined(DIRECTION, { "affine" }), holds = function(s) return s.affine == "none" or form.has_parameters(norms.direction(s)) end,
    says = message("%s takes no parameters: affine=none is all there is", "dir") },
  { needs = { "norm", "affine" }, holds = function(s) return s.affine ~= "group" or norms.of(s).words.g end,
    says = message("affine=group gives gamma and beta to each group of channels, but %s has none", "norm") },
  { needs = joined(DIRECTION, { "momentum" }), holds = function(s, said) return not said "momentum" or norms.direction(s).updates end,
    says = "momentum= says how running statistics move, but there are none" },
  { needs = joined(DIRECTION, { "out", "x" }), holds = function(s) return s.out == s.x or has_y(s) end,
    says = message("out= is the dtype of y, but %s has none", "dir") },
  { needs = joined(DIRECTION, { "fusion" }), holds = function(s) return not s.fusion or reads_x(s) end,
    says = message("%s reads no x to add to", "dir") },
  { needs = joined(DIRECTION, { "fusion", "act" }), holds = function(s) return s.fusion ~= "addafter" and not s.act or has_y(s) end,
    says = message("addafter and act= need a y, but %s has none", "dir") },
  { needs = joined(DIRECTION, { "c", "layout" }),
    holds = function(s)
      local on_stack = s.c and norms.direction(s).sums and s.layout ~= "nchw"
      return not on_stack or s.c <= most_channels(norms.of(s))
    end,
    says = "layout=nhwc and layout=rows: c is at most 8192 (groups: 4096), for there are statistics of each channel on the stack" },
  { needs = { "offset", "affine" }, holds = function(s) return s.offset == 0 or s.affine ~= "none" end,
    says = "offset=1 needs a gamma, but affine is none" },
  { needs = { "gamma", "x", "affine", "mod", "gate" },
    holds = function(s, said) return not said "gamma" or s.affine ~= "none" or s.mod or s.gate end,
    says = "gamma= names the dtype of gamma, but affine is none, and there is neither mod nor gate" },
  { needs = { "residual", "x", "fusion" }, holds = function(s, said) return not said "residual" or s.fusion end,
    says = "residual= names the dtype of a residual, but there is no add, addout or addafter, nor sandwich" },
  { needs = { "norm", "affine" }, holds = function(s) return s.affine ~= "none" or not norms.of(s).needs_gamma end,
    says = message("%s needs a gamma", "norm") },
  { needs = { "cast", "affine" }, holds = function(s) return not s.cast or s.affine == "gamma" end,
    says = "cast=llama needs affine=gamma" },
  { needs = { "cast", "x" }, holds = function(s) return not s.cast or is_half(s.x) end,
    says = "cast=llama rounds to the dtype of x, so x must be bf16 or f16" },
  { needs = { "alpha", "fusion" }, holds = function(s) return not s.alpha or adds_before(s) end,
    says = "alpha scales the residual, so it needs add or addout" },
  { needs = { "gate", "fusion", "alpha" }, holds = function(s) return not s.gate or adds_before(s) and not s.alpha end,
    says = "gate scales what is added to the residual, so it needs add or addout, without alpha" },
  { needs = { "twin", "affine", "mod", "fusion" },
    holds = function(s) return not s.twin or s.affine ~= "none" and not s.mod and not is_last(s) end,
    says = "twin needs a gamma, and neither addafter, sandwich nor mod" },
  { needs = { "fusion", "affine", "mod" }, holds = function(s) return s.fusion ~= "sandwich" or s.affine ~= "none" and not s.mod end,
    says = "sandwich needs one gamma for each norm, and no mod" },
}

local DTYPES = { "x", "residual", "gamma", "out" }
for i, a in ipairs(DTYPES) do
  for j = i + 1, #DTYPES do
    local b = DTYPES[j]
    rules[#rules + 1] = { needs = { a, b }, holds = function(s) return (s[a] == "f64") == (s[b] == "f64") end,
      says = "f64 mixes with no other dtype" }
  end
end

add {
  { needs = { "acc", "x" }, holds = function(s) return not s.acc or s.x ~= "f64" end, says = "acc=f64 is what f64 does anyway" },
  { needs = { "groups", "heads", "h" },
    holds = function(s) return (s.groups == 1 or s.heads == 1) and (not s.h or s.h % (s.groups * s.heads) == 0) end,
    says = "groups= and heads= must divide h, and exclude each other" },
  { needs = { "groups", "heads", "fusion", "quant" },
    holds = function(s) return s.groups == 1 and s.heads == 1 or s.fusion ~= "sandwich" and not s.quant end,
    says = "groups= and heads= go with neither sandwich nor quant=" },
  { needs = { "out", "quant" }, holds = function(s) return is_byte(s.out) == (s.quant ~= false) end,
    says = "out=s8, u8 and e4m3 need quant=row or quant=static, and quant= needs one of them" },
  { needs = { "quant", "fusion", "twin" }, holds = function(s) return not s.quant or not is_last(s) and not s.twin end,
    says = "quant= goes with neither addafter, sandwich nor twin" },
  { needs = { "round", "quant", "x" }, holds = function(s) return not s.round or s.quant and is_half(s.x) end,
    says = "round=io rounds to the dtype of x before quantising, so it needs quant= and x in bf16 or f16" },
  { needs = { "side", "quant" }, holds = function(s) return not s.side or s.quant end,
    says = "side stores what is quantised, so it needs quant=" },
  { needs = { "stats", "norm" }, holds = function(s) return not s.stats or norms.of(s).statistics end,
    says = message("stats stores mean or rstd, but %s has none", "norm") },
  { needs = { "stats", "fusion" }, holds = function(s) return not s.stats or s.fusion ~= "sandwich" end,
    says = "stats stores the statistics of one norm, and sandwich has two" },
  { needs = { "zgate", "x" }, holds = function(s) return not s.zgate or has_type("silu", s.x) end,
    says = message("zgate=%s is computed in f32, so it does not go with f64", "zgate") },
  { needs = { "act", "x" }, holds = function(s) return not s.act or has_type(s.act, s.x) end,
    says = message("act=%s is computed in f32, so it does not go with f64", "act") },
  { needs = { "norm", "x" }, holds = function(s) return s.x ~= "f64" or not norms.of(s).types or norms.of(s).types.f64 end,
    says = message("%s is computed in f32, so it does not go with f64", "norm") },
  { needs = { "twin", "act", "zgate" }, holds = function(s) return not s.twin or not s.act and not s.zgate end,
    says = "twin goes with neither act= nor zgate=" },
}

local function knows(s, fields)
  for _, field in ipairs(fields) do
    if s[field] == nil then return false end
  end
  return true
end

local row_of = {}
for _, row in ipairs(grammar.rows) do row_of[row.field] = row end

--- What is wrong with a spec, or nil: what the first broken rule says, of those whose fields the spec has.
-- @param s spec table, in which fields may be missing (nil)
-- @param said function(field): whether the user wrote it; nil: whether it differs from its default
function rules.broken(s, said)
  said = said or function(field) return not grammar.is_default(row_of[field], s) end
  for _, rule in ipairs(rules) do
    if knows(s, rule.needs) and not rule.holds(s, said) then return type(rule.says) == "function" and rule.says(s) or rule.says end
  end
end

return rules
