-- What emitted kernels say of themselves, in comments and names, is so: for the reference set and every activation.

local contract = require "gen.formula.contract"
local emit = require "gen.emit.emit"
local pipeline = require "gen.pipeline.pipeline"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"

local OPTIONS = { prefix = "ng_", command = "normgen emit" }

local said

-- Every activation, a product with one, and sizes of which one is a number that means something else, too.
local function others()
  local list = { "rmsnorm f32 h=40 zgate=after act=gelu", "dyt f32 h=24", "rmsnorm f64 h=1", "layernorm f32 h=128 out=u8 quant=row" }
  for _, row in ipairs(spec.grammar) do
    for _, text in ipairs(row.field == "act" and spec.supported(row) or {}) do list[#list + 1] = "rmsnorm f32 h=40 act=" .. text end
  end
  return list
end

setup(function()
  said = {}
  for _, list in ipairs { dofile "specs/reference.lua", dofile "specs/relatives.lua", others() } do
    for _, text in ipairs(list) do
      for _, name in ipairs { "scalar", "avx2" } do
        local code = pipeline.kernel(spec.parse(text), targets.named(name))
        said[#said + 1] = { spec = text .. " for " .. name, code = code, text = emit.kernel(code, OPTIONS).text }
      end
    end
  end
end)

describe("an emitted kernel", function()
  it("says how often it walks a row", function()
    local count = 0
    for _, it in ipairs(said) do
      local passes = it.text:match(" %* Passes:    ([^\n]+)\n")
      local most = 0
      for total in it.text:gmatch "Pass %d+ of (%d+): " do most = math.max(most, tonumber(total)) end
      if not it.code.plan.passes then
        local _, rows = passes:gsub("the row", "")
        assert.equal(most, rows, it.spec .. ": " .. passes)
        count = count + 1
      end
    end
    assert.is_true(count > 50)
  end)

  it("counts bytes for what it has: positions, or rows", function()
    for _, it in ipairs(said) do
      local bytes, has = it.text:match(" %* Bytes:     ([^\n]+)\n"), {}
      for _, argument in ipairs(it.code.problem.args) do
        for _, axis in ipairs(argument.shape == "scalar" and {} or argument.shape) do has[axis] = true end
      end
      assert.equal(has.positions == true, bytes:find "per position" ~= nil, it.spec)
      assert.equal(has.rows == true and not has.positions, bytes:find "per row" ~= nil, it.spec)
      assert.equal(has.batch == true, bytes:find "per batch" ~= nil, it.spec)
      assert.equal(has.chunks == true, bytes:find "per chunk" ~= nil, it.spec)
    end
  end)

  it("says what it has of a schedule, and for which architecture it is", function()
    for _, it in ipairs(said) do
      local has_vectors = targets.has_vectors(targets.named(it.code.target))
      assert.equal(has_vectors, it.text:find("* Schedule:  %l") ~= nil, it.spec)
      assert.equal(has_vectors, it.text:find "is_for_another_architecture" ~= nil, it.spec)
      assert.is_nil(it.text:find "\n#if [01]\n", it.spec)
      assert.equal(has_vectors, it.code.schedule_text ~= "", it.spec)
    end
  end)

  it("calls its constants what they are", function()
    local count = 0
    for _, it in ipairs(said) do
      local p, counts = it.code.problem, {}
      counts[p.n], counts[contract.head(p.n)] = true, true
      for name, literal in it.text:gmatch "\n    const __m256d? ([%a_][%w_]-)%d* = _mm256_set1_p[sd]%((%-?[%w.+-]-)f?%);" do
        local value = tonumber(literal)
        count = count + 1
        if name == "count" then assert.is_true(counts[value] == true, ("%s: count is %s"):format(it.spec, literal)) end
        if name == "one" or name == "two" then assert.equal(name == "one" and 1 or 2, value) end
        -- A count that is another number, too, has no name.
        assert.is_true(name ~= "constant" or counts[value] == true, ("%s: %s has no name"):format(it.spec, literal))
      end
    end
    assert.is_true(count > 200, count .. " constants")
  end)
end)
