--- The form of a target: which fields its table has, of which type.

local names = require "gen.spec.names"
local usage = require "gen.errors.usage"

local function has_vectors(words) return words.vector ~= nil end
local function has_lanes(words) return words.vector == nil end

--- Words that mean something else where a target's name may stand.
local TAKEN = { native = true, all = true, none = true }

local function is_name(text) return text:match("^%l[%l%d]*$") and not TAKEN[text] and not names.is_token(text) end

--- Rows of a form. field, type: of the value. fields: the form of that table; each: of every item of that array.
-- optional: true, or a function of the table that holds the field. fits, expects: what else is asked of the value.
local FEATURE = { { field = "name", type = "string" }, { field = "check", type = "string" } }

local FOLD = {
  { field = "low", type = "table" }, { field = "high", type = "table" }, { field = "text", type = "function" },
}

local LAYOUT = {
  { field = "vecs", type = "number" }, { field = "element", type = "function" }, { field = "dtypes", type = "table" },
}

local LAYOUTS = {
  { field = "plain", type = "table", fields = LAYOUT },
  { field = "split", type = "table", optional = true, fields = LAYOUT },
}

local TYPE = {
  { field = "words", type = "table" },
  { field = "vector", type = "string", optional = true },
  { field = "width", type = "number", optional = has_lanes },
  { field = "folds", type = "table", optional = has_lanes, each = FOLD },
  { field = "layouts", type = "table", optional = has_lanes, fields = LAYOUTS },
  { field = "ctype", type = "string", optional = has_vectors },
  { field = "dtypes", type = "table", optional = has_vectors },
}

local TARGET = {
  { field = "name", type = "string", fits = is_name,
    expects = "a word of small letters and digits that means nothing else" },
  { field = "rank", type = "number" },
  { field = "arch", type = "string" },
  { field = "guard", type = "string" },
  { field = "includes", type = "string" },
  { field = "attribute", type = "string" },
  { field = "features", type = "table", each = FEATURE },
  { field = "os_check", type = "string", optional = true },
  { field = "leave", type = "string", optional = true },
  { field = "fence", type = "string", optional = true },
  { field = "borrows", type = "string", optional = true },
  { field = "emulates_fma", type = "boolean", optional = true },
  { field = "types", type = "table", fields = {
    { field = "f32", type = "table", fields = TYPE },
    { field = "f64", type = "table", optional = true, fields = TYPE },
  } },
  { field = "registers", type = "number", optional = function(target) return has_lanes(target.types.f32) end },
}

local function is_optional(row, holder)
  if type(row.optional) == "function" then return row.optional(holder) end
  return row.optional
end

local check_table

local function check_value(value, row, where, source)
  local function refuse(expects) usage.fail("%s: field %s of the target must be %s", source, where, expects) end
  if type(value) ~= row.type then refuse("a " .. row.type) end
  if row.fits and not row.fits(value) then refuse(row.expects) end
  if row.fields then check_table(value, row.fields, where .. ".", source) end
  for i, item in ipairs(row.each and value or {}) do
    local place = ("%s[%d]"):format(where, i)
    check_value(item, { type = "table", fields = row.each }, place, source)
  end
end

check_table = function(value, form, prefix, source)
  for _, row in ipairs(form) do
    local item = value[row.field]
    if item ~= nil or not is_optional(row, value) then check_value(item, row, prefix .. row.field, source) end
  end
end

--- Fails with a usage error that names source and field unless a value has the form of a target.
-- @param source where it comes from, for messages
return function(value, source)
  if type(value) ~= "table" then usage.fail("%s: a target file returns a table, not a %s", source, type(value)) end
  check_table(value, TARGET, "", source)
end
