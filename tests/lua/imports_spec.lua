-- Who may require whom: the rooms of the tree, checked by reading the source. A law that cannot fail is none, so each is broken in a
-- copy, too.

local imports = require "tests.support.imports"

-- What is added to a module of a copy, and what is then said of it.
local PLANTED = {
  { "gen.norms.rmsnorm", 'require "gen.formula.contract"', "gen.norms.rmsnorm must not see gen.formula.contract" },
  { "gen.problem.problem", 'require "gen.target.targets"', "gen.problem.problem must not see gen.target.targets" },
  { "gen.plan.plan", 'require "gen.schedule.schedule"', "gen.plan.plan must not see gen.schedule.schedule" },
  { "gen.emit.emit", 'require "gen.target.vocabulary"', "gen.emit.emit must not see gen.target.vocabulary" },
  { "gen.schedule.schedule", 'require "targets.avx2"', "gen.schedule.schedule must not see targets.avx2" },
  { "gen.golden.interpreter", 'require "gen.problem.problem"', "gen.golden.interpreter must not see gen.problem.problem" },
  { "gen.spec.spec", 'require "host.files"', "gen.spec.spec must not see host.files" },
  { "host.files", 'require "cli.options"', "host.files must not see cli.options" },
  { "tuner.search", 'require "cli.emission"', "tuner.search must not see cli.emission" },
  { "bench.report", 'require("cli." .. name)', "bench.report must not see cli" },
  { "gen.emit.set", "local function f(plan, target) end", "a function of gen.emit.set is given a plan and a target" },
  { "gen.problem.problem", "function problem.f(plan, schedule, target) end",
    "a function of gen.problem.problem is given a plan and a target" },
  { "targets.avx2", 'require "targets.sse2"', "targets.avx2 must not see targets.sse2" },
  { "targets.neon", 'require "gen.target.vocabulary"', "targets.neon must not see gen.target.vocabulary" },
  { "gen.another", "", "gen.another is in a room that the law does not know" },
}

describe("the import law", function()
  it("holds", function()
    local sources, count = imports.sources(), 0
    for _ in pairs(sources) do count = count + 1 end
    assert.is_true(count > 100, count .. " modules")
    assert.same({}, imports.violations(sources))
  end)

  it("sees what breaks it", function()
    for _, plant in ipairs(PLANTED) do
      local sources = imports.sources()
      sources[plant[1]] = (sources[plant[1]] or "") .. "\n" .. plant[2] .. "\n"
      local said = table.concat(imports.violations(sources), "\n")
      assert.is_truthy(said:find(plant[3], 1, true), ("planted in %s: %s; said: %s"):format(plant[1], plant[2], said))
    end
  end)
end)
