--- What a kernel must give for known arrays: its expressions interpreted set by set, in the order that the contract has for the
-- axes of a set. Knows nothing of lowering and targets, and so is a second opinion on every kernel.

local contract = require "gen.formula.contract"
local interpreter = require "gen.golden.interpreter"

local sets = {}

--- How far apart an array's elements are along each of its axes: array of `{ axis=, stride= }`.
local function strides_of(axes, extents)
  local strides, stride = {}, 1
  for i = #axes, 1, -1 do
    strides[i] = { axis = axes[i], stride = stride }
    stride = stride * extents[axes[i]]
  end
  return strides
end

--- Calls visit(at) for each combination of numbers along axes, `at` by name; the last axis is the innermost one.
local function each_place(axes, extents, at, visit)
  local function walk(depth)
    local axis = axes[depth]
    if not axis then return visit(at) end
    for number = 0, extents[axis] - 1 do
      at[axis] = number
      walk(depth + 1)
    end
  end
  walk(1)
end

--- The number of an array's element at a place, from 1 on. Channels are counted within their group, if they have one.
local function index_of(call, name, at)
  local index = 1
  for _, step in ipairs(call.strides[name]) do
    local number = at[step.axis] or step.axis == "batch" and at.rows or 0
    if step.axis == call.grouped then number = number + at.g * call.axes.per_group end
    index = index + number * step.stride
  end
  return index
end

--- What a set's places add to the number of an array's first element: an array, made once for all sets.
local function offsets_of(call, name)
  if not call.offsets[name] then
    local list, stride_of = { 0 }, {}
    for _, step in ipairs(call.strides[name]) do stride_of[step.axis] = step.stride end
    for _, axis in ipairs(call.inner) do
      local longer, stride = {}, stride_of[axis] or 0
      for i = 1, #list do
        for number = 0, call.inner_extents[axis] - 1 do longer[#longer + 1] = list[i] + number * stride end
      end
      list = longer
    end
    call.offsets[name] = list
  end
  return call.offsets[name]
end

--- A function that loads what arrays have for some places of a set.
-- @param at the set's numbers along the axes that are kept
-- @param places numbers of places, or nil for all of them
local function loader(call, at, places)
  return function(node)
    local array, first = call.arrays[node.name], index_of(call, node.name, at)
    if node.op == "load" and node.scope == "row" then return array[first] end
    local offsets, list = offsets_of(call, node.name), {}
    for i = 1, places and #places or #offsets do list[i] = array[first + offsets[places and places[i] or i]] end
    return list
  end
end

--- Pairwise merging of a list, level by level; an odd last one goes up as it is.
local function merged(list, merge)
  while #list > 1 do
    local halved = {}
    for i = 1, #list, 2 do halved[#halved + 1] = list[i + 1] and merge(list[i], list[i + 1]) or list[i] end
    list = halved
  end
  return list[1]
end

--- The values of the statistics that outputs need: what value_of(name) says, by node.
local function known_of(outputs, value_of)
  local known = {}
  local function learn(node)
    if node.op == "statistic" then known[node] = value_of(node.name) end
    for _, operand in ipairs(node) do learn(operand) end
  end
  for _, output in ipairs(outputs) do learn(output.node) end
  return known
end

--- The statistics of two sets together; a set is `{ count=, [name]= }`.
local function merge_of(problem)
  return function(left, right)
    local known = known_of(problem.merge, function(text)
      local name, side = text:match("^(.*)_(%l+)$")
      return (side == "left" and left or right)[name]
    end)
    local row = interpreter.row { n = 1, known = known,
      counts = { left = left.count, right = right.count, both = left.count + right.count } }
    local set = { count = left.count + right.count }
    for _, output in ipairs(problem.merge) do set[output.name] = row:evaluate(output.node) end
    return set
  end
end

--- The statistics of a chunk: numbers of places, and perhaps the lane of each (`lane_of`) and how many the head may have (`first`).
local function chunk_statistics(call, at, chunk)
  local row = interpreter.row { n = #chunk, load = loader(call, at, chunk), in_runs = not chunk.lane_of, lane_of = chunk.lane_of,
    counts = { chunk = #chunk, head = contract.head(#chunk, chunk.first) } }
  local set = { count = #chunk }
  for _, output in ipairs(call.problem.chunk) do set[output.name] = row:evaluate(output.node) end
  return set
end

--- Places in runs, cut into chunks: those of one channel, if a set has several, after those of another.
local function run_chunks(call)
  local count = 1
  for _, axis in ipairs(call.inner) do count = axis == call.grouped and count or count * call.inner_extents[axis] end
  local groups = {}
  for channel = 0, call.grouped and call.axes.per_group - 1 or 0 do
    groups[channel + 1] = {}
    for i = 0, count - 1 do
      if i % contract.CHUNK == 0 then table.insert(groups[channel + 1], {}) end
      local chunks = groups[channel + 1]
      table.insert(chunks[#chunks], channel * count + i + 1)
    end
  end
  return groups
end

--- Places in pieces: each row's positions in lanes, some rows together or a part of one.
local function piece_chunks(call)
  local rows, positions, chunks = call.extents.rows, call.extents.positions, {}
  local stripes = math.ceil(positions / contract.STRIPES)
  local height = stripes > contract.STRIPES and 1 or math.floor(contract.STRIPES / stripes)
  local width = stripes > contract.STRIPES and contract.CHUNK or positions
  local lanes = contract.lanes(call.problem.contract.acc)
  for row = 0, rows - 1, height do
    for start = 0, positions - 1, width do
      local chunk = { lane_of = {}, first = math.min(width, positions - start) }
      for r = row, math.min(row + height, rows) - 1 do
        for p = start, start + chunk.first - 1 do
          chunk[#chunk + 1] = r * positions + p + 1
          chunk.lane_of[#chunk] = (p - start) % lanes
        end
      end
      chunks[#chunks + 1] = chunk
    end
  end
  return { chunks }
end

--- The chunks of a set: arrays of chunks, each merged by itself before these are.
local function chunks_of(call) return (call.axes.order == "pieces" and piece_chunks or run_chunks)(call) end

--- Stores what a set has at all its places, or in one of its parts.
-- @param set its statistics, `{ count=, [name]= }`, where they have been merged
local function store(call, at, set)
  local known = known_of(call.problem.outputs, function(name) return set[name] end)
  local n = call.places
  local count = set and set.count or n
  local row = interpreter.row { n = n, load = loader(call, at), known = known, columns = call.columns,
    counts = { all = count, all_but_one = math.max(count - 1, 1), head = contract.head(count) } }
  for _, output in ipairs(call.problem.outputs) do
    local value, results, first = row:evaluate(output.node), call.results[output.name], index_of(call, output.name, at)
    if type(value) == "table" or output.node.scope == "element" then
      for i, offset in ipairs(offsets_of(call, output.name)) do results[first + offset] = type(value) == "table" and value[i] or value end
    else
      results[first] = value
    end
  end
end

--- What arrays have for a part of a set.
local function part_of(call, at, count)
  local set = { count = count }
  for _, statistic in ipairs(contract.STATISTICS[call.problem.direction.sums]) do
    local name = "part_" .. statistic.argument
    set[statistic.name] = call.arrays[name][index_of(call, name, at)]
  end
  return set
end

--- The statistics that arrays have of a set's parts: of chunks, or of shards.
local function parts_of(call, at)
  local list, axis = {}, call.axes.part[1]
  if axis == "shards" then
    for shard = 0, call.extents.shards - 1 do
      at[axis] = shard
      list[shard + 1] = part_of(call, at, call.axes.n)
    end
    return { list }
  end
  for k, chunk in ipairs(chunks_of(call)[1]) do
    at[axis] = k - 1
    list[k] = part_of(call, at, #chunk)
  end
  return { list }
end

local function statistics_of(call, at)
  local groups = chunks_of(call)
  for g, chunks in ipairs(groups) do
    for k, chunk in ipairs(chunks) do groups[g][k] = chunk_statistics(call, at, chunk) end
  end
  return groups
end

local function evaluate_set(call, at)
  local problem = call.problem
  if not problem.merge then return store(call, at) end
  local groups = problem.chunk and statistics_of(call, at) or parts_of(call, at)
  if problem.direction.gives_parts then
    for k, set in ipairs(groups[1]) do
      at.chunks = k - 1
      store(call, at, set)
    end
    return
  end
  for g, list in ipairs(groups) do groups[g] = merged(list, call.merge) end
  store(call, at, merged(groups, call.merge))
end

--- What all sets of a call share: the axes within a set, the sizes of these, and where arrays have elements.
local function call_of(problem, arrays, extents)
  local axes = problem.axes
  local call = { problem = problem, arrays = arrays, extents = extents, axes = axes, strides = {}, offsets = {}, results = {},
    inner = {}, inner_extents = {}, places = 1, merge = problem.merge and merge_of(problem) }
  for _, axis in ipairs(axes.kept) do call.grouped = axis == "g" and (axes.extents.c and "c" or "h") or call.grouped end
  -- Channels of a group are the outermost axis: each has runs of its own.
  for _, axis in ipairs(axes.over) do
    table.insert(call.inner, axis == call.grouped and 1 or #call.inner + 1, axis)
    call.inner_extents[axis] = axis == call.grouped and axes.per_group or extents[axis]
    call.places = call.places * call.inner_extents[axis]
  end
  for _, argument in ipairs(problem.args) do
    if argument.axes then call.strides[argument.name] = strides_of(argument.axes, extents) end
    if argument.io ~= "in" then call.results[argument.name] = {} end
  end
  return call
end

--- Whether the values of parameters are the same for all sets: nothing that is kept is an axis of one.
local function shares_columns(axes)
  for _, axis in ipairs(axes.parameter) do
    for _, kept in ipairs(axes.kept) do
      if axis == kept or kept == "g" then return false end
    end
  end
  return true
end

--- The chunks of a kernel's batch.
function sets.chunks(problem, extents)
  if problem.axes.part[1] ~= "chunks" or not problem.merge then return 1 end
  return #chunks_of(call_of(problem, {}, extents))[1]
end

--- The outputs of a kernel: arrays by name of argument.
-- @param problem problem (gen/problem/problem.lua)
-- @param arrays what it reads, by name
-- @param extents sizes of axes by name
function sets.evaluate(problem, arrays, extents)
  local call = call_of(problem, arrays, extents)
  call.columns = shares_columns(problem.axes) and {} or nil
  each_place(problem.axes.kept, extents, {}, function(at) evaluate_set(call, at) end)
  return call.results
end

return sets
