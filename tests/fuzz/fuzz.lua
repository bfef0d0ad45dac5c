-- Fuzzes specs (tests/fuzz/cases.lua): each case gives kernels, or a usage error with a known reason, which the command
-- prints as one line. The kernels are compiled in batches; nothing may warn.
--   luajit tests/fuzz/fuzz.lua SEED FIRST COUNT DIR [nocompile]
-- DIR is for scratch files; DIR/case holds the number of the case at work. Prints counts, one a line, with the number in front.
-- A failure prints the case: the same seed and number make it again, alone, with COUNT = 1.

package.path = "./?.lua;" .. package.path

local emit = require "gen.emit.emit"
local explain = require "gen.pipeline.explain"
local files = require "tests.support.files"
local fuzzcases = require "tests.fuzz.cases"
local inputs = require "host.inputs"
local native = require "host.native"
local normgen = require "tests.support.normgen"
local rules = require "gen.spec.rules"
local spec = require "gen.spec.spec"
local toolchain = require "host.toolchain"

local seed, first, count, directory, nocompile = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]), arg[4], arg[5]
local case_path = directory .. "/case.lua"

-- Kernels compiled at once, so that a compiler reads the headers of intrinsics once for many.
local BATCH = 160
-- Of so many batches one is emitted as a single header.
local SINGLE = 4
-- Of so many cases one also goes through the command itself, if it is a line.
local COMMAND = 400
local LONGEST_ARGUMENT = 100000

local WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
local C, CXX = "-std=c11 -Wmissing-prototypes " .. WARNINGS, "-x c++ -std=c++17 " .. WARNINGS

-- What compiles the kernels of this machine: one of `every` batches, from batch `from` on. Foreign kernels have one compiler.
local COMPILERS = {
  { name = "gcc -fsyntax-only", program = "gcc", flags = "-fsyntax-only " .. C, every = 1, from = 0 },
  { name = "clang -fsyntax-only", program = "clang", flags = "-fsyntax-only " .. C, every = 4, from = 0 },
  { name = "g++ -fsyntax-only", program = "g++", flags = "-fsyntax-only " .. CXX, every = 8, from = 1 },
  { name = "gcc -O1", program = "gcc", flags = "-O1 -c " .. C, every = 40, from = 2 },
}

-- Why a case may be refused: the whole message, without "kernel N: ", matches a pattern. Those of the grammar come from its table.
local REASONS = {
  { name = "unknown norm, word or key", "^unknown norm '", "^unknown word '", "^unknown key '", "^unknown [%w]+= value '" },
  { name = "bad value", "model is .*; it must be a letter, ", "^[hcg]=.*: [hcg] must be ", "^shards=.*: shards must be ",
    "^groups=.*: groups must be ",
    "^heads=.*: heads must be ", "^site=.*: site must be ", "^eps=.*: eps must be " },
  { name = "said twice", " is repeated$", "' exclude each other$" },
  { name = "no value, or one too many", "^'.*' needs a value: ", "is a word of its own, without =$",
    "= is not part of a spec line, only a note in a spec table$" },
  { name = "not supported yet", " is not supported yet$" },
  { name = "empty", "^empty spec: it starts with a norm " },
  { name = "wrong type", "^a spec table has words and named keys only, without gaps$", "^word %d+ of the spec is a ",
    " must be a string or a number, not a ", "^a spec is a string or a table, not a " },
  { name = "wrong name", "^unknown part of a kernel name '", " is not how that kernel is named: " },
  { name = "wrong target", "^unknown target '" },
  { name = "wrong prefix", "^%-%-prefix '.*: a prefix is a letter, " },
  { name = "schedule without effect", "^unknown schedule key '%l+' %(known: strips, tile%)$",
    "^schedule strips=%d: nothing is summed over lanes$", "^schedule .*: target %w+ has no schedule$", "^schedule strips=%d: on ",
    "^schedule layout=split: ", "^schedule blocks=2: a row of %d+ elements is one block$",
    "^schedule blocks=2: there are no sums", "^schedule reuse=reload: only ",
    "^schedule pipe=1: there is one pass only,", "^schedule prefetch=1: nothing is read behind the last sum$",
    "^schedule %w+=%w+: there are no sums$", "^schedule stream=%d+: the last pass stores no elements$",
    "^schedule stream=%d+: a row of %w+ has %d+ bytes, not a multiple of 64$",
    "^schedule stream=%d+: %w+ has no such stores$", "^schedule stream=%d+: %w+ cannot stream %w+$" },
  { name = "wrong schedule", "^%-%-schedule ", "^unknown schedule key '", "^schedule .*: allowed are " },
  { name = "file returns no specs", "^a spec file returns an array ", "^no kernels$", "^%d+ kernels are too many " },
  { name = "file runs too long or grows too large", "^runs for too long", "^needs too much memory", "^not enough memory$",
    "stack overflow" },
  { name = "file is no Lua, or stops with an error of Lua", "^%d+: ", "^attempt to " },
  { name = "missing", "^%w+ is missing %(" }, { name = "no such file" },
  { name = "contradiction", "^%w+ has no direction %w+$", "^%w+ counts channels: ", "^%w+ counts the elements of a row: ",
    "^%w+=%d+ does not divide ", "^%w+ has no layout=", " does not go with ", " takes no parameters: ", " need a y, but %w+ has none$",
    " reads no x to add to$", "^out= is the dtype of y, but ", "^shards= goes with a step ", " it needs shards=$", ", unlike %w+",
    "^%w+ has no layout: ", " has no folded form$", "^affine=group gives .* but %w+ has none$", "^%w+ needs a gamma$",
    "^stats stores mean or rstd, but " },
}

local whole_message = {}
for _, row in ipairs(spec.grammar) do
  if type(row.required) == "string" then whole_message[row.required] = "missing" end
end
for _, rule in ipairs(rules) do whole_message[rule.says] = "contradiction" end

-- Counts in the order of their first mention.
local counts, order = {}, {}
local function tally(what, number)
  if not counts[what] then order[#order + 1] = what end
  counts[what] = (counts[what] or 0) + number
end

-- A digest of all verdicts that must not depend on the interpreter.
local digest = 0
local function add_to_digest(text)
  for i = 1, #text do digest = (digest * 31 + text:byte(i)) % 2147483647 end
end

local function fail(number, case, message)
  local shown = case.shown:sub(1, 2000)
  local options = ("--target '%s' --prefix '%s' --schedule '%s'"):format(case.targets, case.prefix, case.schedule or "")
  io.stderr:write(("FAILED: seed %d, case %d (%s)\n%s\n%s\n%s\n"):format(seed, number, case.kind, shown, options, message))
  os.exit(1)
end

-- The name of the reason in a message, or nil.
local function reason_of(message)
  local text = message
  if text:sub(1, #case_path) == case_path then text = text:sub(#case_path + 2):gsub("^ ", "") end
  text = text:gsub("^kernel %d+: ", "")
  if whole_message[text] then return whole_message[text] end
  for _, reason in ipairs(REASONS) do
    for _, pattern in ipairs(reason) do
      if text:find(pattern) then return reason.name end
    end
  end
end

local function traced(err) return type(err) == "table" and err or debug.traceback(tostring(err), 2) end

-- The kernels that a case asks for, as the command makes them.
local function kernels_of(case)
  inputs.prefix(case.prefix)
  return inputs.kernels(case.specs(), inputs.targets(case.targets), inputs.schedule(case.schedule))
end

-- Prints everything that can be printed about a kernel, for nobody to read. Returns what identifies the file.
local function print_all(kernel, prefix)
  explain.problem(kernel.problem)
  explain.plan(kernel.plan)
  explain.schedule(kernel)
  explain.code(kernel)
  local file = emit.kernel(kernel, { prefix = prefix })
  return file.path .. #file.text
end

-- Whether a refusal is one that the case can expect: of its schedule, or of its spec.
local function may_refuse(case, reason)
  if case.expect ~= "valid" then return true end
  return reason == "schedule without effect" and case.schedule ~= nil
end

-- Checks what came of a case; returns its kernels, or the reason of the refusal.
local function verdict(number, case)
  local ok, result = xpcall(function()
    local kernels, texts = kernels_of(case), {}
    for i, kernel in ipairs(kernels) do texts[i] = print_all(kernel, case.prefix) end
    return { kernels = kernels, text = table.concat(texts) }
  end, traced)
  if ok then
    if case.expect == "refused" then fail(number, case, "accepted although it contradicts itself") end
    if not case.is_program then add_to_digest(result.text) end
    return result.kernels
  end
  local message = type(result) == "table" and (result.usage or case.line and inputs.is_file(case.line) and result.failure)
  if not message then fail(number, case, "an error of its own: " .. tostring(type(result) == "table" and result.failure or result)) end
  if not case.is_program then add_to_digest(message) end
  local reason = result.failure and "no such file" or reason_of(message)
  if not reason then fail(number, case, "an unknown reason to refuse: " .. message) end
  if not may_refuse(case, reason) then fail(number, case, "refused: " .. message) end
  return nil, reason
end

-- The command must say the same.
local function check_command(number, case, refused)
  if not case.line or #case.line > LONGEST_ARGUMENT then return end
  local words = { "emit", case.line, "--target", case.targets, "--prefix", case.prefix }
  for _, word in ipairs(case.schedule and { "--schedule", case.schedule } or {}) do words[#words + 1] = word end
  if table.concat(words):find("\0", 1, true) then return end
  local code, out, err = normgen.run(words)
  local is_right = refused and (code == 2 or code == 1) and out == "" and err:find("^normgen: [^\n]*\n$")
    or not refused and code == 0 and #out > 0 and err == ""
  if not is_right then fail(number, case, ("the command exits with %d: %s"):format(code, err)) end
  tally("also given to the command", 1)
end

-- A batch of kernels with different names, and the cases that they come from.
local batches, batch = 0, { kernels = {}, case = {}, prefix = "ng_" }
local missing = {}

local function has(program)
  if missing[program] == nil then
    missing[program] = normgen.sh("command -v " .. program) ~= 0
    if missing[program] then print("not installed: " .. program) end
  end
  return not missing[program]
end

local function run(line, log)
  local result = os.execute(("cd '%s' && %s >'%s' 2>&1"):format(directory, line, log))
  return result == true or result == 0
end

-- Writes kernels in a format; returns what to compile.
local function write(kernels, prefix, format)
  local options = { prefix = prefix, command = "normgen emit" }
  local list = format == "single" and { emit.single(kernels, options) } or emit.files(kernels, options)
  local lines, others = {}, {}
  for i, file in ipairs(list) do
    files.write(directory .. "/" .. file.path, file.text)
    if i <= #kernels and format == "dir" then
      lines[i] = ('#include "%s"'):format(file.path)
    elseif file.path:find("%.c$") then
      others[#others + 1] = file.path
    end
  end
  if format == "single" then
    lines = { ("#define %sIMPLEMENTATION"):format(prefix:upper()), ('#include "%s"'):format(list[1].path) }
  end
  files.write(directory .. "/batch.c", table.concat(lines, "\n") .. "\n")
  return "batch.c " .. table.concat(others, " "), list
end

-- Compiles sources; returns nil, or the first lines that the compiler says.
local function complaint(sources, compiler)
  local ok = run(("%s %s %s"):format(compiler.program, compiler.flags, sources), "log")
  return not ok and files.read(directory .. "/log"):sub(1, 2000) or nil
end

-- Traces a complaint about several kernels to one of them.
local function blame(kernels, format, compiler, message)
  for _, kernel in ipairs(kernels) do
    local alone = complaint(write({ kernel }, batch.prefix, format), compiler)
    if alone then fail(batch.case[kernel].number, batch.case[kernel].case, compiler.name .. ": " .. alone) end
  end
  local last = batch.case[kernels[#kernels]]
  fail(last.number, last.case, compiler.name .. ", with those before it: " .. message)
end

-- Compiles kernels with several compilers.
local function compile(kernels, format, compilers)
  local sources, list = write(kernels, batch.prefix, format)
  for _, compiler in ipairs(compilers) do
    if has(compiler.program) then
      local message = complaint(sources, compiler)
      if message then blame(kernels, format, compiler, message) end
      tally("kernels compiled by " .. compiler.name, #kernels)
    end
  end
  for _, file in ipairs(list) do os.remove(directory .. "/" .. file.path) end
end

local here = native.arch()

-- The kernels of a batch by the architecture that compiles them, this machine's first.
local function by_architecture(kernels)
  local archs, lists = { here }, { [here] = {} }
  for _, kernel in ipairs(kernels) do
    local arch = kernel.arch == "any" and here or kernel.arch
    if not lists[arch] then archs[#archs + 1], lists[arch] = arch, {} end
    table.insert(lists[arch], kernel)
  end
  return archs, lists
end

-- The compilers for an architecture whose turn it is.
local function compilers_for(arch)
  if arch ~= here then
    local program = toolchain.foreign(arch).cc[1]
    return { { name = program .. " -fsyntax-only", program = program, flags = "-fsyntax-only " .. C } }
  end
  local list = {}
  for _, compiler in ipairs(COMPILERS) do
    if batches % compiler.every == compiler.from then list[#list + 1] = compiler end
  end
  return list
end

local function flush()
  local archs, lists = by_architecture(batch.kernels)
  for _, arch in ipairs(archs) do
    if #lists[arch] > 0 then compile(lists[arch], batches % SINGLE == 1 and "single" or "dir", compilers_for(arch)) end
  end
  batches, batch = batches + 1, { kernels = {}, case = {}, prefix = batch.prefix }
end

local function add(number, case, kernels)
  for _, kernel in ipairs(kernels) do
    local name = kernel.problem.name .. " " .. kernel.target
    if not batch.case[name] then
      batch.kernels[#batch.kernels + 1] = kernel
      batch.case[name], batch.case[kernel] = true, { number = number, case = case }
    end
  end
  batch.prefix = case.prefix
  if #batch.kernels >= BATCH then flush() end
end

local at_work = assert(io.open(directory .. "/case", "wb"))

for _, kind in ipairs(fuzzcases.kinds()) do tally("specs, " .. kind, 0) end
for _, what in ipairs { "specs", "valid", "refused" } do tally(what, 0) end
for _, reason in ipairs(REASONS) do tally("refused: " .. reason.name, 0) end

for number = first, first + count - 1 do
  at_work:seek("set")
  at_work:write(number)
  at_work:flush()
  local case = fuzzcases.new(seed, number, case_path)
  local kernels, reason = verdict(number, case)
  tally("specs", 1)
  tally("specs, " .. case.kind, 1)
  tally(reason and "refused" or "valid", 1)
  if reason then tally("refused: " .. reason, 1) else tally("kernels", #kernels) end
  if number % COMMAND == 0 then check_command(number, case, reason) end
  if kernels and nocompile ~= "nocompile" then add(number, case, kernels) end
end
if #batch.kernels > 0 then flush() end

tally("is the digest of all verdicts", digest)
for _, what in ipairs(order) do print(("%8d %s"):format(counts[what], what)) end
