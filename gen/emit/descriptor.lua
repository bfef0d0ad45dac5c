--- What header, registry and bindings need of a code, so that there can be many: without its statements and expressions.

local selftest = require "gen.emit.selftest"

--- Fields of a code, and of its problem.
local FIELDS = { "target", "arch", "rank", "guard", "attribute", "includes", "features", "os_check", "schedule", "schedule_text",
  "helpers" }
local OF_PROBLEM = { "name", "spec", "title", "formula", "h", "row_length", "parts", "n", "strided", "has_heads", "args", "axes",
  "bytes" }

local function picked(table, fields)
  local copy = {}
  for _, field in ipairs(fields) do copy[field] = table[field] end
  return copy
end

--- @param code code (gen/lower/lower.lua)
-- @return a table with the fields of a code that gen/emit/set.lua wants, and `selftest`
return function(code)
  local descriptor = picked(code, FIELDS)
  descriptor.problem, descriptor.selftest = picked(code.problem, OF_PROBLEM), selftest.of(code)
  return descriptor
end
