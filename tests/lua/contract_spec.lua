-- The contract: how rows are cut, and what mean, center, var and products that meet sums become.

local contract = require "gen.contract"
local e = require "gen.expr"
local problem = require "gen.problem"
local spec = require "gen.spec"

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

describe("depth", function()
  it("counts the stripes of a block, the tree and the blocks", function()
    for n, depth in pairs { [1] = 7, [64] = 7, [65] = 8, [1024] = 22, [1025] = 16, [4096] = 39, [8192] = 71, [8193] = 41,
      [65536] = 74 } do
      assert.equal(depth, contract.depth(n))
    end
  end)
end)

describe("expand", function()
  local x, gamma, beta

  before_each(function()
    e.new_graph()
    x, gamma, beta = e.load("x", "f32", "element"), e.load("gamma", "f32", "column"), e.load("beta", "f32", "column")
  end)

  local function expanded(node, n)
    return contract.expand({ { name = "y", dtype = "f32", node = node } }, n)[1].node
  end

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
      assert.has_error(function() expanded(node, 8) end, "a product meets a sum without a fused operation")
    end
  end)

  it("makes a mean of a sum and a division", function()
    assert.equal(e.sum(x, 100) / 100, expanded(e.mean(x), 100))
    assert.equal(e.sum(x * x, 100) / 100, expanded(e.mean(x * x), 100))
  end)

  it("takes the pivot of center and var from the head", function()
    local n = 768
    local d = x - e.sum(x, 16) / 16
    local delta = e.sum(d, n) / n
    assert.equal(d - delta, expanded(e.center(x), n))
    assert.equal(e.clamp0(e.fnma(delta, delta, e.sum(d * d, n) / n)), expanded(e.var(x), n))
  end)

  it("takes the first element as the pivot of up to 64", function()
    for _, n in ipairs { 1, 64 } do
      local d = x - (e.first(x) + 0)
      assert.equal(d - e.sum(d, n) / n, expanded(e.center(x), n))
    end
    local sum = e.round("bf16", x + gamma)
    local first = e.round("bf16", e.first(x) + e.first(gamma))
    local d = sum - (first + 0)
    assert.equal(d - e.sum(d, 64) / 64, expanded(e.center(sum), 64))
  end)

  it("shares what outputs have in common, and keeps their names, dtypes and order", function()
    local outputs = contract.expand({ { name = "a", dtype = "bf16", node = e.var(x) },
      { name = "b", dtype = "f32", node = e.center(x) } }, 768)
    assert.same({ "a", "bf16", "b", "f32" }, { outputs[1].name, outputs[1].dtype, outputs[2].name, outputs[2].dtype })
    local delta = outputs[2].node[2]
    assert.equal(delta, outputs[1].node[1][1])
  end)

  it("leaves only operators that targets know", function()
    local known = { load = true, first = true, arg = true, const = true, add = true, sub = true, mul = true, div = true, fma = true,
      fnma = true, sqrt = true, clamp0 = true, round = true, sum = true }
    for _, text in ipairs { "layernorm bf16 addout", "layernorm f32 offset=1", "rmsnorm bf16 cast=llama add", "rmsnorm f32 affine=none" } do
      for _, h in ipairs { 1, 64, 65, 4096 } do
        for _, output in ipairs(problem.new(spec.parse(text .. " h=" .. h)).outputs) do
          e.walk(output.node, function(node)
            assert.is_true(known[node.op], text .. ": " .. node.op)
            local meets = node.op == "add" or node.op == "sub"
            for _, operand in ipairs(node) do assert.is_false(meets and operand.op == "mul") end
          end, {})
        end
      end
    end
  end)
end)
