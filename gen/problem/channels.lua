--- The problem of a channel kernel: arguments and formulas, as gen/problem/problem.lua makes them for rows.

local contract = require "gen.formula.contract"
local e = require "gen.formula.expr"
local geometry = require "gen.problem.geometry"

local problem = {}

--- Inputs that hold what chunks gave.
local PARTS = { part_mean = true, part_shift = true, part_m2 = true }

--- Whether a direction reads the statistics of chunks, not elements.
local function is_merge(direction) return direction.inputs ~= nil and PARTS[direction.inputs[1]] ~= nil end

--- How a direction of a norm is done: a norm of rows has one, over its channels.
function problem.direction(spec, norm)
  if not norm.directions then
    return { scalars = { "eps" }, sums = norm.sums, forward = function(x, a) return norm.forward(x, a.eps) end }
  end
  return norm.directions[spec.folded and "folded" or spec.dir]
end

--- Arguments in call order: array of `{ name, dtype, shape, io }`.
local function arguments(spec, direction, where, real)
  local list, matrix = {}, where and geometry.matrix(spec) or { "rows", "c" }
  local per_channel = { spec.h and "h" or "c" }
  local function add(name, dtype, shape, io) list[#list + 1] = { name = name, dtype = dtype, shape = shape, io = io or "in" } end
  local of_chunks, of_channel = { "chunks", "c" }, where and per_channel or matrix
  local reads_x = where ~= nil and not is_merge(direction)
  add("rows", "size_t", "scalar")
  if where and where.has_positions then add("positions", "size_t", "scalar") end
  if reads_x then
    add("x", spec.x, matrix)
    if spec.fusion then add("residual", spec.residual, matrix) end
  end
  local parameter = spec.affine == "group" and { "g" } or of_channel
  if spec.affine ~= "none" then add("gamma", spec.gamma, parameter) end
  if spec.affine == "gamma+beta" or spec.affine == "group" then add("beta", spec.gamma, parameter) end
  for _, name in ipairs(direction.inputs or {}) do add(name, real, PARTS[name] and of_chunks or of_channel) end
  for _, name in ipairs(direction.scalars or {}) do add(name, real, "scalar") end
  if reads_x and not direction.is_of_chunks then add("y", spec.fusion == "addafter" and spec.residual or spec.out, matrix, "out") end
  for _, name in ipairs(direction.outputs or {}) do add(name, real, direction.is_of_chunks and of_chunks or of_channel, "out") end
  for _, name in ipairs(direction.updates or {}) do add(name, real, of_channel, "inout") end
  return list
end

--- Expressions of the arguments that are no matrices, by name. Where the batch is summed, what lies per channel belongs to
-- the channel's statistics; else it is a parameter. In a kernel without a matrix of elements all arrays are matrices.
local function loads(spec, args, where, is_of_statistics)
  local domain = not where and "element" or is_of_statistics and "row" or "column"
  local values = {}
  for _, argument in ipairs(args) do
    if argument.shape == "scalar" then
      if argument.dtype ~= "size_t" then values[argument.name] = e.arg(argument.name, argument.dtype) end
    elseif argument.io ~= "out" then
      local is_parameter = argument.name == "gamma" or argument.name == "beta"
      values[argument.name] = e.load(argument.name, argument.dtype, where and is_parameter and "column" or domain)
    end
  end
  if spec.offset == 1 and values.gamma then values.gamma = (values.gamma + 1):as "scale" end
  return values
end

local function to_outputs(args, nodes, expand)
  local list = {}
  for _, argument in ipairs(args) do
    local node = argument.io ~= "in" and nodes[argument.name]
    if node then
      node = type(node) == "number" and e.const(node, argument.dtype) or node
      list[#list + 1] = { name = argument.name, dtype = argument.dtype, node = expand(node) }
    end
  end
  return list
end

--- How sums are formed, for people.
local function order_of(where, direction, real, in_memory_order)
  if not direction.sums then return "no sums" end
  local lanes = contract.lanes(real)
  if in_memory_order then return ("%d lanes of %s sums, blocks of at most 4096, halving tree"):format(lanes, real) end
  local chunks = ("chunks of at most %d, merged pairwise"):format(contract.CHUNK)
  if where.over == "batch" and where.memory == "nchw" then return ("%d lanes of %s sums, halving tree, %s"):format(lanes, real, chunks) end
  return ("runs of %d %s sums, %s"):format(contract.RUN, real, chunks)
end

--- @param parts functions of gen/problem/problem.lua: what residual, gamma and beta do to any norm
-- @return `{ args=, outputs=, normed=, geometry=, direction=, chunk=, merge= }`: what a chunk gives and what two of them give
--   together (gen/formula/contract.lua), where statistics are merged from chunks
function problem.formula(spec, norm, real, parts)
  local where, direction = geometry.of(spec), problem.direction(spec, norm)
  local args = arguments(spec, direction, where, real)
  local is_of_statistics = where and where.over == "batch" and direction.sums ~= nil
  local a = loads(spec, args, where, is_of_statistics)
  local x = where and not is_merge(direction) and e.load("x", spec.x, "element") or nil
  local h = x and parts.normed(spec, x, spec.fusion and e.load("residual", spec.residual, "element"))
  local in_memory_order = where and where.over == "group" and where.memory == "nchw"
  local expand = in_memory_order and contract.expander("all", false) or contract.results(spec.momentum)
  local y, nodes = direction.forward(h, a)
  nodes = nodes or {}
  if y then
    y = parts.activated(spec, parts.affine(spec, y, spec.x, ""))
    if spec.fusion == "addafter" then y = parts.add_after(spec, y, e.load("residual", spec.residual, "element")) end
    nodes.y = y
  end
  local outputs, has_chunks = to_outputs(args, nodes, expand), where and direction.sums and not in_memory_order
  return { args = args, outputs = outputs, normed = h and expand(h), geometry = where, direction = direction,
    chunk = has_chunks and h and contract.chunk(expand(h), direction.sums) or nil,
    order = order_of(where, direction, real, in_memory_order), merge = has_chunks and contract.merge(direction.sums) or nil }
end

return problem
