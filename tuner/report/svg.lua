--- Small pieces of SVG: a canvas of lines with escaped text, and scales. Numbers have one digit behind the point.

local svg = {}

local Canvas = {}
Canvas.__index = Canvas

--- Text of HTML and SVG.
function svg.escape(text)
  return (tostring(text):gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;"):gsub('"', "&quot;"))
end

local function number(value) return (("%.1f"):format(value):gsub("%.0$", "")) end

-- Attributes in the order given: name, value, ...
local function element(name, ...)
  local parts, list = { "<" .. name }, { ... }
  for i = 1, #list, 2 do
    local value = type(list[i + 1]) == "number" and number(list[i + 1]) or svg.escape(list[i + 1])
    parts[#parts + 1] = (' %s="%s"'):format(list[i], value)
  end
  return table.concat(parts)
end

--- An empty picture.
-- @param title what it shows, for those who cannot see it
function svg.canvas(width, height, title)
  return setmetatable({ width = width, height = height, title = title, lines = {} }, Canvas)
end

function Canvas.line(self, x1, y1, x2, y2, class)
  table.insert(self.lines, element("line", "x1", x1, "y1", y1, "x2", x2, "y2", y2, "class", class) .. "/>")
end

--- @param anchor start, middle or end
function Canvas.text(self, x, y, text, class, anchor)
  table.insert(self.lines, element("text", "x", x, "y", y, "class", class, "text-anchor", anchor or "start") .. ">"
    .. svg.escape(text) .. "</text>")
end

--- A dot; the title appears when a pointer rests on it.
function Canvas.dot(self, x, y, radius, class, title)
  table.insert(self.lines, element("circle", "cx", x, "cy", y, "r", radius, "class", class) .. "><title>" .. svg.escape(title)
    .. "</title></circle>")
end

function Canvas.done(self)
  return ('<svg viewBox="0 0 %s %s" width="%s" height="%s" role="img" xmlns="http://www.w3.org/2000/svg">\n<title>%s</title>\n%s\n</svg>\n')
    :format(number(self.width), number(self.height), number(self.width), number(self.height), svg.escape(self.title),
      table.concat(self.lines, "\n"))
end

--- A logarithmic scale: a function from values to places.
function svg.log_scale(low, high, from, to)
  local base, span = math.log(low), math.log(high) - math.log(low)
  return function(value) return from + (math.log(value) - base) / span * (to - from) end
end

-- What ticks of a logarithmic scale may be, times powers of ten.
local STEPS = { 1, 1.5, 2, 3, 5, 7 }

--- Round values from low to high.
function svg.log_ticks(low, high)
  local list, power = {}, 10 ^ math.floor(math.log(low) / math.log(10))
  while power <= high do
    for _, step in ipairs(STEPS) do
      local value = step * power
      if value >= low * 0.999 and value <= high * 1.001 then list[#list + 1] = value end
    end
    power = power * 10
  end
  return list
end

return svg
