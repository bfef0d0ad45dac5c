--- Candidates as C: a kernel with each of its schedules, under names that can stand side by side, and the table of the
-- calls that they are timed in.

local emit = require "gen.emit"
local literal = require "gen.literal"
local lower = require "gen.lower"
local plans = require "gen.plan"
local problems = require "gen.problem"
local registry = require "gen.emit.registry"
local schedule = require "gen.schedule"
local sets = require "gen.emit.set"
local space = require "gen.space"

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

--- A kernel that is to be tuned.
-- @param spec spec table
-- @param target target table with vectors
-- @param find_cells function(problem) that returns the calls, array of `{ regime =, rows = }`
-- @param most candidates of a call
-- @return `{ name =, spec =, target =, problem =, cells =, list = {candidate..} }`: each cell also has the `numbers` of its
--   candidates in the order of trying, the default's first; candidate number n is list[n + 1]
function candidates.new(spec, target, find_cells, most)
  local problem = problems.new(spec)
  local plan = plans.new(problem)
  local list, number_of = {}, {}
  local cells = find_cells(problem)
  for _, cell in ipairs(cells) do
    cell.numbers = {}
    for i, chosen in ipairs(space.list(plan, target, cell.rows, cell.regime)) do
      if i > most then break end
      local text = schedule.format(chosen)
      if not number_of[text] then
        number_of[text] = #list
        list[#list + 1] = candidate(plan, target, chosen, #list)
      end
      cell.numbers[i] = number_of[text]
    end
  end
  return { name = problem.name, spec = problem.spec, contract = problem.contract.version, target = target.name, arch = target.arch,
    problem = problem, cells = cells, list = list }
end

--- The number of the candidate with a schedule (a text), or nil.
function candidates.number(kernel, text)
  for _, one in ipairs(kernel.list) do
    if one.schedule == text then return one.number end
  end
end

--- Files of candidates: array of `{ name =, text =, members = {candidate..} }`.
function candidates.batches(kernel)
  local batches = {}
  for i, one in ipairs(kernel.list) do
    local place = math.ceil(i / BATCH)
    batches[place] = batches[place] or { name = ("candidates_%s.c"):format(literal.integer(place)), members = {} }
    table.insert(batches[place].members, one)
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
  local cells = {}
  for i, cell in ipairs(kernel.cells) do cells[i] = ('    { "%s", %s },'):format(kernel.spec, literal.integer(cell.rows)) end
  return ('#include "measure.h"\n\nconst tuner_cell tuner_cells[] = {\n%s\n};\n'):format(table.concat(cells, "\n"))
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
