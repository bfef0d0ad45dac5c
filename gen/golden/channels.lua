--- What a kernel of channels must give for known arrays: its expressions interpreted set by set, as the contract orders values.

local contract = require "gen.formula.contract"
local interpreter = require "gen.golden.interpreter"

local golden = {}

--- A place in arrays: the numbers of a row, a channel, a position, and what else arrays have axes of.
local function place(row, channel, position) return { rows = row, c = channel, h = channel, positions = position } end

--- The number of an array's element at a place, from 1 on.
local function index_of(axes, extents, at, where)
  local index = 0
  for _, axis in ipairs(axes) do
    local number = at[axis] or axis == "g" and math.floor(at.c / where.per_group) or axis == "h/shards" and at.c
    index = index * extents[axis] + number
  end
  return index + 1
end

--- A function that loads what arrays have at a list of places; a row value is that of the first one.
local function loader(call, places)
  return function(node)
    local axes, array = call.axes[node.name], call.arrays[node.name]
    if node.domain == "row" and node.op == "load" then return array[index_of(axes, call.extents, places[1], call.where)] end
    local list = {}
    for i, at in ipairs(places) do list[i] = array[index_of(axes, call.extents, at, call.where)] end
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

--- The statistics of a chunk of places.
local function chunk_set(call, chunk)
  local row = interpreter.row { n = #chunk, load = loader(call, chunk), in_runs = not chunk.lane_of, lane_of = chunk.lane_of,
    counts = { chunk = #chunk, head = contract.head(#chunk, chunk.first) } }
  local set = { count = #chunk }
  for _, output in ipairs(call.problem.chunk) do set[output.name] = row:evaluate(output.node) end
  return set
end

--- Places cut into chunks of the contract.
local function outer_chunks(places)
  local chunks = {}
  for i, at in ipairs(places) do
    if (i - 1) % contract.CHUNK == 0 then chunks[#chunks + 1] = {} end
    table.insert(chunks[#chunks], at)
  end
  return chunks
end

--- The chunks of a channel of a batch in nchw: `lane_of` each element, and how many are in the first row.
local function segment_chunks(call, channel)
  local extents, chunks = call.extents, {}
  local stripes = math.ceil(extents.positions / contract.STRIPES)
  local height = stripes > contract.STRIPES and 1 or math.floor(contract.STRIPES / stripes)
  local width = stripes > contract.STRIPES and contract.CHUNK or extents.positions
  local lanes = contract.lanes(call.problem.contract.acc)
  for row = 0, extents.rows - 1, height do
    for start = 0, extents.positions - 1, width do
      local chunk = { lane_of = {}, first = math.min(width, extents.positions - start) }
      for r = row, math.min(row + height, extents.rows) - 1 do
        for p = start, start + chunk.first - 1 do
          chunk[#chunk + 1] = place(r, channel, p)
          chunk.lane_of[#chunk] = (p - start) % lanes
        end
      end
      chunks[#chunks + 1] = chunk
    end
  end
  return chunks
end

--- Stores what a set of places has, from its statistics.
local function store(call, places, set, order)
  local known = known_of(call.problem.outputs, function(name) return set[name] end)
  local count = set and set.count or #places
  local row = interpreter.row { n = #places, load = loader(call, places), known = known, lane_of = order,
    counts = { all = count, all_but_one = math.max(count - 1, 1), head = contract.head(count) } }
  for _, output in ipairs(call.problem.outputs) do
    local value = row:evaluate(output.node)
    for i, at in ipairs(places) do
      local index = index_of(call.axes[output.name], call.extents, at, call.where)
      call.results[output.name][index] = type(value) == "table" and value[i] or value
    end
  end
end

--- Places of some rows, channels and positions; `order` names the axes, the innermost one last.
local function places_of(extents, first, last, order)
  local list, at = {}, {}
  local function walk(depth)
    if depth > #order then
      list[#list + 1] = place(at.rows, at.c, at.positions)
      return
    end
    local axis = order[depth]
    for number = first[axis] or 0, (last[axis] or extents[axis]) - 1 do
      at[axis] = number
      walk(depth + 1)
    end
  end
  walk(1)
  return list
end

local NHWC, NCHW = { "rows", "positions", "c" }, { "rows", "c", "positions" }

--- The places of one channel over the batch, or over a row.
local function of_channel(extents, channel, row)
  return places_of(extents, { c = channel, rows = row }, { c = channel + 1, rows = row and row + 1 }, NHWC)
end

local function sets_of(call, chunks)
  local sets = {}
  for i, chunk in ipairs(chunks) do sets[i] = chunk_set(call, chunk) end
  return sets
end

local FORMS = {}

function FORMS.group(call, merge)
  local extents, where = call.extents, call.where
  for row = 0, extents.rows - 1 do
    for group = 0, where.groups - 1 do
      local first = group * where.per_group
      local places = places_of(extents, { rows = row, c = first }, { rows = row + 1, c = first + where.per_group }, NCHW)
      local set
      if where.memory == "nhwc" then
        local channels = {}
        for c = first, first + where.per_group - 1 do
          channels[#channels + 1] = merged(sets_of(call, outer_chunks(of_channel(extents, c, row))), merge)
        end
        set = merged(channels, merge)
      end
      store(call, places, set or {})
    end
  end
end

function FORMS.batch(call, merge)
  local extents, where = call.extents, call.where
  for channel = 0, where.channels - 1 do
    local places = of_channel(extents, channel)
    local chunks = where.memory == "nchw" and segment_chunks(call, channel) or outer_chunks(places)
    local sets = call.problem.chunk and sets_of(call, chunks) or {}
    if call.problem.direction.is_of_chunks then
      for k, set in ipairs(sets) do store(call, { { c = channel, chunks = k - 1 } }, set) end
    else
      store(call, places, merged(sets, merge) or {})
    end
  end
end

function FORMS.position(call, merge)
  local extents = call.extents
  for row = 0, extents.rows - 1 do
    for position = 0, extents.positions - 1 do
      local places = places_of(extents, { rows = row, positions = position }, { rows = row + 1, positions = position + 1 }, NCHW)
      store(call, places, merged(sets_of(call, outer_chunks(places)), merge))
    end
  end
end

--- A set of statistics as arrays have it at a place.
local function part(call, at, count)
  local set = { count = count }
  for name, argument in pairs { mu = "part_mean", delta = "part_shift", m2 = "part_m2" } do
    local array = call.arrays[argument]
    set[name] = array and array[index_of(call.axes[argument], call.extents, at, call.where)]
  end
  return set
end

local function merge_parts(call, merge)
  local extents, where = call.extents, call.where
  if where.over == "shards" then
    for row = 0, extents.rows - 1 do
      local sets = {}
      for shard = 0, where.shards - 1 do sets[shard + 1] = part(call, { rows = row, shards = shard }, where.per_shard) end
      store(call, { place(row, 0, 0) }, merged(sets, merge))
    end
    return
  end
  for channel = 0, where.channels - 1 do
    local chunks = where.memory == "nchw" and segment_chunks(call, channel) or outer_chunks(of_channel(extents, channel))
    local sets = {}
    for k, chunk in ipairs(chunks) do sets[k] = part(call, { c = channel, chunks = k - 1 }, #chunk) end
    store(call, { place(0, channel, 0) }, merged(sets, merge))
  end
end

--- The rows of a step or a fold that has rows.
local function by_rows(call)
  for row = 0, call.extents.rows - 1 do
    store(call, places_of(call.extents, { rows = row }, { rows = row + 1 }, NHWC), {})
  end
end

--- Chunks of a batch.
function golden.chunks(problem, extents)
  local call = { problem = problem, extents = extents }
  local where = problem.geometry
  if not where or where.over ~= "batch" then return 1 end
  return where.memory == "nchw" and #segment_chunks(call, 0) or math.ceil(extents.rows * extents.positions / contract.CHUNK)
end

--- The outputs of a kernel of channels: arrays by name of argument.
-- @param problem problem (gen/problem/channels.lua, gen/problem/shards.lua)
-- @param arrays what it reads, by name
-- @param extents sizes of axes by name
function golden.evaluate(problem, arrays, extents)
  local call = { problem = problem, arrays = arrays, extents = extents, where = problem.geometry, axes = {}, results = {} }
  for _, argument in ipairs(problem.args) do
    call.axes[argument.name] = argument.shape
    if argument.io ~= "in" then call.results[argument.name] = {} end
  end
  local merge = problem.merge and merge_of(problem)
  if not problem.geometry then
    by_rows(call)
  elseif problem.direction.merges then
    merge_parts(call, merge)
  else
    FORMS[problem.geometry.over](call, merge)
  end
  return call.results
end

return golden
