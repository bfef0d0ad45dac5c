-- How good the tuner is: its choice beside the default and the best schedule of all, met again in paired duels.
--   luajit tuner/quality.lua TARGET,... REGIME,... SPEC...
-- in the root of the source tree; prints the tables of docs/tuning.md.
-- For each kernel and regime: an exhaustive search; the search of `normgen tune` five times; the same with a process that
-- keeps another core busy. Then all choices meet in rounds of their own.

package.path = "./?.lua;" .. package.path

local build = require "tuner.build"
local candidates = require "tuner.candidates"
local cells = require "tuner.cells"
local engine = require "tuner.engine"
local inputs = require "host.inputs"
local machine = require "measure.machine"
local places = require "host.places"
local pipeline = require "gen.pipeline.pipeline"
local search = require "tuner.search"
local shell = require "host.shell"
local spec = require "gen.spec.spec"
local statistics = require "measure.statistics"

-- Runs of the search; rounds of the last duels, and in how many processes; seconds of a kernel, or of an exhaustive search.
local RUNS, DUELS, PARTS, BUDGET = 5, 36, 3, 60
local seed = 0

local function say(format, ...) io.stderr:write("tuning: ", format:format(...), "\n") end

local function measurer(its, index)
  return function(numbers, rounds)
    seed = seed + 1
    return its:measure(index, numbers, rounds, seed, function(one, reason) say("%s %s", one.schedule, reason) end).samples
  end
end

-- The first `most` of a list.
local function first(list, most)
  local result = {}
  for i = 1, math.min(most, #list) do result[i] = list[i] end
  return result
end

local function run_search(its, kernel, index, effort, seconds)
  local cell = kernel.cells[index]
  local numbers = first(cell.numbers, effort.most)
  local function neighbours(near) return candidates.add_neighbours(kernel, cell, near, numbers) end
  return search.run { numbers = numbers, measure = measurer(its, index), effort = effort, clock = machine.now,
    deadline = machine.now() + seconds, neighbours = neighbours, step = function() end,
    size = function(number) return kernel.list[number + 1].size end }
end

-- The choices, each once, the default in front.
local function meeting(results)
  local list, seen = { 0 }, { [0] = true }
  for _, result in ipairs(results) do
    if not seen[result.choice] then list[#list + 1] = result.choice end
    seen[result.choice] = true
  end
  return list
end

local function append(to, from)
  for _, value in ipairs(from) do to[#to + 1] = value end
end

-- Duels between all choices, in several processes.
local function meet(its, index, numbers)
  local pool = {}
  for _ = 1, PARTS do
    for number, samples in pairs(measurer(its, index)(numbers, DUELS)) do
      pool[number] = pool[number] or { ns = {}, ratios = {} }
      append(pool[number].ns, samples.ns)
      append(pool[number].ratios, samples.ratios)
    end
  end
  return pool
end

-- Calls action while a process keeps the first CPU busy; what is timed runs on the last one.
local function beside_neighbour(action)
  local pid = shell.output({ "sh", "-c", "taskset -c 0 sh -c 'while :; do :; done' >/dev/null 2>&1 & echo $!" }):match "%d+"
  local ok, result = pcall(action)
  shell.run { "kill", pid }
  return ok and result or error(result, 0)
end

local function ratio(pool, a, b)
  if a == b then return { median = 1, low = 1, high = 1 } end
  return statistics.paired_ratio(pool[a].ratios, pool[b].ratios)
end

local function ratio_text(r) return ("%.3f [%.3f, %.3f]"):format(r.median, r.low, r.high) end

local totals = { tuned = {}, best = {}, left = {}, worst = 0, over_default = 0, apart = 0, undecided = 0, wrong = 0, cells = 0 }

-- A line of the table.
local function report(kernel, cell, exhaustive, runs, loaded, pool)
  local tuned, best = runs[1].choice, exhaustive.choice
  local spread = 0
  for _, one in ipairs(runs) do spread = math.max(spread, math.abs(ratio(pool, one.choice, tuned).median - 1)) end
  local to_best, to_default, of_loaded = ratio(pool, tuned, best), ratio(pool, tuned, 0), ratio(pool, loaded.choice, tuned)
  local is_wrong = loaded.is_decided and of_loaded.low > 1.02
  totals.cells = totals.cells + 1
  table.insert(totals.tuned, to_default.median)
  table.insert(totals.best, ratio(pool, best, 0).median)
  table.insert(totals.left, to_best.median)
  totals.worst, totals.over_default = math.max(totals.worst, to_best.median), math.max(totals.over_default, to_default.median)
  totals.apart, totals.wrong = math.max(totals.apart, spread), totals.wrong + (is_wrong and 1 or 0)
  totals.undecided = totals.undecided + (runs[1].is_decided and 0 or 1)
  local ns = statistics.quartiles(pool[0].ns).median
  io.write(("| `%s` %s | %s, %.0f | %.4g | %s | %.3f | %s | %.1f %% | %s |\n"):format(kernel.name, kernel.target, cell.regime, cell.rows,
    ns, ratio_text(to_default), ratio(pool, best, 0).median, ratio_text(to_best), spread * 100,
    (loaded.choice == tuned and "same" or ("%.3f"):format(of_loaded.median)) .. (loaded.is_decided and "" or ", undecided")))
  io.flush()
end

local function measure_kernel(its, kernel)
  local effort, started = search.efforts.normal, machine.now()
  for index, cell in ipairs(kernel.cells) do
    local runs = {}
    for i = 1, RUNS do runs[i] = run_search(its, kernel, index, effort, BUDGET / #kernel.cells) end
    local loaded = beside_neighbour(function() return run_search(its, kernel, index, effort, BUDGET / #kernel.cells) end)
    local exhaustive = run_search(its, kernel, index, search.efforts.thorough, BUDGET)
    local all = { exhaustive, loaded }
    append(all, runs)
    report(kernel, cell, exhaustive, runs, loaded, meet(its, index, meeting(all)))
  end
  say("%s for %s: %.0f s", kernel.name, kernel.target, machine.now() - started)
end

local function print_totals()
  local mean = statistics.geometric_mean
  io.write(("\n| over %d pairs | |\n|---|---|\n"):format(totals.cells))
  for _, row in ipairs {
    { "tuned / default, geometric mean", ("%.3f"):format(mean(totals.tuned)) },
    { "exhaustive / default, geometric mean", ("%.3f"):format(mean(totals.best)) },
    { "tuned / exhaustive, geometric mean", ("%.3f"):format(mean(totals.left)) },
    { "tuned / exhaustive, worst", ("%.3f"):format(totals.worst) },
    { "tuned / default, worst", ("%.3f"):format(totals.over_default) },
    { "five runs, furthest apart", ("%.1f %%"):format(totals.apart * 100) },
    { "undecided in the first run", ("%d"):format(totals.undecided) },
    { "decided beside a busy neighbour, and more than 2 % slower", ("%d"):format(totals.wrong) },
  } do
    io.write(("| %s | %s |\n"):format(row[1], row[2]))
  end
end

local function main()
  local caches = machine.cache_bytes(true)
  io.write("| kernel | call | default, ns | tuned / default | exhaustive / default | tuned / exhaustive | five runs | busy neighbour |\n",
    "|---|---|---|---|---|---|---|---|\n")
  for i = 3, #arg do
    for _, target in ipairs(inputs.targets(arg[1])) do
      shell.in_temporary_directory(function(scratch)
        local builder = build.new { cc = { "cc" }, version = machine.compiler "cc", jobs = machine.cpus(),
          cache = places.cache() .. "/objects", scratch = scratch }
        local its = engine.new { build = builder, is_here = true, limit = 600 }
        local kernel = candidates.new(spec.parse(arg[i]), pipeline.target(target.name), function(problem)
          local list = {}
          for regime in inputs.items(arg[2]) do list[#list + 1] = cells.of_regime(problem, regime, caches) end
          return list
        end, math.huge)
        local refusal = its:prepare(kernel)
        if refusal then error(refusal, 0) end
        measure_kernel(its, kernel)
      end)
    end
  end
  print_totals()
end

main()
