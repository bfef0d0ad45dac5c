--- Statistics of each position over the channels, in nchw.

local common = require "gen.lower.channels.common"

return function(body, builder)
  local plan, where = body.plan, body.plan.axes
  local count = ("%d"):format(where.channels)
  body.counts.all = count
  local rows, row = builder:loop("row", 0, "rows", 1)
  body:step_to(rows, body:matrices(), "_row", ("%s * %d * positions"):format(row, where.channels))
  body:each_tile_of(rows, "positions", function(inner, first, vectors, n)
    local back = body:step_to(inner, body:matrices(), "_tile", first)
    inner:note "Statistics of a tile of positions, over the channels."
    local statistics = body:outer_statistics(inner, { vectors = vectors, n = n, stride = "positions" }, count, where.channels)
    body:open("row", inner, { vectors = vectors, n = n, known = common.known(plan, statistics) })
    for _, node in ipairs(plan.sweeps[#plan.sweeps].rows) do body:fixed(node) end
    inner:note "The tile again: normalise it."
    local place, channel = inner:loop("channel", 0, where.channels, 1)
    body:step_to(place, body:matrices(), "_channel", ("%s * positions"):format(channel))
    body:column_scope(place, channel, "0")
    for v = 0, vectors - 1 do
      body:walk_step { builder = place, row = v, i = false, offset = v * body.chunk, n = v == vectors - 1 and n or nil,
        stores = common.stores_of(plan) }
    end
    body:close "column"
    body:close "row"
    back()
  end)
end
