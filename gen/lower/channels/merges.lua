--- What the chunks of a batch, or the shards of rows, have together.

local common = require "gen.lower.channels.common"
local c_text = require "gen.c.text"
local segments = require "gen.lower.channels.segments"

local PART = { mu = "part_mean", delta = "part_shift", m2 = "part_m2" }

--- Loads the statistics of a chunk or a shard.
-- @param text C text of the distance of its first slot from the start of the arrays
local function part(body, builder, vectors, n, text)
  local values = {}
  for _, output in ipairs(body.plan.merge.outputs) do
    local name, words = PART[output.name], body.dtypes[body.real]
    values[output.name] = {}
    for v = 0, vectors - 1 do
      local place, its_n = c_text.sum(name, text, v * body.chunk), v == vectors - 1 and n
      local value = its_n and words.load_n(place, 1, its_n) or words.load(place, 1)
      values[output.name][v + 1] = builder:def(body.type.vector, output.name, value)
    end
  end
  return values
end

--- Merges what `take` is given for a tile of slots, and stores the results.
-- @param names arguments that have one element for each slot
-- @param visit function(builder, take): take(builder, C text of the number of a part, C text of its count)
local function merge_tile(body, builder, names, tile, row_length, visit)
  builder:note "What all parts have together."
  local tree = body:chunk_tree(builder, tile.vectors)
  visit(builder, function(place, number, count)
    local text = c_text.sum(("%s * %s"):format(number, row_length), tile.first)
    tree:push(place, part(body, place, tile.vectors, tile.n, text), count)
  end)
  local statistics = tree:finish(builder)
  local back = body:step_to(builder, names, "_tile", tile.first)
  body:open("row", builder, { vectors = tile.vectors, n = tile.n, known = common.known(body.plan, statistics) })
  body:store_fixed(builder, common.stores_of(body.plan))
  body:close "row"
  back()
end

local function merge_shards(body, builder)
  local where, names = body.plan.axes, {}
  local each = ("%d"):format(where.n)
  body.counts.all = ("%d"):format(where.n * where.shards)
  for _, argument in ipairs(body.plan.problem.args) do
    if argument.io == "out" then names[#names + 1] = argument.name end
  end
  body:each_tile_of(builder, "rows", function(inner, first, vectors, n)
    merge_tile(body, inner, names, { first = first, vectors = vectors, n = n }, "rows", function(place, take)
      local loop, shard = place:loop("shard", 0, where.shards, 1)
      take(loop, shard, each)
    end)
  end)
end

return function(body, builder)
  local where = body.plan.axes
  if where.part[1] == "shards" then return merge_shards(body, builder) end
  common.count_all(body, builder, common.count_of_batch(where))
  local together, piece
  if where.order == "pieces" then together, piece = segments.cut(builder) end
  body:each_tile(builder, where.channels, function(inner, first, vectors, n)
    local tile, row_length = { first = first, vectors = vectors, n = n }, ("%d"):format(where.channels)
    merge_tile(body, inner, common.per_channel(body), tile, row_length, function(place, take)
      local chunk = place:var("size_t", "chunk", "0")
      local function take_next(where_to, count)
        take(where_to, chunk, count)
        where_to:call("++" .. chunk)
      end
      if not together then return body:each_outer_chunk(place, body.counts.all, function(to, _, length) take_next(to, length) end) end
      segments.each_chunk(place, together, piece, function(to, _, height, _, length) take_next(to, ("%s * %s"):format(height, length)) end)
    end)
  end)
end
