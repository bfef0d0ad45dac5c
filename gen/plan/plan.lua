--- Plan: the sweeps over a row that a problem needs. A reduction closes a sweep. Knows no target and no schedule.
--
-- The level of a node is the number of reductions that it hangs on, one behind the other. Sweep k computes the sums
-- whose terms have level k - 1, and stores what is known by then. Sums over the head of a row form short sweeps of
-- their own, which store nothing.

local channels = require "gen.plan.channels"
local e = require "gen.formula.expr"

local plan = {}

--- Whether a node is one value for a row that hangs on all its elements, so that it closes a sweep.
function plan.closes(node) return node.op == "sum" or node.op == "amax" end

local function level_of(memo)
  local function level(node)
    if not memo[node] then
      local most = 0
      for _, operand in ipairs(node) do most = math.max(most, level(operand)) end
      memo[node] = plan.closes(node) and most + 1 or most
    end
    return memo[node]
  end
  return level
end

--- All nodes of the outputs, operands first, in a fixed order.
local function nodes_of(outputs)
  local nodes, seen = {}, {}
  for _, output in ipairs(outputs) do
    e.walk(output.node, function(node) nodes[#nodes + 1] = node end, seen)
  end
  return nodes
end

--- The nodes that a sweep computes or reads for each element, operands last; row values are not entered, nor is `saved`, a
-- node that is read from where an earlier sweep stored it.
local function reached(sweep, saved)
  local found, seen = {}, {}
  local function visit(node)
    if seen[node] then return end
    seen[node] = true
    found[#found + 1] = node
    if node.domain == "row" or node == saved then return end
    for _, operand in ipairs(node) do visit(operand) end
  end
  for _, sum in ipairs(sweep.sums) do visit(sum[1]) end
  for _, store in ipairs(sweep.stores) do visit(store.node) end
  return found, seen
end

--- What the last sweep stores element by element, and nothing reads again: array of the sweep's stores.
function plan.final_stores(self)
  local list = {}
  for _, store in ipairs(self.sweeps[#self.sweeps].stores) do
    if store.node.domain ~= "row" then list[#list + 1] = store end
  end
  return list
end

--- Cuts outputs into sweeps. `problem` has `n`, `args`, `outputs`, `normed` and `dtypes`.
local function cut(problem)
  local n, level = problem.n, level_of({})
  local sums, last = {}, 0
  for _, node in ipairs(nodes_of(problem.outputs)) do
    last = math.max(last, level(node))
    if plan.closes(node) then sums[#sums + 1] = node end
  end

  local sweeps = {}
  local function add_sweep(kind, at)
    local sweep = { kind = kind, count = n, sums = {}, stores = {} }
    for _, sum in ipairs(sums) do
      if level(sum) == at + 1 and ((sum.count or n) == n) == (kind == "row") then
        sweep.sums[#sweep.sums + 1] = sum
        sweep.count = sum.count or n
      end
    end
    if #sweep.sums > 0 or at == last then sweeps[#sweeps + 1], sweep.level = sweep, at end
  end
  for at = 0, last do
    if at < last then add_sweep("head", at) end
    add_sweep("row", at)
  end

  local result = { problem = problem, n = n, sweeps = sweeps, normed = problem.normed, argument = {} }
  for _, argument in ipairs(problem.args) do result.argument[argument.name] = argument end
  for _, output in ipairs(problem.outputs) do
    for index, sweep in ipairs(sweeps) do
      if sweep.kind ~= "head" and sweep.level >= level(output.node) then
        sweep.stores[#sweep.stores + 1] = output
        if output.node == problem.normed then result.saved, result.saved_by = output.name, index end
        break
      end
    end
  end
  local ending = sweeps[#sweeps]
  if #ending.sums == 0 and #plan.final_stores(result) == 0 then ending.kind = "end" end
  local readers = {}
  for index, sweep in ipairs(sweeps) do
    local nodes, set = reached(sweep, result.saved and index > result.saved_by and problem.normed)
    sweep.rows, sweep.operations = {}, 0
    for _, node in ipairs(nodes) do
      if node.domain == "row" then sweep.rows[#sweep.rows + 1] = node end
      if node.domain == "element" and #node > 0 then sweep.operations = sweep.operations + 1 end
    end
    if sweep.kind == "row" and set[problem.normed] then readers[#readers + 1] = index end
  end
  for _, output in ipairs(problem.outputs) do
    local could_hold = output.name == "y" and output.dtype == problem.dtypes.residual
    if could_hold and not result.saved and #readers > 1 and problem.normed.op ~= "load" then
      result.stage = { name = output.name, dtype = output.dtype, node = problem.normed, by = readers[1] }
    end
  end
  return result
end

--- The plan of a problem: its sweeps, or for a kernel of channels what gen/plan/channels.lua says.
-- @return `{ problem=, n=, argument=, sweeps=, normed=, saved=, stage= }`. `argument`: arguments by name. A sweep is
--   `{ kind="head"|"row"|"end", count=, sums={node..}, stores={{name,dtype,node}..}, rows={node..}, operations= }`: it walks the
--   first `count` elements, at the end none, with so many operations on each. `saved` names the output from which sweeps after
--   `saved_by` read `normed` again. Where no output saves it, `stage` names one that could hold it for the time being (same
--   dtype, written by the last sweep).
function plan.new(problem)
  return problem.geometry and channels.new(problem, cut) or cut(problem)
end

--- Operations on an element up to which a sweep is short.
local SHORT = 16

--- How many times as long as that of a short sweep the code of a sweep is: elementary functions take dozens of operations.
function plan.length(sweep) return math.max(1, sweep.operations / SHORT)
end

--- The arguments that hold a value to read for each element of each row.
function plan.input_matrices(self)
  local list = {}
  for _, argument in ipairs(self.problem.args) do
    if argument.io == "in" and argument.is_matrix then list[#list + 1] = argument end
  end
  return list
end

local function list(items) return table.concat(items, ", ") end

--- The named values that a sweep is the first to form, as "name = expression".
local function new_values(sweep, seen)
  local values = {}
  local function visit(node)
    if node.label and #node > 0 then values[#values + 1] = node.label .. " = " .. e.describe(node) end
  end
  for _, sum in ipairs(sweep.sums) do e.walk(sum[1], visit, seen) end
  for _, store in ipairs(sweep.stores) do e.walk(store.node, visit, seen) end
  return values
end

--- One line per sweep: the values that it is the first to form, what it sums and what it stores.
function plan.notes(self)
  local notes, number, total, seen = {}, 0, 0, {}
  for _, sweep in ipairs(self.sweeps) do total = total + (sweep.kind == "row" and 1 or 0) end
  for index, sweep in ipairs(self.sweeps) do
    local sums, stores, parts = {}, {}, {}
    local values = new_values(sweep, seen)
    for i, sum in ipairs(sweep.sums) do
      sums[i] = (sum.op == "amax" and "largest of " or "") .. (sum[1].label or e.describe(sum[1]))
    end
    for i, store in ipairs(sweep.stores) do stores[i] = store.name .. " = " .. (store.node.label or e.describe(store.node)) end
    if #values > 0 then parts[#parts + 1] = list(values) end
    if #sums > 0 then parts[#parts + 1] = (sweep.sums[1].op == "sum" and "sum " or "") .. table.concat(sums, " and ") end
    if #stores > 0 then parts[#parts + 1] = "store " .. list(stores) end
    if sweep.kind == "row" then number = number + 1 end
    local head = type(sweep.count) == "number" and ("Head of %d elements"):format(sweep.count) or "Head"
    local title = sweep.kind == "head" and head
      or sweep.kind == "end" and "Then" or ("Pass %d of %d"):format(number, total)
    notes[index] = title .. ": " .. table.concat(parts, "; ") .. "."
  end
  return notes
end

return plan
