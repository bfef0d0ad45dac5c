-- Plans: which sweeps a problem needs, what each sums and stores, and how many bytes a row moves.

local e = require "gen.formula.expr"
local explain = require "gen.pipeline.explain"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local spec = require "gen.spec.spec"

local function plan_of(text) return plan.new(problem.new(spec.parse(text))) end

-- A sweep as text: "head 16: mu", "row: d, d*d -> sum".
local function sweep_text(sweep)
  local sums, stores = {}, {}
  for i, sum in ipairs(sweep.sums) do sums[i] = e.describe(sum) end
  for i, store in ipairs(sweep.stores) do stores[i] = store.name .. " " .. store.dtype end
  return ("%s %d: %s -> %s"):format(sweep.kind, sweep.count, table.concat(sums, ", "), table.concat(stores, ", "))
end

-- bytes: read and written per row, read of parameters.
local PLANS = {
  { "rmsnorm f32 h=4096", { "row 4096: sum(x * x) -> ", "row 4096:  -> y f32" }, bytes = { 16384, 16384, 16384 } },
  { "rmsnorm f32 h=1 affine=none", { "row 1: sum(x * x) -> ", "row 1:  -> y f32" }, bytes = { 4, 4, 0 } },
  { "rmsnorm bf16 h=4096 add", { "row 4096: sum(h * h) -> ", "row 4096:  -> y bf16" }, bytes = { 16384, 8192, 8192 },
    stage = { "y", "bf16", 1 } },
  { "rmsnorm bf16 h=4096 addout", { "row 4096: sum(h * h) -> sum bf16", "row 4096:  -> y bf16" }, bytes = { 16384, 16384, 8192 },
    saved = { "sum", 1 } },
  { "rmsnorm bf16 residual=f32 h=8 addout", { "row 8: sum(h * h) -> sum f32", "row 8:  -> y bf16" }, bytes = { 48, 48, 16 },
    saved = { "sum", 1 } },
  { "layernorm f32 h=64", { "row 64: sum(d), sum(d * d) -> ", "row 64:  -> y f32" }, bytes = { 256, 256, 512 } },
  { "layernorm f32 h=65", { "head 2: sum(x) -> ", "row 65: sum(d), sum(d * d) -> ", "row 65:  -> y f32" },
    bytes = { 260, 260, 520 } },
  { "layernorm f32 h=768 addout", { "head 16: sum(h) -> ", "row 768: sum(d), sum(d * d) -> sum f32", "row 768:  -> y f32" },
    bytes = { 6144, 6144, 6144 }, saved = { "sum", 2 } },
  { "layernorm bf16 h=768 add", { "head 16: sum(h) -> ", "row 768: sum(d), sum(d * d) -> ", "row 768:  -> y bf16" },
    bytes = { 3072, 1536, 3072 }, stage = { "y", "bf16", 2 } },
  { "layernorm bf16 h=768 add out=f32", { "head 16: sum(h) -> ", "row 768: sum(d), sum(d * d) -> ", "row 768:  -> y f32" },
    bytes = { 3072, 3072, 3072 } },
  { "layernorm bf16 h=768 add residual=f32 out=f32",
    { "head 16: sum(h) -> ", "row 768: sum(d), sum(d * d) -> ", "row 768:  -> y f32" },
    bytes = { 4608, 3072, 3072 }, stage = { "y", "f32", 2 } },
  { "layernorm bf16 gamma=f32 h=100 affine=gamma",
    { "head 2: sum(x) -> ", "row 100: sum(d), sum(d * d) -> ", "row 100:  -> y bf16" }, bytes = { 200, 200, 400 } },
  { "layernorm f32 h=100 acc=f64 stats",
    { "head 2: sum(x) -> ", "row 100: sum(d), sum(d * d) -> ", "row 100:  -> y f32, mean f32, rstd f32" }, bytes = { 400, 408, 800 } },
  { "layernorm f64 h=64 center=full", { "row 64: sum(x) -> ", "row 64: sum(d), sum(d * d) -> ", "row 64:  -> y f64" },
    bytes = { 512, 512, 1024 } },
  { "layernorm f16 h=768 center=full addout", { "row 768: sum(h) -> sum f16", "row 768: sum(d), sum(d * d) -> ", "row 768:  -> y f16" },
    bytes = { 3072, 3072, 3072 }, saved = { "sum", 1 } },
  { "rmsnorm bf16 residual=f32 h=8 addafter strided stats", { "row 8: sum(x * x) -> ", "row 8:  -> y f32, rstd f32" },
    bytes = { 48, 36, 16 } },
  { "rmsnorm f16 h=8 add alpha", { "row 8: sum(h * h) -> ", "row 8:  -> y f16" }, bytes = { 32, 16, 16 }, stage = { "y", "f16", 1 } },
}

describe("a plan", function()
  for _, wanted in ipairs(PLANS) do
    it("of " .. wanted[1], function()
      local p = plan_of(wanted[1])
      local sweeps = {}
      for i, sweep in ipairs(p.sweeps) do sweeps[i] = sweep_text(sweep) end
      assert.same(wanted[2], sweeps)
      local bytes = p.problem.bytes
      assert.same(wanted.bytes, { bytes.row.read, bytes.row.write, bytes.call.read })
      assert.same(wanted.saved or {}, { p.saved, p.saved_by })
      assert.same(wanted.stage or {}, p.stage and { p.stage.name, p.stage.dtype, p.stage.by } or {})
      local normed = p.stage and p.stage.node or p.normed
      assert.equal(p.problem.normed, normed)
    end)
  end

  it("sums before it reads a sum, and stores every output once", function()
    for _, wanted in ipairs(PLANS) do
      local p = plan_of(wanted[1])
      local known, stored = {}, {}
      local function needs(node)
        if node.op == "sum" then
          assert.is_true(known[node], wanted[1] .. ": " .. e.describe(node))
        else
          for _, operand in ipairs(node) do needs(operand) end
        end
      end
      for _, sweep in ipairs(p.sweeps) do
        for _, sum in ipairs(sweep.sums) do needs(sum[1]) end
        for _, store in ipairs(sweep.stores) do
          needs(store.node)
          stored[#stored + 1] = store.name
        end
        for _, row in ipairs(sweep.rows) do
          assert.equal("row", row.scope)
          needs(row)
        end
        for _, sum in ipairs(sweep.sums) do
          assert.is_nil(known[sum])
          known[sum] = true
        end
      end
      local names = {}
      for i, output in ipairs(p.problem.outputs) do names[i] = output.name end
      assert.same(names, stored)
    end
  end)

  it("lists the row values that each sweep reads", function()
    for _, wanted in ipairs(PLANS) do
      for _, sweep in ipairs(plan_of(wanted[1]).sweeps) do
        local listed = {}
        for _, node in ipairs(sweep.rows) do listed[node] = true end
        local function visit(node)
          if node.scope == "row" then
            assert.is_true(listed[node], wanted[1] .. ": " .. e.describe(node))
          else
            for _, operand in ipairs(node) do visit(operand) end
          end
        end
        for _, sum in ipairs(sweep.sums) do visit(sum[1]) end
        for _, store in ipairs(sweep.stores) do visit(store.node) end
      end
    end
  end)

  it("has one level for each reduction behind another", function()
    for _, wanted in ipairs(PLANS) do
      local last = -1
      for _, sweep in ipairs(plan_of(wanted[1]).sweeps) do
        assert.equal(last + 1, sweep.level)
        last = sweep.level
      end
    end
  end)

  it("is told in one line for each sweep", function()
    assert.same({
      "Head of 16 elements: h = x + residual; sum h.",
      "Pass 1 of 2: mu = pin(sum(h) / 16), d = h - mu; sum d and d * d; store sum = h.",
      "Pass 2 of 2: delta = pin(sum(d) / 768), variance = clamp0(fnma(delta, delta, sum(d * d) / 768)), rstd = 1 / sqrt(variance + eps); "
        .. "store y = fma((d - delta) * rstd, gamma, beta).",
    }, plan.notes(plan_of "layernorm f32 h=768 addout"))
  end)
end)

describe("a sum over rows", function()
  -- A problem that no spec has yet: besides y it stores, for each column, a sum over all rows.
  local function notes(make)
    local its = problem.new(spec.parse "rmsnorm f32 h=64")
    local graph = e.graph { acc = "f32", over = its.axes.over, kept = its.axes.kept }
    local x, dy = graph:load("x", "f32", its.axes.memory), graph:load("dy", "f32", its.axes.memory)
    local y = x * (1 / e.sqrt(e.sum(x * x, 64) / 64)):as "rstd"
    its.outputs, its.normed = { { name = "y", dtype = "f32", node = y }, { name = "grad", dtype = "f32", node = make(x, dy, y) } }, x
    return plan.notes(plan.new(its))
  end

  it("is carried by the sweep that knows its terms, and closes none", function()
    assert.same({ "Pass 1 of 2: sum x * x.",
      "Pass 2 of 2: rstd = 1 / sqrt(sum(x * x) / 64); store y = x * rstd; carry grad += dy * (x * rstd)." },
      notes(function(_, dy, y) return e.sum(dy * y, nil, { "rows" }) end))
    assert.same({ "Pass 1 of 2: sum x * x; carry grad += dy.", "Pass 2 of 2: rstd = 1 / sqrt(sum(x * x) / 64); store y = x * rstd." },
      notes(function(_, dy) return e.sum(dy, nil, { "rows" }) end))
  end)
end)

describe("a kernel of channels", function()
  for text, wanted in pairs {
    ["groupnorm f32 c=8 g=2 layout=nchw"] = "Head: sum x.",
    ["groupnorm f32 c=8 g=2 layout=nhwc"] = "Chunk: Pass 1 of 1: mu = pin(sum(x) / count(head))",
    ["batchnorm f32 c=8 layout=nchw"] = "Merge: weight = count(right) / count(both)",
    ["batchnorm merge f32 c=8 layout=rows"] = "Walks the chunks.",
    ["batchnorm infer f32 c=8 layout=nhwc folded"] = "store y = fma(x, a, b)",
    ["rmsnorm f32 h=8 layout=nchw"] = "Merge: m2 = m2_left + m2_right",
    ["layernorm merge f32 h=8 shards=2"] = "Merge: mu = mu_left",
  } do
    it("is explained: " .. text, function()
      local its = plan_of(text)
      local shown = explain.plan(its)
      assert.is_truthy(shown:find(wanted, 1, true), shown)
      assert.is_truthy(explain.problem(its.problem):find("contract  1: f32, " .. its.problem.contract.order .. ", fma", 1, true))
    end)
  end
end)
