-- Repeatable random choices, the same under both interpreters.

local random = {}

-- random.numbers(seed): a small generator (Park and Miller); numbers(n) is in 1..n.
function random.numbers(seed)
  local state = seed
  return function(n)
    state = state * 16807 % 2147483647
    return state % n + 1
  end
end

-- random.pick(list, numbers): one item.
function random.pick(list, numbers) return list[numbers(#list)] end

-- random.shuffled(list, numbers): a copy in random order.
function random.shuffled(list, numbers)
  local copy = {}
  for i, value in ipairs(list) do copy[i] = value end
  for i = #copy, 2, -1 do
    local j = numbers(i)
    copy[i], copy[j] = copy[j], copy[i]
  end
  return copy
end

return random
