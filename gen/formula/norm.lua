--- The form of a norm: what a file in gen/norms declares, and what follows from it for a spec.

local e = require "gen.formula.expr"

local norm = {}

--- What norms lack whose rows are weights and no activations.
norm.of_weights = {}
for _, field in ipairs { "fusion", "mod", "quant", "twin", "groups", "heads", "act" } do norm.of_weights[field] = "takes weights" end

--- Declares a norm: `name`, `title`, `cites` (paper and equation), `affine` (default parameters), `formula` (for people), `over` (the
-- axes of an element that its sums take away: "h", "c", "positions", "rows", or "c in g" for the channels of a group).
--
-- What it does is `forward(x, a)`, which returns the normalised value of the element `x` and other outputs by name, such as its
-- statistics; `a` has the arguments by name (elements excepted), and the values of `words`. `scalars`, `inputs`, `outputs` and
-- `updates` are the norm's own arguments in call order, in the type of elements: names of arrays with a value for each set, or rows
-- `{ name =, axes = (nil: those of a set), nonnegative =, when = function(spec) }`. `sums` ("moments" or "squares") says which
-- statistics can be merged from parts. A norm that does several things has such a table for each in `directions`; `folded` is a form
-- of infer. A direction without a y says what it is: `gives_parts`, `merges` (it reads what parts gave) or `has_no_elements` (it reads
-- and writes one value for each channel).
--
-- What a spec may ask of it: `words`, the fields that only some norms have, and this one has; `lacks`, those that others have and this
-- one has not, each with the reason; `layouts`, if it has any; `sizes = "c"`, if a spec gives its channels and not the elements of a
-- row; `types`, those in which it can be computed (nil: all); `statistics`, names of those that `stats` stores; `needs_gamma`, if there
-- is nothing to do without.
--
-- May be missing: `bound(depth, wide)`, the worst error in the `domain` when each sum passes `depth` roundings (`wide`: sums and row
-- values are f64 and elements f32): `{ rel_u, abs_u }` in units of u, 2^-24 for f32 and 2^-53 for f64; `adds_beta = false`, where a
-- beta is not for y.
-- @return the definition
function norm.new(definition)
  for _, field in ipairs { "name", "title", "cites", "affine", "words", "formula", "over" } do
    assert(definition[field], "a norm needs the field " .. field)
  end
  for _, field in ipairs(definition.directions and { "layouts" } or { "domain", "bound", "forward" }) do
    assert(definition[field], "a norm needs the field " .. field)
  end
  return definition
end

local function steps_of(sums)
  local has_mean = sums == "moments"
  local function root(x, a) return (1 / e.sqrt((has_mean and e.var(x) or e.mean(x * x)) + a.eps)):as "rstd" end
  return {
    stats = {
      sums = sums, gives_parts = true, outputs = has_mean and { "mean", "shift", "m2" } or { "m2" },
      forward = function(x)
        if not has_mean then return nil, { m2 = e.total(x * x) } end
        return nil, { mean = e.pivot(x), shift = e.shift(x), m2 = e.m2(x) }
      end,
    },
    merge = {
      sums = sums, merges = true, scalars = { "eps" }, outputs = has_mean and { "mean", "shift", "rstd" } or { "rstd" },
      forward = function(x, a)
        return nil, { mean = has_mean and e.pivot(x) or nil, shift = has_mean and e.shift(x) or nil, rstd = root(x, a) }
      end,
    },
    apply = {
      inputs = has_mean and { "mean", "shift", "rstd" } or { "rstd" },
      forward = function(x, a) return (has_mean and (x - a.mean) - a.shift or x) * a.rstd end,
    },
  }
end

local STEPS = { moments = steps_of "moments", squares = steps_of "squares" }

--- The steps in which ranks share a norm, by name: statistics of a part, those of all parts, and the map.
-- @param sums "moments" or "squares"
function norm.steps(sums) return STEPS[sums] end

--- What a spec asks of its norm, which for a norm without directions is itself; nil if the norm does not do that.
-- @param s spec table, of which `dir`, `shards` and `folded` are read
function norm.direction(definition, s)
  if s.shards then return definition.sums and STEPS[definition.sums][s.dir] end
  if not definition.directions then return s.dir == "fwd" and definition or nil end
  return definition.directions[s.folded and "folded" or s.dir]
end

--- Whether a direction reads elements.
function norm.reads_x(direction) return not direction.merges and not direction.has_no_elements end

--- Whether a direction stores elements.
function norm.has_y(direction) return norm.reads_x(direction) and not direction.gives_parts end

--- Whether a direction may have gamma and beta, of which parts and what ranks exchange know nothing.
function norm.has_parameters(direction) return not direction.merges and not direction.gives_parts end

return norm
