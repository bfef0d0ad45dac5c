--- Makes a record of what was measured in a cell.

local contract = require "gen.formula.contract"
local cpu = require "host.cpu"
local schedule = require "gen.schedule.schedule"
local statistics = require "measure.statistics"
local version = require "gen.emit.version"

local judge = {}

-- Spread of the default's own times, beside the yardstick, from which on a run is noisy.
local MOST_SPREAD = 0.05

-- What two schedules in one kernel must gain at least.
local WORTH = 0.98

-- Four digits are more than any of these numbers has.
local function rounded(value) return tonumber(("%.4g"):format(value)) end

local function interval(ratio) return { rounded(ratio.median), rounded(ratio.low), rounded(ratio.high) } end

--- Why times may be wrong: array of texts.
-- @param samples of the default, `{ ratios = }`
-- @param others how many processes ran beside this one, as often as somebody looked
function judge.noise(samples, others)
  local why, busy, q = {}, 0, statistics.quartiles(samples.ratios)
  local spread = (q.high - q.low) / q.median
  if spread > MOST_SPREAD then why[#why + 1] = ("spread %.0f %%"):format(spread * 100) end
  for _, count in ipairs(others) do busy = busy + (count > 0 and 1 or 0) end
  if 2 * busy > #others then why[#why + 1] = "other processes were running" end
  return why
end

--- The record of a cell.
-- @param kernel kernel (tuner/candidates.lua)
-- @param cell `{ regime =, rows = }`
-- @param result of search.run or search.decide, with `samples`
-- @param facts `{ cpu =, compiler =, why = noise, copy =, bytes = }`
function judge.record(kernel, cell, result, facts)
  local q = statistics.quartiles(result.samples[result.choice].ns)
  return {
    name = kernel.name, contract = contract.version, target = kernel.target, regime = cell.regime, rows = cell.rows,
    cpu = facts.cpu, microarchitecture = cpu.microarchitecture(facts.cpu), compiler = facts.compiler,
    schedule = kernel.list[result.choice + 1].schedule, default = kernel.list[1].schedule,
    ns = rounded(q.median), low = rounded(q.low), high = rounded(q.high), ratio = result.ratio and interval(result.ratio),
    decided = result.is_decided, quality = #facts.why > 0 and "noisy" or "clean", why = #facts.why > 0 and facts.why or nil,
    copy = facts.copy and rounded(facts.copy), bytes = facts.bytes, rounds = result.rounds, tried = result.tried,
    space = schedule.version(schedule.parse(kernel.list[1].schedule)), tool = version,
  }
end

--- Notes in the record of many rows what its schedule gains over that of few rows, if two schedules are worth it.
-- @param large, small records
-- @param samples of both schedules in the cell of many rows
function judge.compare(large, small, samples_of_large, samples_of_small)
  local ratio = statistics.paired_ratio(samples_of_large.ratios, samples_of_small.ratios)
  if ratio and ratio.high < WORTH then large.over = { schedule = small.schedule, ratio = interval(ratio) } end
end

return judge
