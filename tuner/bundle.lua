--- Candidates for a machine without normgen: C and a shell script that builds, runs and prints; and what it printed as records.

local candidates = require "tuner.candidates"
local engine = require "tuner.engine"
local failure = require "host.failure"
local files = require "host.files"
local json = require "host.json"
local dkjson = require "dkjson"
local judge = require "tuner.judge"
local literal = require "gen.c.literal"
local tree = require "gen.tree"
local schedule = require "gen.schedule.schedule"
local search = require "tuner.search"
local statistics = require "measure.statistics"
local toolchain = require "host.toolchain"
local tuned = require "gen.schedule.records"

local bundle = {}

-- The script; the holes are rounds and the nanoseconds of a slot.
local SCRIPT = [[
#!/bin/sh
# Builds and times candidates made by normgen tune --export; prints what normgen tune --import reads.
#   sh run.sh > result.jsonl        CC names another compiler, RUN a program that runs what it makes
set -eu
cd "$(dirname "$0")"
cc=${CC:-cc}
mkdir -p objects
for file in runtime/*.c; do
    $cc -std=c11 -O2 -Iruntime -c -o "objects/$(basename "$file" .c).o" "$file"
done
for plan in */plan.jsonl; do
    kernel=$(dirname "$plan")
    echo "building and timing $kernel" >&2
    for file in "$kernel"/*.c; do
        $cc -std=c11 -O2 -Iruntime -c -o "${file%%.c}.o" "$file"
    done
    $cc -static -o "$kernel/runner" objects/*.o "$kernel"/*.o -lm
    cat "$plan"
    printf '{"compiler":"%%s"}\n' "$($cc --version | head -n 1 | tr -d '"\\')"
    while read -r cell keep numbers; do
        printf '{"cell":%%d}\n' "$cell"
        # shellcheck disable=SC2086
        ${RUN:-} "./$kernel/runner" "$cell" %d 1 %d "$keep" 1 $numbers
    done <"$kernel/cells"
done
]]

-- Candidates that go on after an eighth of the rounds; how many more there are in a bundle, which cannot add neighbours.
local KEEP, MORE = 8, 2

local PLAN_KEYS = { "plan", "name", "spec", "target", "contract", "space", "cells", "regime", "rows", "schedules", "sizes" }

-- The version of the space that a schedule is of.
local function space_of(text) return schedule.version(schedule.parse(text) or {}) end

local function plan_text(kernel)
  local plan = { plan = 1, name = kernel.name, spec = kernel.spec, target = kernel.target, contract = kernel.contract,
    space = space_of(kernel.list[1].schedule), cells = {}, schedules = {}, sizes = {} }
  for i, cell in ipairs(kernel.cells) do plan.cells[i] = { regime = cell.regime, rows = cell.rows } end
  for i, one in ipairs(kernel.list) do plan.schedules[i], plan.sizes[i] = one.schedule, one.size end
  return json.line(plan, PLAN_KEYS) .. "\n"
end

-- Lines for the script: the number of a cell, how many candidates go on, and all candidates.
local function cells_text(kernel)
  local lines = {}
  for i, cell in ipairs(kernel.cells) do
    local words = { literal.integer(i - 1), literal.integer(KEEP) }
    for _, number in ipairs(cell.numbers) do words[#words + 1] = literal.integer(number) end
    lines[i] = table.concat(words, " ") .. "\n"
  end
  return table.concat(lines)
end

local function runtime_files()
  local list, paths = {}, engine.sources(true)
  for _, room in ipairs { "reference", "bench", "tuner" } do
    for _, ending in ipairs { "%.h$", "%.inc$" } do
      for _, path in ipairs(toolchain.c_files(tree.path(room), "^verify", ending)) do paths[#paths + 1] = path end
    end
  end
  for i, path in ipairs(paths) do list[i] = { path = "runtime/" .. path:match("[^/]*$"), text = files.read(path) } end
  return list
end

local function add_kernel(list, kernel)
  local directory = kernel.name .. "_" .. kernel.target .. "/"
  local function add(name, text) list[#list + 1] = { path = directory .. name, text = text } end
  for _, batch in ipairs(candidates.batches(kernel)) do add(batch.name, batch.text) end
  add("calls.c", candidates.cells_text(kernel))
  add("table.c", candidates.table_text(kernel, function() return true end))
  add("plan.jsonl", plan_text(kernel))
  add("cells", cells_text(kernel))
  return directory
end

--- Writes a bundle.
-- @param path its directory, made if missing
-- @param find_cells as for candidates.new
-- @param effort of search.efforts
function bundle.export(path, specs, targets, find_cells, effort)
  local list = runtime_files()
  list[#list + 1] = { path = "run.sh", text = SCRIPT:format(effort.rounds, engine.SLOT) }
  files.make_directory(path .. "/runtime")
  for _, spec in ipairs(specs) do
    for _, target in ipairs(targets) do
      files.make_directory(path .. "/" .. add_kernel(list, candidates.new(spec, target, find_cells, effort.most * MORE)))
    end
  end
  files.write_all(path, list)
end

-- Where a kernel with this plan stands: the same as candidates.new returns, without texts.
local function kernel_of(plan, source)
  if plan.space ~= space_of(plan.schedules[1]) then failure("%s: made by a normgen with other schedules", source) end
  local list = {}
  for i, text in ipairs(plan.schedules) do list[i] = { number = i - 1, schedule = text, size = plan.sizes[i] } end
  return { name = plan.name, target = plan.target, cells = plan.cells, list = list, records = {} }
end

-- The record of a cell from the lines that the runner printed.
local function record_of(kernel, index, compiler, text)
  local cell, parsed = kernel.cells[index], engine.parse(text)
  local where = ("%s for %s, %s"):format(kernel.name, kernel.target, cell.regime)
  local wrong = parsed.wrong[1]
  if wrong then failure("tune: %s, schedule %s: its bits are not those of the reference", where, kernel.list[wrong + 1].schedule) end
  if not parsed.is_complete or not parsed.samples[0] then failure("tune: %s: the results are not complete", where) end
  local numbers = {}
  for _, one in ipairs(kernel.list) do
    if parsed.samples[one.number] then numbers[#numbers + 1] = one.number end
  end
  local result = search.choose(numbers, parsed.samples, function(number) return kernel.list[number + 1].size end)
  return judge.record(kernel, cell, result, { cpu = parsed.cpu, compiler = compiler, copy = parsed.copy, bytes = parsed.bytes,
    why = judge.noise(parsed.samples[0], {}) }), parsed.samples
end

-- Adds what many rows gain over the schedule for few, where both were timed to the end.
local function compare(kernel, large, samples)
  local small = kernel.records[tuned.SMALL]
  if not small then return end
  local a, b = samples[candidates.number(kernel, large.schedule)], samples[candidates.number(kernel, small.schedule)]
  if a and b and a ~= b and statistics.rank(#b.ratios) then judge.compare(large, small, a, b) end
end

--- Reads what the script printed.
-- @param source what to call it in messages
-- @return array of records. Fails if it is not complete or a candidate computed wrong bits
function bundle.import(text, source)
  local records, kernel, compiler, index, lines = {}, nil, nil, nil, {}
  local function finish()
    if not index then return end
    local record, samples = record_of(kernel, index, compiler, table.concat(lines, "\n"))
    records[#records + 1], kernel.records[record.regime], index, lines = record, record, nil, {}
    compare(kernel, record, samples)
  end
  for line in text:gmatch "[^\n]+" do
    local item = dkjson.decode(line)
    if type(item) ~= "table" then failure("%s: a line is no JSON", source) end
    if item.plan then
      finish()
      kernel = kernel_of(item, source)
    elseif item.compiler then
      compiler = toolchain.identity(item.compiler)
    elseif item.cell then
      finish()
      index = item.cell + 1
    else
      lines[#lines + 1] = line
    end
    if not kernel then failure("%s: not what a bundle of normgen tune --export prints", source) end
  end
  finish()
  return #records > 0 and records or failure("%s: no results", source)
end

return bundle
