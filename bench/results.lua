--- What the bench program prints, as tables with statistics.

local statistics = require "bench.statistics"

local results = {}

local function fields(line)
  local list = {}
  for field in (line .. "\t"):gmatch("([^\t]*)\t") do list[#list + 1] = field end
  return list
end

-- Samples from field `first` on: numbers by round, false where the entry sat out.
local function samples(list, first)
  local values = {}
  for i = first, #list do values[i - first + 1] = tonumber(list[i]) or false end
  return values
end

local function present(values)
  local list = {}
  for _, value in ipairs(values) do
    if value then list[#list + 1] = value end
  end
  return list
end

local read = {}

function read.overhead(all, f)
  table.insert(all.overheads, { label = f[2], ns = tonumber(f[3]) })
end

function read.cell(all, f)
  table.insert(all.cells, { name = f[2], rows = tonumber(f[3]), spec = f[4], entries = {}, rejected = {},
    bytes = { read = tonumber(f[5]), write = tonumber(f[6]), parameters = tonumber(f[7]) } })
end

function read.entry(all, f)
  local values = samples(f, 6)
  local list = present(values)
  table.insert(all.cells[#all.cells].entries, { kind = f[2], label = f[3], target = f[4], schedule = f[5],
    samples = values, count = #list, ns = statistics.quartiles(list) })
end

function read.rejected(all, f)
  table.insert(all.cells[#all.cells].rejected, { kind = f[2], label = f[3], target = f[4], reason = f[5] })
end

-- The kernel that others are compared with: the first one of the highest target that was timed.
local function baseline(cell, ranks)
  local best
  for _, entry in ipairs(cell.entries) do
    if entry.kind == "kernel" and (not best or ranks[entry.target] > ranks[best.target]) then best = entry end
  end
  return best
end

-- The fastest of a kind, or nil; `matches` may narrow the choice.
local function fastest(cell, kind, matches)
  local best
  for _, entry in ipairs(cell.entries) do
    if entry.kind == kind and (not matches or entry.label:find(matches)) and (not best or entry.ns.median < best.ns.median) then
      best = entry
    end
  end
  return best
end

-- Every entry's time in units of the baseline's, pair by pair; and which entries matter most.
local function compare(cell, ranks)
  cell.baseline = baseline(cell, ranks)
  cell.limit = fastest(cell, "limit", "^norm%-shaped")
  cell.rival, cell.inexact = fastest(cell, "rival"), fastest(cell, "inexact")
  for _, entry in ipairs(cell.entries) do
    entry.bytes_per_ns = (cell.bytes.read + cell.bytes.write) / entry.ns.median
    entry.of_limit = cell.limit and cell.limit.ns.median / entry.ns.median
    entry.ratio = cell.baseline and entry ~= cell.baseline and statistics.paired_ratio(entry.samples, cell.baseline.samples)
      or nil
  end
end

--- Reads the lines of bench/bench.c.
-- @param text what the program wrote
-- @param ranks table of ranks by target name
-- @return `{ overheads = {{ label, ns }..}, cells = {..} }`; a cell is `{ name, rows, spec, bytes, entries, rejected,
--   baseline, limit, rival, inexact }`, the last four being entries or nil; an entry is `{ kind, label, target, schedule,
--   samples, count, ns = quartiles, bytes_per_ns, of_limit, ratio = paired ratio to the baseline or nil }`
function results.parse(text, ranks)
  local all = { overheads = {}, cells = {} }
  for line in text:gmatch("[^\n]+") do
    local f = fields(line)
    read[f[1]](all, f)
  end
  for _, cell in ipairs(all.cells) do compare(cell, ranks) end
  return all
end

return results
