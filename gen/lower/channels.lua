--- Lowering of channel kernels: the loops of each form (gen/channels/plan.lua) around sums and maps.

local Body = require "gen.lower.channels.body"
local c_text = require "gen.lower.c_text"
local contract = require "gen.contract"
local single = require "gen.lower.channels.single"

-- Each adds its methods to Body.
require "gen.lower.channels.chunks"
require "gen.lower.channels.lanes"
require "gen.lower.channels.map"
require "gen.lower.channels.outer"

local channels = {}

--- What the last sweep stores.
local function stores_of(plan) return plan.sweeps[#plan.sweeps].stores end

--- The statistic nodes of the results, and the names that they have.
local function known(plan, names)
  local by_node = {}
  for _, node in ipairs(plan.statistics) do by_node[node] = names[node.name] end
  return by_node
end

--- C text of a product; 1 is left out.
local function product(...)
  local factors = {}
  for i = 1, select("#", ...) do
    local factor = select(i, ...)
    if factor ~= 1 then factors[#factors + 1] = tostring(factor) end
  end
  return #factors == 0 and "1" or table.concat(factors, " * ")
end

--- Arguments that have one element for each channel, or for each chunk and channel.
local function per_channel(body)
  local list = {}
  for _, argument in ipairs(body.plan.problem.args) do
    local last = argument.shape ~= "scalar" and argument.shape[#argument.shape]
    local is_matrix = last and argument.shape[1] == "rows"
    if last and not is_matrix and (last == "c" or last == "h") then list[#list + 1] = argument.name end
  end
  return list
end

--- The counts of results: of all values, and of all but one.
local function count_all(body, builder, text)
  body.counts.all = text:find(" ", 1, true) and builder:def("size_t", "values", text) or text
  body.counts.all_but_one = ("(%s > 1 ? %s - 1 : 1)"):format(body.counts.all, body.counts.all)
end

local function positions_of(where) return where.has_positions and "positions" or 1 end

-- ---- sums in memory order ----

--- How a sum over `n` values (C text) is cut into blocks (gen/contract.lua, blocks): the name of the length of a block.
local function block_length(builder, n)
  local blocks = builder:var("size_t", "blocks", "1")
  local length = builder:var("size_t", "block", n)
  local inner = builder:block(("while (%s > (%s == 1 ? 1024 : 4096))"):format(length, blocks))
  inner:set(blocks, blocks .. " * 2")
  inner:set(length, ("64 * ((%s + 64 * %s - 1) / (64 * %s))"):format(n, blocks, blocks))
  return length
end

--- Sums of a sweep over `n` values in memory order, block by block: names of vectors.
local function memory_sums(body, builder, sweep, n, block)
  local names = {}
  for s in ipairs(sweep.sums) do names[s] = "sum" .. s end
  local function add(_, inner, _, of)
    local result = {}
    for _, name in ipairs(names) do
      result[name] = { inner:def(body.type.vector, "pair", body.words.add(of(name, "left")[1], of(name, "right")[1])) }
    end
    return result
  end
  local tree = body:tree(builder, 1, names, add, false)
  local inner, start = builder:loop("start", 0, n, block)
  local left = inner:def("size_t", "left", ("%s - %s"):format(n, start))
  local length = inner:def("size_t", "length", ("%s < %s ? %s : %s"):format(left, block, left, block))
  local back = body:step_to(inner, body.plan.read, "_block", start)
  local sums = body:lane_sums(inner, sweep, function(where, walk) walk(where, length) end)
  back()
  local leaf = {}
  for s, name in ipairs(names) do leaf[name] = { sums[s] } end
  tree:push(inner, leaf)
  local done, list = tree:finish(builder), {}
  for s, name in ipairs(names) do list[s] = done[name] end
  return list
end

local FORMS = {}

function FORMS.memory(body, builder)
  local plan, where = body.plan, body.plan.geometry
  local n = builder:def("size_t", "values", product(where.per_group, "positions"))
  builder:note "The head of a group, and how both are cut into blocks."
  local head = body:head_of(builder, n)
  body.counts.all, body.counts.head = n, head
  local blocks = { head = block_length(builder, head), row = block_length(builder, n) }
  local rows, row = builder:loop("row", 0, "rows", 1)
  local groups, group = rows, nil
  if where.groups > 1 then groups, group = rows:loop("group", 0, where.groups, 1) end
  local index = group and ("(%s * %d + %s)"):format(row, where.groups, group) or row
  local back = body:step_to(groups, body:matrices(), "_group", ("%s * %s"):format(index, n))
  body:open("row", groups, { broadcast = true })
  for _, sweep in ipairs(plan.sweeps) do
    for _, node in ipairs(sweep.rows) do body:fixed(node) end
    if #sweep.sums > 0 then
      local block, count = blocks[sweep.kind], sweep.kind == "head" and head or n
      groups:note(sweep.kind == "head" and "Head of the group: its mean is the pivot." or "The group: sums about the pivot.")
      for s, names in ipairs(memory_sums(body, groups, sweep, count, block)) do body.scopes.row.memo[sweep.sums[s]] = names end
    end
  end
  groups:note "The group again: normalise each channel."
  local inner, channel = groups, nil
  if where.per_group > 1 then inner, channel = groups:loop("channel", 0, where.per_group, 1) end
  local number = group and channel and ("%s * %d + %s"):format(group, where.per_group, channel) or group or channel or "0"
  body:step_to(inner, body:matrices(), "_channel", product(channel or 0, "positions"))
  body:column_scope(inner, number, group or "0")
  body:map_run(inner, stores_of(plan), "positions")
  body:close "column"
  body:close "row"
  back()
end

--- Opens the scope of column values where one channel is: each has the same value in every slot.
-- @param channel, group C texts of its number and that of its group
function Body:column_scope(builder, channel, group)
  local back = {}
  for _, argument in ipairs(self.plan.problem.args) do
    local axis = argument.shape ~= "scalar" and #argument.shape == 1 and argument.shape[1]
    if axis == "c" or axis == "h" or axis == "g" then
      back[#back + 1] = self:step_to(builder, { argument.name }, "_here", axis == "g" and group or channel)
    end
  end
  self:open("column", builder:splice(), { broadcast = true })
  self.scopes.column.back = back
end

-- ---- the batch in nchw ----

--- Defines how positions are cut into pieces and rows into chunks.
local function segments(builder)
  local lanes = contract.STRIPES
  local stripes = builder:def("size_t", "stripes", ("positions / %d + (positions %% %d > 0)"):format(lanes, lanes))
  local together = builder:def("size_t", "together", ("%s > %d ? 1 : %d / %s"):format(stripes, lanes, lanes, stripes))
  local piece = builder:def("size_t", "piece", ("%s > %d ? %d : positions"):format(stripes, lanes, contract.CHUNK))
  return together, piece
end

--- Visits the chunks of the batch.
-- @param visit function(builder, first row, rows, first position, positions)
local function each_segment_chunk(builder, together, piece, visit)
  local inner, row = builder:loop("row", 0, "rows", together)
  local left = inner:def("size_t", "left", ("rows - %s"):format(row))
  local height = inner:def("size_t", "height", ("%s < %s ? %s : %s"):format(left, together, left, together))
  local cut, start = inner:loop("start", 0, "positions", piece)
  local more = cut:def("size_t", "more", ("positions - %s"):format(start))
  visit(cut, row, height, start, cut:def("size_t", "length", ("%s < %s ? %s : %s"):format(more, piece, more, piece)))
end

--- Statistics of one chunk of a channel.
local function segment_chunk(body, builder, channel, row, height, start, length)
  local where = body.plan.geometry
  body.counts.head = body:head_of(builder, length)
  body.counts.chunk = ("(%s * %s)"):format(height, length)
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

--- Stores the statistics of a chunk, number `chunk`, of the channels from `channel` on.
local function store_chunk(body, builder, statistics, chunk, channel, how)
  local back = body:step_to(builder, per_channel(body), "_chunk", ("%s * %d + %s"):format(chunk, body.plan.geometry.channels, channel))
  how.known = known(body.plan, statistics)
  body:open("row", builder, how)
  body:store_fixed(builder, stores_of(body.plan))
  body:close "row"
  back()
end

function FORMS.segments(body, builder)
  local plan, where = body.plan, body.plan.geometry
  builder:note "A chunk is so many rows together, or a piece of one."
  local together, piece = segments(builder)
  if not plan.problem.direction.is_of_chunks then count_all(body, builder, "rows * positions") end
  local inner, channel = builder:loop("channel", 0, where.channels, 1)
  if plan.problem.direction.is_of_chunks then
    local chunk = inner:var("size_t", "chunk", "0")
    each_segment_chunk(inner, together, piece, function(place, ...)
      store_chunk(body, place, segment_chunk(body, place, channel, ...), chunk, channel, { broadcast = true })
      place:call("++" .. chunk)
    end)
    return
  end
  local tree = body:chunk_tree(inner, 1)
  each_segment_chunk(inner, together, piece, function(place, ...)
    local statistics = segment_chunk(body, place, channel, ...)
    tree:push(place, statistics, body.counts.chunk)
  end)
  local statistics = tree:finish(inner)
  inner:note "The channel again: normalise it."
  body:column_scope(inner, channel, "0")
  body:open("row", inner, { broadcast = true, known = known(plan, statistics) })
  for _, node in ipairs(plan.sweeps[#plan.sweeps].rows) do body:fixed(node) end
  body:store_fixed(inner, stores_of(plan))
  local rows, row = inner:loop("row", 0, "rows", 1)
  body:step_to(rows, body:matrices(), "_row", ("(%s * %d + %s) * positions"):format(row, where.channels, channel))
  body:map_run(rows, stores_of(plan), "positions")
end

-- ---- maps without statistics ----

--- Column values that take long, in the order of their use: they are formed once for all positions.
local function slow_columns(plan)
  local list, seen = {}, {}
  local function is_slow(node)
    if node.op == "div" or node.op == "sqrt" then return true end
    for _, operand in ipairs(node) do
      if is_slow(operand) then return true end
    end
    return false
  end
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    if node.domain == "column" then
      if is_slow(node) then list[#list + 1] = node end
      return
    end
    for _, operand in ipairs(node) do visit(operand) end
  end
  for _, store in ipairs(stores_of(plan)) do visit(store.node) end
  return list
end

--- Puts values into arrays, one element for each channel.
function Body:into_arrays(builder, nodes, first, arrays)
  for i, node in ipairs(nodes) do
    for v, name in ipairs(self:fixed(node)) do
      local place = c_text.sum(arrays[i], first, (v - 1) * self.chunk)
      builder:call(self.dtypes[self.real].store(place, 1, name))
    end
  end
end

--- Defines an array with room for all channels and a whole last vector.
function Body:channel_array(builder, label)
  local size = math.ceil(self.plan.geometry.channels / self.chunk) * self.chunk
  return builder:array(self.ctype, label, size)
end

--- The map of nhwc: every position, channel by channel.
local function map_positions(body, builder, count)
  local plan, where = body.plan, body.plan.geometry
  builder:note "Every position, channel by channel."
  local inner, t = builder:loop("t", 0, count, 1)
  body:step_to(inner, body:matrices(), "_t", ("%s * %d"):format(t, where.channels))
  body:map_channels(inner, stores_of(plan), where.channels)
end

local function count_of_batch(where) return product("rows", positions_of(where)) end

function FORMS.map(body, builder)
  local plan, where = body.plan, body.plan.geometry
  if where.memory == "nchw" then
    local rows, row = builder:loop("row", 0, "rows", 1)
    local inner, channel = rows:loop("channel", 0, where.channels, 1)
    body:step_to(inner, body:matrices(), "_channel", ("(%s * %d + %s) * positions"):format(row, where.channels, channel))
    body:column_scope(inner, channel, "0")
    body:map_run(inner, stores_of(plan), "positions")
    return
  end
  local slow, arrays = slow_columns(plan), {}
  for i, node in ipairs(slow) do arrays[i] = body:channel_array(builder, (node.label or "value") .. "_of") end
  if #slow > 0 then
    body:each_tile(builder, where.channels, function(inner, first, vectors, n)
      local back = body:step_to(inner, per_channel(body), "_tile", first)
      body:open("column", inner, { vectors = vectors, n = n })
      body:into_arrays(inner, slow, first, arrays)
      body:close "column"
      back()
    end)
  end
  for i, node in ipairs(slow) do body.arrays[node] = arrays[i] end
  map_positions(body, builder, count_of_batch(where))
end

-- ---- nhwc ----

--- Row values that the map needs element by element.
local function mapped_rows(plan)
  local list = {}
  for _, node in ipairs(plan.sweeps[#plan.sweeps].rows) do list[#list + 1] = node end
  return list
end

--- Statistics of the channels of each group, merged pairwise over the channels; arrays have those of channels before, and those of
-- the group in each of its channels after.
local function merge_groups(body, builder, arrays)
  local where, names = body.plan.geometry, {}
  for i, output in ipairs(body.plan.merge.outputs) do names[i] = output.name end
  if where.per_group == 1 then return end
  builder:note "The channels of a group together."
  local inner, group = builder, nil
  if where.groups > 1 then inner, group = builder:loop("group", 0, where.groups, 1) end
  local base = group and inner:def("size_t", "first", product(group, where.per_group)) or "0"
  local words = body.dtypes[body.real]
  local function merge(place, left, right, left_count, right_count)
    body.counts.left, body.counts.right = product(left_count, "positions"), product(right_count, "positions")
    body.counts.both = product(left_count + right_count, "positions")
    for field, text in pairs { left = body.counts.left, right = body.counts.right, both = body.counts.both } do
      body.counts[field] = "(" .. text .. ")"
    end
    local merged = body:merged(place, 1, function(name, side)
      return { words.first(("%s + %s"):format(arrays[name], side == "left" and left or right)) }
    end)
    for _, name in ipairs(names) do place:call(body.words.store_first(("%s + %s"):format(arrays[name], left), merged[name][1])) end
  end
  local span = 1
  while span < where.per_group do
    local whole = math.floor(where.per_group / (2 * span))
    if whole > 0 then
      local place, i = inner:loop("i", 0, whole, 1)
      local left = place:def("size_t", "at", ("%s + %s"):format(base, product(i, 2 * span)))
      merge(place, left, ("%s + %d"):format(left, span), span, span)
    end
    local from = whole * 2 * span
    if from + span < where.per_group then
      local left = inner:def("size_t", "last", ("%s + %d"):format(base, from))
      merge(inner:block "", left, ("%s + %d"):format(left, span), span, where.per_group - from - span)
    end
    span = span * 2
  end
  local place, i = inner:loop("i", 1, where.per_group, 1)
  for _, name in ipairs(names) do place:set(("%s[%s + %s]"):format(arrays[name], base, i), ("%s[%s]"):format(arrays[name], base)) end
end

--- Row values of all channels from the statistics in arrays.
local function finish_rows(body, builder, statistics, arrays)
  local nodes = mapped_rows(body.plan)
  body:each_tile(builder, body.plan.geometry.channels, function(inner, first, vectors, n)
    local names = {}
    for _, output in ipairs(body.plan.merge.outputs) do
      local name, array = output.name, statistics[output.name]
      names[name] = {}
      for v = 0, vectors - 1 do
        local place = c_text.sum(array, first, v * body.chunk)
        names[name][v + 1] = body.dtypes[body.real].load(place, 1)
      end
    end
    body:open("row", inner, { vectors = vectors, n = n, known = known(body.plan, names) })
    body:into_arrays(inner, nodes, first, arrays)
    body:close "row"
  end)
end

--- Statistics of each tile of channels, over `count` positions: visit(builder, first, vectors, n, statistics) uses them.
local function tiles(body, builder, count, visit)
  local where = body.plan.geometry
  builder:note "Statistics of each tile of channels."
  body:each_tile(builder, where.channels, function(inner, first, vectors, n)
    local back = body:step_to(inner, body.plan.read, "_tile", first)
    visit(inner, first, vectors, n, { vectors = vectors, n = n, stride = ("%d"):format(where.channels) }, count)
    back()
  end)
end

local function columns_of_batch(body, builder)
  local plan, where = body.plan, body.plan.geometry
  count_all(body, builder, count_of_batch(where))
  local nodes, arrays = mapped_rows(plan), {}
  if plan.problem.direction.is_of_chunks then
    tiles(body, builder, body.counts.all, function(inner, first, vectors, n, tile, count)
      local chunk = inner:var("size_t", "chunk", "0")
      body:each_outer_chunk(inner, count, function(place, start, length)
        store_chunk(body, place, body:outer_chunk(place, tile, start, length), chunk, first, { vectors = vectors, n = n })
        place:call("++" .. chunk)
      end)
    end)
    return
  end
  for i, node in ipairs(nodes) do arrays[i] = body:channel_array(builder, (node.label or "value") .. "_of") end
  tiles(body, builder, body.counts.all, function(inner, first, vectors, n, tile, count)
    local statistics = body:outer_statistics(inner, tile, count)
    local back = body:step_to(inner, per_channel(body), "_tile", first)
    body:open("row", inner, { vectors = vectors, n = n, known = known(plan, statistics) })
    body:into_arrays(inner, nodes, first, arrays)
    body:store_fixed(inner, stores_of(plan))
    body:close "row"
    back()
  end)
  for i, node in ipairs(nodes) do body.arrays[node] = arrays[i] end
  map_positions(body, builder, body.counts.all)
end

--- Puts parameters that groups have into arrays, one element for each channel.
local function spread_parameters(body, builder)
  local where, by_group, seen = body.plan.geometry, {}, {}
  for _, argument in ipairs(body.plan.problem.args) do by_group[argument.name] = argument.shape[1] == "g" end
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    if node.op ~= "load" or not by_group[node.name] then
      for _, operand in ipairs(node) do visit(operand) end
      return
    end
    local array = body:channel_array(builder, node.name .. "_of")
    local inner, channel = builder:loop("channel", 0, where.channels, 1)
    local value = body.dtypes[node.dtype].first(("%s + %s / %d"):format(node.name, channel, where.per_group))
    inner:call(body.words.store_first(("%s + %s"):format(array, channel), value))
    body.arrays[node] = array
  end
  for _, store in ipairs(stores_of(body.plan)) do visit(store.node) end
end

local function columns_of_groups(body, builder)
  local plan, where = body.plan, body.plan.geometry
  count_all(body, builder, product(where.per_group, "positions"))
  local statistics, arrays, nodes = {}, {}, mapped_rows(plan)
  for _, output in ipairs(plan.merge.outputs) do statistics[output.name] = body:channel_array(builder, output.name .. "_of") end
  for i, node in ipairs(nodes) do
    arrays[i] = statistics[node.name] or body:channel_array(builder, (node.label or "value") .. "_of")
  end
  spread_parameters(body, builder)
  local rows, row = builder:loop("row", 0, "rows", 1)
  body:step_to(rows, body:matrices(), "_row", product(row, "positions", where.channels))
  tiles(body, rows, "positions", function(inner, first, vectors, _, tile, count)
    local found = body:outer_statistics(inner, tile, count)
    for _, output in ipairs(plan.merge.outputs) do
      for v = 0, vectors - 1 do
        local place = c_text.sum(statistics[output.name], first, v * body.chunk)
        inner:call(body.dtypes[body.real].store(place, 1, found[output.name][v + 1]))
      end
    end
  end)
  merge_groups(body, rows, statistics)
  finish_rows(body, rows, statistics, arrays)
  for i, node in ipairs(nodes) do body.arrays[node] = arrays[i] end
  map_positions(body, rows, "positions")
end

function FORMS.columns(body, builder)
  if body.plan.geometry.over == "batch" then columns_of_batch(body, builder) else columns_of_groups(body, builder) end
end

-- ---- statistics of each position ----

function FORMS.positions(body, builder)
  local plan, where = body.plan, body.plan.geometry
  local count = ("%d"):format(where.channels)
  body.counts.all = count
  local rows, row = builder:loop("row", 0, "rows", 1)
  body:step_to(rows, body:matrices(), "_row", ("%s * %d * positions"):format(row, where.channels))
  body:each_tile_of(rows, "positions", function(inner, first, vectors, n)
    local back = body:step_to(inner, body:matrices(), "_tile", first)
    inner:note "Statistics of a tile of positions, over the channels."
    local statistics = body:outer_statistics(inner, { vectors = vectors, n = n, stride = "positions" }, count, where.channels)
    body:open("row", inner, { vectors = vectors, n = n, known = known(plan, statistics) })
    for _, node in ipairs(plan.sweeps[#plan.sweeps].rows) do body:fixed(node) end
    inner:note "The tile again: normalise it."
    local place, channel = inner:loop("channel", 0, where.channels, 1)
    body:step_to(place, body:matrices(), "_channel", ("%s * positions"):format(channel))
    body:column_scope(place, channel, "0")
    for v = 0, vectors - 1 do
      body:walk_step { builder = place, row = v, i = false, offset = v * body.chunk, n = v == vectors - 1 and n or nil,
        stores = stores_of(plan) }
    end
    body:close "column"
    body:close "row"
    back()
  end)
end

-- ---- merges ----

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
  body:open("row", builder, { vectors = tile.vectors, n = tile.n, known = known(body.plan, statistics) })
  body:store_fixed(builder, stores_of(body.plan))
  body:close "row"
  back()
end

local function merge_shards(body, builder)
  local where, names = body.plan.geometry, {}
  local each = ("%d"):format(where.per_shard)
  body.counts.all = ("%d"):format(where.per_shard * where.shards)
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

function FORMS.merge(body, builder)
  local where = body.plan.geometry
  if where.over == "shards" then return merge_shards(body, builder) end
  count_all(body, builder, count_of_batch(where))
  local together, piece
  if where.memory == "nchw" then together, piece = segments(builder) end
  body:each_tile(builder, where.channels, function(inner, first, vectors, n)
    local tile, row_length = { first = first, vectors = vectors, n = n }, ("%d"):format(where.channels)
    merge_tile(body, inner, per_channel(body), tile, row_length, function(place, take)
      local chunk = place:var("size_t", "chunk", "0")
      local function take_next(where_to, count)
        take(where_to, chunk, count)
        where_to:call("++" .. chunk)
      end
      if not together then return body:each_outer_chunk(place, body.counts.all, function(to, _, length) take_next(to, length) end) end
      each_segment_chunk(place, together, piece, function(to, _, height, _, length) take_next(to, ("%s * %s"):format(height, length)) end)
    end)
  end)
end

--- Writes the loops of a channel kernel.
-- @param kernel as for gen/lower/vectors.lua, with a plan of gen/channels/plan.lua
function channels.write(kernel, root)
  if kernel.target.types.f32.vector == nil then kernel.target = single(kernel.target) end
  local body = Body.new(kernel)
  local has_positions = kernel.plan.geometry.has_positions
  FORMS[kernel.plan.form](body, root:branch(has_positions and "rows > 0 && positions > 0" or "rows > 0"))
end

return channels
