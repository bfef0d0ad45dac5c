--- The pictures of a report.

local show = require "measure.show"
local svg = require "tuner.report.svg"

local charts = {}

local function label_of(record) return record.name .. " " .. record.target end

local function range(rows, key)
  local low, high = math.huge, 0
  for _, row in ipairs(rows) do low, high = math.min(low, row[key]), math.max(high, row[key]) end
  return low, high
end

local function axis(canvas, scale, ticks, place, is_vertical)
  for _, value in ipairs(ticks) do
    local at, text = scale(value), ("%g"):format(value)
    if is_vertical then
      canvas:line(place.left, at, place.right, at, "grid")
      canvas:text(place.left - 6, at + 4, text, "tick", "end")
    else
      canvas:line(at, place.top, at, place.bottom, "grid")
      canvas:text(at, place.bottom + 16, text, "tick", "middle")
    end
  end
end

local ROOFLINE = { left = 70, right = 840, top = 24, bottom = 400, width = 980, height = 450 }

-- Rows whose operations are known.
local function counted(rows)
  local list = {}
  for _, row in ipairs(rows) do
    if row.intensity then list[#list + 1] = row end
  end
  return list
end

--- Operations in a nanosecond over operations for each byte; the roofs are what copies reach.
-- @param machine of tuner/report/data.lua
-- @return the picture, or "" if it would be empty
function charts.roofline(machine)
  local p, rows = ROOFLINE, counted(machine.rows)
  if #rows == 0 then return "" end
  local canvas = svg.canvas(p.width, p.height, "Roofline: kernels below the bandwidths of copies")
  local low, high = range(rows, "intensity")
  local least, most = range(rows, "performance")
  low, high = low / 1.3, high * 1.3
  for _, roof in ipairs(machine.roofs) do most = math.max(most, roof.bandwidth * high) end
  local x = svg.log_scale(low, high, p.left, p.right)
  local y = svg.log_scale(least / 1.5, most * 1.2, p.bottom, p.top)
  axis(canvas, x, svg.log_ticks(low, high), p)
  axis(canvas, y, svg.log_ticks(least / 1.5, most * 1.2), p, true)
  for _, roof in ipairs(machine.roofs) do
    canvas:line(x(low), y(roof.bandwidth * low), x(high), y(roof.bandwidth * high), "roof " .. roof.regime)
    canvas:text(x(high) + 4, y(roof.bandwidth * high) + 4, ("%s %s GB/s"):format(roof.regime, show.number(roof.bandwidth)), roof.regime)
  end
  for _, row in ipairs(rows) do
    local record = row.record
    canvas:dot(x(row.intensity), y(row.performance), 3.5, record.regime, ("%s, %.0f rows: %s Gop/s, %s GB/s, %s a call")
      :format(label_of(record), record.rows, show.number(row.performance), show.number(row.bandwidth), show.time(record.ns)))
  end
  canvas:text((p.left + p.right) / 2, p.height - 8, "operations for each byte that a call reads or writes", "label", "middle")
  canvas:text(p.left, p.top - 10, "operations in a nanosecond", "label")
  return canvas:done()
end

-- What is compared with the tuned kernel: key of a row, class.
local SERIES = { { "gain", "default" }, { "plain", "plain" }, { "peer", "peer" } }

local LEFT, RIGHT, STEP, TOP, WIDTH = 330, 840, 18, 30, 960

-- Ticks of ratios around 1.
local RATIOS = { 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100, 200, 500 }

local function ticks_between(low, high)
  local list = {}
  for _, value in ipairs(RATIOS) do
    if value >= low and value <= high then list[#list + 1] = value end
  end
  return list
end

--- How many times as long others take, for each kernel of a part, with intervals.
function charts.speedups(part)
  local bottom = TOP + STEP * #part.rows
  local canvas = svg.canvas(WIDTH, bottom + 44, "Speed-up over the default, plain C and peers: " .. part.title)
  local low, high = 0.9, 1.2
  for _, row in ipairs(part.rows) do
    for _, series in ipairs(SERIES) do
      local value = row[series[1]]
      if value then low, high = math.min(low, value.low * 0.97), math.max(high, value.high * 1.03) end
    end
  end
  local x = svg.log_scale(low, high, LEFT, RIGHT)
  axis(canvas, x, ticks_between(low, high), { top = TOP - 10, bottom = bottom })
  canvas:line(x(1), TOP - 10, x(1), bottom, "one")
  for i, row in ipairs(part.rows) do
    local at = TOP + STEP * (i - 0.5)
    canvas:text(LEFT - 8, at + 4, row.record.name, "name", "end")
    for _, series in ipairs(SERIES) do
      local value = row[series[1]]
      if value then
        local text = ("%s: %s takes %.2f times as long [%.2f, %.2f]"):format(row.record.name, value.label or "the default", value.median,
          value.low, value.high)
        canvas:line(x(value.low), at, x(value.high), at, "interval " .. series[2])
        canvas:dot(x(value.median), at, 4, series[2], text)
      end
    end
  end
  canvas:text((LEFT + RIGHT) / 2, bottom + 36, "how many times as long as the tuned kernel", "label", "middle")
  return canvas:done()
end

return charts
