--- How measured values look in reports.

local show = {}

--- Three significant digits, no exponent.
function show.number(value)
  if value >= 99.95 then return ("%.0f"):format(value) end
  return value >= 9.995 and ("%.1f"):format(value) or ("%.2f"):format(value)
end

--- Nanoseconds with the unit that fits.
function show.time(ns)
  if ns < 1e4 then return show.number(ns) .. " ns" end
  return ns < 1e7 and show.number(ns / 1e3) .. " us" or show.number(ns / 1e6) .. " ms"
end

--- What a kernel is called with: "4 rows", or "2 rows x 4096 positions".
function show.call(cell)
  return ("%.0f rows"):format(cell.rows) .. (cell.positions and (" x %.0f positions"):format(cell.positions) or "")
end

function show.percent(value) return ("%.0f %%"):format(value * 100) end

--- A paired ratio (measure/statistics.lua), and its interval.
function show.ratio(ratio) return ("%.3f"):format(ratio.median) end

function show.interval(ratio) return ("[%.3f, %.3f]"):format(ratio.low, ratio.high) end

return show
