-- The contract: how rows are cut, and what mean, center, var and products that meet sums become.

local activations = require "gen.formula.activations"
local contract = require "gen.formula.contract"
local e = require "gen.formula.expr"
local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"

local MAX_H = 65536

local function is_power_of_two(n)
  while n > 1 do n = n / 2 end
  return n == 1
end

describe("blocks", function()
  it("cover every row with as few legal blocks as there can be, none of them empty", function()
    for n = 1, MAX_H do
      local cut = contract.blocks(n)
      local covered, before_last = cut.count * cut.length, (cut.count - 1) * cut.length
      if n <= 1024 then
        assert(cut.count == 1 and cut.length == n, n)
      else
        assert(cut.count >= 2 and is_power_of_two(cut.count), n)
        assert(cut.length % 64 == 0 and cut.length <= 4096, n)
        assert(covered >= n and before_last < n, n)
        assert(cut.length == 64 * math.ceil(n / (64 * cut.count)), n)
        assert(cut.count == 2 or 64 * math.ceil(n / (32 * cut.count)) > 4096, n)
      end
    end
  end)

  it("of known lengths", function()
    for n, cut in pairs {
      [1] = { 1, 1 }, [1024] = { 1, 1024 }, [1025] = { 2, 576 }, [4096] = { 2, 2048 }, [8192] = { 2, 4096 },
      [8193] = { 4, 2112 }, [14848] = { 4, 3712 }, [16385] = { 8, 2112 }, [65536] = { 16, 4096 },
    } do
      assert.same({ count = cut[1], length = cut[2] }, contract.blocks(n))
    end
  end)
end)

describe("the head", function()
  it("is the smallest power of two that is at least n / 64", function()
    for n = 1, MAX_H do
      local m = contract.head(n)
      assert(is_power_of_two(m) and m * 64 >= n and (m == 1 or m * 32 < n), n)
    end
  end)

  it("of known lengths", function()
    for n, m in pairs { [1] = 1, [64] = 1, [65] = 2, [128] = 2, [129] = 4, [768] = 16, [1024] = 16, [4096] = 64, [65536] = 1024 } do
      assert.equal(m, contract.head(n))
    end
  end)
end)

describe("lanes", function()
  it("are 256 bytes of the type of sums", function()
    assert.equal(64, contract.lanes "f32")
    assert.equal(32, contract.lanes "f64")
  end)
end)

describe("depth", function()
  it("counts the stripes of a block, the tree and the blocks", function()
    for n, depth in pairs { [1] = 7, [64] = 7, [65] = 8, [1024] = 22, [1025] = 16, [4096] = 39, [8192] = 71, [8193] = 41,
      [65536] = 74 } do
      assert.equal(depth, contract.depth(n, "f32"))
    end
    for n, depth in pairs { [1] = 6, [32] = 6, [33] = 7, [1024] = 37, [1025] = 24, [4096] = 70, [65536] = 137 } do
      assert.equal(depth, contract.depth(n, "f64"))
    end
  end)
end)

describe("the expander", function()
  local graph, x, gamma, beta

  local function start(acc)
    graph = e.graph { acc = acc, over = { "h" }, kept = { "rows" } }
    x = graph:load("x", "f32", { "rows", "h" })
    gamma, beta = graph:load("gamma", "f32", { "h" }), graph:load("beta", "f32", { "h" })
  end

  before_each(function() start "f32" end)

  local function expanded(node, n, center) return contract.expander(n, center)(node) end

  it("fuses a product with the sum that it meets", function()
    assert.equal(e.fma(x, gamma, beta), expanded(x * gamma + beta, 8))
    assert.equal(e.fma(x, gamma, beta), expanded(beta + x * gamma, 8))
    assert.equal(e.fnma(x, gamma, beta), expanded(beta - x * gamma, 8))
    assert.equal(e.fma(x, gamma, e.fma(x, x, beta)), expanded(x * gamma + (x * x + beta), 8))
  end)

  it("leaves other products and sums alone", function()
    for _, node in ipairs { x * gamma, x + gamma, x - gamma, (x + gamma) * beta, x * gamma / beta, e.sum(x * x, 8) } do
      assert.equal(node, expanded(node, 8))
    end
  end)

  it("refuses a product that meets a sum in any other way", function()
    for _, node in ipairs { x * gamma + x * beta, x * gamma - x * beta, x * gamma - beta } do
      assert.has_error(function() expanded(node, 8) end, "a product or a quotient meets a sum: fuse or pin it")
    end
  end)

  it("puts a sequence of simple operations in the place of an elementary function, once for each argument", function()
    for name in pairs(activations.named) do
      local node = expanded(e.apply(name, x), 8)
      assert.not_equal(name, node.op)
      assert.equal(node, expanded(e.apply(name, x), 8))
      assert.not_equal(node, expanded(e.apply(name, gamma), 8))
      assert.equal(name .. "(x)", e.describe(node))
      assert.equal("column", expanded(e.apply(name, gamma), 8).scope)
    end
    local after = expanded(e.apply("silu", x * gamma + beta), 8)
    assert.equal("silu(fma(x, gamma, beta))", e.describe(after))
  end)

  it("makes a mean of a sum and a division, pinned", function()
    assert.equal(e.pin(e.sum(x, 100) / 100), expanded(e.mean(x), 100))
    assert.equal(e.pin(e.sum(x * x, 100) / 100), expanded(e.mean(x * x), 100))
  end)

  it("takes the pivot of center and var from the head", function()
    local n = 768
    local mu = e.pin(e.sum(x, 16) / 16)
    local d = x - mu
    local delta = e.pin(e.sum(d, n) / n)
    assert.equal(d - delta, expanded(e.center(x), n, false))
    assert.equal(e.clamp0(e.fnma(delta, delta, e.sum(d * d, n) / n)), expanded(e.var(x), n, false))
    assert.equal(mu + delta, expanded(e.center_mean(x), n, false))
  end)

  it("takes the whole row for the pivot where center is full, however short it is", function()
    for _, n in ipairs { 1, 64, 768 } do
      local d = x - e.pin(e.sum(x, n) / n)
      local delta = e.pin(e.sum(d, n) / n)
      assert.equal(d - delta, expanded(e.center(x), n, "full"))
      assert.equal(e.clamp0(e.fnma(delta, delta, e.sum(d * d, n) / n)), expanded(e.var(x), n, "full"))
    end
  end)

  it("takes the first element as the pivot of up to 64", function()
    for _, n in ipairs { 1, 64 } do
      local d = x - (e.first(x) + 0)
      assert.equal(d - e.pin(e.sum(d, n) / n), expanded(e.center(x), n, false))
    end
    local sum = e.round("bf16", x + gamma)
    local first = e.round("bf16", e.first(x) + e.first(gamma))
    local d = sum - (first + 0)
    assert.equal(d - e.pin(e.sum(d, 64) / 64), expanded(e.center(sum), 64, false))
  end)

  it("names the first element's values apart from those of all", function()
    local h = e.round("bf16", x + gamma):as "h"
    local labels = {}
    e.walk(expanded(e.center(h), 64, false), function(node) labels[node.label or ""] = true end, {})
    for _, label in ipairs { "h", "h_first", "x", "x_first", "gamma_first", "mu", "d" } do assert.is_true(labels[label], label) end
  end)

  it("rounds pivot, delta and the reciprocal to the type of elements, and nothing else", function()
    start "f64"
    local mu = e.convert("f32", e.pin(e.sum(x, 16) / 16))
    local d = x - mu
    local delta = e.pin(e.sum(d, 768) / 768)
    assert.equal("f64", delta.type)
    assert.equal(d - e.convert("f32", delta), expanded(e.center(x), 768, false))
    assert.equal(e.clamp0(e.fnma(delta, delta, e.sum(d * d, 768) / 768)), expanded(e.var(x), 768, false))
    assert.equal("f64", expanded(e.var(x), 768, false).type)
    assert.equal(e.convert("f64", mu) + delta, expanded(e.center_mean(x), 768, false))
    assert.equal(e.pin(e.sum(x * x, 8) / graph:const(8, "f64")), expanded(e.mean(x * x), 8, false))
  end)

  it("shares what nodes have in common, and keeps their names", function()
    local expand = contract.expander(768, false)
    local variance, centered = expand(e.var(x)), expand(e.center(x))
    assert.equal(centered[2], variance[1][1])
    assert.equal("delta", centered[2].label)
    assert.equal("variance", variance.label)
    assert.equal("s", expand((x * gamma + beta):as "s").label)
  end)

  it("leaves only operators that targets know", function()
    local known = { load = true, first = true, arg = true, const = true, add = true, sub = true, mul = true, div = true, fma = true,
      fnma = true, sqrt = true, clamp0 = true, round = true, sum = true, convert = true, pin = true, max = true, abs = true, pick = true,
      pow2 = true }
    for _, text in ipairs { "layernorm bf16 addout", "layernorm f32 offset=1", "rmsnorm bf16 cast=llama add", "rmsnorm f32 affine=none",
      "layernorm f16 acc=f64 center=full add alpha stats", "rmsnorm f64 addafter stats", "layernorm f32 acc=f64 addafter",
      "rmsnorm bf16 zgate=before act=gelu stats", "rmsnorm f32 acc=f64 zgate=after affine=none act=tanh", "dyt f16 addafter act=sigmoid",
      "layernorm f32 affine=none act=gelutanh", "layernorm f32 act=silu", "layernorm f64 affine=none act=relu",
      "rmsnorm f64 act=relu6 addafter", "rmsnorm f64 act=hardswish", "rmsnorm bf16 act=softplus", "rmsnorm f16 act=mish" } do
      for _, h in ipairs { 1, 64, 65, 4096 } do
        for _, output in ipairs(problem.new(spec.parse(text .. " h=" .. h)).outputs) do
          e.walk(output.node, function(node)
            assert.is_true(known[node.op], text .. ": " .. node.op)
            local meets = node.op == "add" or node.op == "sub"
            for _, operand in ipairs(node) do assert.is_false(meets and operand.op == "mul") end
            if node.op ~= "convert" and node.op ~= "sum" then
              for _, operand in ipairs(node) do assert.equal(node.type, operand.type) end
            end
          end, {})
        end
      end
    end
  end)
end)
