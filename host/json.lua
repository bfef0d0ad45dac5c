--- JSON with one fixed order of keys, the same bytes from every Lua.

local dkjson = require "dkjson"

local json = {}

local KEYS = {
  "site", "spec", "name", "model_type", "norm", "dir", "h", "c", "g", "shards", "groups", "heads", "target", "symbol", "file",
  "arch", "contract", "bytes", "error_bound",
  "args", "version", "compute", "acc", "lanes", "block", "tree", "order", "fma", "x", "residual", "gamma", "y", "cast",
  "position", "row", "batch", "chunk", "call", "read", "write", "rel_u", "abs_u", "domain", "ctype", "dtype", "shape", "io",
  "programs", "targets", "kind", "found", "build", "run", "emulate", "ok", "reason",
  "word", "values", "default", "about", "affine", "cites", "features",
  "eps", "per_layer", "emittable", "note", "sites",
  "rows", "positions", "label", "schedule", "rounds", "ns", "ns_low", "ns_high", "bytes_per_ns", "of_limit", "ratio", "ratio_low",
  "ratio_high",
}

-- A copy in which whole numbers are integers (Lua 5.4 would write 4096.0) and arrays stay arrays when empty.
local function plain(value)
  if type(value) == "number" and value % 1 == 0 then return math.floor(value) end
  if type(value) ~= "table" then return value end
  local result = {}
  for key, item in pairs(value) do result[key] = plain(item) end
  return setmetatable(result, getmetatable(value))
end

--- Marks an array, so that it is written as one even if it is empty.
function json.array(list)
  return setmetatable(list, { __jsontype = "array" })
end

--- The JSON text of a value, indented, with a newline at the end.
function json.encode(value)
  return dkjson.encode(plain(value), { indent = true, keyorder = KEYS }) .. "\n"
end

--- The same in one line, without the newline.
-- @param keys array of keys in their order
function json.line(value, keys) return dkjson.encode(plain(value), { keyorder = keys }) end

return json
