--- What the bench programs print, as tables with statistics.

local statistics = require "measure.statistics"

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
  table.insert(all.cells, { name = f[2], rows = tonumber(f[3]), positions = f[4] ~= "0" and tonumber(f[4]) or nil, spec = f[5],
    entries = {}, rejected = {}, bytes = { read = tonumber(f[6]), write = tonumber(f[7]), call_read = tonumber(f[8]),
      call_write = tonumber(f[9]) } })
end

function read.entry(all, f)
  local values = samples(f, 6)
  local list = present(values)
  table.insert(all.cells[#all.cells].entries, { kind = f[2], label = f[3], target = f[4], schedule = f[5],
    samples = values, rounds = #list, ns = statistics.quartiles(list) })
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

--- The entry of a kind that takes the least time in units of the baseline's, or nil.
-- @param matches nil or a pattern that its label has
function results.fastest(cell, kind, matches)
  local best
  for _, entry in ipairs(cell.entries) do
    local fits = entry.kind == kind and entry.ratio and (not matches or entry.label:find(matches))
    if fits and (not best or entry.ratio.median < best.ratio.median) then best = entry end
  end
  return best
end

-- What an entry's time means for the bytes of its cell, and beside the limit.
local function relate(cell, entry)
  entry.bytes_per_ns = (cell.bytes.read + cell.bytes.write) / entry.ns.median
  entry.of_limit = cell.limit and cell.limit.ns.median / entry.ns.median
end

-- Every entry's time in units of the baseline's, pair by pair, and the limit's in units of the entry's.
local function compare(cell, ranks)
  cell.baseline = baseline(cell, ranks)
  for _, entry in ipairs(cell.entries) do
    if cell.baseline and entry ~= cell.baseline then
      entry.ratio = statistics.paired_ratio(entry.samples, cell.baseline.samples)
    end
  end
  cell.limit = results.fastest(cell, "limit", "^norm%-shaped")
  for _, entry in ipairs(cell.entries) do relate(cell, entry) end
end

--- Reads the lines of bench/bench.c or bench/python_rivals.py.
-- @param text what the program wrote
-- @param ranks table of ranks by target name
-- @return `{ overheads = {{ label, ns }..}, cells = {..} }`; a cell is `{ name, rows, positions or nil, spec, bytes, entries,
--   rejected = {{ kind, label, target, reason }..}, baseline = entry, limit = entry or nil }`; an entry is `{ kind, label, target,
--   schedule, samples, rounds, ns = quartiles, bytes_per_ns, of_limit or nil, ratio = paired ratio to the baseline or nil }`
function results.parse(text, ranks)
  local all = { overheads = {}, cells = {} }
  for line in text:gmatch("[^\n]+") do
    local f = fields(line)
    read[f[1]](all, f)
  end
  for _, cell in ipairs(all.cells) do compare(cell, ranks) end
  return all
end

local function find(all, wanted)
  for _, cell in ipairs(all.cells) do
    if cell.name == wanted.name and cell.rows == wanted.rows and cell.positions == wanted.positions then return cell end
  end
end

--- Adds the rivals of another run to the cells of this one. Their ratios are to the baseline of their own run.
function results.merge(all, other)
  for _, from in ipairs(other.cells) do
    local to = find(all, from)
    for _, entry in ipairs(from.entries) do
      if entry.kind ~= "kernel" then
        relate(to, entry)
        to.entries[#to.entries + 1] = entry
      end
    end
    for _, entry in ipairs(from.rejected) do to.rejected[#to.rejected + 1] = entry end
  end
end

return results
