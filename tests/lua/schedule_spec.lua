-- Schedules: defaults that every target can lower, and what is refused.

local lower = require "gen.lower.lower"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"

local function plan_of(text) return plan.new(problem.new(spec.parse(text))) end

local function refused(text, target, overrides, message)
  local ok, err = pcall(schedule.choose, plan_of(text), targets.named(target), overrides)
  assert.is_false(ok, "accepted for " .. text)
  assert.equal("table", type(err), tostring(err))
  assert.equal(message, err.usage)
end

local TEXTS = { "rmsnorm f32", "rmsnorm bf16", "rmsnorm bf16 cast=llama", "layernorm f32", "layernorm bf16 addout", "layernorm bf16 add",
  "layernorm bf16 gamma=f32", "layernorm f64 addafter", "rmsnorm f16", "layernorm f32 acc=f64 center=full", "rmsnorm bf16 acc=f64 stats",
  "layernorm f16 add alpha strided", "rmsnorm bf16 out=f16 addafter" }
local LENGTHS = { 1, 3, 8, 16, 17, 32, 64, 65, 128, 129, 256, 257, 768, 1023, 1024, 1025, 2048, 4096, 8193, 65536 }

local function each_default(visit)
  for _, target in ipairs(targets.all()) do
    for _, text in ipairs(TEXTS) do
      for _, h in ipairs(LENGTHS) do visit(plan_of(text .. " h=" .. h), target) end
    end
  end
end

describe("a default schedule", function()
  it("has a value that is allowed for every knob", function()
    each_default(function(p, target)
      local chosen, count = schedule.choose(p, target), 0
      for _, knob in ipairs(schedule.knobs()) do
        local allowed = false
        for _, value in ipairs(knob.values) do allowed = allowed or value == tostring(chosen[knob.key]) end
        assert.is_true(allowed, knob.key .. "=" .. tostring(chosen[knob.key]))
        count = count + 1
      end
      local keys = 0
      for _ in pairs(chosen) do keys = keys + 1 end
      assert.equal(count, keys)
    end)
  end)

  it("may be given by hand, where there is a schedule at all", function()
    each_default(function(p, target)
      if targets.has_vectors(target) then
        local chosen, given = schedule.choose(p, target), {}
        for _, knob in ipairs(schedule.knobs()) do given[knob.key] = tostring(chosen[knob.key]) end
        assert.same(chosen, schedule.choose(p, target, given))
        assert.same(chosen, schedule.choose(p, target, {}))
      end
    end)
  end)

  it("exists for vectors of every width", function()
    local avx2 = targets.named "avx2"
    local function like(base, changes) return setmetatable(changes, { __index = base }) end
    for _, width in ipairs { 2, 32 } do
      local other = like(avx2, { types = like(avx2.types, { f32 = like(avx2.types.f32, { width = width }) }) })
      assert.is_number(schedule.choose(plan_of "layernorm f32 h=768", other).rows)
    end
  end)

  it("leaves registers free and has two blocks only where there are two", function()
    each_default(function(p, target)
      local chosen = schedule.choose(p, target)
      if targets.has_vectors(target) then
        local sums, acc = p.problem.norm == "layernorm" and 2 or 1, p.problem.contract.acc
        local accumulators = sums * chosen.blocks * p.problem.contract.lanes / target.types[acc].width / chosen.strips
        assert.is_true(accumulators <= target.registers / 2 or p.n < p.problem.contract.lanes)
        assert.is_true(chosen.blocks == 1 or p.n > 1024)
      end
    end)
  end)

  it("is the plain one where the target has no vectors", function()
    assert.same({ rows = 1, layout = "plain", blocks = 1, strips = 1, reuse = "recompute", pipe = 0, prefetch = 0, stream = 0 },
      schedule.choose(plan_of "layernorm bf16 h=4096 add", targets.named "scalar"))
  end)
end)

describe("a schedule", function()
  it("takes what is given and chooses the rest", function()
    local chosen = schedule.choose(plan_of "layernorm bf16 h=4096 add", targets.named "avx512",
      { rows = "2", layout = "plain", reuse = "reload", blocks = "2", strips = "4", pipe = "1", prefetch = "1", stream = "1" })
    assert.same({ rows = 2, layout = "plain", blocks = 2, strips = 4, reuse = "reload", pipe = 1, prefetch = 1, stream = 1 },
      chosen)
    assert.equal(8, schedule.choose(plan_of "rmsnorm f32 h=64", targets.named "avx2", { rows = "8" }).rows)
  end)

  it("is text with its keys in a fixed order", function()
    assert.equal("rows=4 layout=split blocks=1 strips=2 reuse=recompute pipe=1 prefetch=0 stream=8192",
      schedule.format { strips = 2, stream = 8192, reuse = "recompute", rows = 4, pipe = 1, blocks = 1, layout = "split", prefetch = 0 })
  end)

  it("decides no bit of what the sums are: the plan is not touched", function()
    local p = plan_of "layernorm bf16 h=4096 add"
    local before = plan.notes(p)
    schedule.choose(p, targets.named "avx2", { reuse = "reload", blocks = "2" })
    lower.new(p, targets.named "avx2", schedule.choose(p, targets.named "avx2", { reuse = "reload" }))
    assert.same(before, plan.notes(p))
    assert.equal(1, #p.sweeps[#p.sweeps].stores)
    assert.equal(0, #p.sweeps[2].stores)
  end)

  it("refuses keys that it does not know", function()
    refused("rmsnorm f32 h=64", "avx2", { row = "2" }, "unknown schedule key 'row', did you mean 'rows'?")
    refused("rmsnorm f32 h=64", "avx2", { zebra = "1", apple = "1" },
      "unknown schedule key 'apple' (known: rows, layout, blocks, strips, reuse, pipe, prefetch, stream)")
  end)

  it("refuses values that are not allowed", function()
    refused("rmsnorm f32 h=64", "avx2", { rows = "3" }, "schedule rows=3: allowed are 1, 2, 4, 8")
    refused("rmsnorm f32 h=64", "avx2", { rows = "" }, "schedule rows=: allowed are 1, 2, 4, 8")
    refused("rmsnorm f32 h=64", "avx2", { layout = "Split" }, "schedule layout=Split: allowed are plain, split")
    refused("rmsnorm f32 h=4096", "avx2", { blocks = "4" }, "schedule blocks=4: allowed are 1, 2")
    refused("rmsnorm f32 h=64", "avx2", { strips = "16" }, "schedule strips=16: allowed are 1, 2, 4, 8")
    refused("rmsnorm f32 h=64", "avx2", { reuse = "keep" }, "schedule reuse=keep: allowed are recompute, reload")
  end)

  it("streams whole cache lines, where the target can", function()
    refused("rmsnorm f32 h=64", "neon", { stream = "1" }, "schedule stream=1: neon has no such stores")
    refused("rmsnorm f32 h=65", "avx2", { stream = "1" }, "schedule stream=1: a row of y has 260 bytes, not a multiple of 64")
    refused("rmsnorm bf16 h=64", "sse2", { stream = "1", layout = "plain" }, "schedule stream=1: sse2 cannot stream bf16")
    assert.equal(1, schedule.choose(plan_of "rmsnorm f32 h=65 strided", targets.named "avx2", { stream = "1" }).stream)
    assert.equal(0, schedule.choose(plan_of "rmsnorm f32 h=65", targets.named "avx2").stream)
  end)

  it("refuses values that would change nothing", function()
    refused("rmsnorm f32 h=1024", "avx2", { blocks = "2" }, "schedule blocks=2: a row of 1024 elements is one block")
    for _, text in ipairs { "rmsnorm bf16 h=64", "rmsnorm bf16 h=64 addout", "rmsnorm bf16 h=64 add out=f32" } do
      refused(text, "avx2", { reuse = "reload" },
        "schedule reuse=reload: only 'add' with equal residual= and out= can keep its sum in y")
    end
    for _, text in ipairs { "rmsnorm f16 h=64 add", "layernorm f64 h=64 add alpha", "rmsnorm f32 residual=f16 out=f16 h=7 add" } do
      assert.equal("reload", schedule.choose(plan_of(text), targets.named "avx2", { reuse = "reload" }).reuse)
    end
    assert.equal(1, schedule.choose(plan_of "rmsnorm f32 h=1024", targets.named "avx2", { blocks = "1" }).blocks)
  end)

  it("refuses the split layout where a type or a dtype does not have it", function()
    refused("rmsnorm f64 h=64", "avx2", { layout = "split" }, "schedule layout=split: avx2 has no such layout for f64")
    refused("rmsnorm f32 gamma=f16 h=64", "neon", { layout = "split" }, "schedule layout=split: neon has no f16 in this layout")
    assert.equal("plain", schedule.choose(plan_of "rmsnorm f16 h=64", targets.named "avx2", { layout = "plain" }).layout)
  end)

  it("refuses more strips than a stripe of the row has chunks", function()
    for _, case in ipairs {
      { "rmsnorm bf16 h=4096", "avx512", "split", 4, 2 }, { "rmsnorm f32 h=4096", "avx512", "plain", 8, 4 },
      { "rmsnorm f32 h=7", "avx2", "plain", 2, 1 }, { "rmsnorm f32 h=16", "avx2", "plain", 4, 2 },
      { "rmsnorm f32 h=17", "avx2", "split", 4, 2 }, { "layernorm f64 h=4096", "avx512", "plain", 8, 4 },
      { "layernorm f32 acc=f64 h=4096", "avx512", "plain", 4, 2 }, { "layernorm f32 acc=f64 h=5", "sse2", "plain", 4, 2 },
    } do
      local text, target, layout, strips, chunks = case[1], case[2], case[3], case[4], case[5]
      refused(text, target, { layout = layout, strips = tostring(strips) },
        ("schedule strips=%d: on %s a stripe of this row has %d chunks"):format(strips, target, chunks))
      assert.equal(chunks, schedule.choose(plan_of(text), targets.named(target), { layout = layout, strips = tostring(chunks) }).strips)
    end
  end)

  it("has no more strips by itself than the row has chunks", function()
    for _, target in ipairs(targets.all()) do
      for h = 1, targets.has_vectors(target) and 64 or 0 do
        local p = plan_of("layernorm f32 h=" .. h)
        assert.is_true(schedule.choose(p, target).strips < 2 * math.ceil(h / target.types.f32.width))
      end
    end
  end)

  it("is refused where the target has none", function()
    refused("rmsnorm f32 h=64", "scalar", { rows = "1" }, "schedule rows=1: target scalar has no schedule")
  end)
end)
