--- Each stage of the pipeline as text for people.

local e = require "gen.formula.expr"
local plans = require "gen.plan.plan"
local traffic = require "gen.problem.traffic"

local explain = {}

local function signature(args)
  local parts = {}
  for i, argument in ipairs(args) do
    local shape = argument.shape == "scalar" and "" or "[" .. table.concat(argument.shape, ", ") .. "]"
    parts[i] = ("%s %s%s (%s)"):format(argument.dtype, argument.name, shape, argument.io)
  end
  return table.concat(parts, ", ")
end

--- Lines `name = expression`, operands first, for all nodes that bear a name and for the outputs; those without a dtype are
-- stored nowhere.
local function definitions(outputs)
  local lines, seen = {}, {}
  for _, output in ipairs(outputs) do
    e.walk(output.node, function(node)
      if node.label and #node > 0 then lines[#lines + 1] = ("  %s = %s"):format(node.label, e.describe(node)) end
    end, seen)
    local head = output.dtype and ("store %s (%s)"):format(output.name, output.dtype) or output.name
    lines[#lines + 1] = ("  %s = %s"):format(head, output.node.label or e.describe(output.node))
  end
  return lines
end

--- How sums are formed.
local function sums_text(c)
  return c.order or ("sums in %s, %d lanes, blocks of %d, halving tree"):format(c.acc, c.lanes, c.block)
end

--- The problem: arguments, contract and formulas.
function explain.problem(problem)
  local c = problem.contract
  local lines = {
    "problem   " .. problem.name,
    "spec      " .. problem.spec,
    "formula   " .. problem.formula .. "  (" .. problem.cites .. ")",
    "args      " .. signature(problem.args),
    ("contract  %d: %s, %s, fma"):format(c.version, c.compute, sums_text(c)),
  }
  for _, line in ipairs(definitions(problem.outputs)) do lines[#lines + 1] = line end
  return table.concat(lines, "\n") .. "\n"
end

--- The statistics of a kernel of channels, in front of its map: what a chunk gives, what two of them give together.
local function add_statistics(plan, lines)
  lines[#lines + 1] = ("  Walks %s."):format(plan.passes)
  for _, note in ipairs(plan.chunk and plans.notes(plan.chunk) or {}) do lines[#lines + 1] = "  Chunk: " .. note end
  for _, line in ipairs(plan.merge and definitions(plan.merge.outputs) or {}) do lines[#lines + 1] = "  Merge:" .. line:sub(2) end
end

--- The plan: sweeps and bytes.
function explain.plan(plan)
  local lines = { "plan      " .. plan.problem.name }
  if plan.form ~= "row" then add_statistics(plan, lines) end
  for _, note in ipairs(plans.notes(plan)) do lines[#lines + 1] = "  " .. note end
  if plan.saved then lines[#lines + 1] = ("  later passes read h again from %s"):format(plan.saved) end
  lines[#lines + 1] = "bytes     " .. traffic.text(plan.problem.bytes)
  return table.concat(lines, "\n") .. "\n"
end

--- The schedule of a code: knobs and values.
function explain.schedule(code) return "schedule  " .. (code.schedule_text ~= "" and code.schedule_text or "none") .. "\n" end

local HEADS = {
  def = function(s) return ("def %s %s = %s"):format(s.type, s.name, s.text) end,
  set = function(s) return ("set %s = %s"):format(s.name, s.text) end,
  call = function(s) return "call " .. s.text end,
  array = function(s) return ("array %s %s[%d]"):format(s.type, s.name, s.count) end,
  note = function(s) return "note " .. s.text end,
  splice = function() return "in front" end,
  ["if"] = function(s) return "if " .. s.text end,
  ["else"] = function() return "else" end,
  block = function(s) return s.text end,
  rows = function(s) return ("rows %d at a time%s"):format(s.count, s.next and ", the sums of the next ones ahead" or "") end,
  ["for"] = function(s) return ("for %s from %s to %s step %s"):format(s.name, tostring(s.from), tostring(s.to), tostring(s.step)) end,
}

local function tree(body, indent, lines)
  for _, statement in ipairs(body) do
    lines[#lines + 1] = indent .. HEADS[statement.kind](statement)
    if statement.body then tree(statement.body, indent .. "  ", lines) end
  end
  return lines
end

--- The code: the statement tree.
function explain.code(code)
  return ("code      %s for %s\n"):format(code.problem.name, code.target) .. table.concat(tree(code.body, "  ", {}), "\n") .. "\n"
end

return explain
