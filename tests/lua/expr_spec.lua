-- Expressions: equal nodes are one table; domains, types, rewriting, text.

local e = require "gen.formula.expr"

local ELEMENT, PARAMETER = { "rows", "h" }, { "h" }

local graph, x, gamma, eps

local function start(acc)
  graph = e.graph { acc = acc, over = { "h" }, kept = { "rows" } }
  x, gamma, eps = graph:load("x", "f32", ELEMENT), graph:load("gamma", "f32", PARAMETER), graph:arg("eps", "f32")
end

before_each(function() start "f32" end)

describe("a node", function()
  it("is the same table if it is written twice", function()
    assert.equal(x, graph:load("x", "f32", ELEMENT))
    assert.equal(e.sqrt(x * x + eps), e.sqrt(e.add(e.mul(x, x), graph:arg("eps", "f32"))))
    assert.equal(x + 1, x + graph:const(1, "f32"))
    assert.equal(1 / x, e.div(graph:const(1, "f32"), x))
    assert.equal(e.sum(x, 8), e.sum(x, 8))
    assert.equal(e.first(x), e.first(x))
  end)

  it("is another one if operator, operands or attributes differ", function()
    local nodes = { x + gamma, gamma + x, x - gamma, x * gamma, x / gamma, e.fma(x, x, gamma), e.fma(x, gamma, x),
      e.fnma(x, x, gamma), e.sum(x, 8), e.sum(x, 16), e.sum(gamma, 8), e.round("bf16", x), e.round("f16", x), graph:const(1, "f32"),
      graph:const(2, "f32"), graph:const(1, "f64"), graph:const(0.1 + 0.2, "f64"), graph:const(0.3, "f64"), graph:arg("eps",
      "f32"), graph:arg("eps", "f64"),
      graph:arg("alpha", "f32"), e.convert("f64", x), e.pin(x), graph:load("x", "f64", ELEMENT), e.center_mean(x),
      graph:load("x", "bf16", ELEMENT), graph:load("x", "f32", PARAMETER), x, gamma,
      e.first(x), e.sqrt(x), e.clamp0(x), e.mean(x), e.var(x), e.center(x), e.max(x, gamma), e.max(gamma, x), e.abs(x),
      e.pick(x, x, gamma), e.pick(x, gamma, x), e.pow2(x), e.apply("exp", x), e.apply("silu", x) }
    local seen = {}
    for i, node in ipairs(nodes) do
      assert.is_nil(seen[node], i .. " is also " .. tostring(seen[node]))
      seen[node] = i
    end
  end)

  it("belongs to one graph", function()
    local before = x
    start "f32"
    assert.not_equal(before, graph:load("x", "f32", ELEMENT))
  end)

  it("names a constant, unless it is two things", function()
    assert.equal(graph:const(7, "f32"), graph:const(7, "f32", "count"))
    assert.equal("count", graph:const(7, "f32").hint)
    assert.equal("count", graph:const(7, "f32", "count").hint)
    assert.equal("count", e.convert("f64", graph:const(7, "f32")).hint)
    assert.is_false(graph:const(7, "f32", "limit").hint)
    assert.is_false(graph:const(7, "f32", "count").hint)
  end)

  it("is the same constant whether Lua holds its value as a float or as an integer", function()
    assert.equal(graph:const(2, "f32"), graph:const(4 / 2, "f32"))
    assert.equal(x / 8, x / (16 / 2))
  end)

  it("may have a hint, and be shown as a function of another node", function()
    local node = e.fma(x, x, gamma):hinted("t"):hinted "u"
    assert.equal("t", node.hint)
    assert.equal("f(x) + gamma", e.describe((x * x):shown_as("f", x) + gamma))
    local copy = e.rewrite(node, function(v) return v == x and gamma or v end, {})
    assert.equal("t", copy.hint)
  end)

  it("keeps its first label, unless it is renamed", function()
    assert.equal("a", (x + 1):as("a"):as("b").label)
    assert.equal("a", (x + 1).label)
    assert.equal("a", (x + 1):as(nil).label)
    assert.equal("b", (x + 1):rename("b").label)
  end)
end)

describe("a domain", function()
  local function axes(node) return table.concat(node.domain.axes, " ") end

  it("is the union of the operands' domains, less what a sum takes away", function()
    local z = graph:load("z", "f32", { "rows", "positions", "h" })
    assert.equal("h rows", axes(x))
    assert.equal("h rows", axes(x * gamma + eps))
    assert.equal("h positions rows", axes(z * gamma))
    assert.equal("", axes(e.sqrt(eps)))
    assert.equal("rows", axes(e.sum(x * gamma, 8)))
    assert.equal("positions rows", axes(e.mean(z)))
    assert.equal("h", axes(e.sum(x, 8, { "rows" })))
    assert.equal("h positions", axes(e.sum(z, 8, { "rows" })))
  end)

  it("tells sums of the norm from those over other axes", function()
    assert.is_false(e.is_outer(e.sum(x, 8)))
    assert.is_true(e.is_outer(e.sum(x, 8, { "rows" })))
    assert.not_equal(e.sum(x, 8), e.sum(x, 8, { "rows" }))
    assert.equal(e.sum(x, 8), e.sum(x, 8, { "h" }))
  end)
end)

describe("a scope", function()
  it("is made of the operands' scopes", function()
    local leaf = { uniform = eps, row = e.sum(x, 8), column = gamma, element = x }
    local join = {
      uniform = { uniform = "uniform", row = "row", column = "column", element = "element" },
      row = { uniform = "row", row = "row", column = "element", element = "element" },
      column = { uniform = "column", row = "element", column = "column", element = "element" },
      element = { uniform = "element", row = "element", column = "element", element = "element" },
    }
    for a, by in pairs(join) do
      for b, joined in pairs(by) do assert.equal(joined, (leaf[a] * leaf[b]).scope, a .. " * " .. b) end
    end
    assert.equal("element", e.fma(eps, e.sum(x, 8), gamma).scope)
    assert.equal("uniform", e.sqrt(eps + 1).scope)
    assert.equal("column", e.round("bf16", gamma + 1).scope)
  end)

  it("is the row of a given value that each row has, and of a found one that each set has", function()
    assert.equal("row", graph:load("bias", "f32", { "rows" }).scope)
    local of_batch = e.graph { acc = "f32", over = { "rows", "positions" }, kept = { "c" } }
    local value = of_batch:load("x", "f32", { "rows", "c", "positions" })
    assert.equal("column", of_batch:load("gamma", "f32", { "c" }).scope)
    assert.equal("row", of_batch:load("running_mean", "f32", { "c" }, true).scope)
    assert.equal("row", e.mean(value).scope)
    assert.equal("element", value.scope)
  end)

  it("is the row where elements are summed, and not where they are centred", function()
    for _, node in ipairs { e.sum(x, 8), e.mean(x), e.var(x), e.center_mean(x), e.first(x) } do assert.equal("row", node.scope) end
    assert.equal("element", e.center(x).scope)
  end)
end)

describe("a type", function()
  it("of memory is f64 for f64, else f32", function()
    for dtype, its in pairs { f32 = "f32", bf16 = "f32", f16 = "f32", f64 = "f64" } do
      local load = graph:load("z", dtype, ELEMENT)
      assert.equal(its, load.type)
      assert.equal(its, e.first(load).type)
    end
  end)

  it("of sums is that of the graph, and all else has the type of its operands", function()
    for _, acc in ipairs { "f32", "f64" } do
      start(acc)
      for _, node in ipairs { e.sum(x, 8), e.mean(x), e.var(x), e.center_mean(x) } do assert.equal(acc, node.type) end
      for _, node in ipairs { e.center(x), e.sqrt(x), e.clamp0(x), e.pin(x), e.round("bf16", x), x * gamma, x + 1, e.fma(x, x, gamma) } do
        assert.equal("f32", node.type)
      end
    end
  end)

  it("of an element rules where it meets a row value, and is the wider one elsewhere", function()
    start "f64"
    local sum = e.sum(x, 8)
    assert.equal(x * e.convert("f32", sum), x * sum)
    assert.equal(e.convert("f32", sum) - x, sum - x)
    assert.equal(gamma + e.convert("f32", sum), gamma + sum)
    assert.equal(sum + e.convert("f64", eps), sum + eps)
    assert.equal("f64", (eps / sum).type)
    assert.equal("f64", (sum / 8).type)
    assert.equal("f64", (1 / sum).type)
  end)

  it("is converted once, constants at once", function()
    assert.equal(x, e.convert("f32", x))
    assert.equal("f64", e.convert("f64", x).type)
    assert.equal("x_f64", e.convert("f64", x).label)
    assert.is_nil(e.convert("f64", x + gamma).label)
    assert.equal(graph:const(3, "f64"), e.convert("f64", graph:const(3, "f32")))
    assert.equal("element", e.convert("f64", x).scope)
  end)
end)

describe("rewrite", function()
  local function identity(node) return node end

  it("that changes nothing returns the same nodes", function()
    local node = e.round("bf16", e.fma(x, x, e.sum(x * x, 8) / 8) + gamma):as "h"
    assert.equal(node, e.rewrite(node, identity, {}))
  end)

  it("rebuilds what is above a change, with labels, attributes and domains", function()
    local function swap(node) return node == x and graph:load("z", "bf16", ELEMENT) or node end
    local z = graph:load("z", "bf16", ELEMENT)
    local h = e.round("bf16", x + gamma):as "h"
    local result = e.rewrite(h / e.mean(h), swap, {})
    assert.equal(e.round("bf16", z + gamma) / e.mean(e.round("bf16", z + gamma)), result)
    assert.equal("h", result[1].label)
    assert.equal("row", result[2].scope)
    assert.equal("row", e.rewrite(e.sum(x, 8), swap, {}).scope)
    assert.equal(8, e.rewrite(e.sum(x, 8), swap, {}).count)
  end)

  it("shows each node once, after its operands", function()
    local seen, order = {}, {}
    e.rewrite((x + gamma) * (x + gamma) + x, function(node)
      for _, operand in ipairs(node) do assert.is_true(seen[operand]) end
      assert.is_nil(seen[node])
      seen[node] = true
      order[#order + 1] = node.op
      return node
    end, {})
    assert.same({ "load", "load", "add", "mul", "add" }, order)
  end)

  it("does not go into what the step returns", function()
    local function double(node) return node.op == "load" and node + node or node end
    assert.equal((x + x) * (x + x), e.rewrite(x * x, double, {}))
  end)
end)

describe("walk and count_uses", function()
  it("visit each node once, operands first", function()
    local order = {}
    e.walk((x + gamma) * (x + gamma), function(node) order[#order + 1] = node.op end, {})
    assert.same({ "load", "load", "add", "mul" }, order)
  end)

  it("count edges, over all roots", function()
    local sum = x + gamma
    local uses = e.count_uses { sum * sum, sum + eps }
    assert.equal(3, uses[sum])
    assert.equal(1, uses[x])
    assert.equal(1, uses[eps])
    assert.equal(0, uses[sum * sum])
  end)
end)

describe("describe", function()
  it("writes operators with parentheses around operators", function()
    for text, node in pairs {
      ["x - (gamma - x)"] = x - (gamma - x),
      ["(x - gamma) * x"] = (x - gamma) * x,
      ["1 / sqrt((sum(x * x) / 8) + eps)"] = 1 / e.sqrt(e.sum(x * x, 8) / 8 + eps),
      ["fma(x - gamma, gamma, x)"] = e.fma(x - gamma, gamma, x),
      ["round(x + gamma, bf16)"] = e.round("bf16", x + gamma),
      ["f64(x)"] = e.convert("f64", x),
      ["f64(x + gamma)"] = e.convert("f64", x + gamma),
      ["pin(x * gamma)"] = e.pin(x * gamma),
      ["0.5"] = graph:const(0.5, "f32"),
      ["x / 768"] = x / 768,
    } do
      assert.equal(text, e.describe(node))
    end
  end)

  it("shows labelled operands by their labels, but not the node itself", function()
    local d = (x - gamma):as "d"
    assert.equal("x - gamma", e.describe(d))
    assert.equal("d * d", e.describe(d * d))
  end)
end)
