--- The report as a page of HTML that needs nothing else, and as Markdown.

local charts = require "tuner.report.charts"
local show = require "measure.show"
local svg = require "tuner.report.svg"

local page = {}

local STYLE = [[
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1000px; padding: 0 1em; color: #1b1f24; background: #fff; }
h1 { font-size: 1.6em; } h2 { font-size: 1.25em; margin-top: 2em; } h3 { font-size: 1.05em; margin-top: 1.6em; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; }
th, td { padding: 2px 10px 2px 0; text-align: left; border-bottom: 1px solid #d8dee4; vertical-align: top; }
td.n, th.n { text-align: right; } details { margin: 1em 0; } svg { max-width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; fill: #1b1f24; } svg .name { font-size: 11px; } svg .tick { fill: #57606a; font-size: 11px; }
.grid { stroke: #d8dee4; stroke-width: 1; } .one { stroke: #57606a; stroke-width: 1.5; }
.roof { stroke-width: 1.5; stroke-dasharray: 6 3; } .interval { stroke-width: 3; stroke-opacity: 0.35; }
.hot { stroke: #b3261e; fill: #b3261e; } .l2 { stroke: #9a6700; fill: #9a6700; } .dram { stroke: #0b5cad; fill: #0b5cad; }
.default { stroke: #0b5cad; fill: #0b5cad; } .plain { stroke: #b3261e; fill: #b3261e; } .peer { stroke: #6b7a00; fill: #6b7a00; }
svg text.hot, svg text.l2, svg text.dram { stroke: none; font-weight: 600; }
svg text.hot { fill: #b3261e; } svg text.l2 { fill: #9a6700; } svg text.dram { fill: #0b5cad; }
.key span { display: inline-block; width: 0.8em; height: 0.8em; border-radius: 50%; margin: 0 0.3em 0 1em; }
.key .default { background: #0b5cad; } .key .plain { background: #b3261e; } .key .peer { background: #6b7a00; }
]]

local function ratio_text(value) return value and ("%.2f [%.2f, %.2f]"):format(value.median, value.low, value.high) or "-" end

local function rival_text(value)
  return value and ("%s (%s, %.0f rows)"):format(ratio_text(value), value.label, value.rows) or "-"
end

local function state_of(record)
  local parts = {}
  if not record.decided then parts[1] = "undecided" end
  if record.quality == "noisy" then parts[#parts + 1] = "noisy: " .. table.concat(record.why or {}, ", ") end
  return #parts > 0 and table.concat(parts, "; ") or "clean"
end

-- Columns of the tables: title, text, whether it is a number.
local COLUMNS = {
  { "kernel", function(row) return row.record.name end },
  { "rows", function(row) return ("%.0f"):format(row.record.rows) end, true },
  { "a call", function(row) return show.time(row.record.ns) end, true },
  { "GB/s", function(row) return show.number(row.bandwidth) end, true },
  { "default / tuned", function(row) return ratio_text(row.gain) end, true },
  { "plain C / tuned", function(row) return rival_text(row.plain) end },
  { "peer / tuned", function(row) return rival_text(row.peer) end },
  { "schedule", function(row) return row.record.schedule == row.record.default and "the default" or row.record.schedule end },
  { "state", function(row) return state_of(row.record) end },
}

local function mean_text(value, count) return value and ("%.2f (%d)"):format(value, count) or "-" end

local SUMMARY = {
  { "target, regime", function(part) return part.title end },
  { "kernels", function(part) return ("%d"):format(#part.rows) end, true },
  { "default / tuned", function(part) return ("%.3f"):format(part.gain) end, true },
  { "plain C / tuned", function(part) return mean_text(part.plain, part.with_plain) end, true },
  { "peer / tuned", function(part) return mean_text(part.peer, part.with_peer) end, true },
  { "undecided", function(part) return ("%d"):format(part.undecided) end, true },
  { "noisy", function(part) return ("%d"):format(part.noisy) end, true },
}

local NOTES = {
  "Ratios are times: above 1 the tuned kernel is faster. In brackets the interval; geometric means stand above each table.",
  "Plain C and peers come from normgen bench, which times them beside the default schedule of the same target: their ratio to "
    .. "the tuned kernel is that ratio times default / tuned, with the bounds of both.",
  "Roofs are the fastest plain copies that were timed beside the kernels, in each regime. Operations are those of the formula, a "
    .. "fused one counts twice.",
}

local function html_table(columns, items)
  local parts = { "<table>\n<tr>" }
  for _, column in ipairs(columns) do
    parts[#parts + 1] = ("<th%s>%s</th>"):format(column[3] and ' class="n"' or "", svg.escape(column[1]))
  end
  parts[#parts + 1] = "</tr>\n"
  for _, item in ipairs(items) do
    parts[#parts + 1] = "<tr>"
    for _, column in ipairs(columns) do
      parts[#parts + 1] = ("<td%s>%s</td>"):format(column[3] and ' class="n"' or "", svg.escape(column[2](item)))
    end
    parts[#parts + 1] = "</tr>\n"
  end
  parts[#parts + 1] = "</table>\n"
  return table.concat(parts)
end

local KEY = [[
<p class="key"><span class="default"></span>default schedule<span class="plain"></span>fastest plain C loop
<span class="peer"></span>fastest peer</p>
]]

local function html_machine(machine)
  local parts = { "<h2>", svg.escape(machine.title), "</h2>\n", html_table(SUMMARY, machine.parts), "<h3>Roofline</h3>\n",
    charts.roofline(machine) }
  for _, part in ipairs(machine.parts) do
    parts[#parts + 1] = ("<h3>%s</h3>\n%s%s<details><summary>All numbers</summary>\n%s</details>\n"):format(svg.escape(part.title), KEY,
      charts.speedups(part), html_table(COLUMNS, part.rows))
  end
  return table.concat(parts)
end

--- @param machines of tuner/report/data.lua
function page.html(machines)
  local parts = { '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>normgen: tuned schedules</title>\n<style>\n',
    STYLE, "</style>\n</head>\n<body>\n<h1>Tuned schedules</h1>\n" }
  for _, note in ipairs(NOTES) do parts[#parts + 1] = "<p>" .. svg.escape(note) .. "</p>\n" end
  for _, machine in ipairs(machines) do parts[#parts + 1] = html_machine(machine) end
  parts[#parts + 1] = "</body>\n</html>\n"
  return table.concat(parts)
end

local function markdown_table(columns, items)
  local titles, marks, lines = {}, {}, {}
  for i, column in ipairs(columns) do titles[i], marks[i] = column[1], column[3] and "---:" or "---" end
  lines[1], lines[2] = "| " .. table.concat(titles, " | ") .. " |", "|" .. table.concat(marks, "|") .. "|"
  for _, item in ipairs(items) do
    local values = {}
    for i, column in ipairs(columns) do values[i] = column[2](item) end
    lines[#lines + 1] = "| " .. table.concat(values, " | ") .. " |"
  end
  return table.concat(lines, "\n") .. "\n"
end

function page.md(machines)
  local parts = { table.concat(NOTES, "\n\n") .. "\n" }
  for _, machine in ipairs(machines) do
    parts[#parts + 1] = ("## %s\n\n%s"):format(machine.title, markdown_table(SUMMARY, machine.parts))
    for _, part in ipairs(machine.parts) do parts[#parts + 1] = ("### %s\n\n%s"):format(part.title, markdown_table(COLUMNS, part.rows)) end
  end
  return table.concat(parts, "\n")
end

return page
