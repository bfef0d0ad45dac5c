--- Expressions: what a norm computes, as a graph of nodes.
--
-- A node is `{ op = ..., [1..n] = operands, domain = ..., scope = ..., type = ... }`, and part of the graph of one problem. Equal
-- nodes are the same table (hash-consing), so that a node can be the key of a memo and a value that is written twice is computed
-- once. Operators `+ - * /` build nodes; numbers become constants.
--
-- A domain is the set of axes along which a value varies: gamma has { h }, an element { rows, h }. That of an operation is the
-- union of its operands' domains; a sum names the axes that it takes away. A graph knows which axes the norm's sums take, and
-- which they keep. So each value has a scope, which says where loops form it: `uniform` (once a call), `row` (once for each set of
-- values that is summed together), `column` (given, and the same in all sets), `element`.
--
-- Types say in which arithmetic a value is computed: `f32` or `f64`. Where the operands of an operation differ, a row value
-- is rounded to the type of the element that it meets, and any other value is widened.
--
-- `mean`, `center` and `var` are words of the norms; gen/formula/contract.lua alone says how they are computed.

local expr = {}

local Graph, Node = {}, {}
Graph.__index, Node.__index = Graph, Node

--- Every double has its own text in this format, whether Lua holds it as a float or as an integer.
local EXACT = "%.17g"

--- The one domain of a graph with these axes.
local function domain_of(graph, axes)
  local names = {}
  for i, axis in ipairs(axes) do names[i] = axis end
  table.sort(names)
  local key = table.concat(names, " ")
  local domain = graph.domains[key]
  if not domain then
    domain = { key = key, unions = {}, axes = names, graph = graph }
    graph.domains[key] = domain
  end
  return domain
end

local function union(graph, a, b)
  if a == b then return a end
  local result = a.unions[b]
  if not result then
    local axes, seen = {}, {}
    for _, domain in ipairs { a, b } do
      for _, axis in ipairs(domain.axes) do
        if not seen[axis] then axes[#axes + 1] = axis end
        seen[axis] = true
      end
    end
    result = domain_of(graph, axes)
    a.unions[b] = result
  end
  return result
end

--- The domain that is left of one when a sum has taken the axes of another one away.
local function without(graph, domain, over)
  local axes, taken = {}, {}
  for _, axis in ipairs(over.axes) do taken[axis] = true end
  for _, axis in ipairs(domain.axes) do
    if not taken[axis] then axes[#axes + 1] = axis end
  end
  return domain_of(graph, axes)
end

--- Where loops form a value. One that varies only along the axes that sums keep is formed for each set if it hangs on the set's
-- statistics, or if rows have their own; else it is given for all sets.
-- @param is_found whether it hangs on statistics
local function scope_of(graph, domain, is_found)
  local kept, has_rows = 0, false
  for _, axis in ipairs(domain.axes) do
    kept, has_rows = kept + (graph.kept[axis] and 1 or 0), has_rows or axis == "rows"
  end
  if kept == #domain.axes and (is_found or has_rows) then return "row" end
  if #domain.axes == 0 then return "uniform" end
  return kept > 0 and kept < #domain.axes and "element" or "column"
end

--- An empty graph: nodes of different graphs are never mixed.
-- @param how `acc`: type of sums and of what is made of them; `over`: axes that the norm's sums take away; `kept`: those of an
--   element that they keep
function expr.graph(how)
  local graph = setmetatable({ acc = how.acc, kept = {}, domains = {}, interned = {}, nodes = 0 }, Graph)
  for _, axis in ipairs(how.kept) do graph.kept[axis] = true end
  graph.uniform, graph.over, graph.of_set = domain_of(graph, {}), domain_of(graph, how.over), domain_of(graph, how.kept)
  return graph
end

--- A count as text: a number, or the name of one that is known when the kernel is called.
local function count_key(count) return type(count) == "number" and EXACT:format(count) or count or "" end

--- The one node with this operator, these operands and these attributes.
-- @param op operator name
-- @param operands array of nodes
-- @param attributes table of strings and numbers that belong to the node's identity (`type`, `name`, `dtype`, `value`,
--   `count`, `over`)
-- @param domain domain of a leaf
-- @param is_found whether a leaf hangs on statistics
local function make(graph, op, operands, attributes, domain, is_found)
  local key = { op, attributes.type, domain and domain.key or "", attributes.name or "", attributes.dtype or "",
    attributes.value and EXACT:format(attributes.value) or "", count_key(attributes.count), attributes.over and attributes.over.key or "" }
  for i, operand in ipairs(operands) do key[8 + i] = operand.id end
  local text = table.concat(key, " ")
  local node = graph.interned[text]
  if node then return node end
  if not domain then
    domain = graph.uniform
    for _, operand in ipairs(operands) do
      domain, is_found = union(graph, domain, operand.domain), is_found or operand.is_found
    end
    if attributes.over then domain, is_found = without(graph, domain, attributes.over), true end
  end
  graph.nodes = graph.nodes + 1
  node = setmetatable({ op = op, id = graph.nodes, domain = domain, is_found = is_found or nil,
    scope = scope_of(graph, domain, is_found), type = attributes.type, name = attributes.name, dtype = attributes.dtype,
    value = attributes.value, count = attributes.count, over = attributes.over }, Node)
  for i, operand in ipairs(operands) do node[i] = operand end
  graph.interned[text] = node
  return node
end

local function lift(v, other)
  return type(v) == "number" and other.domain.graph:const(v, other.type) or v
end

local function is_spread(node) return node.scope == "element" or node.scope == "column" end

--- The type in which two values are combined.
local function common_type(a, b)
  if a.type == b.type then return a.type end
  if is_spread(a) ~= is_spread(b) then return is_spread(a) and a.type or b.type end
  return "f64"
end

local function binary(op)
  return function(a, b)
    a, b = lift(a, b), lift(b, a)
    local common = common_type(a, b)
    return make(a.domain.graph, op, { expr.convert(common, a), expr.convert(common, b) }, { type = common })
  end
end

local function unary(op)
  return function(v) return make(v.domain.graph, op, { v }, { type = v.type }) end
end

--- A word of the norms that makes one value of each set, in the type of sums.
local function per_set(op)
  return function(v) return make(v.domain.graph, op, { v }, { type = v.domain.graph.acc, over = v.domain.graph.over }) end
end

expr.add, expr.sub, expr.mul, expr.div = binary("add"), binary("sub"), binary("mul"), binary("div")
Node.__add, Node.__sub, Node.__mul, Node.__div = expr.add, expr.sub, expr.mul, expr.div

--- Gives a node the name that it bears in emitted C, unless it has one (or the name is nil); returns the node.
function Node:as(label)
  self.label = self.label or label
  return self
end

--- Changes the name of a node that was made from a named one; returns the node.
function Node:rename(label)
  self.label = label
  return self
end

--- Names a node in emitted C alone, if it has no label; returns the node.
function Node:hinted(hint)
  self.hint = self.hint or hint
  return self
end

--- Shows a node to people as a function of another one, and not by its operands; returns the node.
function Node:shown_as(name, of)
  self.shown = { name = name, of = of }
  return self
end

local function memory_type(dtype) return dtype == "f64" and "f64" or "f32" end

--- A value read from memory.
-- @param axes those of its array
-- @param is_found whether it belongs to the statistics of a set, such as a running mean
function Graph:load(name, dtype, axes, is_found)
  return make(self, "load", {}, { type = memory_type(dtype), name = name, dtype = dtype }, domain_of(self, axes), is_found):as(name)
end

--- A scalar argument of the call.
function Graph:arg(name, dtype) return make(self, "arg", {}, { type = dtype, name = name }, self.uniform):as(name) end

--- A literal number. Its name, if it has one, is for emitted C alone; a number that is used under two names has none.
function Graph:const(value, of_type, name)
  local node = make(self, "const", {}, { type = of_type, value = value }, self.uniform)
  if name and node.hint == nil then node.hint = name end
  if name and node.hint ~= name then node.hint = false end
  return node
end

--- A count in the type of sums: a number, or the name of one that is known when the kernel is called.
function Graph:count(count)
  if type(count) == "number" then return self:const(count, self.acc, "count") end
  return make(self, "count", {}, { type = self.acc, name = count }, self.of_set, true)
end

--- What is known of the values that a row value stands for before it is formed: `name` as in gen/formula/contract.lua.
function Graph:statistic(name) return make(self, "statistic", {}, { type = self.acc, name = name }, self.of_set, true):as(name) end

--- The values that others have summed: there is nothing to read, but their statistics can be asked for.
function Graph:absent(axes) return make(self, "absent", {}, { type = self.acc }, domain_of(self, axes)) end

--- The first element of each set that a load reads.
function expr.first(load)
  local graph = load.domain.graph
  return make(graph, "first", {}, { type = load.type, name = load.name, dtype = load.dtype }, graph.of_set, true):as(load.name .. "_first")
end

--- The value in another type: widened exactly, or rounded to nearest even.
function expr.convert(to, v)
  if v.type == to then return v end
  if v.op == "const" then return v.domain.graph:const(v.value, to, v.hint) end
  local node = make(v.domain.graph, "convert", { v }, { type = to })
  return v.label and node:as(v.label .. "_" .. to) or node
end

--- fma(a, b, c) = a * b + c and fnma(a, b, c) = c - a * b, each with one rounding.
function expr.fma(a, b, c) return make(c.domain.graph, "fma", { a, b, c }, { type = c.type }) end
function expr.fnma(a, b, c) return make(c.domain.graph, "fnma", { a, b, c }, { type = c.type }) end

--- The value itself, which no compiler may merge into another operation.
expr.pin = unary("pin")

--- The correctly rounded square root.
expr.sqrt = unary("sqrt")

--- v < 0 ? 0 : v, so that NaN stays NaN.
expr.clamp0 = unary("clamp0")

--- b > a ? b : a, so that a NaN in a stays; a == 0 ? b : a; v without its sign.
expr.max, expr.nonzero, expr.abs = binary("max"), binary("nonzero"), unary("abs")

--- a < 0 ? b : c.
function expr.pick(a, b, c) return make(c.domain.graph, "pick", { a, b, c }, { type = c.type }) end

--- 2^k from 1.5 * 2^23 + k, in f32.
expr.pow2 = unary("pow2")

--- A function of v by its name in gen/formula/activations.lua.
function expr.apply(name, v) return make(v.domain.graph, name, { v }, { type = v.type }) end

--- The value after a round trip through a dtype in memory.
function expr.round(dtype, v) return make(v.domain.graph, "round", { v }, { type = v.type, dtype = dtype }) end

--- The sum of the first `count` elements (a number, or the name of a count), in the order of the contract.
-- @param over the axes that it takes away; nil: those of the norm
function expr.sum(v, count, over)
  local graph = v.domain.graph
  return make(graph, "sum", { v }, { type = graph.acc, count = count, over = over and domain_of(graph, over) or graph.over })
end

--- Whether a node is a sum over other axes than those of the norm, such as the rows: no set has it alone.
function expr.is_outer(node) return node.op == "sum" and node.over ~= node.domain.graph.over end

--- The largest magnitude of a set, NaN if there is one, in the type of elements: its bits do not depend on an order.
function expr.amax(v) return make(v.domain.graph, "amax", { v }, { type = v.type, over = v.domain.graph.over }) end

--- Words of the norms, of a set: the sum, the mean, the (biased) variance, the deviation from the mean, and the mean that this
-- deviation is from.
expr.total, expr.mean, expr.var, expr.center_mean = per_set("total"), per_set("mean"), per_set("var"), per_set("center_mean")
expr.center = unary("center")

--- What sets exchange: a pivot near the mean, the mean less the pivot, and the sum of squares about the mean.
expr.pivot, expr.shift, expr.m2 = per_set("pivot"), per_set("shift"), per_set("m2")

--- The unbiased variance, of one value its biased one.
expr.unbiased_var = per_set("unbiased_var")

--- A running value after a batch: moved by `momentum` from its old value towards that of the batch.
function expr.moved(running, batch, momentum)
  return make(running.domain.graph, "moved", { running, batch, momentum }, { type = running.type })
end

--- (x - mean) / sqrt(var + eps), and the statistics by name.
function expr.standardised(x, eps)
  local rstd = (1 / expr.sqrt(expr.var(x) + eps)):as "rstd"
  return expr.center(x) * rstd, { mean = expr.center_mean(x), rstd = rstd }
end

--- A node like `node` with other operands; `successors` by node.
local function with(node, operands, successors)
  local copy = make(node.domain.graph, node.op, operands, node)
  copy.hint = copy.hint or node.hint
  if node.shown then copy:shown_as(node.shown.name, successors[node.shown.of]) end
  return node.label and copy:as(node.label) or copy
end

--- Rebuilds a graph bottom-up: `step(node)` sees each node after its operands were rebuilt and returns its successor.
function expr.rewrite(node, step, memo)
  if memo[node] then return memo[node] end
  local operands = {}
  for i, operand in ipairs(node) do operands[i] = expr.rewrite(operand, step, memo) end
  local same = true
  for i, operand in ipairs(operands) do same = same and operand == node[i] end
  local result = step(same and node or with(node, operands, memo))
  memo[node] = result
  return result
end

--- Calls `visit` once for each node below and including `node`, operands first.
function expr.walk(node, visit, seen)
  if seen[node] then return end
  seen[node] = true
  for _, operand in ipairs(node) do expr.walk(operand, visit, seen) end
  visit(node)
end

local INFIX = { add = " + ", sub = " - ", mul = " * ", div = " / " }

local describe

describe = function(node, top, enclosed)
  if not top and node.label then return node.label end
  if node.shown then return node.shown.name .. "(" .. describe(node.shown.of, false, false) .. ")" end
  if node.op == "const" then return EXACT:format(node.value) end
  local parts = {}
  for i, operand in ipairs(node) do parts[i] = describe(operand, false, INFIX[node.op] ~= nil) end
  if INFIX[node.op] then
    local text = table.concat(parts, INFIX[node.op])
    return enclosed and "(" .. text .. ")" or text
  end
  if node.dtype or #node == 0 then parts[#parts + 1] = node.dtype or node.name end
  if node.op == "convert" then return node.type .. "(" .. parts[1] .. ")" end
  return node.op .. "(" .. table.concat(parts, ", ") .. ")"
end

--- One line of text for a node; operands that bear a name are shown by it.
function expr.describe(node) return describe(node, true, false) end

--- How often each node is an operand of the nodes below and including `roots`, each edge counted once.
function expr.count_uses(roots)
  local uses, seen = setmetatable({}, { __index = function() return 0 end }), {}
  local function visit(node)
    for _, operand in ipairs(node) do uses[operand] = uses[operand] + 1 end
  end
  for _, node in ipairs(roots) do expr.walk(node, visit, seen) end
  return uses
end

return expr
