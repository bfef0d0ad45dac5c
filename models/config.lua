--- The fields of a config.json, read with their types. Every error is one line that names the field, its value and what
-- is allowed. A null counts as a missing field, as it does for the reference code.

local defaults = require "models.defaults"
local literal = require "gen.c.literal"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local config = {}
config.__index = config

local MAX_SIZE = 65536

-- More names than this are not listed in an error.
local MANY = 20

--- What JSON's null is read as.
config.null = setmetatable({}, { __name = "null" })

--- @param fields table of values by field name
-- @param source what stands in front of messages, e.g. a path
-- @param path where the fields lie in it: "" or, say, "text_config."
-- @param asked set that gets the path of each field that is asked for, or nil for a new one
function config.new(fields, source, path, asked)
  asked = asked or {}
  local watched = setmetatable({}, { __index = function(_, name)
    asked[path .. name] = true
    return fields[name]
  end })
  return setmetatable({ fields = watched, raw = fields, source = source, path = path, left_out = {}, asked = asked }, config)
end

--- Lets more fields have defaults, beside those that they have already.
-- @param left_out values by field name, or nil
function config:also(left_out)
  local before = self.left_out
  self.left_out = setmetatable({}, { __index = function(_, name)
    if before[name] ~= nil then return before[name] end
    return left_out and left_out[name]
  end })
  return self
end

local function shown(value)
  if value == nil then return "missing" end
  if value == config.null then return "null" end
  if value ~= value then return "NaN" end
  if type(value) == "number" then return literal.decimal(value) end
  if type(value) == "string" then return usage.quote(value) end
  return type(value) == "table" and "a list or an object" or tostring(value)
end

--- Raises the error that a field is wrong.
-- @param what what it must be
function config:refuse(name, what)
  local value, path = self.fields[name], self.path .. name
  local hint = (value == nil or value == config.null) and (" (--set %s=... gives it)"):format(path) or ""
  usage.fail("%s: %s is %s; it must be %s%s", self.source, path, shown(value), what, hint)
end

--- Raises the error that fields contradict each other.
-- @param format as for string.format; says what is wrong
function config:contradict(format, ...)
  usage.fail("%s: %s" .. format, self.source, self.path, ...)
end

-- The value of a field, or what stands for it where published configs leave it out.
local function value_of(self, name)
  if self.fields[name] == nil then return self.left_out[name] end
  return self.fields[name]
end

--- Whether a field has a value.
function config:has(name)
  local value = value_of(self, name)
  return value ~= nil and value ~= config.null
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

--- Whether a field is neither there nor left out for a default; a null is there.
function config:lacks(name) return value_of(self, name) == nil end

--- A size, or nil if the field is null. What depends on it is not guessed if it is missing.
function config:size_or_null(name)
  if self:lacks(name) then self:refuse(name, SIZE .. ", or null for none") end
  return self:optional_size(name)
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

--- Whether a list is missing or empty.
function config:is_empty(name)
  local list = self.fields[name]
  if not self:has(name) then return true end
  return type(list) == "table" and #list == 0 or type(list) ~= "table" and self:refuse(name, "a list")
end

--- Checks that the result of a calculation is a size.
-- @param what how it came about, for the message
function config:computed(value, what)
  if not is_size(value) then
    self:contradict("%s gives a width of %s; it must be %s", what, literal.decimal(value), SIZE)
  end
  return math.floor(value)
end

-- The first of several fields that is there, else the first one.
local function first_there(self, names)
  for _, name in ipairs(names) do
    if value_of(self, name) ~= nil then return name end
  end
  return names[1]
end

--- An epsilon. Never a default, but for one that left_out names.
-- @param names field name, or an array of names for one thing
function config:eps(names)
  local name = type(names) == "table" and first_there(self, names) or names
  local value = value_of(self, name)
  if type(value) ~= "number" or not (value >= 0 and value < math.huge) then self:refuse(name, "a finite number >= 0") end
  return value
end

--- A number.
-- @param default what the reference code takes if it is missing
function config:number(name, default)
  local value = value_of(self, name)
  if value == nil or value == config.null then return default end
  if type(value) ~= "number" then self:refuse(name, "a number") end
  return value
end

--- The name of the field that an epsilon is left out of, so that a default stands for it, or nil.
function config:lacks_eps(names)
  local name = type(names) == "table" and first_there(self, names) or names
  return self.fields[name] == nil and name or nil
end

--- A switch. A null is false, as it is for the reference code.
-- @param default what the reference code takes if it is missing
function config:flag(name, default)
  local value = value_of(self, name)
  if value == nil then return default end
  if value == config.null then return false end
  if type(value) ~= "boolean" then self:refuse(name, "true or false") end
  return value
end

--- A string, or nil if it is missing.
-- @param allowed array of the known values, or nil
function config:text(name, allowed)
  if not self:has(name) then return nil end
  local value = value_of(self, name)
  if type(value) ~= "string" then self:refuse(name, "a string") end
  for _, known in ipairs(allowed or {}) do
    if known == value then return value end
  end
  return not allowed and value or self:unknown(name, allowed)
end

--- An array of strings; empty if the field is missing.
function config:texts(name)
  local list = self:has(name) and value_of(self, name) or {}
  for _, item in ipairs(type(list) == "table" and list or self:refuse(name, "a list of strings")) do
    if type(item) ~= "string" then self:refuse(name, "a list of strings") end
  end
  return list
end

--- Raises the error that the value of a field is none of the known ones.
function config:unknown(name, known)
  local value = self.fields[name]
  local near = suggest.nearest(value, known)
  local list = #known <= MANY and " (known: " .. table.concat(known, ", ") .. ")" or "; docs/models.md lists those that are"
  usage.fail("%s: %s%s is %s, which is not known%s", self.source, self.path, name, usage.quote(value),
    near and ", did you mean '" .. near .. "'?" or list)
end

--- A config inside of this one. What it leaves out has the default of the configuration class of its model type: such configs
-- are written as differences to it.
-- @param model_type the type where it names none, or the one of this config, or nil
-- @return config, or nil if the field is missing
function config:inner(name, model_type)
  if not self:has(name) then return nil end
  local fields = self.fields[name]
  if type(fields) ~= "table" or #fields > 0 then self:refuse(name, "an object") end
  local part = config.new(fields, self.source, self.path .. name .. ".", self.asked)
  local its_own = part:text "model_type" or part:text "_class_name"
  part.model_type = (its_own == nil or its_own == self.fields.model_type) and model_type or its_own
  part.left_out = defaults[part.model_type] or {}
  return part
end

--- The names of the fields that hold configs with a model type of their own, sorted.
function config:parts()
  local list = {}
  for name, value in pairs(self.raw) do
    if type(name) == "string" and name:find "_config$" and type(value) == "table" and type(value.model_type) == "string" then
      list[#list + 1] = name
    end
  end
  table.sort(list)
  return list
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
    if value_of(self, name) ~= nil then return name, self:size(name) end
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

-- The first of several fields that the config itself has, with its size.
local function own_size(self, names)
  for _, name in ipairs(names) do
    if self.fields[name] ~= nil then return name, self:size(name) end
  end
end

--- Checks fields against each other that most families have, whether the norms need them or not. Heads with dimensions of
-- their own need not divide the width.
function config:check()
  local heads_name, heads = own_size(self, HEADS)
  if heads and not self:has "head_dim" and not self:has "qk_nope_head_dim" and own_size(self, WIDTHS) then self:head_dim() end
  local key_heads = heads and self.fields.num_key_value_heads ~= nil and self:optional_size "num_key_value_heads"
  if key_heads and heads % key_heads ~= 0 then
    self:contradict("%s %d is not a multiple of num_key_value_heads %d", heads_name, heads, key_heads)
  end
  local layers_name, layers = own_size(self, LAYERS)
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
