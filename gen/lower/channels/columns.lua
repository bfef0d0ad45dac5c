--- Statistics of channels that lie next to each other: nhwc.

local common = require "gen.lower.channels.common"
local c_text = require "gen.c.text"

--- Row values that the map needs element by element.
local function mapped_rows(plan)
  local list = {}
  for _, node in ipairs(plan.sweeps[#plan.sweeps].rows) do list[#list + 1] = node end
  return list
end

--- Statistics of the channels of each group, merged pairwise over the channels; arrays have those of channels before, and those of
-- the group in each of its channels after. Groups are the innermost loop, since they do not wait for each other.
local function merge_groups(body, builder, arrays)
  local where, names = body.plan.axes, {}
  for i, output in ipairs(body.plan.merge.outputs) do names[i] = output.name end
  if where.per_group == 1 then return end
  local count, words = where.per_group, body.dtypes[body.real]
  builder:note "The channels of a group together: each with the one `span` further on, in which that many are."
  local span = builder:name "span"
  local level = builder:block(("for (size_t %s = 1; %s < %d; %s *= 2)"):format(span, span, count, span))
  local pair, i = level:loop("i", 0, ("%d - %s"):format(count, span), "2 * " .. span)
  local rest = pair:def("size_t", "rest", ("%d - %s - %s"):format(count, i, span))
  body.counts.left = pair:def("size_t", "left", span .. " * positions")
  body.counts.right = pair:def("size_t", "right", ("(%s < %s ? %s : %s) * positions"):format(rest, span, rest, span))
  body.counts.both = pair:def("size_t", "both", ("%s + %s"):format(body.counts.left, body.counts.right))
  local inner, group = common.each_group(pair, where)
  local at = group and inner:def("size_t", "at", ("%s + %s"):format(common.product(group, count), i)) or i
  local place_of, before = { left = at, right = ("%s + %s"):format(at, span) }, {}
  local merged = body:merged(inner, 1, function(name, side)
    local value = inner:def(body.type.vector, ("%s_%s"):format(name, side), words.first(("%s + %s"):format(arrays[name], place_of[side])))
    if side == "left" then before[name] = value end
    return { value }
  end)
  for _, name in ipairs(names) do
    if merged[name][1] ~= before[name] then
      inner:call(body.words.store_first(("%s + %s"):format(arrays[name], at), merged[name][1]))
    end
  end
  builder:note "What a group has, in each of its channels."
  local spread, of = common.each_group(builder, where)
  local first = of and spread:def("size_t", "first", common.product(of, count)) or "0"
  local place, next_one = spread:loop("i", 1, count, 1)
  for _, name in ipairs(names) do
    place:set(("%s[%s]"):format(arrays[name], c_text.sum(first, next_one)), ("%s[%s]"):format(arrays[name], first))
  end
end

--- Row values (nodes) of all channels from the statistics in arrays, into arrays of their own.
local function finish_rows(body, builder, statistics, nodes, arrays)
  body:each_tile(builder, body.plan.axes.channels, function(inner, first, vectors, n)
    local names = {}
    for _, output in ipairs(body.plan.merge.outputs) do
      local name, array = output.name, statistics[output.name]
      names[name] = {}
      for v = 0, vectors - 1 do
        local place = c_text.sum(array, first, v * body.chunk)
        names[name][v + 1] = body.dtypes[body.real].load(place, 1)
      end
    end
    body:open("row", inner, { vectors = vectors, n = n, known = common.known(body.plan, names) })
    body:into_arrays(inner, nodes, first, arrays)
    body:close "row"
  end)
end

--- Statistics of each tile of channels, over `count` positions: visit(builder, first, vectors, n, statistics) uses them.
local function tiles(body, builder, count, visit)
  local where = body.plan.axes
  builder:note "Statistics of each tile of channels."
  body:each_tile(builder, where.channels, function(inner, first, vectors, n)
    local back = body:step_to(inner, body.plan.read, "_tile", first)
    visit(inner, first, vectors, n, { vectors = vectors, n = n, stride = ("%d"):format(where.channels) }, count)
    back()
  end)
end

local function columns_of_batch(body, builder)
  local plan, where = body.plan, body.plan.axes
  common.count_all(body, builder, common.count_of_batch(where))
  local nodes, arrays = mapped_rows(plan), {}
  if plan.problem.direction.gives_parts then
    tiles(body, builder, body.counts.all, function(inner, first, vectors, n, tile, count)
      local chunk = inner:var("size_t", "chunk", "0")
      body:each_outer_chunk(inner, count, function(place, start, length)
        common.store_chunk(body, place, body:outer_chunk(place, tile, start, length), chunk, first, { vectors = vectors, n = n })
        place:call("++" .. chunk)
      end)
    end)
    return
  end
  for i, node in ipairs(nodes) do arrays[i] = body:channel_array(builder, (node.label or "value") .. "_of") end
  tiles(body, builder, body.counts.all, function(inner, first, vectors, n, tile, count)
    local statistics = body:outer_statistics(inner, tile, count)
    local back = body:step_to(inner, common.per_channel(body), "_tile", first)
    body:open("row", inner, { vectors = vectors, n = n, known = common.known(plan, statistics) })
    body:into_arrays(inner, nodes, first, arrays)
    body:store_fixed(inner, common.stores_of(plan))
    body:close "row"
    back()
  end)
  for i, node in ipairs(nodes) do body.arrays[node] = arrays[i] end
  body:map_positions(builder, body.counts.all)
end

--- Puts parameters that groups have into arrays, one element for each channel.
local function spread_parameters(body, builder)
  local where, by_group, seen = body.plan.axes, {}, {}
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
  for _, store in ipairs(common.stores_of(body.plan)) do visit(store.node) end
end

local function columns_of_groups(body, builder)
  local plan, where = body.plan, body.plan.axes
  common.count_all(body, builder, common.product(where.per_group, "positions"))
  local statistics, arrays, nodes = {}, {}, {}
  for _, output in ipairs(plan.merge.outputs) do statistics[output.name] = body:channel_array(builder, output.name .. "_of") end
  for _, node in ipairs(mapped_rows(plan)) do
    body.arrays[node] = statistics[node.name]
    if not statistics[node.name] then nodes[#nodes + 1] = node end
  end
  for i, node in ipairs(nodes) do arrays[i] = body:channel_array(builder, (node.label or "value") .. "_of") end
  spread_parameters(body, builder)
  local rows, row = builder:loop("row", 0, "rows", 1)
  body:step_to(rows, body:matrices(), "_row", common.product(row, "positions", where.channels))
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
  finish_rows(body, rows, statistics, nodes, arrays)
  for i, node in ipairs(nodes) do body.arrays[node] = arrays[i] end
  body:map_positions(rows, "positions")
end

return function(body, builder)
  if body.plan.axes.kept[1] == "rows" then columns_of_groups(body, builder) else columns_of_batch(body, builder) end
end
