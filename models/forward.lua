--- The forward pass of a tower, walked to find what each norm reads and what can be fused into it.
--
-- A family says what happens on the way, as steps; where the residual is pending when a norm comes, it is added by the
-- norm. The first layer of a section may meet another state than the later ones: then its norms are listed apart.

local activations = require "gen.formula.activations"
local literal = require "gen.c.literal"
local spec = require "gen.spec.spec"

local forward = {}

-- The steps. `more` has what differs from the family's row: norm, affine, offset, cast, width, eps; and strided, alpha, mod, heads
-- (function of the config), words (more words of the spec, or a function of the config), note, when (function of the config:
-- whether the step is there), each (one in each layer though it stands outside of a section); for norms of images
-- direction, channels in place of a width, groups, layout, act.
local function step(kind)
  return function(site, more) return setmetatable({ kind = kind, site = site }, { __index = more }) end
end

--- A norm that reads the residual stream, in front of a branch; the stream goes on past it.
forward.read = step "read"
--- The last norm that reads the stream.
forward.last = step "last"
--- A norm whose output is the stream from then on (post-norm).
forward.post = step "post"
--- A norm of a branch's output, which is added to the stream afterwards.
forward.after = step "after"
--- A norm inside of a branch, which the stream does not meet.
forward.inside = step "inside"

--- The end of a branch: its output is still to be added to the stream.
-- @param note what x is for the norm that adds it, if it is not just the branch's output
-- @param is_gated whether it is multiplied by a gate of its batch first
function forward.branch(note, is_gated) return { kind = "branch", note = note, is_gated = is_gated } end

--- The stream is complete here: what is pending has been added by something that is not a norm.
function forward.settle() return { kind = "settle" } end

--- A section of steps that is walked for each layer.
-- @param name the module that holds the layers
-- @param count how many there are, or nil if it is more than one
function forward.layers(name, steps, count)
  steps.layers, steps.count = name, count
  return steps
end

--- A row of a family: what all of a kind share, and what is its own.
function forward.family(base, row) return setmetatable(row, { __index = base }) end

-- What a norm meets at each kind of step: `pending` is whether a branch's output is still to be added. Gives the fusion, the
-- state afterwards and a note. `stream` is the dtype of the stream, `own` that of the norm's output, `wide` that of sums.
local KINDS = {
  read = function(pending)
    if not pending then return { x = "stream" } end
    return { fusion = "addout", residual = "wide", stream = "wide",
      note = "adds the output of the branch before it and stores the sum" }
  end,
  last = function(pending)
    if not pending then return { x = "stream" } end
    return { fusion = "add", residual = "wide", stream = "wide", note = "adds the output of the last branch" }
  end,
  post = function(pending)
    if not pending then return { x = "stream", stream = "own" } end
    return { fusion = "add", residual = "own", stream = "own", note = "adds the output of the branch before it" }
  end,
  after = function()
    return { fusion = "addafter", residual = "wide", stream = "wide",
      note = "norm of a branch's output, which is then added to the residual" }
  end,
  inside = function(pending) return { x = "own", keeps = pending } end,
}

-- A value, or what a function of the config and the dtypes gives.
local function resolved(value, config, types)
  if type(value) == "function" then return value(config, types) end
  return value
end

-- A number: itself, what a function of the config gives, or the value of the field of this name, read with `read`.
local function number(value, config, read)
  value = resolved(value, config)
  return type(value) == "number" and value or read(config, value)
end

-- What a step says, or else the row.
local function own(at, row, field)
  if at[field] ~= nil then return at[field] end
  return row[field]
end

-- Whether a kernel of this dtype applies the activation of a step.
local function has_act(at, dtype)
  return at.act and (dtype ~= "f64" or activations.named[at.act].types.f64)
end

local function words_of(at, row, config, met, state)
  local types = state.types
  local dtype, norm = types.own, at.norm or resolved(row.norm, config)
  local affine = at.affine or resolved(row.affine, config) or (norm == "rmsnorm" and "gamma" or "gamma+beta")
  local casts = own(at, row, "cast") == "llama" and norm == "rmsnorm" and affine == "gamma" and not types.exact
  local x, residual = types[met.x or "own"], types[met.residual]
  local width = at.channels and "c=" .. literal.decimal(at.channels)
    or "h=" .. literal.decimal(number(at.width or row.width, config, config.size))
  local list = { norm, x, width, "affine=" .. affine }
  local function add(condition, word)
    if condition then list[#list + 1] = word end
  end
  add(at.direction, at.direction)
  add(at.groups, "g=" .. literal.decimal(at.groups or 0))
  add(at.layout, "layout=" .. tostring(at.layout))
  add(has_act(at, dtype), "act=" .. tostring(at.act))
  add(met.fusion, met.fusion)
  add(met.fusion and at.alpha, "alpha")
  add(met.fusion and state.pending and state.pending.is_gated, "gate")
  add(at.mod, "mod")
  add(at.heads, "heads=" .. literal.decimal(at.heads and at.heads(config) or 1))
  add(at.words, resolved(at.words, config))
  add(residual and residual ~= x, "residual=" .. tostring(residual))
  add(x ~= dtype, "out=" .. dtype)
  add(x ~= dtype and (affine ~= "none" or at.mod), "gamma=" .. dtype)
  add(own(at, row, "offset") and affine ~= "none", "offset=1")
  add(casts and (x == "bf16" or x == "f16"), "cast=llama")
  add(at.strided, "strided")
  return table.concat(list, " ")
end

local function joined(...)
  local list = {}
  for i = 1, select("#", ...) do
    local note = select(i, ...)
    if note and note ~= "" then list[#list + 1] = note end
  end
  return table.concat(list, "; ")
end

-- Where an eps comes from, if the config does not say it.
local function eps_note(source, config, eps)
  if type(source) == "number" then return ("eps %s is fixed in the reference code"):format(literal.decimal(eps)) end
  if config.fields[source] == nil then
    return ("eps %s is the reference code's default: the config leaves %s out"):format(literal.decimal(eps), source)
  end
end

-- An activation that kernels of f64 do not have.
local function act_note(at, types)
  return at.act and not has_act(at, types.own) and ("then %s, which is a step of its own"):format(at.act)
end

local function site_of(at, row, config, met, state)
  local source = at.eps or row.eps
  local eps = number(source, config, config.eps)
  local site = { site = at.site, eps = eps, per_layer = at.each or false, emittable = true,
    spec = spec.format(spec.parse(words_of(at, row, config, met, state))) }
  local branch = met.fusion and state.pending and state.pending.note
  site.note = joined(met.note, resolved(branch, config), act_note(at, state.types), resolved(at.note, config, state.types), row.note,
    eps_note(source, config, eps))
  return site
end

-- Walks steps once. state: types, pending = nil or the branch step whose output is still to be added.
local function walk(steps, row, config, state)
  local sites = {}
  for _, at in ipairs(steps) do
    if at.kind == "branch" then
      state.pending = at
    elseif at.kind == "settle" then
      state.pending, state.types.stream = nil, state.types.wide
    elseif not at.when or at.when(config) then
      local met = KINDS[at.kind](state.pending)
      sites[#sites + 1] = site_of(at, row, config, met, state)
      state.types.stream = state.types[met.stream] or state.types.stream
      state.pending = met.keeps
    end
  end
  return sites
end

-- The site of the first layer: where the number of a layer stands in its name, else behind the module with the layers.
local function first_site(section, site)
  local named, count = site:gsub("%*", "0")
  return count > 0 and named or section.layers .. ".0." .. site
end

-- A section that is repeated: the first layer's norms apart where they are others.
local function repeated(section, row, config, state)
  local first = walk(section, row, config, state)
  local later = section.count == 1 and first or walk(section, row, config, state)
  local sites = {}
  for i, site in ipairs(later) do
    if first[i].spec ~= site.spec then
      first[i].site = first_site(section, site.site)
      first[i].note = joined("first layer: x comes from in front of the layers", first[i].note)
      sites[#sites + 1] = first[i]
    end
    site.per_layer = true
    sites[#sites + 1] = site
  end
  return sites
end

--- The norm sites of a tower, in the order of the forward pass.
-- @param row `{ norm, affine, offset, cast, width, eps, note, residual, sections }`: `residual` is a function of the config
--   that gives the dtype of the stream beside data of 16 bits, or nil; sections is an array of arrays of steps, or a
--   function of the config that gives one; a section with `layers` (the module that holds the layers) is walked once for
--   the first layer and once for the others, but for a `count` of 1
-- @param config config (models/config.lua)
-- @param options `{ dtype=, residual=|nil, exact= }`
-- @return array of `{ site=, spec=, eps=, per_layer=, emittable=, note= }`
function forward.sites(row, config, options)
  local is_short = options.dtype == "bf16" or options.dtype == "f16"
  local wide = options.residual or is_short and row.residual and row.residual(config) or options.dtype
  local state = { types = { own = options.dtype, stream = options.dtype, wide = wide, exact = options.exact } }
  local sections = type(row.sections) == "function" and row.sections(config) or row.sections
  local sites = {}
  for _, section in ipairs(sections) do
    local run = section.layers and repeated or walk
    for _, site in ipairs(run(section, row, config, state)) do sites[#sites + 1] = site end
  end
  return sites
end

return forward
