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

-- What NaN becomes for dkjson, which knows no such word; text that holds these bytes is no JSON.
local NAN = "\1NaN"

-- What Python writes though JSON does not have it, as dkjson reads it: a number that is too large is infinite.
local function without_words(text)
  return (text:gsub("%f[%w]NaN%f[%W]", '"' .. NAN .. '"'):gsub("%f[%w]Infinity%f[%W]", "1e999"))
end

local function end_of_string(text, open)
  local at = text:find('["\\]', open + 1)
  while at and text:sub(at, at) == "\\" do at = text:find('["\\]', at + 2) end
  return at or #text
end

-- The same for a whole text, whose strings stay as they are.
local function without_literals(text)
  local parts, from = {}, 1
  local open = text:find('"', 1, true)
  while open do
    local close = end_of_string(text, open)
    parts[#parts + 1] = without_words(text:sub(from, open - 1)) .. text:sub(open, close)
    from, open = close + 1, text:find('"', close + 1, true)
  end
  return table.concat(parts) .. without_words(text:sub(from))
end

local function with_nan(value)
  if value == NAN then return 0 / 0 end
  if type(value) ~= "table" then return value end
  for key, item in pairs(value) do value[key] = with_nan(item) end
  return value
end

--- Reads JSON as Python writes it, with NaN, Infinity and -Infinity.
-- @param null what null becomes
-- @return value, or nil; what is left of the text behind it, or nil; why it is no JSON, or nil
function json.decode(text, null)
  local plain_text = without_literals(text)
  local ok, value, position, reason = pcall(dkjson.decode, plain_text, 1, null)
  if not ok then return nil, nil, "nested too deeply" end
  if reason then return nil, nil, reason end
  return plain_text == text and value or with_nan(value), plain_text:match("^%s*(%S+)", position)
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
