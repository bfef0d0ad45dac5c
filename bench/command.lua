--- What normgen bench does: times kernels beside rivals and the limits of memory, each checked before it is timed.

local failure = require "host.failure"
local files = require "host.files"
local inputs = require "host.inputs"
local machine = require "measure.machine"
local markdown = require "bench.markdown"
local names = require "gen.spec.names"
local native = require "host.native"
local pipeline = require "gen.pipeline.pipeline"
local problem = require "gen.problem.problem"
local program = require "bench.program"
local report = require "bench.report"
local results = require "bench.results"
local rivals = require "bench.rivals"
local usage = require "gen.errors.usage"

-- Rounds below which there is no interval worth the name.
local FEWEST_ROUNDS = 12

-- Elements of a cell from which on the cost of a call from Python does not matter, and rounds of such a cell.
local PYTHON_ELEMENTS, PYTHON_ROUNDS = 32 * 4096, 21

-- A function that tells what is left out and keeps it in a list.
local function skipper(list)
  return function(text)
    list[#list + 1] = text
    io.stderr:write("bench: left out: ", text, "\n")
  end
end

local function whole_number(text, option)
  if not text:match("^[1-9]%d?%d?%d?%d?%d?%d?$") then
    usage.fail("%s %s: a whole number from 1 to 9999999", option, usage.quote(text))
  end
  return tonumber(text)
end

-- The words of --rows or --positions: array of `{ count =, size = the h or c that it is for, nil for all }`.
local function counts_of(text, option)
  local list = {}
  for word in inputs.items(text) do
    local count, size = word:match("^(.-)x(.*)$")
    list[#list + 1] = { count = whole_number(count or word, option), size = size and whole_number(size, option) }
  end
  return list
end

-- The row length or the channels of a kernel.
local function size_of(s) return s.h or s.c end

-- The numbers among them that are for a kernel.
local function counts_for(s, counts)
  local list = {}
  for _, one in ipairs(counts) do
    if not one.size or one.size == size_of(s) then list[#list + 1] = one.count end
  end
  return list
end

-- The numbers of positions of a kernel; `false` alone if it has none.
local function positions_for(s, counts)
  return problem.new(s).axes.has_positions and counts_for(s, counts) or { false }
end

-- Every cell: a kernel with each of its numbers of rows and of positions.
local function cells_of(specs, args)
  local list = {}
  local rows, positions = counts_of(args.rows, "--rows"), counts_of(args.positions, "--positions")
  for _, s in ipairs(specs) do
    for _, row_count in ipairs(counts_for(s, rows)) do
      for _, position_count in ipairs(positions_for(s, positions)) do
        list[#list + 1] = { name = names.build(s), spec = s, rows = row_count, positions = position_count or nil }
      end
    end
  end
  if #list == 0 then
    usage.fail("--rows %s and --positions %s name no h or c of these kernels, as %.0f", usage.quote(args.rows),
      usage.quote(args.positions), size_of(specs[1]))
  end
  return list
end

-- The kernels of one schedule. Those that cannot have it are left out, unless there is no other.
local function variant(specs, targets, text, skip)
  local overrides, list, reasons = inputs.schedule(text and text:gsub("%s+", ",")), {}, {}
  for _, s in ipairs(specs) do
    for _, target in ipairs(targets) do
      local ok, result = pcall(pipeline.kernel, s, target, overrides)
      if ok then
        list[#list + 1] = result
      elseif type(result) == "table" and result.usage and text then
        reasons[#reasons + 1] = ("%s for %s: %s"):format(names.build(s), target.name, result.usage)
      else
        error(result, 0)
      end
    end
  end
  if #list == 0 then usage.fail("%s", reasons[1]) end
  for _, reason in ipairs(reasons) do skip(reason) end
  return list
end

-- Defaults first, then each --schedule, each under a prefix of its own; and what to call them.
local function variants(specs, targets, schedules, skip)
  local sets, labels = { { prefix = "s0_", codes = variant(specs, targets, nil, skip) } }, { ["s0_"] = "default" }
  for i, text in ipairs(schedules) do
    local prefix = ("s%d_"):format(i)
    sets[i + 1] = { prefix = prefix, codes = variant(specs, targets, text, skip) }
    labels[prefix] = text
  end
  return sets, labels
end

-- The row lengths of kernels of rows.
local function hs_of(specs)
  local list, seen = {}, {}
  for _, s in ipairs(specs) do
    local h = not s.layout and s.h
    if h and not seen[h] then
      list[#list + 1] = h
      seen[h] = true
    end
  end
  return list
end

-- The targets that this machine can run; the others are left out.
local function targets_here(text, skip)
  local fits, list = native.test(), {}
  for _, target in ipairs(inputs.targets(text)) do
    if fits(target) then list[#list + 1] = target else skip("target " .. target.name .. " does not run here") end
  end
  return #list > 0 and list or failure("bench: no target of --target %s runs here", usage.quote(text))
end

-- What Python is to time: the kernels that its rivals can do, in cells where the cost of a call does not matter.
local function python_job(groups, cells, skip)
  local interpreter, found = rivals.python(groups, skip)
  local job = { program = interpreter, groups = found, cells = {}, rounds = PYTHON_ROUNDS }
  for _, cell in ipairs(cells) do
    local elements = cell.rows * size_of(cell.spec) * (cell.positions or 1)
    if rivals.can_do(cell.spec) and elements >= PYTHON_ELEMENTS then job.cells[#job.cells + 1] = cell end
  end
  return job
end

-- The kernels of the set whose calls without rows are timed: with two targets it has a dispatcher.
local function overhead_codes(s, highest)
  local list = {}
  if highest.name ~= "scalar" then list[1] = pipeline.kernel(s, pipeline.target "scalar") end
  list[#list + 1] = pipeline.kernel(s, highest)
  return list
end

local function job_of(args, skip)
  local cc, rounds = args.cc or "cc", whole_number(args.rounds, "--rounds")
  if rounds < FEWEST_ROUNDS then usage.fail("--rounds %d: at least %d", rounds, FEWEST_ROUNDS) end
  local groups, specs = rivals.groups(args.rivals), inputs.specs(args.specs)
  local cells = cells_of(specs, args)
  local targets = targets_here(args.target, skip)
  local highest = targets[#targets]
  local sets, labels = variants(specs, targets, args.schedule, skip)
  local builds = rivals.builds(groups, highest.name, hs_of(specs), skip)
  for _, text in ipairs(args.rival) do builds[#builds + 1] = rivals.own(text, cc) end
  return { cc = cc, target = highest.name, sets = sets, overhead = overhead_codes(specs[1], highest), builds = builds,
    environment = rivals.environment(highest.name), cells = cells, rounds = rounds, python = python_job(groups, cells, skip) }, labels
end

local function ranks()
  local by_name = {}
  for _, target in ipairs(pipeline.targets()) do by_name[target.name] = target.rank end
  return by_name
end

-- Kernels are named by target and variant.
local function relabel(all, labels)
  for _, cell in ipairs(all.cells) do
    for _, list in ipairs { cell.entries, cell.rejected } do
      for _, entry in ipairs(list) do
        if entry.kind == "kernel" then entry.label = entry.target .. " " .. labels[entry.label] end
      end
    end
  end
end

-- A kernel with wrong bits is no result.
local function refuse_wrong_kernels(all)
  for _, cell in ipairs(all.cells) do
    for _, entry in ipairs(cell.rejected) do
      if entry.kind == "kernel" then failure("bench: %s: %s: %s", cell.name, entry.label, entry.reason) end
    end
  end
end

-- What a document says of the run.
local function context_of(job, skipped)
  local compilers = { { name = job.cc, what = "our kernels, -O2", version = machine.compiler(job.cc) } }
  local seen = {}
  for _, build in ipairs(job.builds) do
    if not seen[build.cc] then
      table.insert(compilers, { name = build.cc, what = "rivals", version = machine.compiler(build.cc) })
    end
    seen[build.cc] = true
  end
  return { cpu = machine.cpu(), l2_bytes = machine.l2_bytes(), rounds = job.rounds, compilers = compilers, skipped = skipped }
end

local function document_of(path)
  local text, reason = files.read(path)
  return text or failure("cannot read %s: %s", usage.quote(path), reason)
end

-- Puts the tables into a document, between the marks of this name.
local function write_into(path, mark, text)
  local directory, name = path:match("^(.-)([^/]*)$")
  local document = markdown.replace(document_of(path), mark, text)
  if not document then usage.fail("--into %s: it has no marks <!-- BENCH %s -->", usage.quote(path), mark) end
  files.write_all(directory == "" and "." or directory, { { path = name, text = document } })
end

--- @param args parsed arguments of normgen bench
return function(args)
  if args.into and args.format ~= "md" then usage.fail("--into takes --format md") end
  if args.table and not args.into then usage.fail("--table %s takes --into", usage.quote(args.table)) end
  if args.into then document_of(args.into) end
  local skipped = {}
  local skip = skipper(skipped)
  local job, labels = job_of(args, skip)
  local text, python_text = program.run(job, skip)
  local all = results.parse(text, ranks())
  if python_text then results.merge(all, results.parse(python_text, ranks())) end
  relabel(all, labels)
  refuse_wrong_kernels(all)
  local output = report[args.format](all, context_of(job, skipped))
  if args.into then
    write_into(args.into, args.table and job.target .. " " .. args.table or job.target, output)
  else
    files.print(output)
  end
end
