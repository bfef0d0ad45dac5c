--- The cost model of schedules: a guess at the time of a call, good enough to say which schedules to try first. Never a
-- measurement: the tuner makes those.

local contract = require "gen.formula.contract"
local schedule = require "gen.schedule.schedule"

local cost = {}

--- Cycles, roughly those of current cores: what follows the last addition of a row (tree, division, root), a load and
-- what is done with it, a spilled accumulator each time round, the loop over rows.
local ROW_END, STEP, SPILL, LOOP = 60, 1, 4, 10

--- Bytes that move in a cycle, by where they are, and how much a store costs that fetches its line first.
local BANDWIDTH = { hot = 48, l2 = 24, dram = 5 }
local FETCH = 1.5

--- What streaming to memory costs beside data that are in a cache, and what prefetching saves beyond the first one.
local STREAM_FROM_CACHE, PREFETCH_GAIN, PREFETCH_COST = 5, 0.95, 1.02

local function accumulators(plan, target, chosen)
  local most, acc = 0, target.types[plan.problem.contract.acc]
  for _, sweep in ipairs(plan.sweeps) do most = math.max(most, #sweep.sums) end
  return most * plan.problem.contract.lanes / acc.width * chosen.blocks / chosen.strips
end

--- Cycles of the arithmetic of a row, but what follows its sums.
local function sweeps_of(plan, target, chosen)
  local vectors = math.ceil(plan.n / target.types[plan.problem.contract.compute].width)
  local spilled = math.max(0, accumulators(plan, target, chosen) - target.registers * 0.75)
  local blocks = contract.blocks(plan.n).count
  return #plan.sweeps * vectors * STEP + spilled * SPILL * blocks + #plan.sweeps * chosen.strips * blocks * LOOP
end

--- Cycles that memory takes for a row.
local function memory_of(plan, chosen, streams, level)
  local bytes = plan.problem.bytes
  local written = bytes.row.write * (level == "dram" and not streams and FETCH or 1)
  local parameters = bytes.call.read + bytes.batch.read
  local cycles = (bytes.row.read + written + parameters / chosen.rows) / BANDWIDTH[level]
  if streams and level ~= "dram" then cycles = cycles * STREAM_FROM_CACHE end
  if chosen.prefetch == 1 then cycles = cycles * (level == "hot" and PREFETCH_COST or PREFETCH_GAIN) end
  return cycles
end

--- The guess, in cycles of a row.
local function guess(plan, target, chosen, streams, rows, level)
  local arithmetic, row_end = sweeps_of(plan, target, chosen), ROW_END / math.min(chosen.rows, rows)
  -- A pipe hides the end of a row behind the sweeps of the next one, for a few more instructions.
  local waits = chosen.pipe == 1 and rows > chosen.rows and math.max(0, row_end - arithmetic / 2) + LOOP or row_end
  return math.max(arithmetic, memory_of(plan, chosen, streams, level)) + waits
end

--- Sorts schedules by the guess; the first one, the default, stays first, and equals stay in order of their texts.
-- Kernels of channels have so few schedules that no guess is needed.
-- @param list array of schedules
-- @param streams function that tells whether a schedule streams in this call
-- @return the same array
function cost.order(plan, target, list, streams, rows, level)
  local guesses, texts = {}, {}
  for i, chosen in ipairs(list) do
    guesses[chosen] = i == 1 and -1 or plan.form ~= "row" and 0 or guess(plan, target, chosen, streams(chosen), rows, level)
    texts[chosen] = schedule.format(chosen)
  end
  table.sort(list, function(a, b)
    if guesses[a] ~= guesses[b] then return guesses[a] < guesses[b] end
    return texts[a] < texts[b]
  end)
  return list
end

return cost
