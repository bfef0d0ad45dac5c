--- Targets: the tables that the files in targets/ return, and files of other directories; each with the .h file beside it.

local check_form = require "gen.target.form"
local dtypes_of_memory = require "gen.formula.dtype"
local helpers = require "gen.target.helpers"
local tree = require "gen.tree"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"
local vocabulary = require "gen.target.vocabulary"

local targets = {}

local function by_rank(a, b)
  if a.rank ~= b.rank then return a.rank < b.rank end
  return a.name < b.name
end

local known

--- A table with the fields of `base`, but for those that `changes` has: false takes one away, and tables are combined.
local function combined(base, changes)
  local result = {}
  for field, value in pairs(base) do result[field] = value end
  for field, value in pairs(changes) do
    local both = type(value) == "table" and type(result[field]) == "table"
    result[field] = both and combined(result[field], value) or value or nil
  end
  return result
end

--- The target that a file describes by what is different from another one: words, fields, more features and helpers.
local function extended(changes, source)
  local base
  for _, target in ipairs(known) do base = target.name == changes.extends and target or base end
  if not base then usage.fail("%s: extends: there is no target %s", source, usage.quote(tostring(changes.extends))) end
  local target = combined(base, changes)
  target.features, target.borrows = changes.features, base.name
  if type(changes.features) == "table" then
    target.features = {}
    for _, feature in ipairs(base.features) do target.features[#target.features + 1] = feature end
    for _, feature in ipairs(changes.features) do target.features[#target.features + 1] = feature end
  end
  return target
end

--- @param path of the target's file; the .h file beside it is not read before a kernel asks for helpers
local function add(target, path)
  if type(target) == "table" and target.extends ~= nil then target = extended(target, path) end
  check_form(target, path)
  target.header = path:gsub("lua$", "h")
  for _, other in ipairs(known) do
    if other.name == target.name then usage.fail("%s: there is a target %s already", path, target.name) end
  end
  known[#known + 1] = target
  table.sort(known, by_rank)
end

--- All targets, lowest rank first (the name decides between equals).
function targets.all()
  if not known then
    known = {}
    local late = {}
    local function add_own(name) add(require("targets." .. name), tree.path("targets/" .. name .. ".lua")) end
    for _, name in ipairs(tree.targets()) do
      if require("targets." .. name).extends then late[#late + 1] = name else add_own(name) end
    end
    for _, name in ipairs(late) do add_own(name) end
  end
  return known
end

--- What a target file returns. It runs with the globals of Lua, but sets none.
local function load_file(path)
  local text = tree.text(path) or usage.fail("%s cannot be read", usage.quote_path(path))
  local chunk, message = load(text, "@" .. path, "t", setmetatable({}, { __index = _G }))
  if not chunk then usage.fail("%s", message) end
  local ok, result = pcall(chunk)
  if not ok then usage.fail("%s: %s", path, tostring(result)) end
  return result
end

--- Adds the targets in the Lua files of a directory; each returns one, as those in targets/ do, and may have a .h file beside it.
-- Raises a usage error if there is none, if one is not well-formed, or if a name is taken.
function targets.add_directory(path)
  if not tree.exists(path) then usage.fail("%s is no directory with targets", usage.quote_path(path)) end
  local files = tree.modules(path)
  if #files == 0 then usage.fail("no target (*.lua) in the directory %s", usage.quote_path(path)) end
  targets.all()
  for _, name in ipairs(files) do
    local file = path .. "/" .. name .. ".lua"
    add(load_file(file), file)
  end
end

--- The target of this name; a usage error if there is none.
function targets.named(name)
  local list = {}
  for i, target in ipairs(targets.all()) do
    if target.name == name then return target end
    list[i] = target.name
  end
  suggest.unknown("target", name, list)
end

local cut = {}

--- The helpers of a target (helpers.cut): those of the target that it borrows from, then its own. Its .h file is cut once.
function targets.helpers(target)
  if not cut[target.name] then
    local borrowed = target.borrows and targets.helpers(targets.named(target.borrows)) or {}
    cut[target.name] = helpers.cut(tree.text(target.header) or "", target.header, target.attribute, borrowed)
  end
  return cut[target.name]
end

--- Whether a target computes in vectors (or else in loops over the contract's lanes).
function targets.has_vectors(target) return target.types.f32.vector ~= nil end

--- Fails with a usage error unless a target with vectors has the words that a kernel of this contract needs, this layout, and
-- all words of these dtypes in it.
-- @param contract the contract of a problem, for `compute` and `acc`
function targets.require_words(target, contract, layout, dtypes)
  local function need(value, format, ...)
    if not value then usage.fail("target %s has no " .. format, target.name, ...) end
    return value
  end
  for _, name in ipairs { contract.compute, contract.acc } do
    local words = target.types[name].words
    for _, word in ipairs(vocabulary.structural) do need(words[word], "word %s for %s", word, name) end
  end
  if contract.compute ~= contract.acc then
    for _, word in ipairs(vocabulary.widening) do need(target.types.f32.words[word], "word '%s' for f32", word) end
    need(target.types.f64.words.to_f32, "word 'to_f32' for f64")
  end
  local memory = need(target.types[contract.compute].layouts[layout], "layout %s for %s", layout, contract.compute).dtypes
  for _, dtype in ipairs(dtypes) do
    local chunk = need(memory[dtype], "dtype %s in layout %s", dtype, layout)
    local needed = dtypes_of_memory[dtype].bytes == 1 and vocabulary.stored or vocabulary.memory
    for _, name in ipairs(needed) do need(chunk[name], "word %s of dtype %s in layout %s", name, dtype, layout) end
  end
end

return targets
