--- Models: from the fields of a config.json to the norm sites of the model, each with its spec.

local config = require "models.config"
local forward = require "models.forward"
local suggest = require "gen.errors.suggest"
local usage = require "gen.errors.usage"

local models = {}

local FAMILIES = { "decoders", "encoders", "recurrent", "images" }

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

local function type_of(fields, source)
  local c = config.new(fields, source, "")
  for _, field in ipairs { "model_type", "_class_name" } do
    local name = c:text(field)
    if name then return row_of[name] and name or c:unknown(field, known) end
  end
  c:refuse("model_type", "a string that names a family of models")
end

-- The entry for a part of a model that no row describes.
local function unknown_part(name, model_type)
  return { { site = name, per_layer = false, emittable = false,
    note = ("the norms of model_type %s are not known to normgen"):format(usage.quote(model_type)) } }
end

-- The config and the row of a tower, or nil and the entry for it where there is nothing to walk.
local function part_of(tower, outer, source)
  if not tower.config then return config.new(outer.fields, source, "", tower.row.left_out), tower.row end
  local part = outer:inner(tower.config)
  if not part then return nil, {} end
  local model_type = part:text "model_type" or tower.type
  local row = tower.row or row_of[model_type]
  if not row then return nil, unknown_part(tower.name, model_type) end
  return outer:inner(tower.config, row.left_out_nested or row.left_out), row
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

local function sites_of_towers(row, outer, source, options)
  local towers, parts = {}, 0
  for i, tower in ipairs(row.towers) do
    local part, its = part_of(tower, outer, source)
    if part then part:check() end
    towers[i] = { name = tower.name, sites = part and forward.sites(its, part, options) or its }
    parts = parts + #towers[i].sites
  end
  if parts == 0 then outer:refuse(row.towers[#row.towers].config, "an object") end
  return merged(towers)
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
-- @return `{ model_type=, dtype=, dtype_from="option"|"config"|"default", sites= }`; a site is `{ site=, spec=|nil, eps=|nil,
--   per_layer=, emittable=, note= }`, in the order of the forward pass
function models.sites(fields, options)
  load_families()
  local source = options.source
  local model_type = type_of(fields, source)
  local row = row_of[model_type]
  local outer = config.new(fields, source, "", row.left_out)
  local named = dtype_of(row, outer)
  local walk = { dtype = options.dtype or named or "f32", residual = options.residual, exact = options.exact }
  local sites
  if row.towers then
    sites = sites_of_towers(row, outer, source, walk)
  else
    outer:check()
    sites = forward.sites(row, outer, walk)
  end
  check_residual(sites, walk, model_type)
  return { model_type = model_type, dtype = walk.dtype, sites = sites,
    dtype_from = options.dtype and "option" or named and "config" or "default" }
end

return models
