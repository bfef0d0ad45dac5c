--- Models: from the fields of a config.json to the norm sites of the model, each with its spec.

local config = require "models.config"
local forward = require "models.forward"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local models = {}

local FAMILIES = { "decoders", "encoders", "recurrent", "images", "wrappers" }

-- The rows of the families by model type, and the types, sorted. Only who asks for a model loads them.
local row_of, known

local function load_families()
  if known then return end
  row_of, known = {}, {}
  for _, name in ipairs(FAMILIES) do
    for _, row in ipairs(require("models." .. name)) do
      for _, model_type in ipairs(row.types) do
        row_of[model_type] = row
        known[#known + 1] = model_type
      end
    end
  end
  table.sort(known)
end

local function published() return require "models.published" end

--- The model types that are known, sorted.
function models.types()
  load_families()
  return known
end

--- Names of the models that are built in, in the order of the table, each with its model type: array of `{ name=, model_type= }`.
function models.published()
  local list = {}
  for i, entry in ipairs(published()) do
    list[i] = { name = entry[1], model_type = entry[2].model_type or entry[2]._class_name }
  end
  return list
end

--- The fields of a built-in model.
-- Raises a usage error if there is none of this name.
function models.fields(name)
  local names = {}
  for i, entry in ipairs(published()) do
    if entry[1] == name then return entry[2] end
    names[i] = entry[1]
  end
  local near = suggest.nearest(name, names)
  usage.fail("unknown model %s%s", usage.quote(name), near and ", did you mean '" .. near .. "'?"
    or "; normgen list models prints the built-in ones, a path contains / or ends in .json")
end

-- The model type of a config; of one that no row describes, but whose parts name theirs, too.
local function type_of(c)
  for _, field in ipairs { "model_type", "_class_name" } do
    local name = c:text(field)
    if name then return (row_of[name] or #c:parts() > 0) and name or c:unknown(field, known) end
  end
  c:refuse("model_type", "a string that names a family of models")
end

-- The entry for what no row describes: a part of a model, or what is beside its parts.
local function unknown_part(name, model_type, beside)
  return { { site = name, per_layer = false, emittable = false,
    note = ("the norms of model_type %s%s are not known to normgen"):format(usage.quote(model_type), beside or "") } }
end

-- The row of a model that is none of the known ones: its parts by what they are themselves, and an entry for the rest.
local function unknown_row(c, model_type)
  local towers = { { name = model_type, entry = unknown_part(model_type, model_type, " beside its parts") } }
  for _, field in ipairs(c:parts()) do towers[#towers + 1] = { name = field:gsub("_config$", ""), config = field } end
  return { towers = towers }
end

-- Sites of several towers; those that two towers have bear the tower's name in front.
local function merged(towers)
  local count = {}
  for _, tower in ipairs(towers) do
    for _, site in ipairs(tower.sites) do count[site.site] = (count[site.site] or 0) + 1 end
  end
  local list = {}
  for _, tower in ipairs(towers) do
    for _, site in ipairs(tower.sites) do
      if count[site.site] > 1 then site.site = tower.name .. "." .. site.site end
      list[#list + 1] = site
    end
  end
  return list
end

local sites_of

-- The sites of a tower; none where its config is not there.
local function sites_of_tower(tower, outer, options)
  if tower.entry then return tower.entry end
  if tower.when and not tower.when(outer) then return {} end
  if not tower.config then return sites_of(tower.row, outer, options) end
  local part = outer:inner(tower.config, tower.type)
  if not part and tower.or_outer and outer:has(tower.or_outer) then return sites_of(row_of[tower.type], outer, options) end
  if not part then return {} end
  if not tower.row and not part.model_type then part:refuse("model_type", "a string that names a family of models") end
  local row = tower.row or row_of[part.model_type]
  if not row then return unknown_part(tower.name, part.model_type) end
  return sites_of(row, part, options)
end

local function sites_of_towers(row, outer, options)
  local towers, parts = {}, 0
  for i, tower in ipairs(row.towers) do
    towers[i] = { name = tower.name, sites = sites_of_tower(tower, outer, options) }
    parts = parts + #towers[i].sites
  end
  if parts == 0 then outer:refuse(row.towers[#row.towers].config, "an object") end
  return merged(towers)
end

function sites_of(row, c, options)
  c:also(row.left_out)
  if row.towers then return sites_of_towers(row, c, options) end
  c:check()
  return forward.sites(row, c, options)
end

-- The dtype that the config names, at its top or in one of its parts.
local function dtype_of(row, outer)
  local found = outer:dtype()
  for _, tower in ipairs(row.towers or {}) do
    local part = tower.config and outer:inner(tower.config)
    found = found or part and part:dtype()
  end
  return found
end

-- A residual dtype that no kernel takes would be ignored silently.
local function check_residual(sites, options, model_type)
  if not options.residual or options.residual == options.dtype then return end
  for _, site in ipairs(sites) do
    if site.spec and site.spec:find("residual=" .. options.residual, 1, true) then return end
  end
  usage.fail("--residual %s: %s keeps no residual stream beside the outputs of its norms", options.residual, model_type)
end

--- The norm sites of a model.
-- @param fields the fields of its config.json, null as models/config.lua has it
-- @param options `{ source = what stands in front of messages, dtype = dtype or nil for the config's, else f32,
--   residual = dtype of the residual stream or nil for the family's, exact = true: round once, whatever the reference
--   code does }`
-- @return `{ model_type=, dtype=, dtype_from="option"|"config"|"default", sites=, asked= }`; a site is `{ site=, spec=|nil,
--   eps=|nil, per_layer=, emittable=, note= }`, in the order of the forward pass; asked is the set of the fields that were read
function models.sites(fields, options)
  load_families()
  local top = config.new(fields, options.source, "")
  local model_type = type_of(top)
  local row = row_of[model_type] or unknown_row(top, model_type)
  local named = dtype_of(row, top)
  local walk = { dtype = options.dtype or named or "f32", residual = options.residual, exact = options.exact }
  local sites = sites_of(row, top, walk)
  check_residual(sites, walk, model_type)
  return { model_type = model_type, dtype = walk.dtype, sites = sites, asked = top.asked,
    dtype_from = options.dtype and "option" or named and "config" or "default" }
end

return models
