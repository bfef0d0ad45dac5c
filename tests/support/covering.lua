-- Covering arrays: few rows that together hold every allowed pair of factor values.
--
-- A factor is { name = "rows", values = { "1", "2" } }; a row maps each factor's name to one of its values. Factors with
-- `last = true` are filled after the others: those whose legal values depend on all of them.
-- `allowed(row)` may be asked about rows that are still partly empty; it answers false when no completion can be legal.

local chance = require "tests.support.random"

local covering = {}

-- Tries before a pair counts as impossible, and candidates compared for each new row.
local TRIES = 100
local CANDIDATES = 8

local function pair_key(a, value_a, b, value_b)
  return a .. "=" .. tostring(value_a) .. " " .. b .. "=" .. tostring(value_b)
end

-- calls visit(name, value, name, value) for the pairs of a row, in the order of the factors
local function each_pair(factors, row, visit)
  for i = 1, #factors do
    for j = i + 1, #factors do
      local a, b = factors[i].name, factors[j].name
      if row[a] ~= nil and row[b] ~= nil then visit(a, row[a], b, row[b]) end
    end
  end
end

-- covering.pairs(factors): every pair of values of two different factors, in a fixed order: rows with two values.
function covering.pairs(factors)
  local list = {}
  for i = 1, #factors do
    for j = i + 1, #factors do
      for _, value_a in ipairs(factors[i].values) do
        for _, value_b in ipairs(factors[j].values) do
          list[#list + 1] = { [factors[i].name] = value_a, [factors[j].name] = value_b }
        end
      end
    end
  end
  return list
end

-- covering.keys(factors, row): texts of all pairs that a row holds.
function covering.keys(factors, row)
  local keys = {}
  each_pair(factors, row, function(...) keys[#keys + 1] = pair_key(...) end)
  return keys
end

-- The pairs that are still missing: missing[name][value][name][value] is true, both ways round.
local function all_missing(factors)
  local missing = {}
  for _, a in ipairs(factors) do
    missing[a.name] = {}
    for _, value_a in ipairs(a.values) do
      local partners = {}
      missing[a.name][value_a] = partners
      for _, b in ipairs(factors) do
        partners[b.name] = {}
        for _, value_b in ipairs(b.values) do partners[b.name][value_b] = a ~= b end
      end
    end
  end
  return missing
end

local function remove(missing, a, value_a, b, value_b)
  missing[a][value_a][b][value_b] = false
  missing[b][value_b][a][value_a] = false
end

-- How many still missing pairs the value would add to the row.
local function gain(factors, name, value, row, missing)
  local partners, count = missing[name][value], 0
  for _, other in ipairs(factors) do
    local chosen = row[other.name]
    if chosen ~= nil and partners[other.name][chosen] then count = count + 1 end
  end
  return count
end

-- The values of a factor, those that add most pairs first; equals in random order.
local function by_gain(factors, factor, row, missing, random)
  local ranked = {}
  for rank, value in ipairs(chance.shuffled(factor.values, random)) do
    ranked[rank] = { value = value, gain = gain(factors, factor.name, value, row, missing), rank = rank }
  end
  table.sort(ranked, function(a, b)
    if a.gain ~= b.gain then return a.gain > b.gain end
    return a.rank < b.rank
  end)
  return ranked
end

-- Fills the row, factor by factor in the given order, without going back: a dead end gives nil, and the caller tries again.
local function complete(factors, order, start, allowed, missing, random)
  local row = {}
  for _, factor in ipairs(factors) do row[factor.name] = start[factor.name] end
  for _, factor in ipairs(order) do
    local name = factor.name
    if row[name] == nil then
      for _, choice in ipairs(by_gain(factors, factor, row, missing, random)) do
        row[name] = choice.value
        if allowed(row) then break end
        row[name] = nil
      end
      if row[name] == nil then return nil end
    end
  end
  return allowed(row) and row or nil
end

local function missing_count(factors, row, missing)
  local count = 0
  each_pair(factors, row, function(a, value_a, b, value_b)
    if missing[a][value_a][b][value_b] then count = count + 1 end
  end)
  return count
end

-- The factors in random order, those marked `last` at the end.
local function random_order(factors, random)
  local early, late = {}, {}
  for _, factor in ipairs(factors) do
    local part = factor.last and late or early
    part[#part + 1] = factor
  end
  local order = chance.shuffled(early, random)
  for _, factor in ipairs(chance.shuffled(late, random)) do order[#order + 1] = factor end
  return order
end

-- The best of a few full rows that hold the wanted pair, or nil when none was found.
local function best_row(factors, pair, allowed, missing, random)
  local best, best_count, found = nil, 0, 0
  for _ = 1, TRIES do
    local row = complete(factors, random_order(factors, random), pair, allowed, missing, random)
    if row then
      found = found + 1
      local count = missing_count(factors, row, missing)
      if count > best_count then best, best_count = row, count end
      if found == CANDIDATES then break end
    end
  end
  return best
end

-- covering.array(factors, allowed): rows that cover every pair that an allowed row can hold. The same input gives the same rows.
-- Returns the rows and the array of the pairs (as of covering.pairs) for which no allowed row was found.
function covering.array(factors, allowed)
  local random, missing = chance.numbers(1), all_missing(factors)
  local rows, impossible = {}, {}
  for _, pair in ipairs(covering.pairs(factors)) do
    if missing_count(factors, pair, missing) > 0 then
      local row = best_row(factors, pair, allowed, missing, random)
      if row then each_pair(factors, row, function(...) remove(missing, ...) end) end
      local list = row and rows or impossible
      list[#list + 1] = row or pair
    end
  end
  return rows, impossible
end

-- covering.sample(factors, allowed, count): so many allowed rows drawn at random (repeatable), for tests.
function covering.sample(factors, allowed, count)
  local random, missing, rows = chance.numbers(77), all_missing(factors), {}
  for _, pair in ipairs(covering.pairs(factors)) do
    each_pair(factors, pair, function(...) remove(missing, ...) end)
  end
  while #rows < count do rows[#rows + 1] = complete(factors, random_order(factors, random), {}, allowed, missing, random) end
  return rows
end

return covering
