--- A run: every kernel on every target in every regime, one after the other.

local candidates = require "tuner.candidates"
local failure = require "host.failure"
local judge = require "tuner.judge"
local machine = require "measure.machine"
local search = require "tuner.search"
local statistics = require "measure.statistics"
local tuned = require "gen.schedule.records"

local run = {}

-- Share of a kernel's time that compiling may take.
local BUILDING = 0.6

-- Rounds in which the schedules for few and for many rows meet.
local COMPARED = 24

local function medians(samples)
  return statistics.quartiles(samples.ns).median, statistics.quartiles(samples.ratios).median
end

-- Measures in a cell of a kernel, and keeps what else there is to know.
local function measurer(job, kernel, index, facts)
  return function(numbers, rounds)
    job.seed = job.seed + 1
    facts.others[#facts.others + 1] = job.others_running()
    local result = job.engine:measure(index, numbers, rounds, job.seed, function(one, reason)
      job.progress:note(("%s for %s, schedule %s %s; left out"):format(kernel.name, kernel.target, one.schedule, reason))
    end)
    facts.cpu, facts.copy, facts.bytes = result.cpu, math.min(facts.copy or math.huge, result.copy), result.bytes
    return result.samples
  end
end

-- The candidates of a cell that could be built.
local function built(kernel, numbers)
  local list = {}
  for _, number in ipairs(numbers) do
    if kernel.list[number + 1].object then list[#list + 1] = number end
  end
  return list
end

-- How many candidates of a cell there was no time to build.
local function unreached(kernel, numbers)
  local count = 0
  for _, number in ipairs(numbers) do
    local one = kernel.list[number + 1]
    if not one.object and not one.complaint then count = count + 1 end
  end
  return count
end

-- Until when there is time to compile what is to be done until a deadline.
local function builder_clock(start, deadline)
  return function() return machine.now() < start + (deadline - start) * BUILDING end
end

local function tune_cell(job, kernel, index, deadline)
  local cell, facts = kernel.cells[index], { others = {}, compiler = job.compiler }
  local may_build = builder_clock(machine.now(), deadline)
  local function neighbours(near)
    local new = candidates.add_neighbours(kernel, cell, near, cell.numbers)
    if #new > 0 then job.engine:prepare(kernel, may_build) end
    return built(kernel, new)
  end
  local result = search.run { numbers = built(kernel, cell.numbers), measure = measurer(job, kernel, index, facts), effort = job.effort,
    clock = machine.now, deadline = deadline, neighbours = neighbours, size = function(number) return kernel.list[number + 1].size end,
    step = function(_, samples) job.progress:step(kernel, cell, medians(samples)) end }
  facts.why = judge.noise(result.samples[cell.numbers[1]], facts.others)
  local missing = unreached(kernel, cell.numbers)
  if missing > 0 then
    facts.why[#facts.why + 1] = ("no time for %d of %d candidates"):format(missing, #cell.numbers)
    result.is_decided = false
  end
  return judge.record(kernel, cell, result, facts), result
end

local function report_complaints(job, kernel)
  for _, one in ipairs(kernel.list) do
    if one.complaint then
      job.progress:note(("%s for %s, schedule %s does not compile: %s"):format(kernel.name, kernel.target, one.schedule, one.complaint))
    end
  end
end

-- Lets the schedule of a cell and that for few rows meet in the cell.
local function compare(job, kernel, index, large, small)
  if not small or small == large or small.schedule == large.schedule then return end
  local of_small, of_large = candidates.number(kernel, small.schedule), candidates.number(kernel, large.schedule)
  if not of_small or not of_large then return end
  local samples = measurer(job, kernel, index, { others = {} })({ 0, of_small, of_large }, COMPARED)
  judge.compare(large, small, samples[of_large] or samples[0], samples[of_small] or samples[0])
end

-- Calls of a kernel that no earlier run knows.
local function unknown(job, kernel)
  local count = 0
  for _, cell in ipairs(kernel.cells) do
    cell.known = job.journal:find(kernel.name, kernel.target, cell)
    count = count + (cell.known and 0 or 1)
  end
  return count
end

local function tune_kernel(job, kernel)
  local records, start, left = {}, machine.now(), unknown(job, kernel)
  if left > 0 then
    local refusal = job.engine:prepare(kernel, builder_clock(start, start + job.budget))
    if refusal then failure("%s for %s: %s", kernel.name, kernel.target, refusal) end
  end
  for index, cell in ipairs(kernel.cells) do
    local record = cell.known
    if not record then
      local now = machine.now()
      record = tune_cell(job, kernel, index, now + math.max(0, start + job.budget - now) / left)
      left = left - 1
    end
    records[cell.regime] = record
    if not cell.known then
      compare(job, kernel, index, record, records[tuned.SMALL])
      job.keep(record)
    end
    job.progress:result(record, cell.known)
  end
  report_complaints(job, kernel)
end

--- Tunes everything.
-- @param job `{ specs =, targets =, cells = function(problem), engine =, effort = of search.efforts, budget = seconds of a kernel,
--   compiler =, others_running = function, seed =, progress =, journal =, keep = function(record) }`
-- @return how many kernels could not be tuned; why is noted. Fails if a candidate computes wrong bits
function run.all(job)
  local failed = 0
  for _, spec in ipairs(job.specs) do
    for _, target in ipairs(job.targets) do
      local kernel = candidates.new(spec, target, job.cells, job.effort.most)
      local ok, err = pcall(tune_kernel, job, kernel)
      if not ok then
        if type(err) ~= "table" or not err.failure or err.is_wrong then error(err, 0) end
        job.progress:note(err.failure)
        failed = failed + 1
      end
    end
  end
  return failed
end

return run
