-- The tuner's search, driven by a fake clock over planted times: nothing here depends on how long anything takes.

local random = require "tests.support.random"
local search = require "tuner.search"

-- A world in which candidate n takes times[n + 1] ns and measuring takes so many seconds for each sample. Rounds drift
-- together, samples have noise of their own (a share), and now and then a neighbour triples one.
local function world(times, options)
  local draw, clock = random.numbers(options.seed or 1), 0
  local function chance() return draw(1000000) / 1000000 end
  local measured = { calls = 0, samples = 0 }
  local job = { effort = search.efforts[options.effort or "normal"], deadline = options.deadline or 1000,
    clock = function() return clock end, numbers = {}, step = function() end,
    size = function(number) return options.sizes and options.sizes[number + 1] or 100 end }
  for i = 1, options.first or #times do job.numbers[i] = i - 1 end
  job.neighbours = options.neighbours or function() return {} end
  function job.measure(numbers, rounds)
    local result = {}
    for _, number in ipairs(numbers) do result[number] = { ns = {}, ratios = {} } end
    for _ = 1, rounds do
      local drift = 1 + chance()
      for _, number in ipairs(numbers) do
        local noise = 1 + (options.noise or 0.02) * (chance() - 0.5) * 2
        local ns = times[number + 1] * drift * noise * (chance() < (options.spikes or 0.05) and 3 or 1)
        table.insert(result[number].ns, ns)
        table.insert(result[number].ratios, ns / (times[1] * drift))
        clock = clock + (options.cost or 6e-4)
      end
    end
    measured.calls, measured.samples = measured.calls + 1, measured.samples + rounds * #numbers
    for _, lost in ipairs(options.lost or {}) do result[lost] = nil end
    return result
  end
  return job, measured, function() return clock end
end

-- Times around 100 ns, all worse than `best`, which candidate `index` has.
local function planted(count, index, best, seed)
  local draw, times = random.numbers(seed), {}
  for i = 1, count do times[i] = 100 + draw(400) / 10 end
  times[1] = 100
  times[index + 1] = best
  return times
end

describe("the search", function()
  it("finds a planted optimum under drift, noise and spikes", function()
    local found, claimed_wrongly = 0, 0
    for seed = 1, 60 do
      local index = seed * 7 % 119 + 1
      local job = world(planted(120, index, 92, seed), { seed = seed, noise = 0.05 })
      local result = search.run(job)
      if result.choice == index then
        found = found + 1
        assert.is_true(result.ratio.low <= 0.92 and result.ratio.high >= 0.92 - 0.02, result.ratio.low .. " " .. result.ratio.high)
      elseif result.is_decided then
        claimed_wrongly = claimed_wrongly + 1
      end
    end
    assert.is_true(found >= 57, found .. " of 60")
    assert.equal(0, claimed_wrongly)
  end)

  it("climbs to what is not among the candidates that it tries first", function()
    -- A valley whose floor is far away: number n has the neighbours n - 5 and n + 5.
    local times, asked = {}, {}
    for i = 0, 99 do times[i + 1] = i == 0 and 100 or 101 + math.abs(i - 62) + (i == 62 and -20 or 0) end
    local function neighbours(near)
      local new = {}
      for _, number in ipairs(near) do
        for _, other in ipairs { number - 5, number + 5 } do
          if other >= 48 and other < 100 and not asked[other] then
            asked[other] = true
            new[#new + 1] = other
          end
        end
      end
      return new
    end
    local result = search.run(world(times, { first = 48, neighbours = neighbours }))
    assert.equal(62, result.choice)
    assert.is_true(result.tried > 48 and result.tried < 100)
  end)

  it("asks for no neighbours when the time is over, and is undecided", function()
    local asked = 0
    local job = world(planted(48, 7, 60, 1), { cost = 1e-2, deadline = 1, neighbours = function()
      asked = asked + 1
      return { 7 }
    end })
    assert.is_false(search.run(job).is_decided)
    assert.is_true(asked <= 1)
  end)

  it("is decided where nothing comes near, and about the default as well", function()
    local result = search.run(world(planted(60, 11, 80, 3), {}))
    assert.same({ 11, true }, { result.choice, result.is_decided })
    result = search.run(world(planted(60, 0, 100, 3), {}))
    assert.equal(0, result.choice)
    assert.is_nil(result.ratio)
    local times = planted(60, 0, 80, 3)
    result = search.run(world(times, {}))
    assert.same({ 0, true }, { result.choice, result.is_decided })
  end)

  it("takes the default in a tie, and says that it is one", function()
    for seed = 1, 20 do
      local times = {}
      for i = 1, 40 do times[i] = 100 end
      local result = search.run(world(times, { seed = seed }))
      assert.same({ 0, false }, { result.choice, result.is_decided })
    end
  end)

  it("takes the smaller code of two that are equal", function()
    local times, sizes = planted(40, 5, 80, 2), {}
    times[10] = 80
    for i = 1, 40 do sizes[i] = 1000 - i end
    local result = search.run(world(times, { sizes = sizes }))
    assert.same({ 9, false }, { result.choice, result.is_decided })
    sizes[6] = 1
    result = search.run(world(times, { sizes = sizes }))
    assert.equal(5, result.choice)
  end)

  it("takes no smaller code that may be slower than the default", function()
    -- By rounds: the fastest one, a smaller one that is slow now and then, and the default.
    local pool = { [0] = { ns = {}, ratios = {} }, { ns = {}, ratios = {} }, { ns = {}, ratios = {} } }
    for round = 1, 60 do
      pool[0].ratios[round], pool[1].ratios[round] = 1, 0.95
      pool[2].ratios[round] = round % 3 == 0 and 0.94 or round % 3 == 1 and 1.1 or 0.955
    end
    local result = search.decide(0, { 0, 1, 2 }, pool, function(number) return 100 - number end)
    assert.same({ 1, false }, { result.choice, result.is_decided })
  end)

  it("never claims the wrong one where noise drowns the difference", function()
    for seed = 1, 30 do
      local result = search.run(world(planted(30, 4, 99.5, seed), { seed = seed, noise = 0.6, spikes = 0.3 }))
      assert.is_true(result.choice == 4 or result.choice == 0 or not result.is_decided, "seed " .. seed)
      if result.choice ~= 4 then assert.is_false(result.is_decided, "seed " .. seed) end
    end
  end)

  it("keeps to its budget, and gives more rounds to fewer candidates", function()
    for _, cost in ipairs { 1e-5, 1e-3, 1e-2 } do
      local job, measured, now = world(planted(150, 20, 70, 1), { cost = cost, deadline = 10 })
      local result = search.run(job)
      -- Seven rounds of all, twelve of the finalists: less cannot be had.
      local least = cost * (7 * 150 + 12 * 5)
      assert.is_true(now() <= math.max(10, least), cost .. ": " .. now())
      assert.is_true(measured.samples > 0)
      assert.equal(20, result.choice)
    end
  end)

  it("works without any time: a few duels by the order of the cost model", function()
    local job, measured = world(planted(150, 2, 70, 1), { deadline = 0, spikes = 0 })
    local result = search.run(job)
    assert.same({ 2, false }, { result.choice, result.is_decided })
    assert.equal(6, measured.calls)
    assert.equal(4, result.tried)
  end)

  it("does without candidates that are lost", function()
    local times = planted(30, 3, 50, 1)
    times[8] = 80
    local result = search.run(world(times, { lost = { 3 } }))
    assert.equal(7, result.choice)
  end)

  it("has nothing to decide between one candidate", function()
    local result = search.run(world({ 100 }, {}))
    assert.same({ 0, true }, { result.choice, result.is_decided })
    assert.is_nil(result.ratio)
  end)

  it("gives the same answer for the same samples", function()
    local a, b = search.run(world(planted(90, 8, 90, 1), {})), search.run(world(planted(90, 8, 90, 1), {}))
    assert.same(a.samples, b.samples)
    assert.equal(a.choice, b.choice)
  end)
end)
