--- The search: successive halving, again with the neighbours of the best, then paired duels. Knows neither kernels nor
-- clocks: a function measures, another one tells the time.

local statistics = require "measure.statistics"

local search = {}

--- Seconds of a heat and of the duels, how many candidates are tried first, and how often the neighbours of the best, by
-- effort; and rounds of a bundle, which has no clock. Duels take seconds, not moments, since whoever shares the core with us may
-- come and go, and schedules do not all suffer alike.
search.efforts = {
  quick = { heat = 0.1, duel = 0.5, rounds = 36, most = 16, climbs = 1 },
  normal = { heat = 0.25, duel = 4, rounds = 240, most = 48, climbs = 4 },
  thorough = { heat = 1, duel = 8, rounds = 480, most = math.huge, climbs = 0 },
}

-- Candidates that meet in the end; fewest rounds of a heat (the sign test needs six) and of the duels; into how many
-- measurements the duels are cut, each with new memory.
local FINALISTS, FEWEST, FEWEST_DUELS, PARTS = 4, 6, 12, 6

-- How likely an interval is wrong: of several candidates the luckiest one leads, so this is less than the usual 5 %.
local ERROR = 0.001

-- How near to the fastest a smaller code must be; how much faster than the choice one that went out in a heat may be.
local NEAR, UNSEEN = 1.01, 0.98

local function append(to, from)
  for _, value in ipairs(from) do to[#to + 1] = value end
end

local Run = {}
Run.__index = Run

-- Measures candidates, the default among them, and adds the samples to `pool`. Keeps track of what a sample costs.
function Run:measure(numbers, rounds, pool)
  local start = self.job.clock()
  for number, samples in pairs(self.job.measure(numbers, rounds)) do
    pool[number] = pool[number] or { ns = {}, ratios = {} }
    append(pool[number].ns, samples.ns)
    append(pool[number].ratios, samples.ratios)
  end
  self.cost = math.max((self.job.clock() - start) / (rounds * #numbers), 1e-9)
  self.rounds = self.rounds + rounds
end

-- Rounds for so many candidates that take the wanted seconds, or a share of the time that is left if that is less.
function Run:affordable(seconds, fewest, count, share)
  if not self.cost then return fewest end
  local left = math.max(0, self.job.deadline - self.job.clock()) * share
  return math.max(fewest, math.floor(math.min(seconds, left) / (self.cost * count)))
end

-- Candidates with samples, fastest first; equals in the order of their numbers.
local function ranked(numbers, pool)
  local list, score = {}, {}
  for _, number in ipairs(numbers) do
    if pool[number] then
      list[#list + 1] = number
      score[number] = statistics.quartiles(pool[number].ratios).median
    end
  end
  table.sort(list, function(a, b)
    if score[a] ~= score[b] then return score[a] < score[b] end
    return a < b
  end)
  return list
end

local function first(list, count)
  local result = {}
  for i = 1, math.min(count, #list) do result[i] = list[i] end
  return result
end

-- The list with the default in front.
local function with_default(default, list)
  local result = { default }
  for _, number in ipairs(list) do
    if number ~= default then result[#result + 1] = number end
  end
  return result
end

-- The `count` fastest. How fast the others may be in truth is kept: a heat does not show that for sure.
function Run:fastest(order, count, pool)
  for i = count + 1, #order do
    local ratio = statistics.interval(pool[order[i]].ratios)
    self.unseen = math.min(self.unseen, ratio and ratio.low or 0)
  end
  return first(order, count)
end

-- Heats: in each the faster half goes on, in the same time with twice as many rounds.
-- Returns the finalists, whether there was a heat, and whether the time was over before the last one.
function Run:heats(alive)
  local job, pool, default = self.job, {}, alive[1]
  if not self:is_over() then self:measure(alive, FEWEST, pool) end
  while #alive > FINALISTS + 1 and not self:is_over() do
    -- What is left goes to this heat, those after it, climbs and the duels.
    local heats = math.ceil(math.log(#alive / FINALISTS) / math.log(2)) + 2 + self.climbs
    self:measure(alive, self:affordable(job.effort.heat, 1, #alive, 1 / heats), pool)
    local order = ranked(alive, pool)
    alive = with_default(default, self:fastest(order, math.max(FINALISTS, math.ceil(#order / 2)), pool))
    job.step(order[1], pool[order[1]])
  end
  return with_default(default, first(ranked(alive, pool), FINALISTS)), next(pool) ~= nil, #alive > FINALISTS + 1
end

function Run:is_over() return self.job.clock() >= self.heats_end end

-- Heats, then more of them with the neighbours of those that came out, as long as there are new ones.
-- Returns what Run:heats does.
function Run:climb()
  local job = self.job
  local finalists, has_raced, is_cut = self:heats(job.numbers)
  while self.climbs > 0 and not is_cut do
    self.climbs = self.climbs - 1
    local new = job.neighbours(finalists)
    if #new == 0 then break end
    if self:is_over() then return finalists, has_raced, true end
    self.tried = self.tried + #new
    append(new, finalists)
    finalists, has_raced, is_cut = self:heats(with_default(job.numbers[1], new))
  end
  return finalists, has_raced, is_cut
end

-- The finalists against each other, with samples of their own: those of the heats are the luckiest ones.
function Run:duels(finalists)
  local pool, step = {}, self.job.step
  for _ = 1, PARTS do
    local rounds = self:affordable(self.job.effort.duel, FEWEST_DUELS, #finalists, 1) / PARTS
    self:measure(finalists, math.ceil(rounds), pool)
    local best = ranked(finalists, pool)[1]
    step(best, pool[best])
  end
  return pool
end

-- Whether a candidate is faster than another one beyond doubt.
local function beats(pool, number, other)
  local ratio = statistics.paired_ratio(pool[number].ratios, pool[other].ratios, ERROR)
  return ratio and ratio.high < 1
end

--- Chooses among candidates that met in the same rounds.
-- @param default the number of the default candidate
-- @param numbers candidates
-- @param pool by number `{ ns =, ratios = }`, by round
-- @param size function(number) that returns the size of its code
-- @return `{ choice =, is_decided =, ratio = paired ratio to the default's time, or nil for the default or too few rounds }`
function search.decide(default, numbers, pool, size)
  local order = ranked(numbers, pool)
  local leader = order[1]
  local choice, is_decided, is_tied = leader, true, false
  for i = 2, #order do
    local number = order[i]
    local ratio = statistics.paired_ratio(pool[number].ratios, pool[leader].ratios, ERROR)
    if not ratio or ratio.low <= 1 then
      is_decided = false
      is_tied = is_tied or number == default
      local is_smaller = ratio and ratio.median < NEAR and size(number) < size(choice)
      if is_smaller and beats(pool, number, default) then choice = number end
    end
  end
  if is_tied or leader == default then choice = default end
  return { choice = choice, is_decided = is_decided,
    ratio = choice ~= default and statistics.paired_ratio(pool[choice].ratios, pool[default].ratios, ERROR) or nil }
end

--- Chooses among candidates that all met in the same measurement: those that look best are compared.
-- @param numbers candidates, the default first
-- @return what search.decide does, with `samples`, `rounds` and `tried`
function search.choose(numbers, pool, size)
  local finalists = with_default(numbers[1], first(ranked(numbers, pool), FINALISTS))
  local result = search.decide(numbers[1], finalists, pool, size)
  result.samples, result.rounds, result.tried = pool, #pool[numbers[1]].ratios, #numbers
  return result
end

--- Searches the fastest candidate.
-- @param job `{ numbers = candidates in the order of trying, the default first, measure = function(numbers, rounds) that returns
--   by number `{ ns =, ratios = to the yardstick, by round }` (without those that are lost), size = function(number), clock =
--   function that returns seconds, deadline =, effort = of search.efforts, neighbours = function(numbers) that returns those
--   of their neighbours that were not tried, step = function(number, samples so far) }`
-- @return what search.decide does, with `samples` of the duels by number, `rounds`, and `tried` candidates
function search.run(job)
  -- Heats leave the duels their time, or a third of all where there is little.
  local heats_end = job.deadline - math.min(job.effort.duel, math.max(0, job.deadline - job.clock()) / 3)
  local run = setmetatable({ job = job, heats_end = heats_end, rounds = 0, tried = #job.numbers, climbs = job.effort.climbs,
    unseen = math.huge }, Run)
  local finalists, has_raced, is_cut = run:climb()
  -- No time for a heat: the default meets whom the cost model likes best.
  if not has_raced then finalists = first(job.numbers, FINALISTS) end
  local pool = run:duels(finalists)
  local result = search.decide(job.numbers[1], finalists, pool, job.size)
  local ratio = statistics.quartiles(pool[result.choice].ratios).median
  result.is_decided = result.is_decided and not is_cut and run.unseen >= ratio * UNSEEN
  result.samples, result.rounds, result.tried = pool, run.rounds, has_raced and run.tried or #finalists
  return result
end

return search
