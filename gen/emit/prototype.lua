--- Pieces of C that all emitted files share: names, prototypes, the texts of targets.

local c = {}

local WIDTH = 118

--- Puts the user's prefix and the target's attribute into a target's text.
function c.specialise(text, prefix, attribute)
  if text:find("$A ", 1, true) then
    text = text:gsub("%$A ", function() return attribute == "" and "" or attribute .. "\n" end)
  end
  return text:find("@", 1, true) and (text:gsub("@", prefix)) or text
end

--- `head(item, item)` on lines of at most WIDTH columns, continued below the first item.
local function list_text(head, items)
  local lines, line = {}, head .. "("
  local indent = (" "):rep(#line)
  for i, item in ipairs(items) do
    local piece = item .. (i < #items and ", " or ")")
    if #line + #piece > WIDTH and line ~= indent then
      lines[#lines + 1] = line:gsub("%s+$", "")
      line = indent
    end
    line = line .. piece
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

--- The C type of an argument, ready for its name.
function c.type(argument)
  if argument.shape == "scalar" then return argument.ctype .. " " end
  return (argument.io == "in" and "const " or "") .. argument.ctype .. " *"
end

local function function_head(before, symbol, args)
  local items = {}
  for i, argument in ipairs(args) do items[i] = c.type(argument) .. argument.name end
  return list_text(before .. "void " .. symbol, items)
end

--- The head of a function's definition.
function c.prototype(symbol, args) return function_head("", symbol, args) end

--- The same for a function that a header defines.
function c.inline(symbol, args) return function_head("static inline ", symbol, args) end

--- A call of it.
-- @param items array of C expressions
function c.call(symbol, items) return list_text(symbol, items) .. ";" end

--- Its public declaration, with the macro that says how it is visible.
-- @param macro prefix of macros
function c.declaration(symbol, args, macro) return function_head(macro .. "API ", symbol, args) .. ";" end

--- The dispatching symbol of a problem, and the symbol of a code.
function c.entry(problem, prefix) return prefix .. problem.name end
function c.symbol(code, prefix) return c.entry(code.problem, prefix) .. "_" .. code.target end

return c
