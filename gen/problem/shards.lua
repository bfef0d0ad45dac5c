--- Rows whose elements ranks share out, in three steps: statistics of each shard, what all shards have together, and the map.

local contract = require "gen.formula.contract"
local e = require "gen.formula.expr"

local shards = {}

local ELEMENTS, OF_ROW, PARTS = { "rows", "h/shards" }, { "rows" }, { "shards", "rows" }

--- The arguments of statistics that have a mean, and of those that have not.
local STATISTICS = { moments = { "mean", "shift", "m2" }, squares = { "m2" } }
local RESULTS = { moments = { "mean", "shift", "rstd" }, squares = { "rstd" } }

--- What a statistic of a chunk is called as an argument.
local ARGUMENT = { mu = "mean", delta = "shift", m2 = "m2" }

local function scaled(x, a) return (a.mean and (x - a.mean) - a.shift or x) * a.rstd end

--- The arguments that a step adds: `{ name, dtype, shape, io }`.
local function arguments(spec, sums, real)
  local list = {}
  local function add(name, dtype, shape, io)
    list[#list + 1] = { name = name, dtype = dtype, shape = shape, io = io or "in", is_matrix = shape == ELEMENTS }
  end
  local function add_all(names, prefix, shape, io)
    for _, name in ipairs(names) do add(prefix .. name, real, shape, io) end
  end
  add("rows", "size_t", "scalar")
  if spec.dir == "merge" then
    add_all(STATISTICS[sums], "part_", PARTS)
    add("eps", real, "scalar")
    add_all(RESULTS[sums], "", OF_ROW, "out")
    return list
  end
  add("x", spec.x, ELEMENTS)
  if spec.dir == "stats" then
    add_all(STATISTICS[sums], "", OF_ROW, "out")
    return list
  end
  if spec.affine ~= "none" then add("gamma", spec.gamma, { "h/shards" }) end
  if spec.affine == "gamma+beta" then add("beta", spec.gamma, { "h/shards" }) end
  add_all(RESULTS[sums], "", OF_ROW)
  add("y", spec.out, ELEMENTS, "out")
  return list
end

--- What a step stores, by name; `n` elements in a shard.
local STEPS = {
  stats = function(spec, norm, n)
    local nodes = {}
    for _, output in ipairs(contract.chunk(e.load("x", spec.x, "element"), norm.sums, n)) do nodes[ARGUMENT[output.name]] = output.node end
    return nodes
  end,
  merge = function(_, norm, _, real)
    local expand = contract.results()
    local square = norm.sums == "moments" and e.var(e.statistic "mu") or e.mean(e.statistic "m2")
    local rstd = (1 / e.sqrt(square + e.arg("eps", real))):as "rstd"
    return { mean = e.statistic "mu", shift = e.statistic "delta", rstd = expand(rstd) }
  end,
  apply = function(spec, norm, _, real, parts)
    local a = {}
    for _, name in ipairs(RESULTS[norm.sums]) do a[name] = e.load(name, real, "row") end
    local y = parts.affine(spec, scaled(e.load("x", spec.x, "element"), a), spec.x, "")
    return { y = contract.results()(y) }
  end,
}

--- The problem of a step, as gen/problem/channels.lua makes it.
function shards.formula(spec, norm, real, parts)
  local n = math.floor(spec.h / spec.shards)
  local args, nodes, outputs = arguments(spec, norm.sums, real), STEPS[spec.dir](spec, norm, n, real, parts), {}
  for _, argument in ipairs(args) do
    if argument.io == "out" then outputs[#outputs + 1] = { name = argument.name, dtype = argument.dtype, node = nodes[argument.name] } end
  end
  local is_merge = spec.dir == "merge"
  return { args = args, outputs = outputs, normed = not is_merge and e.load("x", spec.x, "element") or nil, n = n,
    geometry = is_merge and { over = "shards", shards = spec.shards, per_shard = n } or nil,
    direction = { merges = is_merge, sums = norm.sums }, merge = is_merge and contract.merge(norm.sums) or nil,
    block = contract.blocks(n).length, order = is_merge and "shards merged pairwise" or spec.dir == "apply" and "no sums" or nil }
end

return shards
