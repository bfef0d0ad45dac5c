--- normgen bench: times kernels beside rivals and the limits of memory, each checked before it is timed.

local failure = require "gen.failure"
local files = require "gen.cli.files"
local inputs = require "gen.cli.inputs"
local names = require "gen.names"
local native = require "gen.cli.native"
local pipeline = require "gen.pipeline"
local program = require "bench.program"
local report = require "bench.report"
local results = require "bench.results"
local rivals = require "bench.rivals"
local usage = require "gen.usage"

local command = {
  summary = "Time kernels beside rivals and the limits of memory.",
  arguments = { "specs", "target", "target_path", "cc", "schedules", "rows", "rivals", "rival", "rounds", "report" },
  examples = {
    "normgen bench 'rmsnorm f32 h=4096' --target avx512 --rows 1,32,512",
    "normgen bench 'rmsnorm f32 h=4096' --target avx512 --schedule rows=2 --schedule rows=4,strips=2 --rivals none",
    "normgen bench specs/gpt2.lua --target avx2,avx512 --rows 1x768,32 --rivals plain --format csv",
  },
  notes = [[
Everything runs in one process, pinned to the last CPU that it may use (taskset narrows the choice), on the same
buffers, in rotating order. Progress and what was left out go to standard error.]],
}

-- Rounds below which there is no interval.
local FEWEST_ROUNDS = 12

local function skip(text) io.stderr:write("bench: skipped: ", text, "\n") end

local function whole_number(text, option)
  if not text:match("^[1-9]%d?%d?%d?%d?%d?%d?$") then
    usage.fail("%s %s: a whole number from 1 to 9999999", option, usage.quote(text))
  end
  return tonumber(text)
end

-- The words of --rows: array of `{ rows =, h = number or nil for all }`.
local function row_counts(text)
  local list = {}
  for word in (text .. ","):gmatch("([^,]*),") do
    local rows, h = word:match("^(.-)x(.*)$")
    list[#list + 1] = { rows = whole_number(rows or word, "--rows"), h = h and whole_number(h, "--rows") }
  end
  return list
end

-- Every cell: a kernel with each of its row counts.
local function cells_of(specs, counts)
  local list = {}
  for _, s in ipairs(specs) do
    for _, count in ipairs(counts) do
      if not count.h or count.h == s.h then list[#list + 1] = { name = names.build(s), rows = count.rows } end
    end
  end
  if #list == 0 then usage.fail("--rows names no row length of these kernels") end
  return list
end

-- The kernels of one schedule. Where there are several, those that cannot have it are left out.
local function variant(specs, targets, text)
  local overrides, list, reason = inputs.schedule(text and text:gsub("%s+", ",")), {}, nil
  for _, s in ipairs(specs) do
    for _, target in ipairs(targets) do
      local ok, result = pcall(pipeline.kernel, s, target, overrides)
      if ok then
        list[#list + 1] = result
      elseif type(result) == "table" and result.usage and text then
        reason = ("%s for %s: %s"):format(names.build(s), target.name, result.usage)
        skip(reason)
      else
        error(result, 0)
      end
    end
  end
  if #list == 0 then usage.fail("%s", reason) end
  return list
end

-- Defaults first, then each --schedule, each under a prefix of its own; and what to call them.
local function variants(specs, targets, schedules)
  local sets, labels = { { prefix = "s0_", codes = variant(specs, targets) } }, { ["s0_"] = "default" }
  for i, text in ipairs(schedules) do
    local prefix = ("s%d_"):format(i)
    sets[i + 1] = { prefix = prefix, codes = variant(specs, targets, text) }
    labels[prefix] = text
  end
  return sets, labels
end

local function hs_of(specs)
  local list, seen = {}, {}
  for _, s in ipairs(specs) do
    if not seen[s.h] then list[#list + 1] = s.h end
    seen[s.h] = true
  end
  return list
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

-- The targets that this machine can run; the others are left out.
local function targets_here(text)
  local list = {}
  for _, target in ipairs(inputs.targets(text)) do
    if native.fits(target) then list[#list + 1] = target else skip("target " .. target.name .. " does not run here") end
  end
  return #list > 0 and list or failure("bench: no target of --target %s runs here", usage.quote(text))
end

local function job_of(args)
  local specs, targets = inputs.specs(args.specs), targets_here(args.target)
  local highest = targets[#targets]
  local sets, labels = variants(specs, targets, args.schedule)
  local builds = rivals.builds(rivals.groups(args.rivals), highest.name, hs_of(specs), skip)
  for _, text in ipairs(args.rival) do builds[#builds + 1] = rivals.own(text, args.cc or "cc") end
  local rounds = whole_number(args.rounds, "--rounds")
  if rounds < FEWEST_ROUNDS then usage.fail("--rounds %d: at least %d", rounds, FEWEST_ROUNDS) end
  local overhead = {}
  for i, target in ipairs { pipeline.target "scalar", highest } do overhead[i] = pipeline.kernel(specs[1], target) end
  return { cc = args.cc or "cc", target = highest.name, sets = sets, overhead = overhead, builds = builds,
    cells = cells_of(specs, row_counts(args.rows)), rounds = rounds }, labels
end

local function ranks()
  local by_name = {}
  for _, target in ipairs(pipeline.targets()) do by_name[target.name] = target.rank end
  return by_name
end

--- @param args parsed arguments
function command.run(args)
  local job, labels = job_of(args)
  local all = results.parse(program.run(job, skip), ranks())
  relabel(all, labels)
  refuse_wrong_kernels(all)
  files.print(report[args.format](all))
end

return command
