--- Unparser: statement trees -> lines of C. Knows no vocabulary; expressions are text already.

local statements = require "gen.c.statements"

local unparse = {}

local INDENT, WIDTH = "    ", 118

--- The last place before a column where a line can end: behind a comma or " &&", else behind " = ".
local function break_before(line, column)
  local cut
  for position in line:sub(1, column):gmatch("(),[ ]") do cut = position end
  for position in line:sub(1, column):gmatch("[ ]&()&[ ]") do cut = math.max(cut or 0, position) end
  if cut then return cut, cut + 2 end
  local equals = line:sub(1, column):find(" = ", 1, true)
  return equals and equals + 1, equals and equals + 3
end

--- Breaks a long statement; continuation lines are indented twice.
-- @param out array of lines, with the function `change` that texts pass
local function wrap(statement, indent, out)
  local line, lead, continued = out.change(statement), indent, indent .. INDENT .. INDENT
  while #lead + #line > WIDTH do
    local last, next_one = break_before(line, WIDTH - #lead)
    if not last then break end
    out[#out + 1] = lead .. line:sub(1, last)
    line, lead = line:sub(next_one), continued
  end
  out[#out + 1] = lead .. line
end

local function declared(ctype, name)
  return ctype:sub(-1) == "*" and ctype .. name or ctype .. " " .. name
end

local print_list

local function print_body(head, body, indent, out)
  out[#out + 1] = indent .. head .. " {"
  print_list(body, indent .. INDENT, out)
  out[#out + 1] = indent .. "}"
end

local PRINT = {
  def = function(s, indent, out)
    local ctype = s.type
    if s.constant then ctype = ctype:sub(-1) == "*" and ctype .. "const" or "const " .. ctype end
    wrap(declared(ctype, s.name) .. " = " .. s.text .. ";", indent, out)
  end,
  set = function(s, indent, out) wrap(s.name .. " = " .. s.text .. ";", indent, out) end,
  call = function(s, indent, out)
    for text in (s.text .. "; "):gmatch("(.-); ") do wrap(text .. ";", indent, out) end
  end,
  array = function(s, indent, out)
    local columns = s.columns and ("[%d]"):format(s.columns) or ""
    out[#out + 1] = ("%s%s %s[%d]%s;"):format(indent, s.type, s.name, s.count, columns)
  end,
  note = function(s, indent, out)
    local line = indent .. "/*"
    for word in out.change(s.text):gmatch("%S+") do
      if #line + #word + 1 > WIDTH - #" */" then
        out[#out + 1] = line
        line = indent .. "  "
      end
      line = line .. " " .. word
    end
    out[#out + 1] = line .. " */"
  end,
  splice = function(s, indent, out) print_list(s.body, indent, out) end,
  ["for"] = function(s, indent, out)
    local step = statements.advance(s.name, s.step)
    print_body(("for (size_t %s = %s; %s < %s; %s)"):format(s.name, tostring(s.from), s.name, tostring(s.to), step), s.body,
      indent, out)
  end,
  ["if"] = function(s, indent, out) print_body(("if (%s)"):format(out.change(s.text)), s.body, indent, out) end,
  block = function(s, indent, out) print_body(out.change(s.text), s.body, indent, out) end,
  ["else"] = function(s, indent, out)
    out[#out] = nil
    local only = #s.body == 1 and s.body[1].kind == "if" and s.body[1]
    local head = only and ("} else if (%s)"):format(out.change(only.text)) or "} else"
    print_body(head, only and only.body or s.body, indent, out)
  end,
  rows = function(s, indent, out)
    local start = s.next and ("size_t %s = row"):format(s.next) or ""
    local head = ("for (%s; %s; %s)"):format(start, statements.rows_left("row", s.count), statements.advance(s.next or "row", s.count))
    print_body(head, s.body, indent, out)
  end,
}

print_list = function(body, indent, out)
  for _, statement in ipairs(body) do PRINT[statement.kind](statement, indent, out) end
end

--- C text of a list of statements, indented once, without a last newline.
-- @param change function that each statement passes before lines are broken
function unparse.body(body, change)
  local out = { change = change }
  print_list(body, INDENT, out)
  return table.concat(out, "\n")
end

return unparse
