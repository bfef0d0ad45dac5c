--- Problem: a spec and its norm, normalised: arguments and formulas, with all that the spec asks for applied, once for every norm.
-- Knows no target and no schedule.

local activations = require "gen.formula.activations"
local arguments = require "gen.problem.arguments"
local axes = require "gen.problem.axes"
local contract = require "gen.formula.contract"
local dtype = require "gen.formula.dtype"
local e = require "gen.formula.expr"
local names = require "gen.spec.names"
local norms = require "gen.formula.norm"
local spec_words = require "gen.spec.spec"
local stream = require "gen.problem.stream"
local traffic = require "gen.problem.traffic"

local problem = {}

--- The axes of an array as expressions have them: rows of a batch are rows.
local function domain_of(argument)
  local list = {}
  for i, axis in ipairs(argument.axes) do list[i] = axis == "batch" and "rows" or axis end
  return list
end

--- Expressions of what a kernel reads, by name; gamma as the norm wants it. What the kernel updates belongs to its statistics.
local function values_of(spec, graph, args)
  local values = {}
  for _, argument in ipairs(args) do
    if argument.axes and argument.io ~= "out" then
      values[argument.name] = graph:load(argument.name, argument.dtype, domain_of(argument), argument.io == "inout")
    elseif argument.shape == "scalar" and dtype[argument.dtype] then
      values[argument.name] = graph:arg(argument.name, argument.dtype)
    end
  end
  for _, suffix in ipairs(spec.offset == 1 and { "", "2" } or {}) do
    local gamma = values["gamma" .. suffix]
    values["gamma" .. suffix] = gamma and (gamma + 1):as("scale" .. suffix)
  end
  return values
end

--- What `forward` is given beside x: expressions of arguments, and the values of the norm's own words.
local function given(k)
  return setmetatable({}, { __index = function(_, name) return k.values[name] or k.norm.words[name] and k.spec[name] end })
end

--- The outputs of the kernel as expressions over the norm's formula, and the node that the norm reads (the last one, if there
-- are two).
local function formula(k)
  local spec, forward, its = k.spec, k.direction.forward, given(k)
  local h = k.values.x and stream.normed(k)
  local read = h or k.graph:absent(k.axes.memory)
  local value, nodes = forward(spec.zgate == "before" and stream.gated(k, h) or read, its)
  nodes = nodes or {}
  if not value then return nodes, h end
  local y = stream.modulated(k, stream.affine(k, value, spec.x, ""))
  if spec.fusion == "sandwich" then
    h = stream.sandwiched(k, y)
    y = stream.affine(k, forward(h, its), spec.residual, "2")
  end
  if spec.zgate == "after" then y = stream.gated(k, y) end
  y = stream.activated(k, y)
  if spec.fusion == "addafter" then y = stream.add_after(k, y) end
  nodes.y2 = spec.twin and stream.affine(k, value, spec.x, "2")
  nodes.y, nodes.yscale, nodes.side = stream.quantised(k, y)
  nodes.sum = h
  return nodes, h
end

--- What is formed first; the other outputs follow in call order.
local FIRST = { "sum", "y", "y2", "side" }

--- The outputs that the arguments ask for, with the dtypes of these; row values in the type of elements.
local function requested(nodes, args, expand)
  local list, by_name = {}, {}
  local function add(argument)
    local node = argument and nodes[argument.name]
    if not node then return end
    by_name[argument.name] = nil
    node = node.scope == "row" and e.convert(argument.dtype, node) or node
    list[#list + 1] = { name = argument.name, dtype = argument.dtype, node = expand(node) }
  end
  for _, argument in ipairs(args) do by_name[argument.name] = argument.io ~= "in" and argument or nil end
  for _, name in ipairs(FIRST) do add(by_name[name]) end
  for _, argument in ipairs(args) do
    if argument.io ~= "in" then add(by_name[argument.name]) end
  end
  return list
end

--- What zgate=before adds to the error: silu, whose units in the last place are two u at most, and a product, in the element and
-- in rstd.
local GATE = 2 * (2 * activations.named.silu.ulps + 1)

--- Worst error of the normalised value before its rounding to a dtype, in units of u (2^-24, f64 specs 2^-53):
-- rel_u * |value| + abs_u (docs/numerics.md), for data in the domain; nil where it depends on the call.
local function error_bound(k)
  if not k.norm.bound or k.spec.layout or k.spec.shards then return nil end
  local bound = k.norm.bound(contract.depth(k.axes.n, k.acc), k.acc ~= k.compute)
  local gate = k.spec.zgate == "before" and GATE or 0
  return { rel_u = bound.rel_u + gate, abs_u = bound.abs_u, domain = k.norm.domain }
end

--- The step that puts the contract's arithmetic in the place of the norm's words.
local function expander(k)
  if k.is_merged then return contract.results(k.spec.momentum) end
  return contract.expander(k.axes.is_counted and "all" or k.axes.n, k.spec.center)
end

--- How sums are formed, for people; nil: in the lanes and blocks of the contract.
local function order_text(k)
  if not k.direction.sums then return (k.spec.layout or k.spec.shards or k.spec.c) and "no sums" or nil end
  local lanes = ("%d lanes of %s sums"):format(contract.lanes(k.acc), k.acc)
  if k.direction.merges and k.spec.shards then return "shards merged pairwise" end
  if k.axes.order == "lanes" then return k.axes.is_counted and lanes .. ", blocks of at most 4096, halving tree" or nil end
  local chunks = ("chunks of at most %d, merged pairwise"):format(contract.CHUNK)
  if k.axes.order == "pieces" then return ("%s, halving tree, %s"):format(lanes, chunks) end
  return ("runs of %d %s sums, %s"):format(contract.RUN, k.acc, chunks)
end

--- Everything that the parts of a problem hang on.
local function kernel_of(spec)
  local norm = require("gen.norms." .. spec.norm)
  local compute = spec.x == "f64" and "f64" or "f32"
  local direction, acc = norms.direction(norm, spec), spec.acc or compute
  local its_axes = axes.of(spec, norm, direction)
  return { spec = spec, norm = norm, direction = direction, axes = its_axes, compute = compute, acc = acc,
    statistics = contract.STATISTICS[direction.sums], graph = e.graph { acc = acc, over = its_axes.over, kept = its_axes.kept },
    is_merged = direction.merges or direction.sums and its_axes.order ~= "lanes" or (spec.layout or spec.shards) and not direction.sums }
end

--- Normalises a spec (gen/spec/spec.lua) to a problem:
-- `name` (gen/spec/names.lua), `spec` (canonical text), `norm`, `dir`, `h` elements of a row or channels, `axes`
-- (gen/problem/axes.lua), `args` (gen/problem/arguments.lua), `outputs` (array of `{ name, dtype, node }` in the order in which they
-- are formed), `normed` (the node that the norm reads), `direction`, `chunk` and `merge` (what a chunk gives and what two of them
-- give together, where statistics are merged from chunks), `contract`, `bytes` (gen/problem/traffic.lua), `error_bound`, `dtypes`.
function problem.new(spec)
  local k = kernel_of(spec)
  local args = arguments.of(k)
  k.values = values_of(spec, k.graph, args)
  local expand, nodes, h = expander(k), formula(k)
  h = h and expand(h)
  local has_chunks = k.is_merged and k.direction.sums
  return {
    name = names.build(spec), spec = spec_words.format(spec), norm = spec.norm, dir = spec.dir, h = k.axes.channels,
    row_length = spec.h or 0, parts = k.axes.parts, n = k.axes.n,
    dtypes = { x = spec.x, residual = spec.residual, gamma = spec.gamma, y = spec.out },
    title = k.norm.title, formula = k.norm.formula, cites = k.norm.cites, strided = spec.strided, has_heads = k.axes.has_heads,
    args = args, outputs = requested(nodes, args, expand), normed = h, axes = k.axes, direction = k.direction,
    chunk = has_chunks and h and contract.chunk(h, k.direction.sums) or nil,
    merge = has_chunks and contract.merge(k.graph, k.direction.sums) or nil,
    contract = { version = contract.version, compute = k.compute, acc = k.acc, lanes = contract.lanes(k.acc),
      block = k.axes.order == "lanes" and not k.axes.is_counted and contract.blocks(k.axes.n).length or nil, order = order_text(k),
      tree = "halving", fma = true, cast = spec.cast },
    bytes = traffic.of(args, axes.sizes(k.axes)), error_bound = error_bound(k),
  }
end

return problem
