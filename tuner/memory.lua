--- Records as lines of JSON: how they are written, sorted, merged and distilled. gen/schedule/records.lua reads them.

local json = require "host.json"
local tuned = require "gen.schedule.records"

local memory = {}

-- The fields of a record, in their order.
local KEYS = { "name", "target", "regime", "rows", "microarchitecture", "cpu", "compiler", "schedule", "default", "ns", "low", "high",
  "ratio", "decided", "quality", "why", "over", "copy", "bytes", "rounds", "tried", "contract", "space", "tool" }

-- What makes two records the same one, and what is left of it in a project.
local KEY = { "name", "contract", "target", "regime", "cpu", "compiler" }
local DISTILLED = { "name", "contract", "target", "regime", "microarchitecture" }

local function key_of(record, fields)
  local parts = {}
  for i, field in ipairs(fields) do parts[i] = tostring(record[field]) end
  return table.concat(parts, "\t")
end

--- A record as one line.
function memory.line(record) return json.line(record, KEYS) .. "\n" end

local function rank(record)
  return (record.quality == "clean" and 4 or 0) + (record.decided and 2 or 0)
end

-- Whether one record should replace another: better quality, then more rounds, then the larger text, so that order is nothing.
local function replaces(a, b)
  if rank(a) ~= rank(b) then return rank(a) > rank(b) end
  if a.rounds ~= b.rounds then return (a.rounds or 0) > (b.rounds or 0) end
  return memory.line(a) > memory.line(b)
end

-- One record for each key, sorted by it.
local function unique(records, fields, is_newer)
  local best, order = {}, {}
  for _, record in ipairs(records) do
    local key = key_of(record, fields)
    if not best[key] then order[#order + 1] = key end
    if not best[key] or is_newer(record, best[key]) then best[key] = record end
  end
  -- By name with h as a number, so that files read well.
  local function sort_key(key)
    return (key:gsub("_h(%d+)", function(h) return ("_h%06d"):format(tonumber(h)) end, 1))
  end
  table.sort(order, function(a, b) return sort_key(a) < sort_key(b) end)
  for i, key in ipairs(order) do order[i] = best[key] end
  return order
end

--- Records with each key once, the better one of two.
function memory.merged(records) return unique(records, KEY, replaces) end

--- Records in which later ones replace earlier ones.
function memory.updated(records) return unique(records, KEY, function() return true end) end

--- The best record of each kernel, target and regime on a microarchitecture.
function memory.distilled(records) return unique(records, DISTILLED, replaces) end

--- The text of a file of records.
function memory.text(records)
  local lines = {}
  for i, record in ipairs(records) do lines[i] = memory.line(record) end
  return table.concat(lines)
end

memory.read = tuned.read

return memory
