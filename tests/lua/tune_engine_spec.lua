-- Candidates that crash, hang, compute wrong bits or do not compile: by dynamic loading and by a static program.

local build = require "tuner.build"
local candidates = require "tuner.candidates"
local cpu = require "host.cpu"
local engine = require "tuner.engine"
local lfs = require "lfs"
local native = require "host.native"
local normgen = require "tests.support.normgen"
local pipeline = require "gen.pipeline.pipeline"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"

local scratch

local function find_cells() return { { regime = "hot", rows = 3 }, { regime = "l2", rows = 5 } } end

local function new_kernel(line)
  return candidates.new(spec.parse(line), native.target(pipeline.targets()), find_cells, 5)
end

-- Puts C in front of what candidate `number` does.
local function spoil(kernel, number, text)
  local one = kernel.list[number + 1]
  one.text = one.text:gsub("%(void%)stride,", function() return text .. " (void)stride," end)
end

local function new_engine(runner)
  local builder = build.new { cc = { "cc" }, version = "a compiler", jobs = 2, cache = scratch .. "/cache", scratch = scratch }
  return engine.new { build = builder, is_here = true, runner = runner, limit = 3 }
end

local function keys(samples)
  local list = {}
  for key in pairs(samples) do list[#list + 1] = key end
  table.sort(list)
  return list
end

describe("the engine", function()
  -- Tests share what is compiled.
  setup(function() scratch = normgen.scratch() end)
  teardown(function() normgen.remove(scratch) end)

  for name, runner in pairs { ["loading candidates"] = false, ["linking candidates"] = { "env" } } do
    describe(name, function()
      it("times every candidate, each beside the default, and names the CPU", function()
        local kernel, its = new_kernel "layernorm f32 h=70 addout", new_engine(runner or nil)
        assert.is_nil(its:prepare(kernel))
        for index = 1, 2 do
          local result = its:measure(index, kernel.cells[index].numbers, 7, 1, error)
          assert.equal(#kernel.cells[index].numbers, #keys(result.samples))
          for _, samples in pairs(result.samples) do
            assert.same({ 7, 7 }, { #samples.ns, #samples.ratios })
            assert.is_true(samples.ns[1] > 0 and samples.ratios[1] > 0)
          end
          assert.equal(cpu.identity(), result.cpu)
          -- The copy reads x or residual, and writes y and sum.
          assert.equal(2 * 2 * find_cells()[index].rows * 70 * 4, result.bytes)
        end
      end)

      it("survives candidates that crash, hang or do not compile, and takes a wrong bit for an error", function()
        local kernel, its, lost = new_kernel "rmsnorm f32 h=8", new_engine(runner or nil), {}
        spoil(kernel, 1, "__builtin_trap();")
        spoil(kernel, 2, "for (volatile int i = 1; i;);")
        spoil(kernel, 3, "((double *)scalar)[0] += 1;")
        kernel.list[5].text = "#error no\n"
        assert.is_nil(its:prepare(kernel))
        assert.is_truthy(kernel.list[5].complaint:find "#error no")
        for number = 1, 4 do assert.is_truthy(kernel.list[number].object) end
        local result = its:measure(1, { 0, 1, 2 }, 2, 1, function(one, reason) lost[one.number] = reason end)
        assert.same({ [1] = "crashes", [2] = "hangs" }, lost)
        assert.same({ 0 }, keys(result.samples))
        local ok, err = pcall(its.measure, its, 1, { 0, 3 }, 2, 1, error)
        assert.is_false(ok)
        assert.is_true(err.is_wrong)
        assert.is_truthy(err.failure:find("schedule " .. kernel.list[4].schedule .. ": its bits are not", 1, true), err.failure)
        -- The yardstick crashes: then there is nothing to compare with.
        ok, err = pcall(its.measure, its, 1, { 1, 0 }, 2, 1, error)
        assert.is_false(ok)
        assert.is_truthy(err.failure:find "the runner failed")
      end)

      it("knows when the default does not compile", function()
        local kernel = new_kernel "rmsnorm f32 h=8"
        kernel.list[1].text = "#error not at all\n"
        assert.is_truthy(new_engine(runner or nil):prepare(kernel):find "#error not at all")
      end)
    end)
  end

  it("compiles nothing twice", function()
    local its, kernel = new_engine(), new_kernel "rmsnorm f32 h=9"
    its:prepare(kernel)
    local object, again = kernel.list[1].object, new_kernel "rmsnorm f32 h=9"
    os.execute(normgen.line { "touch", "-d", "yesterday", object })
    local before = lfs.attributes(object, "modification")
    its:prepare(again)
    assert.same({ object, before }, { again.list[1].object, lfs.attributes(object, "modification") })
    local other = new_kernel "rmsnorm f32 h=9"
    other.list[2].text = other.list[2].text .. "/* more */\n"
    its:prepare(other)
    assert.are_not.equal(object, other.list[1].object)
  end)

  it("builds and times neighbours that come later beside those that are there", function()
    local its, kernel = new_engine(), new_kernel "rmsnorm f32 h=9"
    its:prepare(kernel)
    local cell, object = kernel.cells[1], kernel.list[1].object
    local numbers = { 0 }
    local new = candidates.add_neighbours(kernel, cell, { 0 }, numbers)
    assert.is_true(#new > 0 and #numbers == #new + 1)
    assert.same({}, candidates.add_neighbours(kernel, cell, { 0 }, numbers))
    for _, number in ipairs(new) do
      local a, b = schedule.parse(kernel.list[1].schedule), schedule.parse(kernel.list[number + 1].schedule)
      assert.equal(1, schedule.distance(a, b))
    end
    its:prepare(kernel)
    assert.equal(object, kernel.list[1].object)
    assert.equal(#numbers, #keys(its:measure(1, numbers, 7, 1, error).samples))
  end)
end)
