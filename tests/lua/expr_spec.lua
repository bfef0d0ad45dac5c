-- Expressions: equal nodes are one table; domains, rewriting, text.

local e = require "gen.expr"

local x, gamma, eps

before_each(function()
  e.new_graph()
  x, gamma, eps = e.load("x", "f32", "element"), e.load("gamma", "f32", "column"), e.arg "eps"
end)

describe("a node", function()
  it("is the same table if it is written twice", function()
    assert.equal(x, e.load("x", "f32", "element"))
    assert.equal(e.sqrt(x * x + eps), e.sqrt(e.add(e.mul(x, x), e.arg "eps")))
    assert.equal(x + 1, x + e.const(1))
    assert.equal(1 / x, e.div(e.const(1), x))
    assert.equal(e.sum(x, 8), e.sum(x, 8))
    assert.equal(e.first(x), e.first(x))
  end)

  it("is another one if operator, operands or attributes differ", function()
    local nodes = { x + gamma, gamma + x, x - gamma, x * gamma, x / gamma, e.fma(x, x, gamma), e.fma(x, gamma, x),
      e.fnma(x, x, gamma), e.sum(x, 8), e.sum(x, 16), e.sum(gamma, 8), e.round("bf16", x), e.round("f32", x), e.const(1),
      e.const(2), e.arg "eps", e.arg "alpha", e.load("x", "bf16", "element"), e.load("x", "f32", "column"), x, gamma,
      e.first(x), e.sqrt(x), e.clamp0(x), e.mean(x), e.var(x), e.center(x) }
    local seen = {}
    for i, node in ipairs(nodes) do
      assert.is_nil(seen[node], i .. " is also " .. tostring(seen[node]))
      seen[node] = i
    end
  end)

  it("belongs to one graph", function()
    local before = x
    e.new_graph()
    assert.not_equal(before, e.load("x", "f32", "element"))
  end)

  it("keeps its first label", function()
    assert.equal("a", (x + 1):as("a"):as("b").label)
    assert.equal("a", (x + 1).label)
  end)
end)

describe("a domain", function()
  it("is the join of the operands' domains", function()
    local leaf = { uniform = eps, row = e.sum(x, 8), column = gamma, element = x }
    local join = {
      uniform = { uniform = "uniform", row = "row", column = "column", element = "element" },
      row = { uniform = "row", row = "row", column = "element", element = "element" },
      column = { uniform = "column", row = "element", column = "column", element = "element" },
      element = { uniform = "element", row = "element", column = "element", element = "element" },
    }
    for a, by in pairs(join) do
      for b, joined in pairs(by) do assert.equal(joined, (leaf[a] * leaf[b]).domain, a .. " * " .. b) end
    end
    assert.equal("element", e.fma(eps, e.sum(x, 8), gamma).domain)
    assert.equal("uniform", e.sqrt(eps + 1).domain)
    assert.equal("column", e.round("bf16", gamma + 1).domain)
  end)

  it("is the row where elements are summed, and not where they are centred", function()
    for _, node in ipairs { e.sum(x, 8), e.mean(x), e.var(x), e.first(x) } do assert.equal("row", node.domain) end
    assert.equal("element", e.center(x).domain)
  end)
end)

describe("rewrite", function()
  local function identity(node) return node end

  it("that changes nothing returns the same nodes", function()
    local node = e.round("bf16", e.fma(x, x, e.sum(x * x, 8) / 8) + gamma):as "h"
    assert.equal(node, e.rewrite(node, identity, {}))
  end)

  it("rebuilds what is above a change, with labels, attributes and domains", function()
    local function swap(node) return node == x and e.load("z", "bf16", "element") or node end
    local z = e.load("z", "bf16", "element")
    local h = e.round("bf16", x + gamma):as "h"
    local result = e.rewrite(h / e.mean(h), swap, {})
    assert.equal(e.round("bf16", z + gamma) / e.mean(e.round("bf16", z + gamma)), result)
    assert.equal("h", result[1].label)
    assert.equal("row", result[2].domain)
    assert.equal("row", e.rewrite(e.sum(x, 8), swap, {}).domain)
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

describe("a norm", function()
  it("needs all its fields", function()
    local definition = { name = "n", title = "N", cites = "c", affine = "gamma", formula = "f", domain = "d",
      bound = function() end, forward = function() end }
    assert.equal(definition, e.norm(definition))
    for _, field in ipairs { "name", "title", "cites", "affine", "formula", "domain", "bound", "forward" } do
      local kept = definition[field]
      definition[field] = nil
      assert.has_error(function() e.norm(definition) end, "a norm needs the field " .. field)
      definition[field] = kept
    end
  end)
end)
