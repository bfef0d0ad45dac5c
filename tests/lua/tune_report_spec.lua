-- normgen report: records and results of the bench as tables and pictures.

local data = require "tuner.report.data"
local memory = require "tuner.memory"
local normgen = require "tests.support.normgen"
local page = require "tuner.report.page"
local samples = require "tests.support.records"
local svg = require "tuner.report.svg"

local DEFAULT, OTHER = samples.DEFAULT, samples.OTHER

local function record(fields)
  local own = { ns = 100, low = 99, high = 101, ratio = { 0.8, 0.5, 1 }, copy = 64, bytes = 12288 }
  for key, value in pairs(fields or {}) do own[key] = value end
  return samples.new(own)
end

-- What normgen bench --format json prints, with ratios to the default.
local BENCH = [=[
[{"name":"rmsnorm_fwd_f32_h768","rows":4,"kind":"kernel","label":"avx2 default","target":"avx2","ns":120},
{"name":"rmsnorm_fwd_f32_h768","rows":4,"kind":"rival","label":"gcc -O3","target":"","ns":240,"ratio":2,"ratio_low":1.9,"ratio_high":2.1},
{"name":"rmsnorm_fwd_f32_h768","rows":4,"kind":"inexact","label":"clang-19 fast","target":"","ns":180,
 "ratio":1.5,"ratio_low":1.4,"ratio_high":1.6},
{"name":"rmsnorm_fwd_f32_h768","rows":4,"kind":"rival","label":"libxsmm","target":"","ns":144,"ratio":1.2,"ratio_low":1.1,"ratio_high":1.3},
{"name":"rmsnorm_fwd_f32_h768","rows":4,"kind":"limit","label":"copy","target":"","ns":50,"ratio":0.4,"ratio_low":0.4,"ratio_high":0.4},
{"name":"rmsnorm_fwd_f32_h768","rows":400,"kind":"kernel","label":"avx2 default","target":"avx2","ns":9000},
{"name":"rmsnorm_fwd_f32_h768","rows":400,"kind":"rival","label":"gcc -O3","target":"","ns":1,"ratio":0.1,"ratio_low":0.1,"ratio_high":0.1}]
]=]

local function near(expected, value) assert.is_true(math.abs(expected - value) < 1e-9, expected .. ", not " .. tostring(value)) end

local function machines()
  local text = memory.text { record(), record { name = "layernorm_fwd_f32_h768", ratio = { 0.9, 0.8, 0.95 }, decided = false },
    record { regime = "dram", rows = 10922, schedule = DEFAULT, copy = 2000000, bytes = 67108864, ns = 2e6, quality = "noisy",
      why = { "spread 7 %" } } }
  text = text:gsub('"ratio":%[0.8,0.5,1%],("decided":true,"quality":"noisy")', "%1")
  local records, entries, skipped = data.read { { path = "a", text = text .. "garbage\n" }, { path = "b", text = BENCH } }
  assert.equal("a:4: skipped: no JSON object", skipped[1])
  return data.machines(records, entries)
end

describe("the report", function()
  it("groups by machine, target and regime, and sums up", function()
    local machine = machines()[1]
    assert.equal("zen4 (AuthenticAMD-25-17-1), gcc 12.2.0", machine.title)
    assert.same({ "avx2, hot", "avx2, dram" }, { machine.parts[1].title, machine.parts[2].title })
    local hot, dram = machine.parts[1], machine.parts[2]
    near(math.sqrt(1 / 0.8 / 0.9), hot.gain)
    assert.same({ 1, 0, 0, 1 }, { hot.undecided, hot.noisy, dram.undecided, dram.noisy })
    near(1, dram.gain)
    near(12288 / 64, machine.roofs[1].bandwidth)
    assert.same({ "hot", "dram" }, { machine.roofs[1].regime, machine.roofs[2].regime })
  end)

  it("knows operations and bytes", function()
    local row = machines()[1].parts[1].rows[2]
    assert.equal("rmsnorm_fwd_f32_h768", row.record.name)
    -- x * x and its sum, x * rstd, times gamma, for each element; rows are read and written, gamma is read.
    near(4 * 768 * 2 / (2 * 2 * 768 * 4 + 768 * 4), row.intensity)
    near(4 * 768 * 2 / 100, row.performance)
  end)

  it("multiplies what the bench found with what tuning gained, where kernel, target and rows are near", function()
    local row = machines()[1].parts[1].rows[2]
    assert.equal("clang-19 fast", row.plain.label)
    near(1.5 / 0.8, row.plain.median)
    near(1.4 / 1, row.plain.low)
    near(1.6 / 0.5, row.plain.high)
    assert.same({ "libxsmm", 4 }, { row.peer.label, row.peer.rows })
    assert.is_nil(machines()[1].parts[2].rows[1].plain)
    assert.is_nil(machines()[1].parts[1].rows[1].plain)
  end)

  it("counts positions, and looks for calls with as many as records have", function()
    local function entries(positions, ratio)
      local call = ('{"name":"batchnorm_infer_f32_c64_nchw","rows":4,"positions":%d,"ns":9,'):format(positions)
      return call .. '"kind":"kernel","label":"avx2 default","target":"avx2"},' .. call
        .. ('"kind":"rival","label":"torch","target":"","ratio":%d,"ratio_low":%d,"ratio_high":%d}'):format(ratio, ratio, ratio)
    end
    local bench = "[" .. entries(4096, 9) .. "," .. entries(64, 2) .. "]"
    local text = memory.text { record { name = "batchnorm_infer_f32_c64_nchw", rows = 4 } }
    local row = data.machines(data.read { { path = "a", text = text }, { path = "b", text = bench } })[1].rows[1]
    near(2 / 0.8, row.peer.median)
    near((2 * 4 * 64 * 64 * 4 + 4 * 64 * 4) / 100, row.bandwidth)
  end)

  it("is Markdown with every number", function()
    local text = page.md(machines())
    for _, what in ipairs { "## zen4 (AuthenticAMD-25-17-1), gcc 12.2.0\n", "| avx2, hot | 2 | 1.179 | 1.88 (1) | 1.50 (1) | 1 | 0 |",
      "| rmsnorm_fwd_f32_h768 | 2 | 100 ns | 154 | 1.25 [1.00, 2.00] | 1.88 [1.40, 3.20] (clang-19 fast, 4 rows) | ",
      "| the default | noisy: spread 7 % |", "| " .. OTHER .. " | undecided |" } do
      assert.is_truthy(text:find(what, 1, true), what .. "\n" .. text)
    end
  end)

  it("is one page of HTML without scripts, whose tags are balanced", function()
    local text, open = page.html(machines()), {}
    assert.is_nil(text:find "<script" or text:find "http[s]?://[^w]")
    for slash, name, rest in text:gmatch "<(/?)(%a%w*)([^>]*)>" do
      if slash == "/" then
        assert.equal(name, table.remove(open))
      elseif not rest:find "/$" and name ~= "meta" then
        open[#open + 1] = name
      end
    end
    assert.same({}, open)
    local _, pictures = text:gsub("<svg ", "")
    assert.equal(3, pictures)
    for _, what in ipairs { "hot 192 GB/s", "dram 33.6 GB/s", "rmsnorm_fwd_f32_h768: libxsmm takes 1.50 times as long [1.10, 2.60]" } do
      assert.is_truthy(text:find(what, 1, true), what)
    end
    assert.is_nil(text:find '"%-?nan' or text:find '"%-?inf')
  end)

  it("has round ticks, and escapes what it writes", function()
    assert.same({ 1, 1.5, 2, 3, 5, 7, 10 }, svg.log_ticks(1, 10))
    assert.equal("&lt;a&gt; &amp; &quot;b&quot;", svg.escape '<a> & "b"')
  end)

  it("comes from the command, or an error does", function()
    local scratch = normgen.scratch()
    local file = io.open(scratch .. "/a.jsonl", "w")
    file:write(memory.line(record()))
    file:close()
    local code, out, err = normgen.run { "report", scratch .. "/a.jsonl", "-o", scratch .. "/page.html" }
    assert.same({ 0, "", "" }, { code, out, err })
    code, out, err = normgen.run { "report", scratch .. "/page.html" }
    assert.equal(1, code)
    assert.equal("", out)
    assert.is_truthy(err:find "normgen: report: no records\n$", err)
    code, out, err = normgen.run { "report", scratch .. "/none" }
    assert.same({ 1, "" }, { code, out })
    assert.is_truthy(err:find "cannot read '[^\n]*none'", err)
    normgen.remove(scratch)
  end)
end)
