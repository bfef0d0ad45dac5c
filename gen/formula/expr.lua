--- Expressions: what a norm computes, as a graph of nodes.
--
-- A node is `{ op = ..., [1..n] = operands, domain = ... }`, and part of the graph of one problem. Equal nodes are the
-- same table (hash-consing), so that a node can be the key of a memo and a value that is written twice is computed once.
-- Operators `+ - * /` build nodes; numbers become constants.
--
-- Domains say where a value varies: `uniform` (one per call), `row` (one per row), `column` (one per position in a row,
-- the same for every row: gamma, beta), `element`. The domain of an operation is the join of its operands' domains.
--
-- Types say in which arithmetic a value is computed: `f32` or `f64`. Where the operands of an operation differ, a row value
-- is rounded to the type of the element that it meets, and any other value is widened.
--
-- `mean`, `center` and `var` are words of the norms; gen/formula/contract.lua alone says how they are computed.

local expr = {}

local Node = {}
Node.__index = Node

local interned, next_id, sum_type = {}, 0, "f32"

--- Every double has its own text in this format, whether Lua holds it as a float or as an integer.
local EXACT = "%.17g"

--- Starts an empty graph: nodes of different graphs are never mixed. gen/problem/problem.lua calls it once for each problem.
-- @param acc type of sums and of what is made of them
function expr.new_graph(acc) interned, next_id, sum_type = {}, 0, acc end

local function join(a, b)
  if a == b or b == "uniform" then return a end
  if a == "uniform" then return b end
  return "element"
end

--- A count as text: a number, or the name of one that is known when the kernel is called.
local function count_key(count) return type(count) == "number" and EXACT:format(count) or count or "" end

--- The one node with this operator, these operands and these attributes.
-- @param op operator name
-- @param operands array of nodes
-- @param attributes table of strings and numbers that belong to the node's identity (`type`, `name`, `dtype`, `value`,
--   `count`)
-- @param domain domain, or nil for the join of the operands' domains
local function make(op, operands, attributes, domain)
  local key = { op, attributes.type, domain or "", attributes.name or "", attributes.dtype or "",
    attributes.value and EXACT:format(attributes.value) or "", count_key(attributes.count) }
  for i, operand in ipairs(operands) do key[7 + i] = operand.id end
  local text = table.concat(key, " ")
  local node = interned[text]
  if node then return node end
  if not domain then
    domain = "uniform"
    for _, operand in ipairs(operands) do domain = join(domain, operand.domain) end
  end
  next_id = next_id + 1
  node = setmetatable({ op = op, id = next_id, domain = domain, type = attributes.type, name = attributes.name, dtype = attributes.dtype,
    value = attributes.value, count = attributes.count }, Node)
  for i, operand in ipairs(operands) do node[i] = operand end
  interned[text] = node
  return node
end

local function lift(v, other)
  return type(v) == "number" and expr.const(v, other.type) or v
end

local function is_spread(node) return node.domain == "element" or node.domain == "column" end

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
    return make(op, { expr.convert(common, a), expr.convert(common, b) }, { type = common })
  end
end

local function unary(op)
  return function(v) return make(op, { v }, { type = v.type }) end
end

--- A word that makes one value per row, in the type of sums.
local function per_row(op)
  return function(v) return make(op, { v }, { type = sum_type }, "row") end
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

--- A value read from memory. `domain` is `element` (a matrix [rows, h]), `column` (a parameter [h]) or `row` (one for each
-- row); `first` reads the first element of the row instead and is a `row` value.
function expr.load(name, dtype, domain)
  return make("load", {}, { type = memory_type(dtype), name = name, dtype = dtype }, domain):as(name)
end

function expr.first(load)
  return make("first", {}, { type = load.type, name = load.name, dtype = load.dtype }, "row"):as(load.name .. "_first")
end

--- A scalar argument of the call.
function expr.arg(name, dtype) return make("arg", {}, { type = dtype, name = name }, "uniform"):as(name) end

--- A literal number. Its name, if it has one, is for emitted C alone; a number that is used under two names has none.
function expr.const(value, of_type, name)
  local node = make("const", {}, { type = of_type, value = value }, "uniform")
  if name and node.hint == nil then node.hint = name end
  if name and node.hint ~= name then node.hint = false end
  return node
end

--- The value in another type: widened exactly, or rounded to nearest even.
function expr.convert(to, v)
  if v.type == to then return v end
  if v.op == "const" then return expr.const(v.value, to, v.hint) end
  local node = make("convert", { v }, { type = to })
  return v.label and node:as(v.label .. "_" .. to) or node
end

--- fma(a, b, c) = a * b + c and fnma(a, b, c) = c - a * b, each with one rounding.
function expr.fma(a, b, c) return make("fma", { a, b, c }, { type = c.type }) end
function expr.fnma(a, b, c) return make("fnma", { a, b, c }, { type = c.type }) end

--- The value itself, which no compiler may merge into another operation.
expr.pin = unary("pin")

--- The correctly rounded square root.
expr.sqrt = unary("sqrt")

--- v < 0 ? 0 : v, so that NaN stays NaN.
expr.clamp0 = unary("clamp0")

--- b > a ? b : a, so that a NaN in a stays; a == 0 ? b : a; v without its sign.
expr.max, expr.nonzero, expr.abs = binary("max"), binary("nonzero"), unary("abs")

--- a < 0 ? b : c.
function expr.pick(a, b, c) return make("pick", { a, b, c }, { type = c.type }) end

--- 2^k from 1.5 * 2^23 + k, in f32.
expr.pow2 = unary("pow2")

--- Elementary functions (gen/formula/elementary.lua), in f32.
expr.exp, expr.sigmoid, expr.tanh = unary("exp"), unary("sigmoid"), unary("tanh")
expr.silu, expr.gelu, expr.gelutanh = unary("silu"), unary("gelu"), unary("gelutanh")

--- The value after a round trip through a dtype in memory.
function expr.round(dtype, v) return make("round", { v }, { type = v.type, dtype = dtype }) end

--- A count in the type of sums: a number, or the name of one that is known when the kernel is called.
function expr.count(count)
  if type(count) == "number" then return expr.const(count, sum_type, "count") end
  return make("count", {}, { type = sum_type, name = count }, "row")
end

--- What is known of the values that a row value stands for before it is formed: `name` as in gen/formula/contract.lua.
function expr.statistic(name) return make("statistic", {}, { type = sum_type, name = name }, "row"):as(name) end

--- The sum over the first `count` elements of the row (a number, or the name of a count), in the order of the contract.
function expr.sum(v, count) return make("sum", { v }, { type = sum_type, count = count }, "row") end

--- The largest magnitude in the row, NaN if there is one, in the type of elements: its bits do not depend on an order.
function expr.amax(v) return make("amax", { v }, { type = v.type }, "row") end

--- Words of the norms, over a row: the sum, the mean, the (biased) variance, the deviation from the mean, and the mean that this
-- deviation is from.
expr.total, expr.mean, expr.var, expr.center_mean = per_row("total"), per_row("mean"), per_row("var"), per_row("center_mean")
expr.center = unary("center")

--- The unbiased variance, of one value its biased one.
expr.unbiased_var = per_row("unbiased_var")

--- A running value after a batch: moved by `momentum` from its old value towards that of the batch.
function expr.moved(running, batch, momentum) return make("moved", { running, batch, momentum }, { type = running.type }) end

--- (x - mean) / sqrt(var + eps), and the statistics by name.
function expr.standardised(x, eps)
  local rstd = (1 / expr.sqrt(expr.var(x) + eps)):as "rstd"
  return expr.center(x) * rstd, { mean = expr.center_mean(x), rstd = rstd }
end

--- Operators whose value is one per row although their operands vary within it.
local PER_ROW = { sum = "row", amax = "row", total = "row", mean = "row", var = "row", center_mean = "row", unbiased_var = "row",
  count = "row", statistic = "row" }

--- A node like `node` with other operands; `successors` by node.
local function with(node, operands, successors)
  local copy = make(node.op, operands, node, PER_ROW[node.op])
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

--- Declares a norm: `name`, `title`, `cites` (paper and equation), `affine` (default parameters), `formula` (for people),
-- `words` (fields of a spec that are not for all norms, and that it knows).
--
-- A norm of rows has `forward(x, eps, spec)`, which returns the normalised value of the element `x` and other outputs by name,
-- such as its statistics, and `bound(depth, wide)`, its worst error in the `domain` when each sum passes `depth` roundings
-- (`wide`: sums and row values are f64 and elements f32): `{ rel_u, abs_u }` in units of u, 2^-24 for f32 and 2^-53 for f64.
-- May be missing: `statistics`, names of those that `stats` stores; `arguments`, of its own, in the type of elements: `{ name,
-- shape, io = "in", after = name of the argument before it, when(spec) }`; `has_no_eps`; `adds_beta = false`, where a beta is
-- not for y; `is_of_weights`, whose rows are not of activations; `sums` ("moments" or "squares"), where chunks can be merged.
--
-- A norm of channels (`sizes = "c"`) has `layouts`, `over` (what its statistics are of: gen/problem/geometry.lua) and
-- `directions`, by name `{ inputs=, scalars=, outputs=, updates= (names of arguments), sums= (where it makes statistics),
-- forward= }`; `forward(x, a)`, with `a` the arguments by name, returns the normalised value and the outputs by name.
function expr.norm(definition)
  for _, field in ipairs { "name", "title", "cites", "affine", "words", "formula" } do
    assert(definition[field], "a norm needs the field " .. field)
  end
  for _, field in ipairs(definition.directions and { "layouts", "over" } or { "domain", "bound", "forward" }) do
    assert(definition[field], "a norm needs the field " .. field)
  end
  return definition
end

return expr
