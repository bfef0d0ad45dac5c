--- The batch of each channel in nchw: in each row its positions lie next to each other.

local common = require "gen.lower.channels.common"
local contract = require "gen.formula.contract"

local segments = {}

--- Defines how positions are cut into pieces and rows into chunks.
function segments.cut(builder)
  local lanes = contract.STRIPES
  local stripes = builder:def("size_t", "stripes", ("positions / %d + (positions %% %d > 0)"):format(lanes, lanes))
  local together = builder:def("size_t", "together", ("%s > %d ? 1 : %d / %s"):format(stripes, lanes, lanes, stripes))
  local piece = builder:def("size_t", "piece", ("%s > %d ? %d : positions"):format(stripes, lanes, contract.CHUNK))
  return together, piece
end

--- Visits the chunks of the batch.
-- @param visit function(builder, first row, rows, first position, positions)
function segments.each_chunk(builder, together, piece, visit)
  local inner, row = builder:loop("row", 0, "rows", together)
  local left = inner:def("size_t", "left", ("rows - %s"):format(row))
  local height = inner:def("size_t", "height", ("%s < %s ? %s : %s"):format(left, together, left, together))
  local cut, start = inner:loop("start", 0, "positions", piece)
  local more = cut:def("size_t", "more", ("positions - %s"):format(start))
  visit(cut, row, height, start, cut:def("size_t", "length", ("%s < %s ? %s : %s"):format(more, piece, more, piece)))
end

--- Statistics of one chunk of a channel.
local function segment_chunk(body, builder, channel, row, height, start, length)
  local where = body.plan.axes
  body.counts.chunk = ("(%s * %s)"):format(height, length)
  body.counts.head = body:head_of(builder, body.counts.chunk, length)
  local back = body:step_to(builder, body.plan.read, "_chunk",
    ("(%s * %d + %s) * positions + %s"):format(row, where.channels, channel, start))
  local result = body:chunk_statistics(builder, 1, function(outer, sweep)
    if #sweep.sums == 0 then return {} end
    local sums = body:lane_sums(outer, sweep, function(place, walk)
      if sweep.kind == "head" then return walk(place, body.counts.head) end
      local inner, r = place:loop("r", 0, height, 1)
      local undo = body:step_to(inner, body.plan.read, "_row", ("%s * %d * positions"):format(r, where.channels))
      walk(inner, length)
      undo()
    end)
    for s, name in ipairs(sums) do sums[s] = { name } end
    return sums
  end)
  back()
  return result
end

--- Writes the loops.
function segments.write(body, builder)
  local plan, where = body.plan, body.plan.axes
  builder:note "A chunk is so many rows together, or a piece of one."
  local together, piece = segments.cut(builder)
  if not plan.problem.direction.gives_parts then common.count_all(body, builder, "rows * positions") end
  local inner, channel = builder:loop("channel", 0, where.channels, 1)
  if plan.problem.direction.gives_parts then
    local chunk = inner:var("size_t", "chunk", "0")
    segments.each_chunk(inner, together, piece, function(place, ...)
      common.store_chunk(body, place, segment_chunk(body, place, channel, ...), chunk, channel, { broadcast = true })
      place:call("++" .. chunk)
    end)
    return
  end
  local tree = body:chunk_tree(inner, 1)
  segments.each_chunk(inner, together, piece, function(place, ...)
    local statistics = segment_chunk(body, place, channel, ...)
    tree:push(place, statistics, body.counts.chunk)
  end)
  local statistics = tree:finish(inner)
  inner:note "The channel again: normalise it."
  body:column_scope(inner, channel, "0")
  body:open("row", inner, { broadcast = true, known = common.known(plan, statistics) })
  for _, node in ipairs(plan.sweeps[#plan.sweeps].rows) do body:fixed(node) end
  body:store_fixed(inner, common.stores_of(plan))
  local rows, row = inner:loop("row", 0, "rows", 1)
  body:step_to(rows, body:matrices(), "_row", ("(%s * %d + %s) * positions"):format(row, where.channels, channel))
  body:map_run(rows, common.stores_of(plan), "positions")
end

return segments
