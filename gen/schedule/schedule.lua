--- Schedule: the knobs that decide speed and never a bit, their legal values and their defaults.

local contract = require "gen.formula.contract"
local dtypes = require "gen.formula.dtype"
local plans = require "gen.plan.plan"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local schedule = {}

--- Bytes of a cache line.
schedule.LINE = 64

--- Most sums that one sweep of the plan accumulates.
local function most_sums(plan)
  local most = 0
  for _, sweep in ipairs(plan.sweeps) do
    if sweep.kind == "row" then most = math.max(most, #sweep.sums) end
  end
  return most
end

--- Whether all matrices and parameters have 16 bits.
local function is_16_bit(plan)
  for _, argument in ipairs(plan.problem.args) do
    local has_elements = argument.shape ~= "scalar" and (argument.is_matrix or argument.shape[1] ~= "rows")
    if has_elements and argument.dtype ~= "bf16" and argument.dtype ~= "f16" then return false end
  end
  return true
end

--- The types in which a plan's elements are computed and summed.
local function types_of(plan, target)
  local c = plan.problem.contract
  return target.types[c.compute], target.types[c.acc]
end

--- Why a target cannot have a plan, or nil.
local function missing_type(plan, target)
  local c = plan.problem.contract
  for _, name in ipairs { c.compute, c.acc } do
    if not target.types[name] then return ("target %s has no type %s"):format(target.name, name) end
  end
end

local function has_two_blocks(plan) return contract.blocks(plan.n).count > 1 end

--- Rows of a block, measured: `{ up to this h, rows }` by vector width, kind of data (kind_of) and sums of a sweep. Rows share
-- the division and the parameters, but wide rows of f32 collide in the cache; and code with emulated operations is long.
local ROWS = {
  [16] = {
    wide = { { { 64, 4 }, { 128, 2 }, { math.huge, 1 } }, { { 64, 8 }, { 1023, 4 }, { math.huge, 1 } } },
    saved = { { { math.huge, 1 } }, { { 64, 4 }, { math.huge, 1 } } },
    narrow = { { { 64, 8 }, { math.huge, 4 } }, { { math.huge, 4 } } },
  },
  [8] = {
    wide = { { { 895, 4 }, { math.huge, 1 } }, { { 1023, 4 }, { math.huge, 1 } } },
    saved = { { { math.huge, 1 } }, { { 128, 4 }, { math.huge, 1 } } },
    narrow = { { { math.huge, 4 } }, { { 256, 4 }, { math.huge, 2 } } },
  },
  [4] = {
    wide = { { { 64, 2 }, { math.huge, 1 } }, { { 64, 2 }, { math.huge, 1 } } },
    saved = { { { 64, 2 }, { math.huge, 1 } }, { { 64, 2 }, { math.huge, 1 } } },
    narrow = { { { 128, 2 }, { math.huge, 1 } }, { { 128, 2 }, { math.huge, 1 } } },
  },
}

--- 16-bit data; or wider data, of which a sum is stored or not: with it more is written than read again.
local function kind_of(plan) return is_16_bit(plan) and "narrow" or plan.saved and "saved" or "wide" end

--- What a table says about a plan's kind of data and sums of a sweep; one without sums is taken as one with one.
local function measured(by_kind, plan) return by_kind[kind_of(plan)][math.max(1, math.min(most_sums(plan), 2))] end

--- Why a plan has no use for what is about sums, or nil.
local function missing_sums(plan) return most_sums(plan) == 0 and "there are no sums" or nil end

--- Whether a sweep has long code: it hides the division by itself, and its arithmetic takes more time than the parameters.
local function is_long(plan)
  for _, sweep in ipairs(plan.sweeps) do
    if plans.length(sweep) > 1 then return true end
  end
end

local function default_rows(plan, target)
  if target.emulates_fma or is_long(plan) then return 1 end
  for _, step in ipairs(measured(ROWS[math.max(4, math.min(16, target.types.f32.width))], plan)) do
    if plan.n <= step[1] then return step[2] end
  end
end

--- Pipes and prefetching were measured on x86 with AVX2 and AVX-512 alone.
local function was_timed(target) return target.types.f32.width >= 8 end

--- Up to which h it pays to compute the sums of the next rows before the map of these, by kind of data and sums: 1 to 20 %.
-- One row of f32 at a time gains 7 % in a cache, but loses 5 to 24 % beyond the second one.
local PIPED = { wide = { 128, 0 }, saved = { 0, 0 }, narrow = { 1024, 1024 } }

local function default_pipe(plan, target)
  local pays = most_sums(plan) > 0 and not is_long(plan) and plan.n <= measured(PIPED, plan) and not (plan.saved and most_sums(plan) > 1)
  return pays and #plan.sweeps > 1 and was_timed(target) and 1 or 0
end

--- The same for asking for the rows that come next: from the first h, up to the second one. 5 to 15 % where rows do not fit
-- the first cache and a page holds more than one.
local PREFETCHED = { wide = { { 257, 1024 }, { 1, 0 } }, saved = { { 257, 1024 }, { 65, 1024 } }, narrow = { { 1, 0 }, { 1, 0 } } }

local function default_prefetch(plan, target, chosen)
  local range = measured(PREFETCHED, plan)
  local pays = plan.n >= range[1] and plan.n <= range[2] and (most_sums(plan) > 1 or chosen.rows == 1)
  return pays and plan.sweeps[#plan.sweeps].kind ~= "end" and was_timed(target) and 1 or 0
end

--- Whether what a sweep adds has long code.
local function has_long_sums(plan)
  for _, sweep in ipairs(plan.sweeps) do
    if #sweep.sums > 0 and plans.length(sweep) > 1 then return true end
  end
end

--- Whether a row with a stored sum is so long that a second strip no longer finds the lines of the first one in the first
-- cache: 3 to 31 %.
local function leaves_cache(plan)
  return kind_of(plan) == "saved" and plan.n * dtypes[plan.problem.contract.compute].bytes >= 8192
end

--- The fewest strips whose accumulators leave half of the registers free; where code is long, those with the least of it.
local function default_strips(plan, target, chosen)
  local compute, acc = types_of(plan, target)
  local is_long_sum = has_long_sums(plan.chunk or plan)
  if not is_long_sum and was_timed(target) and leaves_cache(plan) then return 1 end
  local lanes = plan.problem.contract.lanes
  local strips, most = 1, lanes / compute.width
  local accumulators = most_sums(plan.chunk or plan) * lanes / acc.width * (chosen.blocks or 1)
  while strips < most and (accumulators / strips > target.registers / 2 or is_long_sum and strips < 8) do strips = strips * 2 end
  return strips
end

--- Why a plan cannot use the split layout of a target, or nil.
local function missing_in_split(plan, target)
  local compute, d = types_of(plan, target), plan.problem.dtypes
  local split = compute.layouts.split
  if not split then return ("%s has no such layout for %s"):format(target.name, plan.problem.contract.compute) end
  for _, dtype in ipairs { d.x, d.residual, d.gamma, d.y } do
    if not split.dtypes[dtype] then return ("%s has no %s in this layout"):format(target.name, dtype) end
  end
end

--- Why a plan cannot stream what it stores last, or nil.
local function missing_for_streams(plan, target, chosen)
  if not target.fence then return ("%s has no such stores"):format(target.name) end
  if #plans.final_stores(plan) == 0 then return "the last pass stores no elements" end
  local memory = types_of(plan, target).layouts[chosen.layout].dtypes
  for _, store in ipairs(plans.final_stores(plan)) do
    local bytes = plan.n * dtypes[store.dtype].bytes
    if not memory[store.dtype].stream then return ("%s cannot stream %s"):format(target.name, store.dtype) end
    if bytes % schedule.LINE > 0 and not plan.problem.strided then
      return ("a row of %s has %d bytes, not a multiple of %d"):format(store.name, bytes, schedule.LINE)
    end
  end
end

--- From 8 MiB of output on up to twice as fast; short rows of 16-bit data are bound by arithmetic.
local function default_stream(plan, target, chosen)
  local pays = not is_16_bit(plan) or plan.n >= 512
  return pays and not missing_for_streams(plan, target, chosen) and 8192 or 0
end

--- Half of the registers hold the sums of a tile and what they are of.
local function default_tile(plan, target)
  local sums, tile = plan.chunk and #plan.chunk.problem.outputs or 1, 1
  while tile < 8 and tile * 2 * (2 * sums + 1) <= target.registers do tile = tile * 2 end
  return tile
end

--- Why a plan has no use for strips: only sums over lanes are walked in them.
local function missing_lanes(plan)
  if plan.form == "row" then return missing_sums(plan) end
  return plan.form ~= "memory" and plan.form ~= "segments" and "nothing is summed over lanes"
end

local TILED = { columns = true, positions = true, merge = true, map = true }

--- The knobs in the order in which they are decided; `default` may read those before it. `refuse` says why a value other
-- than the first would be illegal or change nothing. `of`: kernels of rows alone, of other forms alone, or nil: all.
local KNOBS = {
  { key = "rows", of = "row", values = { "1", "2", "4", "8" }, default = default_rows },
  { key = "layout", of = "row", values = { "plain", "split" },
    -- gamma and beta may be wider: 25 to 35 % of an RMSNorm with gamma=f32.
    default = function(plan, target)
      local d = plan.problem.dtypes
      local is_bf16 = d.x == "bf16" and d.residual == "bf16" and d.y == "bf16"
      return is_bf16 and not missing_in_split(plan, target) and "split" or "plain"
    end,
    refuse = function(plan, target) return missing_in_split(plan, target) end },
  { key = "blocks", of = "row", values = { "1", "2" },
    default = function(plan, target, chosen)
      return target.types.f32.width == 16 and chosen.rows == 1 and not missing_sums(plan) and has_two_blocks(plan) and 2 or 1
    end,
    refuse = function(plan)
      return missing_sums(plan) or not has_two_blocks(plan) and ("a row of %d elements is one block"):format(plan.n)
    end },
  { key = "strips", values = { "1", "2", "4", "8" }, default = default_strips, refuse = missing_lanes },
  { key = "reuse", of = "row", values = { "recompute", "reload" },
    -- Rounding a sum of 16 bits twice takes a third to a half of the time.
    default = function(plan) return plan.stage and is_16_bit(plan) and "reload" or "recompute" end,
    refuse = function(plan) return not plan.stage and "only 'add' with equal residual= and out= can keep its sum in y" end },
  { key = "pipe", of = "row", values = { "0", "1" }, default = default_pipe,
    refuse = function(plan) return #plan.sweeps == 1 and "there is one pass only, and nothing before it to compute ahead" end },
  { key = "prefetch", of = "row", values = { "0", "1" }, default = default_prefetch,
    refuse = function(plan) return plan.sweeps[#plan.sweeps].kind == "end" and "nothing is read behind the last sum" end },
  { key = "stream", of = "row", values = { "0", "1", "2048", "8192", "32768" }, default = default_stream, refuse = missing_for_streams },
  { key = "tile", of = "others", values = { "1", "2", "4", "8" }, default = default_tile,
    refuse = function(plan) return not TILED[plan.form] and "no slots have sums of their own" end },
}

local function knobs_for(kind)
  local list = {}
  for _, knob in ipairs(KNOBS) do
    if not knob.of or knob.of == kind then list[#list + 1] = knob end
  end
  return list
end

local ROW_KNOBS, OTHER_KNOBS = knobs_for "row", knobs_for "others"

--- The knobs of kernels of rows, or of others.
local function knobs_of(plan) return plan.form == "row" and ROW_KNOBS or OTHER_KNOBS end

--- Chunks of a stripe that hold elements of the row, as a power of two; nil for a layout that the target lacks.
local function chunks_of_stripe(plan, target, layout_name)
  local compute = types_of(plan, target)
  local layout = compute.layouts[layout_name]
  if not layout then return nil end
  local chunk, chunks = compute.width * layout.vecs, 1
  while chunks * chunk < math.min(plan.n, plan.problem.contract.lanes) do chunks = chunks * 2 end
  return chunks
end

local function keys(knobs)
  local list = {}
  for i, knob in ipairs(knobs) do list[i] = knob.key end
  return list
end

local function contains(list, wanted)
  for _, item in ipairs(list) do
    if item == wanted then return true end
  end
end

--- Why keys cannot be given, or nil.
local function refused_keys(overrides, knobs, target, has_vectors)
  local given, known = {}, keys(knobs)
  for key in pairs(overrides) do given[#given + 1] = key end
  table.sort(given)
  for _, key in ipairs(given) do
    if not contains(known, key) then return suggest.text("schedule key", key, known) end
    if not has_vectors then return ("schedule %s=%s: target %s has no schedule"):format(key, overrides[key], target.name) end
  end
end

--- Why a knob cannot have a text, or nil.
local function refused_value(knob, text, plan, target, chosen)
  local reason
  if not contains(knob.values, text) then
    reason = "allowed are " .. table.concat(knob.values, ", ")
  elseif text ~= knob.values[1] then
    reason = knob.refuse and knob.refuse(plan, target, chosen)
  end
  return reason and ("schedule %s=%s: %s"):format(knob.key, text, reason)
end

--- The schedule of a plan on a target.
-- @param plan plan (gen/plan/plan.lua)
-- @param target target table
-- @param overrides table of knob texts by key, or nil
-- @return table of knob values by key; or nil and the reason: an unknown key, a value that is not allowed, or one that would change
--   nothing
function schedule.try(plan, target, overrides)
  overrides = overrides or {}
  local knobs, chosen, has_vectors = knobs_of(plan), {}, target.types.f32.vector ~= nil
  local reason = missing_type(plan, target) or refused_keys(overrides, knobs, target, has_vectors)
  if reason then return nil, reason end
  for _, knob in ipairs(knobs) do
    local text = overrides[knob.key]
    reason = text and refused_value(knob, text, plan, target, chosen)
    if reason then return nil, reason end
    if not text and has_vectors and not (plan.form ~= "row" and knob.refuse(plan)) then
      chosen[knob.key] = knob.default(plan, target, chosen)
    else
      text = text or knob.values[1]
      chosen[knob.key] = tonumber(text) or text
    end
  end
  local chunks = plan.form == "row" and has_vectors and chunks_of_stripe(plan, target, chosen.layout)
  if not chunks or chosen.strips <= chunks then return chosen end
  if overrides.strips then
    return nil, ("schedule strips=%d: on %s a stripe of this row has %d chunks"):format(chosen.strips, target.name, chunks)
  end
  chosen.strips = chunks
  return chosen
end

--- The same, but what is refused is a usage error.
function schedule.choose(plan, target, overrides)
  local chosen, reason = schedule.try(plan, target, overrides)
  return chosen or usage.fail("%s", reason)
end

--- A schedule as text, keys in their fixed order: "rows=1 layout=plain ...".
function schedule.format(chosen)
  local parts = {}
  for _, knob in ipairs(chosen.rows and ROW_KNOBS or OTHER_KNOBS) do parts[#parts + 1] = knob.key .. "=" .. tostring(chosen[knob.key]) end
  return table.concat(parts, " ")
end

--- Reads a schedule as `format` writes it, or with commas in between.
-- @return table of texts by key, or nil and what is wrong
function schedule.parse(text)
  local settings = {}
  for item in text:gmatch "[^ ,]+" do
    local key, value = item:match("^([^=]+)=(.+)$")
    if not key or settings[key] then return nil, "not a schedule: " .. usage.quote(text) end
    settings[key] = value
  end
  return settings
end

--- The knobs that settings are of: those of kernels of rows, or of channels.
local function knobs_of_settings(settings) return settings.rows and ROW_KNOBS or OTHER_KNOBS end

--- Why settings are not those of a whole schedule, or nil. Whether a kernel can have it is for `try` to say.
-- @param settings table of texts by key (schedule.parse)
function schedule.fault(settings)
  local known, count = knobs_of_settings(settings), 0
  for _, knob in ipairs(known) do
    local value, is_legal = settings[knob.key], false
    for _, text in ipairs(knob.values) do is_legal = is_legal or text == value end
    if not value then return "schedule has no " .. knob.key end
    if not is_legal then return ("schedule %s=%s is not known"):format(knob.key, usage.quote(value)) end
    count = count + 1
  end
  for _ in pairs(settings) do count = count - 1 end
  return count ~= 0 and "schedule has an unknown knob" or nil
end

--- In how many knobs two schedules differ; each may be one of values (schedule.choose) or of texts (schedule.parse).
function schedule.distance(a, b)
  local count = 0
  for _, knob in ipairs(knobs_of_settings(a)) do
    if tostring(a[knob.key]) ~= tostring(b[knob.key]) then count = count + 1 end
  end
  return count
end

--- The version of the space of schedules that settings are of: changes with every knob and every value.
-- @param settings table of texts by key (schedule.parse)
-- @return 8 hexadecimal digits
function schedule.version(settings)
  local hash = 0
  for _, knob in ipairs(knobs_of_settings(settings)) do
    for byte in (knob.key .. "=" .. table.concat(knob.values, ",") .. ";"):gmatch "." do
      hash = (hash * 65599 + byte:byte()) % 4294967291
    end
  end
  return ("%04x%04x"):format(math.floor(hash / 65536), hash % 65536)
end

--- The knobs with their allowed values, for help and tests: array of `{ key, values }`.
-- @param plan the plan whose knobs they are, or nil for those of kernels of rows
function schedule.knobs(plan)
  local list = {}
  for i, knob in ipairs(plan and knobs_of(plan) or ROW_KNOBS) do list[i] = { key = knob.key, values = knob.values } end
  return list
end

return schedule
