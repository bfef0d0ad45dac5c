--- Candidates as C: a kernel with each of its schedules, under names that can stand side by side, and the table of the
-- calls that they are timed in.

local cells = require "tuner.cells"
local emit = require "gen.emit.emit"
local literal = require "gen.c.literal"
local lower = require "gen.lower.lower"
local plans = require "gen.plan.plan"
local problems = require "gen.problem.problem"
local registry = require "gen.emit.registry"
local schedule = require "gen.schedule.schedule"
local sets = require "gen.emit.set"
local space = require "gen.schedule.space"

local candidates = {}

-- Candidates that are compiled as one file: most of the time goes into headers.
local BATCH = 8

-- A prefix that tells the schedule: the place of each value among those of its knob.
local function prefix_of(plan, chosen)
  local parts = {}
  for i, knob in ipairs(schedule.knobs(plan)) do
    for place, value in ipairs(knob.values) do
      if value == tostring(chosen[knob.key]) then parts[i] = literal.integer(place) end
    end
  end
  return "c" .. table.concat(parts) .. "_"
end

local function candidate(plan, target, chosen, number)
  local code, prefix = lower.new(plan, target, chosen), prefix_of(plan, chosen)
  local text = emit.kernel(code, { prefix = prefix, command = "normgen tune" }).text
  return { number = number, schedule = schedule.format(chosen), size = #text,
    symbol = ("%sinvoke_%s_%s"):format(prefix, code.problem.name, code.target),
    text = text .. "\n" .. sets.within(code.guard, registry.invoke(code, prefix, "")) }
end

--- The number of the candidate with a schedule (a text), or nil.
function candidates.number(kernel, text)
  for _, one in ipairs(kernel.list) do
    if one.schedule == text then return one.number end
  end
end

-- The number of the candidate with a schedule, which is written if there is none.
local function add(kernel, chosen)
  local number = candidates.number(kernel, schedule.format(chosen))
  if number then return number end
  kernel.list[#kernel.list + 1] = kernel.write(chosen, #kernel.list)
  return #kernel.list - 1
end

--- A kernel that is to be tuned.
-- @param spec spec table
-- @param target target table with vectors
-- @param find_cells function(problem) that returns the calls, array of `{ regime =, rows = }`
-- @param most candidates of a call
-- @return `{ name =, spec =, target =, problem =, cells =, list = {candidate..} }`: each cell also has its `space` of schedules in
--   the order of trying, the default first, and the `numbers` of its candidates; candidate number n is list[n + 1]
function candidates.new(spec, target, find_cells, most)
  local problem = problems.new(spec)
  local plan = plans.new(problem)
  local kernel = { name = problem.name, spec = problem.spec, contract = problem.contract.version, target = target.name,
    arch = target.arch, problem = problem, cells = find_cells(problem), list = {} }
  function kernel.write(chosen, number) return candidate(plan, target, chosen, number) end
  for _, cell in ipairs(kernel.cells) do
    cell.space, cell.numbers = space.list(plan, target, cell.rows, cell.regime), {}
    for i = 1, math.min(most, #cell.space) do cell.numbers[i] = add(kernel, cell.space[i]) end
  end
  return kernel
end

--- Adds the neighbours of candidates to those of a call: legal schedules that differ from one of them in one knob.
-- @param cell one of the kernel's
-- @param near numbers of candidates
-- @param numbers those that the call has, which get the new ones
-- @return array of the numbers that are new, in the order of trying
function candidates.add_neighbours(kernel, cell, near, numbers)
  local has, texts, new = {}, {}, {}
  for _, number in ipairs(numbers) do has[number] = true end
  for i, number in ipairs(near) do texts[i] = schedule.parse(kernel.list[number + 1].schedule) end
  for _, chosen in ipairs(cell.space) do
    local is_near = false
    for _, other in ipairs(texts) do is_near = is_near or schedule.distance(chosen, other) == 1 end
    local number = is_near and add(kernel, chosen)
    if number and not has[number] then
      new[#new + 1] = number
      numbers[#numbers + 1] = number
    end
  end
  return new
end

-- Whether the compiler has yet to see a candidate.
local function is_new(one) return not one.object and not one.complaint end

--- Files of the candidates that no compiler has seen: array of `{ name =, text =, members = {candidate..} }`.
function candidates.batches(kernel)
  local batches, count = {}, 0
  for i, one in ipairs(kernel.list) do
    if is_new(one) then
      count = count + 1
      local place = math.ceil(count / BATCH)
      batches[place] = batches[place] or { name = ("candidates_%s.c"):format(literal.integer(i)), members = {} }
      table.insert(batches[place].members, one)
    end
  end
  for _, batch in ipairs(batches) do
    local texts = {}
    for i, one in ipairs(batch.members) do texts[i] = one.text end
    batch.text = table.concat(texts, "\n")
  end
  return batches
end

--- The table of cells as C.
function candidates.cells_text(kernel)
  local entries, positions = {}, literal.integer(cells.positions(kernel.problem))
  for i, cell in ipairs(kernel.cells) do
    entries[i] = ('    { "%s", %s, %s },'):format(kernel.spec, literal.integer(cell.rows), positions)
  end
  return ('#include "measure.h"\n\nconst tuner_cell tuner_cells[] = {\n%s\n};\n'):format(table.concat(entries, "\n"))
end

--- The table of candidates for a program that has them linked in.
-- @param list array of candidates; those that are missing have no entry
function candidates.table_text(kernel, is_in)
  local names, entries = {}, {}
  for i, one in ipairs(kernel.list) do
    local present = is_in(one)
    entries[i] = "    " .. (present and one.symbol or "NULL") .. ","
    if present then names[#names + 1] = ("cell_invoke %s;"):format(one.symbol) end
  end
  return table.concat({ '#include "measure.h"', "", table.concat(names, "\n"), "",
    "extern cell_invoke *const tuner_candidates[];", "extern const size_t tuner_candidate_count;",
    "cell_invoke *const tuner_candidates[] = {", table.concat(entries, "\n"), "};",
    ("const size_t tuner_candidate_count = %s;"):format(literal.integer(#kernel.list)), "" }, "\n")
end

return candidates
