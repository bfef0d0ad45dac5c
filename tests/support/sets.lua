-- The kernels that the tests build: which specs, for which targets, under which schedules.
--
-- A request is { spec = text, target = name, schedule = overrides }. Within a set a kernel name occurs once per target.

local channel_sets = require "tests.support.channel_sets"
local covering = require "tests.support.covering"
local grammar = require "gen.spec.grammar"
local pipeline = require "gen.pipeline.pipeline"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local requests_of = require "tests.support.requests"
local rules = require "gen.spec.rules"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"
local tree = require "gen.tree"

local sets = {}

-- Rules and schedules take many paths: with the traces that LuaJIT keeps by itself it would throw all away again and again.
if jit then jit.opt.start("maxtrace=10000", "maxmcode=16384") end

-- What the covering array combines: fields of a spec. Sizes: tails and edges of vectors, blocks and models. The schedule's knobs come
-- last: which of their values are legal depends on the rest.
local DTYPES = { "f32", "bf16", "f16", "f64" }
local SPEC_FACTORS = {
  { name = "norm", values = { "rmsnorm", "layernorm", "dyt" } },
  { name = "x", values = DTYPES },
  { name = "residual", values = DTYPES },
  { name = "gamma", values = DTYPES },
  { name = "out", values = DTYPES },
  { name = "fusion", values = { false, "add", "addout", "addafter" } },
  { name = "alpha", values = { false, true } },
  { name = "affine", values = { "none", "gamma", "gamma+beta" } },
  { name = "offset", values = { 0, 1 } },
  { name = "cast", values = { false, "llama" } },
  { name = "zgate", values = { false, "before", "after" } },
  { name = "act", values = { false, "silu", "tanh" } },
  { name = "acc", values = { false, "f64" } },
  { name = "center", values = { false, "full" } },
  { name = "stats", values = { false, true } },
  { name = "strided", values = { false, true } },
  { name = "h", values = {
    1, 7, 64, 80, 96, 100, 128, 255, 257, 768, 769, 896, 1023, 1024, 1025, 1152, 2880, 4096, 4544, 8192, 14848, 65536,
  } },
}

-- The values of knobs that tests try: not all where they differ in nothing but a number. Few rows are enough for stream=1.
local TRIED = { stream = { "0", "1" } }

-- The name of a knob's factor: fields of specs may have that of the knob.
local function knob_name(key) return "knob_" .. key end

-- sets.factors(target): the factors for one target (a table). One without vectors has no schedule to vary.
function sets.factors(target)
  local factors = {}
  for i, factor in ipairs(SPEC_FACTORS) do factors[i] = factor end
  for _, knob in ipairs(targets.has_vectors(target) and schedule.knobs() or {}) do
    factors[#factors + 1] = { name = knob_name(knob.key), values = TRIED[knob.key] or knob.values, last = true }
  end
  return factors
end

local BYTES = { f32 = 4, bf16 = 2, f16 = 2, f64 = 8 }

-- Chunks of a stripe that hold elements, as a power of two.
local function chunks_of(r, target)
  local its = target.types[r.x == "f64" and "f64" or "f32"]
  local lanes, chunk, chunks = (r.x == "f64" or r.acc == "f64") and 32 or 64, its.width * (r.knob_layout == "split" and 2 or 1), 1
  while chunks * chunk < math.min(r.h, lanes) do chunks = chunks * 2 end
  return chunks
end

-- What the schedule would refuse. It has the last word, but these rules speak before a row is whole.
local SCHEDULE_RULES = {
  { needs = { "norm", "knob_blocks" }, holds = function(r) return r.norm ~= "dyt" or r.knob_blocks == "1" end },
  { needs = { "norm", "knob_strips" }, holds = function(r) return r.norm ~= "dyt" or r.knob_strips == "1" end },
  { needs = { "norm", "knob_pipe" }, holds = function(r) return r.norm ~= "dyt" or r.knob_pipe == "0" end },
  { needs = { "norm", "knob_reuse" }, holds = function(r) return r.norm ~= "dyt" or r.knob_reuse == "recompute" end },
  { needs = { "knob_blocks", "h" }, holds = function(r) return r.knob_blocks == "1" or r.h > 1024 end },
  { needs = { "knob_reuse", "fusion" }, holds = function(r) return r.knob_reuse == "recompute" or r.fusion == "add" end },
  { needs = { "knob_reuse", "residual", "out" }, holds = function(r) return r.knob_reuse == "recompute" or r.residual == r.out end },
  { needs = { "knob_stream" }, holds = function(r, target) return r.knob_stream == "0" or target.fence ~= nil end },
  { needs = { "knob_stream", "h", "strided", "out", "residual", "fusion" },
    holds = function(r)
      local bytes = r.h * BYTES[r.fusion == "addafter" and r.residual or r.out]
      return r.knob_stream == "0" or r.strided or bytes % 64 == 0
    end },
  { needs = { "knob_strips", "knob_layout", "x", "acc", "h" },
    holds = function(r, target) return tonumber(r.knob_strips) <= chunks_of(r, target) end },
}
for _, factor in ipairs { "x", "residual", "gamma", "out" } do
  SCHEDULE_RULES[#SCHEDULE_RULES + 1] = { needs = { "knob_layout", factor },
    holds = function(r) return r.knob_layout == "plain" or r[factor] == "f32" or r[factor] == "bf16" end }
end

local function known(row, factors)
  for _, name in ipairs(factors) do
    if row[name] == nil then return false end
  end
  return true
end

local function refused_early(row, target)
  for _, rule in ipairs(SCHEDULE_RULES) do
    if known(row, rule.needs) and not rule.holds(row, target) then return true end
  end
end

local function names_of(factors)
  local names = {}
  for i, factor in ipairs(factors) do names[i] = factor.name end
  return names
end

-- spec_of(row): the spec of a row of these factors; it lacks what the row lacks, and else has defaults.
local function reader(factors)
  local is_factor = {}
  for _, name in ipairs(names_of(factors)) do is_factor[name] = true end
  return function(row)
    local s = { norm = row.norm }
    for _, its in ipairs(grammar.rows) do
      if is_factor[its.field] then s[its.field] = row[its.field] else s[its.field] = grammar.default(its, s) end
    end
    return s
  end
end

-- Whether a spec, perhaps with fields missing, breaks a rule. That no norm has both center= and cast= stands in none alone.
local function contradicts(s) return s.center and s.cast or rules.broken(s) ~= nil end

local function overrides(row)
  local chosen = {}
  for _, knob in ipairs(schedule.knobs()) do chosen[knob.key] = row[knob_name(knob.key)] end
  return chosen
end

-- legal(spec text, target, overrides): false when the schedule refuses them.
local function legal_schedule()
  local plans = {}
  return function(text, target, chosen)
    plans[text] = plans[text] or plan.new(problem.new(spec.parse(text)))
    return schedule.try(plans[text], target, chosen) ~= nil
  end
end

-- sets.allowed(target): the constraint of the covering array for one target (a table).
function sets.allowed(target)
  local legal, factors = legal_schedule(), sets.factors(target)
  local names, spec_of = names_of(factors), reader(factors)
  return function(row)
    local s = spec_of(row)
    if contradicts(s) or refused_early(row, target) then return false end
    return not known(row, names) or legal(spec.format(s), target, overrides(row))
  end
end

-- All pairs of the factors, for one target, dealt out to two sets: the same kernel under two schedules must not meet in one.
-- Also returns the pairs that no legal kernel can hold.
local function pairs_for(name, number)
  local target, dealt, taken = pipeline.target(name), { {}, {} }, { {}, {} }
  local rows, impossible = covering.array(sets.factors(target), sets.allowed(target))
  local spec_of = reader(SPEC_FACTORS)
  for i, row in ipairs(rows) do
    local text, turn = spec.format(spec_of(row)), i % 2 + 1
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
  zgate = { false }, act = { false, "silu" } }
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
  local spec_of = reader(factors)
  for _, row in ipairs(covering.array(factors, function(row) return not contradicts(spec_of(row)) end)) do
    while row.h do
      add(spec.format(spec_of(row)))
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
