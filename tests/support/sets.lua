-- The kernels that the tests build: which specs, for which targets, under which schedules.
--
-- A request is { spec = text, target = name, schedule = overrides }. Within a set a kernel name occurs once per target.

local channel_sets = require "tests.support.channel_sets"
local covering = require "tests.support.covering"
local pipeline = require "gen.pipeline.pipeline"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local requests_of = require "tests.support.requests"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"
local tree = require "gen.tree"

local sets = {}

-- What the covering array combines. Sizes: tails and edges of vectors, blocks and models. The schedule's knobs come last: which
-- of their values are legal depends on the rest.
local DTYPES = { "f32", "bf16", "f16", "f64" }
local SPEC_FACTORS = {
  { name = "norm", values = { "rmsnorm", "layernorm", "dyt" } },
  { name = "x", values = DTYPES },
  { name = "residual", values = DTYPES },
  { name = "gamma", values = DTYPES },
  { name = "out", values = DTYPES },
  { name = "fusion", values = { "none", "add", "addout", "addafter" } },
  { name = "alpha", values = { "none", "alpha" } },
  { name = "affine", values = { "none", "gamma", "gamma+beta" } },
  { name = "offset", values = { 0, 1 } },
  { name = "cast", values = { "none", "llama" } },
  { name = "zgate", values = { "none", "before", "after" } },
  { name = "act", values = { "none", "silu", "tanh" } },
  { name = "acc", values = { "none", "f64" } },
  { name = "center", values = { "none", "full" } },
  { name = "stats", values = { "none", "stats" } },
  { name = "strided", values = { "none", "strided" } },
  { name = "h", values = {
    1, 7, 64, 80, 96, 100, 128, 255, 257, 768, 769, 896, 1023, 1024, 1025, 1152, 2880, 4096, 4544, 8192, 14848, 65536,
  } },
}

-- The values of knobs that tests try: not all where they differ in nothing but a number. Few rows are enough for stream=1.
local TRIED = { stream = { "0", "1" } }

-- sets.factors(target): the factors for one target (a table). One without vectors has no schedule to vary.
function sets.factors(target)
  local factors = {}
  for i, factor in ipairs(SPEC_FACTORS) do factors[i] = factor end
  for _, knob in ipairs(targets.has_vectors(target) and schedule.knobs() or {}) do
    factors[#factors + 1] = { name = knob.key, values = TRIED[knob.key] or knob.values, last = true }
  end
  return factors
end

local BYTES = { f32 = 4, bf16 = 2, f16 = 2, f64 = 8 }

local function is_half(dtype) return dtype == "bf16" or dtype == "f16" end

-- f64 mixes with nothing: both or neither.
local function alike(a, b)
  return { needs = { a, b }, holds = function(r) return (r[a] == "f64") == (r[b] == "f64") end }
end

-- What contradicts itself. A rule speaks once all its factors have a value.
local RULES = {
  alike("x", "residual"), alike("x", "gamma"), alike("x", "out"), alike("residual", "gamma"), alike("residual", "out"),
  alike("gamma", "out"),
  { needs = { "alpha", "fusion" },
    holds = function(r) return r.alpha == "none" or r.fusion == "add" or r.fusion == "addout" end },
  { needs = { "acc", "x" }, holds = function(r) return r.acc == "none" or r.x ~= "f64" end },
  { needs = { "center", "norm" }, holds = function(r) return r.center == "none" or r.norm == "layernorm" end },
  { needs = { "center", "cast" }, holds = function(r) return r.center == "none" or r.cast == "none" end },
  { needs = { "fusion", "residual", "x" }, holds = function(r) return r.fusion ~= "none" or r.residual == r.x end },
  { needs = { "affine", "gamma", "x" }, holds = function(r) return r.affine ~= "none" or r.gamma == r.x end },
  { needs = { "affine", "offset" }, holds = function(r) return r.affine ~= "none" or r.offset == 0 end },
  { needs = { "cast", "norm" }, holds = function(r) return r.cast == "none" or r.norm == "rmsnorm" end },
  { needs = { "cast", "x" }, holds = function(r) return r.cast == "none" or is_half(r.x) end },
  { needs = { "zgate", "norm" }, holds = function(r) return r.zgate == "none" or r.norm == "rmsnorm" end },
  { needs = { "zgate", "x" }, holds = function(r) return r.zgate == "none" or r.x ~= "f64" end },
  { needs = { "act", "x" }, holds = function(r) return r.act == "none" or r.x ~= "f64" end },
  { needs = { "norm", "x" }, holds = function(r) return r.norm ~= "dyt" or r.x ~= "f64" end },
  { needs = { "norm", "acc" }, holds = function(r) return r.norm ~= "dyt" or r.acc == "none" end },
  { needs = { "norm", "stats" }, holds = function(r) return r.norm ~= "dyt" or r.stats == "none" end },
  { needs = { "norm", "alpha" }, holds = function(r) return r.norm ~= "dyt" or r.alpha == "none" end },
  { needs = { "cast", "affine" }, holds = function(r) return r.cast == "none" or r.affine == "gamma" end },
}

local function is_byte(dtype) return dtype == "s8" or dtype == "u8" or dtype == "e4m3" end
local function is_last(fusion) return fusion == "addafter" or fusion == "sandwich" end
local function parts(text) return tonumber(text) or 1 end
local STATISTICS = { rmsnorm = true, layernorm = true, l2norm = true }
local WEIGHTS = { weightnorm = true, fold = true }

-- Those of the relatives.
for _, rule in ipairs {
  { needs = { "gate", "alpha", "fusion" },
    holds = function(r) return r.gate == "none" or (r.alpha == "none" and (r.fusion == "add" or r.fusion == "addout")) end },
  { needs = { "twin", "affine", "mod", "fusion" },
    holds = function(r) return r.twin == "none" or (r.affine ~= "none" and r.mod == "none" and not is_last(r.fusion)) end },
  { needs = { "fusion", "affine", "mod" },
    holds = function(r) return r.fusion ~= "sandwich" or (r.affine ~= "none" and r.mod == "none") end },
  { needs = { "groups", "heads", "h" },
    holds = function(r)
      local groups, heads = parts(r.groups), parts(r.heads)
      return (groups == 1 or heads == 1) and r.h % (groups * heads) == 0
    end },
  { needs = { "groups", "heads", "fusion", "quant" },
    holds = function(r) return parts(r.groups) * parts(r.heads) == 1 or (r.fusion ~= "sandwich" and r.quant == "none") end },
  { needs = { "out", "quant" }, holds = function(r) return is_byte(r.out) == (r.quant ~= "none") end },
  { needs = { "quant", "twin", "fusion" },
    holds = function(r) return r.quant == "none" or (r.twin == "none" and not is_last(r.fusion)) end },
  { needs = { "round", "quant", "x" }, holds = function(r) return r.round == "none" or (r.quant ~= "none" and is_half(r.x)) end },
  { needs = { "side", "quant" }, holds = function(r) return r.side == "none" or r.quant ~= "none" end },
  { needs = { "epsform", "norm" }, holds = function(r) return r.epsform == "none" or r.norm == "l2norm" end },
  { needs = { "p", "norm" }, holds = function(r) return r.p == "none" or r.norm == "lpnorm" end },
  { needs = { "stats", "norm", "fusion" },
    holds = function(r) return r.stats == "none" or (STATISTICS[r.norm] and r.fusion ~= "sandwich") end },
  { needs = { "norm", "affine" }, holds = function(r) return r.norm ~= "fold" or r.affine ~= "none" end },
  { needs = { "norm", "act" }, holds = function(r) return not WEIGHTS[r.norm] or r.act == "none" end },
  { needs = { "twin", "act", "zgate" }, holds = function(r) return r.twin == "none" or r.act .. r.zgate == "nonenone" end },
  { needs = { "norm", "fusion", "mod", "quant", "twin", "groups", "heads" },
    holds = function(r)
      return not WEIGHTS[r.norm] or (r.fusion .. r.mod .. r.quant .. r.twin == ("none"):rep(4) and parts(r.groups) * parts(r.heads) == 1)
    end },
} do RULES[#RULES + 1] = rule end

-- Chunks of a stripe that hold elements, as a power of two.
local function chunks_of(r, target)
  local its = target.types[r.x == "f64" and "f64" or "f32"]
  local lanes, chunk, chunks = (r.x == "f64" or r.acc == "f64") and 32 or 64, its.width * (r.layout == "split" and 2 or 1), 1
  while chunks * chunk < math.min(r.h, lanes) do chunks = chunks * 2 end
  return chunks
end

-- What the schedule would refuse. It has the last word, but these rules speak before a row is whole.
for _, rule in ipairs {
  { needs = { "norm", "blocks" }, holds = function(r) return r.norm ~= "dyt" or r.blocks == "1" end },
  { needs = { "norm", "strips" }, holds = function(r) return r.norm ~= "dyt" or r.strips == "1" end },
  { needs = { "norm", "pipe" }, holds = function(r) return r.norm ~= "dyt" or r.pipe == "0" end },
  { needs = { "norm", "reuse" }, holds = function(r) return r.norm ~= "dyt" or r.reuse == "recompute" end },
  { needs = { "blocks", "h" }, holds = function(r) return r.blocks == "1" or r.h > 1024 end },
  { needs = { "reuse", "fusion" }, holds = function(r) return r.reuse == "recompute" or r.fusion == "add" end },
  { needs = { "reuse", "residual", "out" }, holds = function(r) return r.reuse == "recompute" or r.residual == r.out end },
  { needs = { "stream" }, holds = function(r, target) return r.stream == "0" or target.fence ~= nil end },
  { needs = { "stream", "h", "strided", "out", "residual", "fusion" },
    holds = function(r)
      local bytes = r.h * BYTES[r.fusion == "addafter" and r.residual or r.out]
      return r.stream == "0" or r.strided == "strided" or bytes % 64 == 0
    end },
  { needs = { "strips", "layout", "x", "acc", "h" },
    holds = function(r, target) return tonumber(r.strips) <= chunks_of(r, target) end },
} do RULES[#RULES + 1] = rule end
for _, factor in ipairs { "x", "residual", "gamma", "out" } do
  RULES[#RULES + 1] = { needs = { "layout", factor },
    holds = function(r) return r.layout == "plain" or r[factor] == "f32" or r[factor] == "bf16" end }
end

local function known(row, factors)
  for _, name in ipairs(factors) do
    if row[name] == nil then return false end
  end
  return true
end

-- sets.contradicts(row, target): whether a rule speaks against a row that may lack some of its factors. Without those of the
-- schedule no rule looks at the target.
function sets.contradicts(row, target)
  for _, rule in ipairs(RULES) do
    if known(row, rule.needs) and not rule.holds(row, target) then return true end
  end
  return false
end

local function spec_text(row)
  local words = { row.norm, "fwd", row.x, "h=" .. row.h, "affine=" .. row.affine, "offset=" .. row.offset, "out=" .. row.out }
  if row.affine ~= "none" then words[#words + 1] = "gamma=" .. row.gamma end
  if row.fusion ~= "none" then words[#words + 1] = row.fusion .. " residual=" .. row.residual end
  for _, key in ipairs { "cast", "zgate", "act", "acc", "center" } do
    if row[key] ~= "none" then words[#words + 1] = key .. "=" .. row[key] end
  end
  for _, word in ipairs { "alpha", "stats", "strided" } do
    if row[word] ~= "none" then words[#words + 1] = row[word] end
  end
  return table.concat(words, " ")
end

local function overrides(row)
  local chosen = {}
  for _, knob in ipairs(schedule.knobs()) do chosen[knob.key] = row[knob.key] end
  return chosen
end

-- legal(spec text, target, overrides): false when the schedule refuses them; anything else that goes wrong is an error.
local function legal_schedule()
  local plans = {}
  local function plan_of(text)
    local ok, result = pcall(spec.parse, text)
    if not ok then error(("a rule is missing for '%s': %s"):format(text, result.usage or result), 0) end
    return plan.new(problem.new(result))
  end
  return function(text, target, chosen)
    plans[text] = plans[text] or plan_of(text)
    local ok, message = pcall(schedule.choose, plans[text], target, chosen)
    if not ok and not (type(message) == "table" and message.usage) then error(message, 0) end
    return ok
  end
end

-- sets.allowed(target): the constraint of the covering array for one target (a table).
function sets.allowed(target)
  local legal, names = legal_schedule(), {}
  for i, factor in ipairs(sets.factors(target)) do names[i] = factor.name end
  return function(row)
    if sets.contradicts(row, target) then return false end
    return not known(row, names) or legal(spec_text(row), target, overrides(row))
  end
end

-- All pairs of the factors, for one target, dealt out to two sets: the same kernel under two schedules must not meet in one.
-- Also returns the pairs that no legal kernel can hold.
local function pairs_for(name, number)
  local target, dealt, taken = pipeline.target(name), { {}, {} }, { {}, {} }
  local rows, impossible = covering.array(sets.factors(target), sets.allowed(target))
  for i, row in ipairs(rows) do
    local text, turn = spec_text(row), i % 2 + 1
    if taken[turn][text] then turn = 3 - turn end
    taken[turn][text] = true
    table.insert(dealt[turn], { spec = text, target = name, schedule = overrides(row) })
  end
  return dealt[number], impossible
end

-- All norms of rows. rmsnorm, which knows most words, comes first.
local function norms_of_rows()
  local names = { "rmsnorm" }
  for _, name in ipairs(tree.norms()) do
    if name ~= names[1] and require("gen.norms." .. name).sizes ~= "c" then names[#names + 1] = name end
  end
  return names
end

-- What all norms of rows combine: words that go together, and sizes that can be cut in 2, 5 and 10 parts. The first value stands
-- for a factor that has none yet.
local RELATED = {
  { name = "norm", values = norms_of_rows() },
  { name = "x", values = { "bf16", "f32", "f16", "f64" } },
  { name = "words", values = { "", "mod", "addout gate affine=gamma", "add gate mod", "twin affine=gamma+beta", "addout twin affine=gamma",
    "sandwich affine=gamma", "groups=5 affine=gamma", "groups=2 addout mod", "heads=2 strided affine=gamma+beta",
    "heads=5 addafter strided affine=gamma", "out=s8 quant=row", "addout out=s8 quant=row round=io side", "out=u8 quant=static mod",
    "out=u8 quant=row", "out=e4m3 quant=row side", "out=e4m3 quant=static round=io" } },
  { name = "dtypes", values = { "", "residual=f32", "gamma=f32", "gamma=f16" } },
  { name = "acc", values = { "", "acc=f64" } },
  { name = "stats", values = { "", "stats" } },
  { name = "h", values = { 10, 70, 640, 1030 } },
}

-- Those with words of their own, each with a few.
local OTHERS = {
  "l2norm f32 h=128 epsform=outside", "l2norm bf16 h=1100 epsform=max stats", "lpnorm bf16 h=64 groups=4", "scalenorm bf16 h=512 addout",
  "weightnorm bf16 h=1100 strided", "fold bf16 h=1100 acc=f64 strided", "fold f32 h=64 affine=gamma",
  "rmsnorm f16 h=128 cast=llama sandwich", "rmsnorm bf16 h=100 cast=llama twin", "layernorm f32 h=50 sandwich center=full",
  "layernorm f32 h=8 center=full stats", "layernorm f64 h=8 center=full stats", "layernorm f64 h=64 center=full stats",
}

local function related_text(row)
  local words = {}
  for i, factor in ipairs(RELATED) do
    local value = row[factor.name] or factor.values[1]
    words[i] = factor.name == "h" and "h=" .. value or value
  end
  return table.concat(words, " ")
end

-- calls visit(spec words, h) for every size from 1 to 130, both norms, both dtypes
local function each_small(visit)
  for h = 1, 130 do
    for _, norm in ipairs { "rmsnorm", "layernorm" } do
      for _, dtype in ipairs { "f32", "bf16" } do visit(norm .. " fwd " .. dtype .. " h=" .. h, h) end
    end
  end
end

local function sweep_for(target)
  local requests = {}
  each_small(function(text) requests[#requests + 1] = { spec = text, target = target, schedule = {} } end)
  return requests
end

-- Schedules that take turns over the small sizes, where a block of rows, a strip or a split can meet an empty lane.
local TURNS = {
  {}, { rows = "1" }, { rows = "2", strips = "2" }, { rows = "4" }, { rows = "8", layout = "split" }, { strips = "4" },
  { rows = "2", layout = "split", reuse = "reload" }, { rows = "4", strips = "2" }, { layout = "split", strips = "2" },
  { rows = "8", layout = "plain" }, { rows = "4", strips = "4", layout = "split" }, { rows = "1", reuse = "reload" },
  { rows = "2", strips = "8" },
}
local FUSIONS = { "add", "addout", "addout" }

-- Blocks of rows up to this many elements: straight-line code for more takes compilers long and shows nothing new.
local MOST_ELEMENTS = 512

local function fused_for(target)
  local requests, turn, legal = {}, 0, legal_schedule()
  local function fits(text, h)
    local rows = tonumber(TURNS[turn].rows or 1)
    return rows * h <= MOST_ELEMENTS and legal(text, pipeline.target(target), TURNS[turn])
  end
  each_small(function(text, h)
    text = text .. " " .. FUSIONS[#requests % #FUSIONS + 1]
    repeat turn = turn % #TURNS + 1 until fits(text, h)
    requests[#requests + 1] = { spec = text, target = target, schedule = TURNS[turn] }
  end)
  return requests
end

-- Of so many rows of the array a target has one: sse2 and avx512 share them, avx512bf16 differs from avx512 in one conversion.
local SHARES = { sse2 = { 2, 0 }, avx512 = { 2, 1 }, avx512bf16 = { 8, 0 } }

-- All pairs of RELATED, and OTHERS; schedules take turns.
local function relatives_for(name)
  local related = {}
  local rows = covering.array(RELATED, function(row) return (pcall(spec.parse, related_text(row))) end)
  for i, row in ipairs(rows) do related[i] = related_text(row) end
  return requests_of(name, SHARES[name], { related, OTHERS }, TURNS, legal_schedule())
end

-- The reference set, and what else has digests.
local KEPT = { "specs/reference.lua", "specs/relatives.lua" }

local function reference_for(target)
  local requests = {}
  for _, path in ipairs(KEPT) do
    for _, entry in ipairs(dofile(path)) do requests[#requests + 1] = { spec = entry, target = target, schedule = {} } end
  end
  return requests
end

-- Kernels and their unfused partners: what verify --laws compares.
local LAW_WORDS = { "", "add", "addout", "add alpha", "addout alpha", "addafter", "strided", "stats", "addout strided stats" }
local LAW_DTYPES = { "f32", "bf16", "f16", "f64", "f32 acc=f64", "bf16 acc=f64", "bf16 residual=f32", "f16 out=f32" }

local function laws_for(target)
  local requests = {}
  for _, norm in ipairs { "rmsnorm", "layernorm" } do
    for _, dtypes in ipairs(LAW_DTYPES) do
      for _, words in ipairs(LAW_WORDS) do
        local has_residual = words:find("add", 1, true)
        if has_residual or not dtypes:find("residual", 1, true) then
          local text = ("%s %s h=%d %s"):format(norm, dtypes, dtypes:find("f64", 1, true) and 1025 or 100, words)
          requests[#requests + 1] = { spec = text, target = target, schedule = {} }
        end
      end
    end
  end
  for _, text in ipairs(channel_sets.laws) do requests[#requests + 1] = { spec = text, target = target, schedule = {} } end
  return requests
end

local function channels_for(name) return channel_sets.channels(name, legal_schedule()) end

-- Kernels whose objects tests/audit/size.sh weighs: all pairs of options and sizes, with one dtype each; what is
-- known to be large with every size. What has the longest rows is there with shorter ones, too.
local WEIGHED = { x = { "f32", "bf16" }, h = { 64, 128, 256, 512, 768, 1024, 4096, 16384 }, residual = {}, gamma = {}, out = {},
  zgate = { "none" }, act = { "none", "silu" } }
local SHORTER = { [16384] = 4096 }
local LARGE = "layernorm bf16 add"

local function size_for(target)
  local factors, requests, seen = {}, {}, {}
  local function add(text)
    if not seen[text] then requests[#requests + 1] = { spec = text, target = target, schedule = {} } end
    seen[text] = true
  end
  for _, factor in ipairs(SPEC_FACTORS) do
    local values = WEIGHED[factor.name] or factor.values
    if #values > 0 then factors[#factors + 1] = { name = factor.name, values = values } end
  end
  for _, row in ipairs(covering.array(factors, function(row) return not sets.contradicts(row) end)) do
    row.residual, row.gamma, row.out = row.x, row.x, row.x
    while row.h do
      add(spec.format(spec.parse(spec_text(row))))
      row.h = SHORTER[row.h]
    end
  end
  for _, h in ipairs(WEIGHED.h) do add(spec.format(spec.parse(LARGE .. " h=" .. h))) end
  return requests
end

-- Elementary functions with every dtype, in sweeps with and without sums, of several rows and of one.
local ELEMENTARY = {
  "rmsnorm %s h=100 act=gelu", "layernorm %s h=257 act=gelutanh addafter", "rmsnorm %s h=64 act=sigmoid zgate=after", "dyt %s h=1000",
  "dyt %s h=130 addout offset=1 strided", "rmsnorm %s h=1025 zgate=before acc=f64", "rmsnorm %s h=96 zgate=before act=tanh addout",
  "layernorm %s h=31 act=silu stats",
}

-- The other ones, also in f64 where they are there.
local OTHER_ELEMENTARY = {
  "layernorm bf16 h=130 act=relu addout", "rmsnorm f32 h=70 act=relu6 out=u8 quant=row", "rmsnorm f16 h=257 act=hardswish addafter",
  "layernorm f32 h=65 act=softplus strided", "rmsnorm bf16 h=1030 act=mish", "layernorm f64 h=100 act=relu",
  "rmsnorm f64 h=33 act=relu6 addafter", "rmsnorm f64 h=70 act=hardswish",
}

local function elementary_for(target)
  local requests, has_vectors = {}, targets.has_vectors(targets.named(target))
  local function add(text, turn)
    local rows = has_vectors and { rows = ({ "1", "2", "4" })[turn % 3 + 1] } or {}
    requests[#requests + 1] = { spec = text, target = target, schedule = rows }
  end
  for i, words in ipairs(ELEMENTARY) do
    for j, dtype in ipairs { "f32", "bf16", "f16" } do add(words:format(dtype), i + j) end
  end
  for i, text in ipairs(OTHER_ELEMENTARY) do add(text, i) end
  return requests
end

-- Few kernels that meet every kind of fault of tests/bits/mutants.lua.
local function mutants_for(target)
  local requests = {}
  for i, text in ipairs {
    "rmsnorm f32 h=100", "layernorm f32 h=100 addout", "layernorm bf16 h=1152 addout", "rmsnorm bf16 h=80 add gamma=f32",
    "rmsnorm f32 h=4544", "layernorm bf16 h=7", "rmsnorm f32 h=14848", "rmsnorm f32 h=100 addout alpha",
    "rmsnorm f32 out=bf16 h=65 addafter", "layernorm bf16 h=100 acc=f64 stats", "layernorm f32 h=130 center=full strided",
    "rmsnorm f16 h=40", "layernorm bf16 h=96 stats", "rmsnorm f32 h=24 act=gelu", "rmsnorm f32 h=24 zgate=before",
    "rmsnorm bf16 h=24 zgate=after act=sigmoid", "dyt f32 h=24", "layernorm f32 h=24 act=gelutanh", "rmsnorm f32 h=24 mod",
    "rmsnorm f32 h=24 act=softplus", "rmsnorm f32 h=24 act=mish", "rmsnorm f32 h=24 act=relu6", "rmsnorm f64 h=24 act=hardswish",
    "rmsnorm f32 h=24 groups=3", "rmsnorm f32 h=24 heads=2 strided", "rmsnorm f32 h=20 sandwich", "layernorm f32 h=20 twin",
    "rmsnorm f32 h=20 out=s8 quant=row", "rmsnorm f32 h=20 out=e4m3 quant=static", "lpnorm f32 h=20",
    "groupnorm f32 c=6 g=2 layout=nhwc", "groupnorm f32 c=4 g=2 layout=nchw", "batchnorm fwd f32 c=5 layout=nchw",
    "batchnorm fwd f32 c=9 layout=nhwc momentum=onnx", "layernorm f32 h=70 layout=nchw",
    "batchnorm stats f32 c=3 layout=nchw", "layernorm f32 h=8 center=full stats",
  } do requests[i] = { spec = text, target = target, schedule = {} } end
  local streams = targets.named(target).fence and { stream = "1" } or {}
  requests[#requests + 1] = { spec = "rmsnorm f32 h=48", target = target, schedule = streams }
  return requests
end

-- name = requests of a target
local SETS = {
  pairs1 = function(target) return pairs_for(target, 1) end,
  pairs2 = function(target) return pairs_for(target, 2) end,
  sweep = sweep_for,
  fused = fused_for,
  laws = laws_for,
  mutants = mutants_for,
  channels = channels_for,
  elementary = elementary_for,
  reference = reference_for,
  relatives = relatives_for,
  size = size_for,
}

-- sets.requests(name, target): the requests of a set for the target of this name, and what was left out, if anything.
function sets.requests(name, target) return SETS[name](target) end

-- sets.kernel(request): the kernel of a request.
function sets.kernel(request)
  return pipeline.kernel(spec.parse(request.spec), pipeline.target(request.target), request.schedule)
end

return sets
