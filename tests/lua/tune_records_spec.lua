-- Records of tuned schedules: reading, writing, merging, and which one answers for a kernel.

local cpu = require "host.cpu"
local tree = require "gen.tree"
local files = require "tests.support.files"
local memory = require "tuner.memory"
local samples = require "tests.support.records"
local schedule = require "gen.schedule.schedule"
local toolchain = require "host.toolchain"
local tuned = require "gen.schedule.records"

local DEFAULT, OTHER, SPACE, record = samples.DEFAULT, samples.OTHER, samples.SPACE, samples.new

local function read(text) return tuned.read(text, "file") end

describe("records", function()
  it("come back as they were written, in the same bytes", function()
    local list = { record(), record { regime = "dram", rows = 10922, quality = "noisy", why = { "spread 7 %" } } }
    local text = memory.text(memory.merged(list))
    local back, skipped = read(text)
    assert.same({}, skipped)
    assert.equal(text, memory.text(back))
    assert.same({ list[2], list[1] }, back)
  end)

  it("are sorted by name, with row lengths as numbers", function()
    local list = {}
    for i, h in ipairs { 4096, 64, 768 } do list[i] = record { name = ("rmsnorm_fwd_f32_h%d"):format(h) } end
    local names = {}
    for i, one in ipairs(memory.merged(list)) do names[i] = one.name end
    assert.same({ "rmsnorm_fwd_f32_h64", "rmsnorm_fwd_f32_h768", "rmsnorm_fwd_f32_h4096" }, names)
  end)

  it("are skipped one by one where they are corrupt, truncated, foreign or of the future, and each is named", function()
    local good = memory.line(record())
    local bad = {
      { "{", "no JSON object" },
      { "12", "no JSON object" },
      { good:sub(1, 100), "no JSON object" },
      { (good:gsub('"hot"', "7"):gsub("\n", "")), "regime is no string" },
      { (good:gsub('"rows":2,', ""):gsub("\n", "")), "rows is no number" },
      { (good:gsub('"rows":2,', '"rows":-2,'):gsub("\n", "")), "rows is no number of rows" },
      { ("["):rep(100000), "no JSON object" },
      { memory.line(record { space = "ffffffff" }):sub(1, -2), "made for schedule space 'ffffffff', not " .. SPACE },
      { memory.line(record { contract = 2 }):sub(1, -2), "contract 2, not 1" },
      { memory.line(record { schedule = OTHER .. " tiles=3" }):sub(1, -2), "schedule has an unknown knob" },
      { memory.line(record { schedule = OTHER:gsub("rows=1", "rows=3") }):sub(1, -2), "schedule rows='3' is not known" },
      { memory.line(record { schedule = OTHER:gsub("pipe=1 ", "") }):sub(1, -2), "schedule has no pipe" },
      { memory.line(record { schedule = "fast" }):sub(1, -2), "not a schedule" },
    }
    for i, case in ipairs(bad) do
      local records, skipped, lines = read(good .. case[1] .. "\n" .. good)
      assert.equal(2, #records, case[1])
      assert.equal(1, #skipped, case[1])
      assert.is_truthy(skipped[1]:find("file:2: skipped: " .. case[2], 1, true), i .. ": " .. skipped[1])
      assert.same({ case[1] }, lines)
    end
    -- A field that a later version added does no harm; nor does a last line without its newline.
    local records, skipped = read((good:gsub('"ns"', '"weather":"fine","ns"'):gsub("\n$", "")))
    assert.same({ 1, 0 }, { #records, #skipped })
    assert.same({ 0, 0 }, { #read "", #select(2, read "\n\n") })
  end)

  it("merge to the better one, in any order", function()
    local clean, noisy = record { ratio = { 0.9, 0.8, 1 } }, record { quality = "noisy", rounds = 1000 }
    local undecided, long = record { decided = false, rounds = 900 }, record { rounds = 101, schedule = DEFAULT }
    for _, list in ipairs { { clean, noisy }, { noisy, clean }, { clean, undecided }, { undecided, clean } } do
      assert.same({ clean }, memory.merged(list))
    end
    for _, list in ipairs { { clean, long }, { long, clean } } do assert.same({ long }, memory.merged(list)) end
    assert.equal(2, #memory.merged { clean, record { compiler = "clang 19.1.7" } })
  end)

  it("distil to one for each kernel, target and regime of a microarchitecture", function()
    local list = memory.distilled { record { quality = "noisy" }, record { compiler = "clang 19.1.7" },
      record { cpu = "AuthenticAMD-25-97-2", rounds = 5 },
      record { regime = "dram" }, record { microarchitecture = "zen5", cpu = "AuthenticAMD-26-2-1" } }
    assert.equal(3, #list)
    assert.equal("clang 19.1.7", list[2].compiler)
  end)
end)

describe("the records that come with normgen", function()
  it("can all be used, and are distilled", function()
    local names = tree.records()
    assert.is_true(#names > 0)
    for _, name in ipairs(names) do
      local text = files.read("records/" .. name)
      local found, skipped = read(text)
      assert.same({}, skipped)
      assert.equal(text, memory.text(memory.distilled(found)))
      for _, one in ipairs(found) do assert.equal(name, one.microarchitecture .. ".jsonl") end
    end
  end)
end)

describe("the space of schedules", function()
  it("has a version that is made from its knobs and values", function()
    assert.is_truthy(SPACE:find "^%x%x%x%x%x%x%x%x$")
    assert.equal(SPACE, schedule.version(schedule.parse(DEFAULT)))
    assert.are_not.equal(SPACE, schedule.version { strips = "1", tile = "1" })
    assert.same(schedule.parse(OTHER), schedule.parse(OTHER:gsub(" ", ",")))
    assert.is_nil(schedule.parse "rows=1 rows=2")
  end)
end)

local WANTED = { name = "rmsnorm_fwd_f32_h768", target = "avx2", cpu = "AuthenticAMD-25-17-1", microarchitecture = "zen4",
  compiler = "gcc 12.2.0" }

local function accept() end

-- The step that answers, and the record.
local function ask(records, refuse, regimes)
  local answer = tuned.lookup(records, WANTED, refuse or accept, regimes)
  assert.equal(answer.step - 1, #answer.missed)
  return answer.step, answer.record, answer.missed
end

describe("the ladder", function()
  local exact, compiler = record(), record { compiler = "clang 19.1.7" }
  local stepping = record { cpu = "AuthenticAMD-25-97-2" }
  local other_h = record { name = "rmsnorm_fwd_f32_h1024", microarchitecture = "zen5", cpu = "AuthenticAMD-26-2-1" }
  local far_h = record { name = "rmsnorm_fwd_f32_h4096" }

  it("has five steps, each better than the next", function()
    local rungs = { exact, compiler, stepping, other_h }
    for first = 1, 4 do
      local list = { far_h }
      for i = 4, first, -1 do list[#list + 1] = rungs[i] end
      local step, answer = ask(list)
      assert.same({ first, rungs[first] }, { step, answer })
    end
    local step, answer, missed = ask {}
    assert.same({ 5, nil }, { step, answer })
    assert.same({ "no record", "no record", "no record", "no record" }, missed)
  end)

  it("takes records of the target that another one extends, behind its own", function()
    local wanted = setmetatable({ target = "avx512bf16", extends = "avx512" }, { __index = WANTED })
    local base, own = record { target = "avx512" }, record { target = "avx512bf16", cpu = "AuthenticAMD-25-97-2" }
    local answer = tuned.lookup({ base, exact }, wanted, accept)
    assert.same({ 3, base }, { answer.step, answer.record })
    assert.equal(own, tuned.lookup({ base, own }, wanted, accept).record)
    assert.equal(5, tuned.lookup({ own }, WANTED, accept).step)
  end)

  it("takes the nearest h, and of equally near ones the own microarchitecture", function()
    assert.equal(other_h, select(2, ask { far_h, other_h }))
    local own = record { name = "rmsnorm_fwd_f32_h1024", cpu = "AuthenticAMD-25-97-2" }
    assert.equal(own, select(2, ask { other_h, own }))
    -- The same kernel on a foreign CPU is as near as can be.
    local foreign = record { microarchitecture = "zen2", cpu = "AuthenticAMD-23-49-0" }
    assert.equal(foreign, select(2, ask { far_h, foreign }))
  end)

  it("knows kernels without a row length", function()
    local wanted = { name = "batchnorm_infer_f32_c64_nhwc", target = "avx2", cpu = "x", microarchitecture = "y", compiler = "z" }
    local list = { record { name = wanted.name, quality = "noisy" }, record { name = wanted.name } }
    local answer = tuned.lookup(list, wanted, accept)
    assert.same({ 4, list[2] }, { answer.step, answer.record })
  end)

  it("does not mix kernels, targets and options", function()
    for _, fields in ipairs { { target = "avx512" }, { name = "layernorm_fwd_f32_h768" }, { name = "rmsnorm_fwd_f32_h768_addout" },
      { name = "rmsnorm_fwd_bf16_h768" } } do
      assert.equal(5, (ask { record(fields) }))
    end
  end)

  it("goes on where the kernel cannot have a schedule, and says why", function()
    local function refuse(overrides) return overrides.strips == "2" and "too many strips" or nil end
    local legal = record { name = "rmsnorm_fwd_f32_h4096", schedule = DEFAULT }
    local step, answer, missed = ask({ exact, compiler, legal }, refuse)
    assert.same({ 4, legal }, { step, answer })
    assert.same({ "too many strips", "too many strips", "too many strips" }, missed)
  end)

  it("asks for few rows first, and prefers clean and decided records", function()
    local l2, dram = record { regime = "l2" }, record { regime = "dram" }
    assert.equal(l2, select(2, ask { dram, l2 }))
    assert.equal(exact, select(2, ask { dram, l2, exact }))
    assert.equal(dram, select(2, ask({ dram, l2, exact }, accept, { "dram" })))
    -- A better step goes before a better regime.
    assert.equal(dram, select(2, ask { compiler, dram }))
    local noisy = record { compiler = "clang 19.1.7", quality = "noisy" }
    local clean = record { compiler = "clang 18.1.8" }
    assert.equal(clean, select(2, ask { noisy, clean }))
  end)

  it("gives a kernel two schedules where records say that it pays", function()
    local small = record { rows = 2, schedule = OTHER }
    local large = record { rows = 8192, regime = "dram", schedule = DEFAULT, over = { schedule = OTHER, ratio = { 0.9, 0.89, 0.91 } } }
    local middle = record { rows = 32, regime = "l2", schedule = DEFAULT, over = large.over }
    local function second(...)
      local list = { ... }
      local found, rows = tuned.second(tuned.lookup(list, WANTED, accept), list, WANTED, accept)
      return { found, rows }
    end
    assert.same({ large, 128 }, second(small, large))
    assert.same({ middle, 8 }, second(small, middle, large))
    assert.same({ large, 128 }, second(small, record { rows = 32, regime = "l2", schedule = OTHER }, large))
    assert.same({}, second(small))
    assert.same({}, second(large))
    assert.same({}, second(small, record { rows = 8192, regime = "dram", schedule = DEFAULT }))
    assert.same({}, second(record { schedule = DEFAULT }, large))
    -- Records of another row length, and of different steps, do not say when to change over.
    assert.same({}, second(record { name = "rmsnorm_fwd_f32_h1024", schedule = OTHER }, large))
    for _, one in ipairs { small, large } do one.cpu, one.microarchitecture = "AuthenticAMD-23-49-0", "zen2" end
    assert.same({}, second(small, large))
  end)
end)

describe("the identity of a CPU", function()
  local AMD = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9004\nstepping\t: 1\n"
  local ARM = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n"

  it("comes from numbers, never from the name of a model", function()
    assert.equal("AuthenticAMD-25-17-1", cpu.identity_in(AMD))
    assert.equal("AuthenticAMD-25-17-1", cpu.identity_in((AMD:gsub("EPYC 9004", "Ryzen"))))
    assert.equal("arm-41-d0c-3-1", cpu.identity_in(ARM))
    assert.equal("unknown", cpu.identity_in "")
  end)

  it("has a microarchitecture, by name or by number", function()
    for identity, name in pairs { ["AuthenticAMD-25-17-1"] = "zen4", ["AuthenticAMD-25-33-0"] = "zen3", ["AuthenticAMD-26-2-1"] = "zen5",
      ["GenuineIntel-6-143-8"] = "sapphirerapids", ["GenuineIntel-6-1-8"] = "family-6-model-1", ["arm-41-d0c-3-1"] = "neoverse-n1",
      ["arm-61-22-1-1"] = "family-61-model-22", unknown = "unknown" } do
      assert.equal(name, cpu.microarchitecture(identity))
    end
  end)
end)

describe("the identity of a compiler", function()
  it("is its kind and version, however it is called", function()
    for text, identity in pairs {
      ["cc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright"] = "gcc 12.2.0",
      ["aarch64-linux-gnu-gcc (Debian 12.2.0-14) 12.2.0"] = "gcc 12.2.0",
      ["gcc (GCC) 13.2.1 20230801 (Red Hat 13.2.1-1)"] = "gcc 13.2.1",
      ["Debian clang version 19.1.7 (3~deb12u1)"] = "clang 19.1.7",
      ["sh: cc: not found"] = "unknown",
    } do
      assert.equal(identity, toolchain.identity(text))
    end
  end)
end)

