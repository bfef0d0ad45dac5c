-- The part of some lists of kernels that one target builds.

local pipeline = require "gen.pipeline.pipeline"
local spec = require "gen.spec.spec"

-- requests(name, share, lists, turns, legal): array of { spec =, target =, schedule = }, each kernel once.
--   share  { every so many of a list, counted from }, or nil for all
--   lists  arrays of spec texts
--   turns  schedules that take turns; those that legal(spec text, target, schedule) refuses are passed over
return function(name, share, lists, turns, legal)
  local target, requests, taken, turn = pipeline.target(name), {}, {}, 0
  local every, from = 1, 0
  if share then every, from = share[1], share[2] end
  local function add(text)
    local s = spec.format(spec.parse(text))
    if taken[s] then return end
    taken[s] = true
    repeat turn = turn % #turns + 1 until legal(s, target, turns[turn])
    requests[#requests + 1] = { spec = s, target = name, schedule = turns[turn] }
  end
  for _, list in ipairs(lists) do
    for i, text in ipairs(list) do
      if i % every == from then add(text) end
    end
  end
  return requests
end
