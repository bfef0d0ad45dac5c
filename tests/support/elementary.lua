-- Writes a kernel y = f(x) for each elementary function f, for one target, as C:
--   luajit tests/support/elementary.lua TARGET OUTPUT.c [DEPFILE]
-- The functions are elementary_<f>_<target>(rows, x, y), rows of 1024 floats; elementary_<target>_runs_here() tells whether this
-- CPU can run them.

package.path = "./?.lua;" .. package.path

local activations = require "gen.formula.activations"
local contract = require "gen.formula.contract"
local e = require "gen.formula.expr"
local emit = require "gen.emit.emit"
local files = require "tests.support.files"
local lower = require "gen.lower.lower"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"

local PREFIX = "elementary_"

local target = targets.named(arg[1])

-- The problem of a kernel without norm: its function alone.
local function problem_of(name)
  local p = problem.new(spec.parse "dyt f32 h=1024 affine=none")
  local y = contract.expander(p.h, false)(e.apply(name, p.normed))
  local args = {}
  for _, argument in ipairs(p.args) do
    if argument.name ~= "alpha" then args[#args + 1] = argument end
  end
  p.name, p.title, p.formula, p.cites, p.args = name, name, name .. "(x)", "tests", args
  p.outputs = { { name = "y", dtype = "f32", node = y } }
  return p
end

local names, texts = {}, {}
for name in pairs(activations.named) do names[#names + 1] = name end
table.sort(names)
for i, name in ipairs(names) do
  local its_plan = plan.new(problem_of(name))
  texts[i] = emit.kernel(lower.new(its_plan, target, schedule.choose(its_plan, target)), { prefix = PREFIX }).text
end
texts[#texts + 1] = "#if " .. target.guard
texts[#texts + 1] = emit.detection(target, PREFIX):gsub("@", PREFIX)
texts[#texts + 1] = ([[
int elementary_%s_runs_here(void);
int elementary_%s_runs_here(void)
{
    return elementary_runs_%s();
}
#endif]]):gsub("%%s", target.name)
files.write(arg[2], table.concat(texts, "\n") .. "\n")
if arg[3] then files.write_depfile(arg[3], arg[2]) end
