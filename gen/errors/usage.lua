--- Usage errors: tables, so that the command can tell them from bugs (one line, exit 2).

local usage = {}

local LONGEST = 60

--- Quotes a path for a message: 'text', control characters as '?'.
-- @param text any value
-- @return string
function usage.quote_path(text) return "'" .. tostring(text):gsub("%c", "?") .. "'" end

--- Quotes a piece of user input for a message, as a path, but cut where it is long.
-- @param text any value
-- @return string
function usage.quote(text)
  text = tostring(text)
  return usage.quote_path(#text > LONGEST and text:sub(1, LONGEST) .. "..." or text)
end

--- Raises an error about what the user wrote: exit 2. User input goes through quote() or %s.
-- @param format as for string.format
-- @return never; error({usage = message}, 0)
function usage.fail(format, ...)
  error({ usage = string.format(format, ...) }, 0)
end

return usage
