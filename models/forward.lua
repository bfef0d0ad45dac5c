--- The forward pass of a tower, walked to find what each norm reads and what can be fused into it.
--
-- A family says what happens on the way, as steps; where the residual is pending when a norm comes, it is added by the
-- norm. The first layer of a section may meet another state than the later ones: then its norms are listed apart.

local activations = require "gen.formula.activations"
local literal = require "gen.c.literal"
local spec = require "gen.spec.spec"

local forward = {}

-- The steps. `more` has what differs from the family's row: norm, affine, offset, cast, width, eps; and strided, alpha, mod, heads
-- (function of the config), words (more words of the spec, or a function of the config and the dtypes), note, when (function of
-- the config: whether the step is there), not_first (it is not in the first layer), each (one in each layer though it stands
-- outside of a section); for norms of images direction, channels in place of a width, groups, layout, act.
local function step(kind)
  return function(site, more) return setmetatable({ kind = kind, site = site }, { __index = more }) end
end

--- A norm that reads the residual stream, in front of a branch; the stream goes on past it.
forward.read = step "read"
--- The last norm that reads the stream.
forward.last = step "last"
--- A norm whose output is the stream from then on (post-norm).
forward.post = step "post"
--- A norm of a branch's output, which is added to the stream afterwards. Where the next norm reads just that sum, both are one
-- site.
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

--- What x is where a branch's output is multiplied by a field of the config before it is added: a function for a branch's note.
function forward.times(field)
  return function(config)
    local factor = config:number(field, 1)
    return factor ~= 1 and ("x is the branch's output times %s"):format(field) or nil
  end
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

-- What a norm of a branch's output, the addition and the norm of the sum meet as one.
local SANDWICH = { fusion = "sandwich", residual = "wide", stream = "wide",
  note = "norm of a branch's output, which is added to the residual, and with gamma2 the norm of the sum, which is stored" }

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
  local words = resolved(at.words, config, types)
  add(words, words)
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
  local missing = type(source) ~= "function" and config:lacks_eps(source)
  return missing and ("eps %s is the reference code's default: the config leaves %s out"):format(literal.decimal(eps), missing)
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

local function is_there(at, config, state)
  return not (at.not_first and state and state.is_first) and (not at.when or at.when(config))
end

-- The first of some steps that the stream meets, or nil.
local function first_on_stream(steps, from, config)
  for i = from, #steps do
    if steps[i].kind ~= "inside" and is_there(steps[i], config) then return steps[i] end
  end
end

local SAME = { "norm", "affine", "offset", "cast", "width", "eps", "heads", "alpha", "mod", "words" }

-- Whether one kernel can be a norm of a branch's output and that of the sum behind it.
local function are_one(at, following, row, config)
  if not following or following.kind ~= "read" and following.kind ~= "last" then return false end
  for _, field in ipairs(SAME) do
    if own(at, row, field) ~= own(following, row, field) then return false end
  end
  return (at.affine or resolved(row.affine, config)) ~= "none"
end

-- Whether a norm of a branch's output is one with what follows it: in a section that is repeated both the start of the next
-- layer and what comes behind the last one.
local function joins_next(at, index, steps, next_section, row, config)
  local following = first_on_stream(steps, index + 1, config)
  if following then return are_one(at, following, row, config) end
  local behind = next_section and are_one(at, first_on_stream(next_section, 1, config), row, config)
  return behind and (not steps.layers or are_one(at, first_on_stream(steps, 1, config), row, config))
end

-- Walks steps once. state: types, pending = nil or the branch step whose output is still to be added, joined = nil or the step
-- of a norm that is one with the next one.
local function walk(steps, row, config, state, next_section)
  local sites = {}
  for i, at in ipairs(steps) do
    if at.kind == "branch" then
      state.pending = at
    elseif at.kind == "settle" then
      state.pending, state.types.stream = nil, state.types.wide
    elseif is_there(at, config, state) then
      if at.kind == "after" and joins_next(at, i, steps, next_section, row, config) then
        state.joined = at
      else
        local is_second = state.joined and at.kind ~= "inside"
        local met = is_second and SANDWICH or KINDS[at.kind](state.pending)
        local site = site_of(at, row, config, met, state)
        if is_second then site.site, state.joined = state.joined.site .. "+" .. site.site, nil end
        sites[#sites + 1] = site
        state.types.stream = state.types[met.stream] or state.types.stream
        state.pending = met.keeps
      end
    end
  end
  return sites
end

-- The site of the first layer: where the number of a layer stands in its name, else behind the module with the layers.
local function first_site(section, site)
  local named, count = site:gsub("%*", "0")
  return count > 0 and named or section.layers .. ".0." .. site
end

-- Sites by name.
local function by_name(sites)
  local found = {}
  for _, site in ipairs(sites) do found[site.site:match "[^+]*$"] = site end
  return found
end

-- A section that is repeated: the first layer's norms apart where they are others.
local function repeated(section, row, config, state, next_section)
  state.is_first = true
  local first = walk(section, row, config, state, next_section)
  state.is_first = false
  local later = section.count == 1 and first or walk(section, row, config, state, next_section)
  local first_of, sites = by_name(first), {}
  for _, site in ipairs(later) do
    local own_first = first_of[site.site:match "[^+]*$"]
    if not own_first then
      site.note = joined("not in the first layer", site.note)
    elseif own_first.spec ~= site.spec then
      own_first.site = first_site(section, own_first.site)
      own_first.note = joined("first layer: x comes from in front of the layers", own_first.note)
      sites[#sites + 1] = own_first
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
  local state = { types = { own = options.dtype, stream = options.dtype, wide = wide, exact = options.exact, is_short = is_short } }
  local sections = type(row.sections) == "function" and row.sections(config) or row.sections
  local sites = {}
  for i, section in ipairs(sections) do
    local run = section.layers and repeated or walk
    for _, site in ipairs(run(section, row, config, state, sections[i + 1])) do sites[#sites + 1] = site end
  end
  return sites
end

return forward
