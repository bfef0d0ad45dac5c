--- The fields of a config.json, read with their types. Every error is one line that names the field, its value and what
-- is allowed. A null counts as a missing field, as it does for the reference code.

local literal = require "gen.c.literal"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local config = {}
config.__index = config

local MAX_SIZE = 65536

--- What JSON's null is read as.
config.null = setmetatable({}, { __name = "null" })

--- @param fields table of values by field name
-- @param source what stands in front of messages, e.g. a path
-- @param path where the fields lie in it: "" or, say, "text_config."
-- @param left_out values of fields that published configs of the family leave out, or nil
function config.new(fields, source, path, left_out)
  return setmetatable({ fields = fields, source = source, path = path, left_out = left_out or {} }, config)
end

local function shown(value)
  if value == nil then return "missing" end
  if value == config.null then return "null" end
  if type(value) == "number" then return literal.decimal(value) end
  if type(value) == "string" then return usage.quote(value) end
  return type(value) == "table" and "a list or an object" or tostring(value)
end

--- Raises the error that a field is wrong.
-- @param what what it must be
function config:refuse(name, what)
  usage.fail("%s: %s%s is %s; it must be %s", self.source, self.path, name, shown(self.fields[name]), what)
end

--- Raises the error that fields contradict each other.
-- @param format as for string.format; says what is wrong
function config:contradict(format, ...)
  usage.fail("%s: %s" .. format, self.source, self.path, ...)
end

--- Whether a field has a value.
function config:has(name)
  return self.fields[name] ~= nil and self.fields[name] ~= config.null
end

-- The value of a field, or what stands for it where published configs leave it out.
local function value_of(self, name)
  if self.fields[name] == nil then return self.left_out[name] end
  return self.fields[name]
end

local function is_size(value)
  return type(value) == "number" and value % 1 == 0 and value >= 1 and value <= MAX_SIZE
end

local SIZE = "a whole number from 1 to " .. MAX_SIZE

--- A width or a count.
-- @param names field name, or an array of names for one thing, of which those that are there must agree
function config:size(names)
  names = type(names) == "table" and names or { names }
  local first
  for _, name in ipairs(names) do
    if value_of(self, name) ~= nil then
      if not is_size(value_of(self, name)) then self:refuse(name, SIZE) end
      first = first or name
      if value_of(self, name) ~= value_of(self, first) then
        self:contradict("%s %d and %s %d contradict each other", first, value_of(self, first), name, value_of(self, name))
      end
    end
  end
  if not first then self:refuse(names[1], SIZE) end
  return math.floor(value_of(self, first))
end

--- A size, or nil if the field is missing or null.
function config:optional_size(name)
  return self:has(name) and self:size(name) or nil
end

--- An array of sizes.
function config:sizes(name)
  local list = self.fields[name]
  local fits = type(list) == "table" and #list > 0
  for _, value in ipairs(fits and list or {}) do fits = fits and is_size(value) end
  return fits and list or self:refuse(name, "a list of whole numbers from 1 to " .. MAX_SIZE)
end

--- Checks that the result of a calculation is a size.
-- @param what how it came about, for the message
function config:computed(value, what)
  if not is_size(value) then
    self:contradict("%s gives a width of %s; it must be %s", what, literal.decimal(value), SIZE)
  end
  return math.floor(value)
end

--- An epsilon. Never a default, but for one that left_out names.
function config:eps(name)
  local value = value_of(self, name)
  if type(value) ~= "number" or not (value >= 0 and value < math.huge) then self:refuse(name, "a finite number >= 0") end
  return value
end

--- A switch.
-- @param default what the reference code takes if it is missing
function config:flag(name, default)
  if not self:has(name) then return default end
  if type(self.fields[name]) ~= "boolean" then self:refuse(name, "true or false") end
  return self.fields[name]
end

--- A string, or nil if it is missing.
-- @param allowed array of the known values, or nil
function config:text(name, allowed)
  if not self:has(name) then return nil end
  local value = self.fields[name]
  if type(value) ~= "string" then self:refuse(name, "a string") end
  for _, known in ipairs(allowed or {}) do
    if known == value then return value end
  end
  return not allowed and value or self:unknown(name, allowed)
end

--- Raises the error that the value of a field is none of the known ones.
function config:unknown(name, known)
  local value = self.fields[name]
  local near = suggest.nearest(value, known)
  usage.fail("%s: %s%s is %s, which is not known%s", self.source, self.path, name, usage.quote(value),
    near and ", did you mean '" .. near .. "'?" or " (known: " .. table.concat(known, ", ") .. ")")
end

--- A config inside of this one.
-- @return config, or nil if the field is missing
function config:inner(name, left_out)
  if not self:has(name) then return nil end
  local fields = self.fields[name]
  if type(fields) ~= "table" or #fields > 0 then self:refuse(name, "an object") end
  return config.new(fields, self.source, self.path .. name .. ".", left_out)
end

--- Whether a list of strings holds one; a missing list holds all.
function config:lists(name, word)
  if not self:has(name) then return true end
  local list = self.fields[name]
  if type(list) ~= "table" then self:refuse(name, "a list of strings") end
  for _, item in ipairs(list) do
    if item == word then return true end
  end
  return false
end

local HEADS = { "num_attention_heads", "n_head", "n_heads" }
local WIDTHS = { "hidden_size", "n_embd", "d_model", "dim" }
local LAYERS = { "num_hidden_layers", "n_layer", "n_layers", "num_layers" }

-- The first of several fields that is there.
local function first_of(self, names)
  for _, name in ipairs(names) do
    if self.fields[name] ~= nil then return name, self:size(name) end
  end
end

--- Elements of a head: head_dim, else the width over the number of heads.
function config:head_dim()
  if self:has "head_dim" then return self:size "head_dim" end
  local width_name, width = first_of(self, WIDTHS)
  local heads_name, heads = first_of(self, HEADS)
  if not width or not heads then self:refuse("head_dim", SIZE .. ", or the width and the number of heads must be there") end
  if width % heads ~= 0 then self:contradict("%s %d is not a multiple of %s %d", width_name, width, heads_name, heads) end
  return width / heads
end

--- Heads of queries or of keys and values.
function config:heads() return self:size "num_attention_heads" end
function config:key_heads() return self:optional_size "num_key_value_heads" or self:heads() end

--- Checks fields against each other that most families have, whether the norms need them or not.
function config:check()
  local heads_name, heads = first_of(self, HEADS)
  if heads and not self:has "head_dim" and first_of(self, WIDTHS) then self:head_dim() end
  local key_heads = self:optional_size "num_key_value_heads"
  if heads and key_heads and heads % key_heads ~= 0 then
    self:contradict("%s %d is not a multiple of num_key_value_heads %d", heads_name, heads, key_heads)
  end
  local layers_name, layers = first_of(self, LAYERS)
  local types = self.fields.layer_types
  if layers and type(types) == "table" and types ~= config.null and #types ~= layers then
    self:contradict("layer_types has %d entries, but %s is %d", #types, layers_name, layers)
  end
end

local DTYPES = { float32 = "f32", bfloat16 = "bf16", float16 = "f16", float64 = "f64" }

--- The dtype that dtype or torch_dtype names, or nil.
function config:dtype()
  local found
  for _, name in ipairs { "dtype", "torch_dtype" } do
    local text = self:text(name)
    local data = text and (DTYPES[text:gsub("^torch%.", "")] or self:refuse(name, "float32, bfloat16, float16 or float64"))
    if found and data and found ~= data then self:contradict("dtype and torch_dtype contradict each other") end
    found = found or data
  end
  return found
end

return config
