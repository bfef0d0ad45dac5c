--- The sites of a model as a spec file: Lua, with a comment for each site, ready for `normgen emit`.

local literal = require "gen.c.literal"
local spec = require "gen.spec.spec"

local listing = {}

local WIDTH = 116

-- Lines of a comment, broken at blanks.
local function comment(indent, text)
  local lines, line = {}, indent .. "--"
  for word in text:gmatch("%S+") do
    if #line + #word + 1 > WIDTH then
      lines[#lines + 1] = line
      line = indent .. "--"
    end
    line = line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

-- A spec as a Lua table: words, then keys, then the notes.
local function entry(site)
  local s, words, keys = spec.parse(site.spec), {}, {}
  words[1] = ("%q"):format(s.norm)
  for _, word in ipairs(spec.words(s)) do
    if word.row.key then
      keys[#keys + 1] = word.row.key .. " = " .. (word.text:find("^%d+$") and word.text or ("%q"):format(word.text))
    elseif word.text ~= "fwd" then
      words[#words + 1] = ("%q"):format(word.text)
    end
  end
  keys[#keys + 1] = ("site = %q"):format(site.site)
  keys[#keys + 1] = "eps = " .. literal.decimal(site.eps)
  return ("    { %s, %s },"):format(table.concat(words, ", "), table.concat(keys, ", "))
end

local function note_of(site)
  local where = site.per_layer and "each layer" or ""
  return where .. (where ~= "" and site.note ~= "" and ": " or "") .. site.note
end

local function lines_of(site)
  if site.emittable then
    local note = note_of(site)
    return (note ~= "" and comment("    ", note) .. "\n" or "") .. entry(site)
  end
  return comment("    ", ("not emitted: %s, %s"):format(site.site, note_of(site)))
end

local DTYPE_FROM = {
  option = "the dtype is that of --dtype",
  config = "the dtype is that of the config",
  default = "the config names no dtype, so it is f32",
}

-- A name for what has none: its type, as C and file names can bear it.
local function name_of(model_type)
  return (model_type:lower():gsub("[^%w]+", "_"))
end

--- The spec file.
-- @param found what models.sites gives
-- @param name the model's name, or nil for its type
-- @param command the command that prints the same again
function listing.text(found, name, command)
  name = name or name_of(found.model_type)
  local lines = {
    comment("", ("The norms of %s (%s), %s, in the order of the forward pass; %s. Sites are named as in the reference code; "
      .. "those of a first layer that differs come apart."):format(name, found.model_type, found.dtype, DTYPE_FROM[found.dtype_from])),
    "-- Made by: " .. command:gsub("%c", "?"), "",
    "return {", ("  model = %q,"):format(name), "  kernels = {",
  }
  for _, site in ipairs(found.sites) do lines[#lines + 1] = lines_of(site) end
  lines[#lines + 1] = "  },\n}\n"
  return table.concat(lines, "\n")
end

return listing
