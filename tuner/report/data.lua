--- What a report shows: records beside what the bench found for the same kernels, by machine, target and regime.

local cells = require "tuner.cells"
local e = require "gen.formula.expr"
local failure = require "host.failure"
local json = require "dkjson"
local memory = require "tuner.memory"
local names = require "gen.spec.names"
local problems = require "gen.problem.problem"
local statistics = require "measure.statistics"
local tuned = require "gen.schedule.records"

local data = {}

-- How many times as many rows a cell of the bench may have to stand beside a record.
local NEAR = 4

-- Floating-point operations of a node; others have none.
local OPERATIONS = { add = 1, sub = 1, mul = 1, div = 1, sqrt = 1, fma = 2, fnma = 2, clamp0 = 1 }

-- Operations of a kernel of rows for each element; nil for others.
local function operations(problem)
  if problem.axes.is_counted or problem.axes.order ~= "lanes" or problem.row_length == 0 then return nil end
  local count, seen = 0, {}
  for _, output in ipairs(problem.outputs) do
    e.walk(output.node, function(node)
      if node.op == "sum" then
        count = count + node.count / problem.row_length
      elseif node.scope == "element" then
        count = count + (OPERATIONS[node.op] or 0)
      end
    end, seen)
  end
  return count
end

--- Reads files: records, or what normgen bench --format json prints.
-- @param texts array of `{ path =, text = }`
-- @return records, each once; entries of the bench; messages about lines that were skipped
function data.read(texts)
  local records, entries, skipped = {}, {}, {}
  for _, file in ipairs(texts) do
    local list = file.text:match "^%s*%[" and json.decode(file.text)
    for _, entry in ipairs(list or {}) do entries[#entries + 1] = entry end
    local found, missed = {}, {}
    if not list then found, missed = tuned.read(file.text, file.path) end
    for _, record in ipairs(found) do records[#records + 1] = record end
    for _, message in ipairs(missed) do skipped[#skipped + 1] = message end
  end
  return memory.merged(records), entries, skipped
end

-- How far the bench's number of rows is from a record's; nil if it is another kernel, other positions or too far.
local function distance(entry, record, positions)
  local ratio = entry.rows / record.rows
  local is_same = entry.name == record.name and (entry.positions or 1) == positions
  return is_same and ratio <= NEAR and ratio >= 1 / NEAR and math.abs(math.log(ratio)) or nil
end

-- The entries of the nearest cell whose baseline is the record's target.
local function cell_of(entries, record, positions)
  local best, nearest
  for _, entry in ipairs(entries) do
    local far = entry.kind == "kernel" and entry.target == record.target and not entry.ratio and distance(entry, record, positions)
    if far and (not nearest or far < nearest) then best, nearest = entry, far end
  end
  local list = {}
  for _, entry in ipairs(best and entries or {}) do
    local is_same = entry.name == best.name and entry.rows == best.rows and entry.positions == best.positions
    if is_same and entry.ratio then list[#list + 1] = entry end
  end
  return list, best and best.rows
end

-- How many times as long as the tuned kernel another one takes: its ratio to the default, times that of the default to the
-- choice. The bounds are those of both.
local function speedup(entry, record)
  local own = record.ratio or { 1, 1, 1 }
  return { label = entry.label, rows = entry.rows, median = entry.ratio / own[1], low = entry.ratio_low / own[3],
    high = entry.ratio_high / own[2] }
end

local function is_plain(entry) return entry.label:find "^gcc " or entry.label:find "^clang" end

local function fastest(entries, record, fits)
  local best
  for _, entry in ipairs(entries) do
    local is_rival = entry.kind == "rival" or entry.kind == "inexact"
    if is_rival and fits(entry) and (not best or entry.ratio < best.ratio) then best = entry end
  end
  return best and speedup(best, record)
end

-- A record with what is derived from it.
local function row_of(record, entries)
  local problem = problems.new(names.parse(record.name, { prefix = "" }))
  local positions = cells.positions(problem)
  local moved = cells.bytes_of_row(problem) * record.rows + cells.bytes_of_call(problem)
  local of_element = operations(problem)
  local count = of_element and of_element * problem.row_length * record.rows
  local own, cell = record.ratio, cell_of(entries, record, positions)
  return { record = record, intensity = count and count / moved, performance = count and count / record.ns, bandwidth = moved / record.ns,
    gain = own and { median = 1 / own[1], low = 1 / own[3], high = 1 / own[2] } or { median = 1, low = 1, high = 1 },
    plain = fastest(cell, record, is_plain), peer = fastest(cell, record, function(entry) return not is_plain(entry) end) }
end

local function machine_of(record)
  return ("%s (%s), %s"):format(record.microarchitecture, record.cpu, record.compiler)
end

-- Appends to a list of groups, made when it is first needed.
local function group(groups, title)
  for _, one in ipairs(groups) do
    if one.title == title then return one end
  end
  groups[#groups + 1] = { title = title, rows = {} }
  return groups[#groups]
end

-- Rows by target, then regime from the first cache to memory, else in their order.
local function by_call(rows)
  local list, key = {}, {}
  for i, row in ipairs(rows) do
    local place = 0
    for k, regime in ipairs(cells.regimes) do place = regime == row.record.regime and k or place end
    list[i], key[row] = row, ("%s %d %06d"):format(row.record.target, place, i)
  end
  table.sort(list, function(a, b) return key[a] < key[b] end)
  return list
end

-- The fastest copy of each regime, in bytes a nanosecond.
local function roofs_of(rows)
  local list, by_regime = {}, {}
  for _, row in ipairs(rows) do
    local record = row.record
    if record.copy and record.bytes then
      if not by_regime[record.regime] then
        by_regime[record.regime] = { regime = record.regime, bandwidth = 0 }
        list[#list + 1] = by_regime[record.regime]
      end
      local roof = by_regime[record.regime]
      roof.bandwidth = math.max(roof.bandwidth, record.bytes / record.copy)
    end
  end
  table.sort(list, function(a, b) return a.bandwidth > b.bandwidth end)
  return list
end

local function geometric(rows, key)
  local values = {}
  for _, row in ipairs(rows) do values[#values + 1] = row[key] and row[key].median end
  return statistics.geometric_mean(values), #values
end

local function summary(part)
  local undecided, noisy = 0, 0
  for _, row in ipairs(part.rows) do
    undecided = undecided + (row.record.decided and 0 or 1)
    noisy = noisy + (row.record.quality == "noisy" and 1 or 0)
  end
  part.undecided, part.noisy = undecided, noisy
  part.gain = geometric(part.rows, "gain")
  part.plain, part.with_plain = geometric(part.rows, "plain")
  part.peer, part.with_peer = geometric(part.rows, "peer")
end

--- @return array of machines, `{ title =, rows =, roofs = {{ regime, bandwidth }..}, parts = of a target and regime each
--   `{ title =, rows =, gain =, plain =, peer = geometric means, with_plain =, with_peer =, undecided =, noisy = }` }`
function data.machines(records, entries)
  if #records == 0 then failure("report: no records") end
  local machines = {}
  for _, record in ipairs(records) do
    local machine = group(machines, machine_of(record))
    machine.rows[#machine.rows + 1] = row_of(record, entries)
  end
  for _, machine in ipairs(machines) do
    machine.roofs, machine.parts = roofs_of(machine.rows), {}
    for _, row in ipairs(by_call(machine.rows)) do
      local part = group(machine.parts, row.record.target .. ", " .. row.record.regime)
      part.rows[#part.rows + 1] = row
    end
    for _, part in ipairs(machine.parts) do summary(part) end
  end
  return machines
end

return data
