--- Raises an error about the world: a file, a compiler, a check that failed (one line, exit 1).
-- @param format as for string.format
-- @return never; error({failure = message}, 0)
return function(format, ...)
  error({ failure = string.format(format, ...) }, 0)
end
