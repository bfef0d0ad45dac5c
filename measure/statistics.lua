--- Statistics of samples: order statistics only, because a noisy machine spoils means.

local statistics = {}

local function sorted(values)
  local list = {}
  for i, value in ipairs(values) do list[i] = value end
  table.sort(list)
  return list
end

-- The value at a fraction of the way through a sorted list, between neighbours if need be.
local function quantile(list, fraction)
  local at = 1 + (#list - 1) * fraction
  local low = math.floor(at)
  local high = math.min(low + 1, #list)
  return list[low] + (list[high] - list[low]) * (at - low)
end

--- Median and quartiles.
-- @param values array of numbers, not empty
-- @return `{ median=, low=, high= }`
function statistics.quartiles(values)
  local list = sorted(values)
  return { median = quantile(list, 0.5), low = quantile(list, 0.25), high = quantile(list, 0.75) }
end

--- The rank k for which the k-th smallest and the k-th largest of n values enclose their true median with a probability of
-- at least 95 %, or another one: the sign test's interval, which assumes nothing about the distribution. nil where there are
-- too few values, which is below 6 for 95 %.
-- @param error probability that the median is outside, 0.05 if nil
function statistics.rank(n, error)
  -- By logarithms, since 2 ^ -n is no number where there are thousands.
  local probability, below, rank = n * math.log(0.5), 0, nil
  for k = 0, n do
    below = below + math.exp(probability)
    if 2 * below > (error or 0.05) then break end
    rank = k + 1
    probability = probability + math.log((n - k) / (k + 1))
  end
  return rank
end

--- The median and its confidence interval, of 95 % or another probability.
-- @param values array of numbers
-- @param error as for rank
-- @return `{ median=, low=, high= }`, or nil for too few values
function statistics.interval(values, error)
  local rank = statistics.rank(#values, error)
  if not rank then return nil end
  local list = sorted(values)
  return { median = quantile(list, 0.5), low = list[rank], high = list[#list + 1 - rank] }
end

--- The same of the ratios of pairs.
-- @param a, b arrays of numbers by round; false where there is none
-- @param error as for rank
-- @return `{ median=, low=, high=, pairs= }` of a / b over the rounds that have both; nil for too few pairs
function statistics.paired_ratio(a, b, error)
  local ratios = {}
  for i = 1, math.max(#a, #b) do
    if a[i] and b[i] then ratios[#ratios + 1] = a[i] / b[i] end
  end
  local result = statistics.interval(ratios, error)
  if result then result.pairs = #ratios end
  return result
end

--- The geometric mean of numbers above 0; nil if there are none.
function statistics.geometric_mean(values)
  if #values == 0 then return nil end
  local sum = 0
  for _, value in ipairs(values) do sum = sum + math.log(value) end
  return math.exp(sum / #values)
end

return statistics
