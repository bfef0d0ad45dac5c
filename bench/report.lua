--- The results of a run (bench/results.lua) as text.

local columns = require "host.columns"
local json = require "host.json"
local markdown = require "bench.markdown"
local show = require "measure.show"

local report = {}

local function entry_row(cell, entry)
  local ratio = entry.ratio
  return {
    "  " .. entry.kind, entry.label, show.time(entry.ns.median), show.percent((entry.ns.high - entry.ns.low) / entry.ns.median),
    show.number(entry.bytes_per_ns), entry.of_limit and show.percent(entry.of_limit) or "-",
    ratio and show.ratio(ratio) or entry == cell.baseline and "1" or "-", ratio and show.interval(ratio) or "", entry.schedule,
  }
end

local HEAD = { "  kind", "entry", "a call", "spread", "GB/s", "of limit", "ratio", "95 %", "schedule" }

local function cell_text(cell)
  local rows = { HEAD }
  for _, entry in ipairs(cell.entries) do rows[#rows + 1] = entry_row(cell, entry) end
  local bytes = cell.bytes
  local parts = { ("%s, %s: reads %.0f + %.0f, writes %.0f + %.0f bytes\n"):format(cell.name, show.call(cell), bytes.read,
    bytes.call_read, bytes.write, bytes.call_write), columns(rows, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }) }
  for _, entry in ipairs(cell.rejected) do
    parts[#parts + 1] = ("  rejected: %s: %s\n"):format(entry.label, entry.reason)
  end
  return table.concat(parts)
end

local NOTES = [[
ratio: how many times as long as the first kernel of the highest target, pair by pair: the median and its 95 % interval.
of limit: of the faster norm-shaped loop. spread: between the quartiles. fixed: the row length is a constant of the loop.
]]

--- For reading.
function report.text(all)
  local parts = {}
  for i, cell in ipairs(all.cells) do parts[i] = cell_text(cell) .. "\n" end
  for _, overhead in ipairs(all.overheads) do
    parts[#parts + 1] = ("a call with 0 rows, %s: %s\n"):format(overhead.label, show.time(overhead.ns))
  end
  parts[#parts + 1] = NOTES
  return table.concat(parts)
end

local FIELDS = { "name", "rows", "positions", "kind", "label", "target", "schedule", "rounds", "ns", "ns_low", "ns_high",
  "bytes_per_ns", "of_limit", "ratio", "ratio_low", "ratio_high" }

-- The values of FIELDS; "" where there is none.
local function values_of(cell, entry)
  local ratio = entry.ratio or {}
  return { cell.name, cell.rows, cell.positions or "", entry.kind, entry.label, entry.target, entry.schedule, entry.rounds, entry.ns.median,
    entry.ns.low, entry.ns.high, entry.bytes_per_ns, entry.of_limit or "", ratio.median or "", ratio.low or "",
    ratio.high or "" }
end

local function csv_value(value)
  if type(value) == "number" then return value % 1 == 0 and ("%.0f"):format(value) or ("%.5g"):format(value) end
  return value:find('[,"]') and '"' .. value:gsub('"', '""') .. '"' or value
end

--- For other programs: a line for each entry of each cell.
function report.csv(all)
  local lines = { table.concat(FIELDS, ",") }
  for _, cell in ipairs(all.cells) do
    for _, entry in ipairs(cell.entries) do
      local values = values_of(cell, entry)
      for i, value in ipairs(values) do values[i] = csv_value(value) end
      lines[#lines + 1] = table.concat(values, ",")
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The same as an array of objects.
function report.json(all)
  local list = json.array {}
  for _, cell in ipairs(all.cells) do
    for _, entry in ipairs(cell.entries) do
      local values, object = values_of(cell, entry), {}
      for i, key in ipairs(FIELDS) do
        if values[i] ~= "" then object[key] = values[i] end
      end
      list[#list + 1] = object
    end
  end
  return json.encode(list)
end

report.md = markdown.text

return report
