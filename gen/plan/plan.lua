--- Plan: the sweeps over a set of values that a problem needs. A reduction closes a sweep. Knows no target and no schedule.
--
-- The level of a node is the number of reductions that it hangs on, one behind the other. Sweep k computes the sums
-- whose terms have level k - 1, and stores what is known by then. Sums over the head of a row form short sweeps of
-- their own, which store nothing. A sum over other axes than the norm's is carried: the sweep that knows its terms adds them to
-- what earlier sets gave.
--
-- `form` names the loops, from how the axes lie in memory: "row" and "memory" (neighbours are summed; their number is known, or
-- only when the kernel is called), "segments" (pieces of neighbours), "columns" and "positions" (neighbours belong to different
-- channels, or positions), "merge" (of what parts have), "map" (no sums).

local e = require "gen.formula.expr"

local plan = {}

--- Whether a node is one value for a set that hangs on all its elements, so that it closes a sweep.
function plan.closes(node) return (node.op == "sum" or node.op == "amax") and not e.is_outer(node) end

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

--- The nodes of the outputs that fit, operands first, in a fixed order.
local function nodes_of(outputs, fits)
  local nodes, seen = {}, {}
  for _, output in ipairs(outputs) do
    e.walk(output.node, function(node) nodes[#nodes + 1] = fits(node) and node or nil end, seen)
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
    if node.scope == "row" or node == saved then return end
    for _, operand in ipairs(node) do visit(operand) end
  end
  for _, sum in ipairs(sweep.sums) do visit(sum[1]) end
  for _, store in ipairs(sweep.stores) do visit(store.node) end
  for _, sum in ipairs(sweep.carried) do visit(sum.node[1]) end
  return found, seen
end

--- What the last sweep stores element by element, and nothing reads again: array of the sweep's stores.
function plan.final_stores(self)
  local list = {}
  for _, store in ipairs(self.sweeps[#self.sweeps].stores) do
    if store.node.scope ~= "row" then list[#list + 1] = store end
  end
  return list
end

--- Sweeps without contents, but for their sums: those that form sums of each level, and a last one.
local function sweeps_of(sums, n, level, last)
  local sweeps = {}
  local function add_sweep(kind, at)
    local sweep = { kind = kind, count = n, sums = {}, stores = {}, carried = {} }
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
  return sweeps
end

--- Gives each output to the first sweep that can store it, or carry it.
local function place_outputs(self, level)
  for _, output in ipairs(self.problem.outputs) do
    for index, sweep in ipairs(self.sweeps) do
      if sweep.kind ~= "head" and sweep.level >= level(output.node) then
        local list = e.is_outer(output.node) and sweep.carried or sweep.stores
        list[#list + 1] = output
        if output.node == self.normed then self.saved, self.saved_by = output.name, index end
        break
      end
    end
  end
end

--- Notes what each sweep needs: row values, and how many operations; returns the numbers of the sweeps that read the normed value.
local function look_at_nodes(self)
  local readers = {}
  for index, sweep in ipairs(self.sweeps) do
    local nodes, set = reached(sweep, self.saved and index > self.saved_by and self.normed)
    sweep.rows, sweep.operations = {}, 0
    for _, node in ipairs(nodes) do
      if node.scope == "row" then sweep.rows[#sweep.rows + 1] = node end
      if node.scope == "element" and #node > 0 then sweep.operations = sweep.operations + 1 end
    end
    if sweep.kind == "row" and set[self.normed] then readers[#readers + 1] = index end
  end
  return readers
end

--- Cuts outputs into sweeps. `problem` has `n`, `args`, `outputs`, `normed` and `dtypes`.
local function cut(problem)
  local n, level, last = problem.n, level_of({}), 0
  for _, output in ipairs(problem.outputs) do last = math.max(last, level(output.node)) end
  local self = { problem = problem, n = n, normed = problem.normed, argument = {},
    sweeps = sweeps_of(nodes_of(problem.outputs, plan.closes), n, level, last) }
  for _, argument in ipairs(problem.args) do self.argument[argument.name] = argument end
  place_outputs(self, level)
  local ending = self.sweeps[#self.sweeps]
  if #ending.sums + #ending.carried == 0 and #plan.final_stores(self) == 0 then ending.kind = "end" end
  local readers = look_at_nodes(self)
  for _, output in ipairs(problem.outputs) do
    local could_hold = output.name == "y" and output.dtype == problem.dtypes.residual
    if could_hold and not self.saved and #readers > 1 and problem.normed.op ~= "load" then
      self.stage = { name = output.name, dtype = output.dtype, node = problem.normed, by = readers[1] }
    end
  end
  return self
end

local function form_of(problem)
  local its = problem.axes
  if problem.direction.merges then return "merge" end
  if its.order == "lanes" and not its.is_counted then return "row" end
  if not problem.direction.sums then return "map" end
  if its.order == "lanes" then return "memory" end
  if its.order == "pieces" then return "segments" end
  return its.memory[#its.memory] == "positions" and "positions" or "columns"
end

--- What is walked, for people.
local PASSES = {
  memory = "the head of a group, the group, the group",
  segments = "the batch of a channel, then again", columns = "all positions, then again",
  positions = "the channels of a position, then again", merge = "the chunks", map = "all positions",
}

local function is_statistic(node) return node.op == "statistic" end

--- The names of the arguments that hold elements to read.
local function read(problem)
  local list = {}
  for _, argument in ipairs(problem.args) do
    if argument.is_matrix and argument.io == "in" then list[#list + 1] = argument.name end
  end
  return list
end

--- The plan of a problem: its sweeps.
-- @return `{ problem=, n=, form=, passes=, argument=, sweeps=, normed=, saved=, stage=, chunk=, merge=, statistics=, read= }`.
--   `argument`: arguments by name. A sweep is `{ kind="head"|"row"|"end", count=, sums={node..}, stores={{name,dtype,node}..},
--   carried={{name,dtype,node}..}, rows={node..}, operations= }`: it walks the first `count` elements of a set, at the end none, with
--   so many operations on each. `saved` names the output from which sweeps after `saved_by` read `normed` again. Where no output saves
--   it, `stage` names one that could hold it for the time being (same dtype, written by the last sweep). Where sets are merged from
--   parts, `chunk` is the plan of a part, `merge` (`{ outputs, statistics }`) what two of them give, `statistics` the nodes that the
--   kernel's own outputs need of them.
function plan.new(problem)
  local form, its = form_of(problem), problem.axes
  local function cut_of(n, outputs)
    return cut { n = n, outputs = outputs, normed = problem.normed, dtypes = problem.dtypes, args = problem.args }
  end
  local self = cut_of(form == "memory" and "all" or form == "row" and its.n or its.channels, problem.outputs)
  self.problem, self.n, self.form, self.passes, self.axes = problem, form == "row" and its.n or its.channels, form, PASSES[form], its
  self.read, self.statistics = read(problem), nodes_of(problem.outputs, is_statistic)
  self.chunk = problem.chunk and cut_of("chunk", problem.chunk)
  self.merge = problem.merge and { outputs = problem.merge, statistics = nodes_of(problem.merge, is_statistic) }
  return self
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
  for _, sum in ipairs(sweep.carried) do e.walk(sum.node[1], visit, seen) end
  return values
end

--- One line per sweep: the values that it is the first to form, what it sums and what it stores.
function plan.notes(self)
  local notes, number, total, seen = {}, 0, 0, {}
  for _, sweep in ipairs(self.sweeps) do total = total + (sweep.kind == "row" and 1 or 0) end
  for index, sweep in ipairs(self.sweeps) do
    local sums, stores, carried, parts = {}, {}, {}, {}
    local values = new_values(sweep, seen)
    for i, sum in ipairs(sweep.sums) do
      sums[i] = (sum.op == "amax" and "largest of " or "") .. (sum[1].label or e.describe(sum[1]))
    end
    for i, store in ipairs(sweep.stores) do stores[i] = store.name .. " = " .. (store.node.label or e.describe(store.node)) end
    for i, sum in ipairs(sweep.carried) do carried[i] = sum.name .. " += " .. (sum.node[1].label or e.describe(sum.node[1])) end
    if #values > 0 then parts[#parts + 1] = list(values) end
    if #sums > 0 then parts[#parts + 1] = (sweep.sums[1].op == "sum" and "sum " or "") .. table.concat(sums, " and ") end
    if #stores > 0 then parts[#parts + 1] = "store " .. list(stores) end
    if #sweep.carried > 0 then parts[#parts + 1] = "carry " .. list(carried) end
    if sweep.kind == "row" then number = number + 1 end
    local head = type(sweep.count) == "number" and ("Head of %d elements"):format(sweep.count) or "Head"
    local title = sweep.kind == "head" and head
      or sweep.kind == "end" and "Then" or ("Pass %d of %d"):format(number, total)
    notes[index] = title .. ": " .. table.concat(parts, "; ") .. "."
  end
  return notes
end

return plan
