--- The results of a run (bench/results.lua) as text.

local columns = require "gen.cli.columns"

local report = {}

-- Three significant digits, no exponent.
local function number(value)
  if value >= 99.95 then return ("%.0f"):format(value) end
  return value >= 9.995 and ("%.1f"):format(value) or ("%.2f"):format(value)
end

local function time(ns)
  if ns < 1e4 then return number(ns) .. " ns" end
  return ns < 1e7 and number(ns / 1e3) .. " us" or number(ns / 1e6) .. " ms"
end

local function percent(value) return ("%.0f %%"):format(value * 100) end

local function interval(ratio) return ("[%.3f, %.3f]"):format(ratio.low, ratio.high) end

local function entry_row(cell, entry)
  local ratio = entry.ratio
  return {
    "  " .. entry.kind, entry.label, time(entry.ns.median), percent((entry.ns.high - entry.ns.low) / entry.ns.median),
    number(entry.bytes_per_ns), entry.of_limit and percent(entry.of_limit) or "-",
    ratio and ("%.3f"):format(ratio.median) or entry == cell.baseline and "1" or "-", ratio and interval(ratio) or "",
    entry.kind == "kernel" and entry.schedule or "",
  }
end

local HEAD = { "  kind", "entry", "a call", "spread", "GB/s", "of limit", "ratio", "95 %", "schedule" }

local function cell_text(cell)
  local rows = { HEAD }
  for _, entry in ipairs(cell.entries) do rows[#rows + 1] = entry_row(cell, entry) end
  local parts = { ("%s, %.0f rows: reads %.0f + %.0f, writes %.0f bytes\n"):format(cell.name, cell.rows, cell.bytes.read,
    cell.bytes.parameters, cell.bytes.write), columns(rows, { 1, 2, 3, 4, 5, 6, 7, 8, 9 }) }
  for _, entry in ipairs(cell.rejected) do
    parts[#parts + 1] = ("  rejected: %s: %s\n"):format(entry.label, entry.reason)
  end
  return table.concat(parts)
end

local NOTES = [[
ratio: how many times as long as the first kernel, pair by pair: the median and its 95 % interval. of limit: of the
faster norm-shaped loop. spread: between the quartiles.
]]

--- For reading.
function report.text(all)
  local parts = {}
  for i, cell in ipairs(all.cells) do parts[i] = cell_text(cell) .. "\n" end
  for _, overhead in ipairs(all.overheads) do
    parts[#parts + 1] = ("a call with 0 rows, %s: %s\n"):format(overhead.label, time(overhead.ns))
  end
  parts[#parts + 1] = NOTES
  return table.concat(parts)
end

local FIELDS = { "name", "rows", "kind", "label", "target", "schedule", "rounds", "ns", "ns_low", "ns_high", "bytes_per_ns",
  "of_limit", "ratio", "ratio_low", "ratio_high" }

local function entry_fields(cell, entry)
  local ratio = entry.ratio or {}
  return { cell.name, ("%.0f"):format(cell.rows), entry.kind, entry.label, entry.target, entry.schedule,
    ("%.0f"):format(entry.count), entry.ns.median, entry.ns.low, entry.ns.high, entry.bytes_per_ns, entry.of_limit or "",
    ratio.median or "", ratio.low or "", ratio.high or "" }
end

local function csv_value(value)
  if type(value) == "number" then return ("%.5g"):format(value) end
  return value:find('[,"]') and '"' .. value:gsub('"', '""') .. '"' or value
end

--- For machines: a line for each entry of each cell.
function report.csv(all)
  local lines = { table.concat(FIELDS, ",") }
  for _, cell in ipairs(all.cells) do
    for _, entry in ipairs(cell.entries) do
      local list = entry_fields(cell, entry)
      for i = 1, #FIELDS do list[i] = csv_value(list[i]) end
      lines[#lines + 1] = table.concat(list, ",")
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

return report
