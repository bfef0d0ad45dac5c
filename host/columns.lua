--- Rows of text in columns.

local function cell(value)
  return type(value) == "table" and table.concat(value, ",") or value
end

--- A line for each row, its columns as wide as they need to be.
-- @param rows array of tables
-- @param columns array of keys; values are strings or arrays of strings
return function(rows, columns)
  local widths, lines = {}, {}
  for i, column in ipairs(columns) do
    widths[i] = 0
    for _, row in ipairs(rows) do widths[i] = math.max(widths[i], #cell(row[column])) end
  end
  for number, row in ipairs(rows) do
    local line = {}
    for i, column in ipairs(columns) do
      local text = cell(row[column])
      line[i] = text .. (" "):rep(widths[i] - #text)
    end
    lines[number] = table.concat(line, "  "):gsub(" +$", "") .. "\n"
  end
  return table.concat(lines)
end
