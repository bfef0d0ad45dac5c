--- What normgen tune does: prepares a run, or works on records and bundles.

local build = require "tuner.build"
local bundle = require "tuner.bundle"
local cells = require "tuner.cells"
local engine = require "tuner.engine"
local failure = require "host.failure"
local files = require "host.files"
local inputs = require "host.inputs"
local journal = require "tuner.journal"
local machine = require "measure.machine"
local memory = require "tuner.memory"
local native = require "host.native"
local places = require "host.places"
local progress = require "tuner.progress"
local run = require "tuner.run"
local search = require "tuner.search"
local shell = require "host.shell"
local suggest = require "gen.errors.suggest"
local targets = require "gen.target.targets"
local toolchain = require "host.toolchain"
local usage = require "gen.errors.usage"
local version = require "gen.emit.version"

-- Seconds for a kernel, by effort.
local BUDGETS = { quick = 15, normal = 60, thorough = 600 }

local UNITS = { [""] = 1, s = 1, m = 60, h = 3600 }

local function budget_of(args)
  if not args.budget then return BUDGETS[args.effort] end
  local number, unit = args.budget:match("^([1-9]%d?%d?%d?%d?)([smh]?)$")
  if not number then usage.fail("--budget %s: a number of seconds, as 60s or 2m", usage.quote(args.budget)) end
  return tonumber(number) * UNITS[unit]
end

-- The regimes of --regime, each once, in their order.
local function regimes_of(text)
  local wanted, list = {}, {}
  for word in inputs.items(text or table.concat(cells.regimes, ",")) do
    local is_known = false
    for _, regime in ipairs(cells.regimes) do is_known = is_known or regime == word end
    if not is_known then suggest.unknown("regime", word, cells.regimes) end
    wanted[word] = true
  end
  for _, regime in ipairs(cells.regimes) do
    if wanted[regime] then list[#list + 1] = regime end
  end
  return list
end

-- The calls of a kernel, as --regime or --rows say.
local function finder(args, is_here)
  local caches, regimes = machine.cache_bytes(is_here), regimes_of(args.regime)
  if not args.rows then
    return function(problem)
      local list = {}
      for i, regime in ipairs(regimes) do list[i] = cells.of_regime(problem, regime, caches) end
      return list
    end
  end
  if args.regime then usage.fail("--rows and --regime: only one of them can say how many rows there are") end
  if not args.rows:match("^[1-9]%d?%d?%d?%d?%d?%d?$") then
    usage.fail("--rows %s: a whole number from 1 to 9999999", usage.quote(args.rows))
  end
  return function(problem) return { cells.of_rows(problem, tonumber(args.rows), caches) } end
end

-- The targets that have schedules and can be run; others are left out, and `note` says so.
local function targets_of(args, note)
  local list, fits = {}, native.test()
  for _, target in ipairs(inputs.targets(args.target or "native")) do
    local reason = not targets.has_vectors(target) and "has no schedule"
      or not args.runner and not args.export and not fits(target) and "does not run here; --runner or --export may help"
    if reason then note(("target %s %s"):format(target.name, reason)) else list[#list + 1] = target end
  end
  return #list > 0 and list or failure("tune: no target of --target %s can be tuned", usage.quote(args.target or "native"))
end

-- The compiler for targets, which must be of one architecture, and whether they run on this machine.
local function compiler_of(args, its_targets)
  local arch = its_targets[1].arch
  for _, target in ipairs(its_targets) do
    if target.arch ~= arch then usage.fail("--target %s: targets of one architecture at a time", usage.quote(args.target)) end
  end
  local is_native = arch == native.arch()
  local cc = args.cc and { args.cc } or is_native and toolchain.here().cc or { toolchain.foreign(arch).cc[1] }
  if not shell.has(cc[1]) then failure("tune: %s is not installed", usage.quote(cc[1])) end
  return cc, is_native and not args.runner
end

-- The user's own records; those that cannot be used stay in the file as they are.
local function keeper(note)
  local path = places.records()
  files.make_directory(path:match("^(.*)/"))
  return function(record)
    local records, skipped, lines = memory.read(files.read(path) or "", path)
    for _, message in ipairs(skipped) do note(message) end
    records[#records + 1] = record
    local rest = #lines > 0 and table.concat(lines, "\n") .. "\n" or ""
    files.write(path, memory.text(memory.updated(records)) .. rest)
  end
end

local function tell_conditions(say)
  local texts = {}
  for i, condition in ipairs(machine.conditions()) do texts[i] = condition.text .. (condition.is_noisy and " (noisy)" or "") end
  say:note(table.concat(texts, ", "))
end

-- What a run does, as one line: a run of the same kind goes on where another one was interrupted.
local function kind_of(args, job, its_version)
  local names = {}
  for _, target in ipairs(job.targets) do names[#names + 1] = target.name end
  return shell.line(shell.words(args.specs, { "--target", table.concat(names, ","), "--effort", args.effort,
    "--rows", args.rows or "", "--regime", args.regime or "", "--runner", args.runner or "", "--budget", tostring(job.budget),
    its_version, version }))
end

local function is_interrupt(err) return type(err) == "string" and err:find "interrupted!" end

-- A run that the user ends keeps what it knows.
local function guarded(job)
  local ok, result = pcall(run.all, job)
  if ok then return result end
  if is_interrupt(result) then
    failure("tune: interrupted; %d of %d results are kept, and the same command goes on from there", job.progress.done, job.progress.of)
  end
  error(result, 0)
end

local function words_of(text)
  local words = {}
  for word in (text or ""):gmatch "%S+" do words[#words + 1] = word end
  return #words > 0 and words or nil
end

local function tune(args)
  local notes = {}
  local its_targets = targets_of(args, function(text) notes[#notes + 1] = text end)
  local cc, is_here = compiler_of(args, its_targets)
  local its_version = machine.compiler(cc[1])
  local specs, find_cells = inputs.specs(args.specs), finder(args, is_here)
  local calls = #specs * #its_targets * (args.rows and 1 or #regimes_of(args.regime))
  local say = progress.new(args.json, calls, machine.now)
  for _, text in ipairs(notes) do say:note(text) end
  if is_here then tell_conditions(say) end
  local failed
  shell.in_temporary_directory(function(scratch)
    local builder = build.new { cc = cc, version = its_version, jobs = machine.cpus(), cache = places.cache() .. "/objects",
      scratch = scratch }
    local job = { specs = specs, targets = its_targets, cells = find_cells, effort = search.efforts[args.effort], budget = budget_of(args),
      engine = engine.new { build = builder, runner = words_of(args.runner), is_here = is_here },
      compiler = toolchain.identity(its_version), seed = 0, progress = say,
      others_running = is_here and machine.others_running or function() return 0 end }
    job.journal = journal.open(kind_of(args, job, its_version))
    local keep = keeper(function(text) say:note(text) end)
    job.keep = function(record)
      keep(record)
      job.journal:add(record)
    end
    failed = guarded(job)
    job.journal:close()
  end)
  if failed > 0 then failure("tune: %d kernels could not be tuned", failed) end
end

local function export(args)
  local its_targets = targets_of(args, function(text) io.stderr:write("tune: ", text, "\n") end)
  bundle.export(args.export, inputs.specs(args.specs), its_targets, finder(args, false), search.efforts[args.effort])
end

local function read_file(path)
  local text, reason = files.read(path)
  return text or failure("cannot read %s: %s", usage.quote_path(path), reason:gsub("^.*: ", ""))
end

local function import(args)
  local say = progress.new(args.json, 0, machine.now)
  local keep = keeper(function(text) say:note(text) end)
  local records = bundle.import(read_file(args.import), args.import)
  say.of = #records
  for _, record in ipairs(records) do
    keep(record)
    say:result(record)
  end
end

-- Records from standard input to standard output.
local function filter(change)
  local records, skipped = memory.read(io.read "*a", "standard input")
  for _, message in ipairs(skipped) do io.stderr:write("tune: ", message, "\n") end
  files.print(memory.text(change(records)))
end

-- What to do instead of tuning, by option; those that need specs.
local MODES = {
  { option = "merge", act = function() filter(memory.merged) end },
  { option = "distill", act = function() filter(memory.distilled) end },
  { option = "import", act = import },
  { option = "export", act = export, needs_specs = true },
}

local function mode_of(args)
  local found = { act = tune, needs_specs = true }
  for _, mode in ipairs(MODES) do
    if args[mode.option] then
      if found.option then usage.fail("--%s and --%s: only one of them", found.option, mode.option) end
      found = mode
    end
  end
  return found
end

--- @param args parsed arguments of normgen tune
return function(args)
  local mode = mode_of(args)
  if mode.needs_specs and #args.specs == 0 then usage.fail("tune: a spec or a spec file is missing") end
  if not mode.needs_specs and #args.specs > 0 then usage.fail("--%s takes no spec", mode.option) end
  mode.act(args)
end
