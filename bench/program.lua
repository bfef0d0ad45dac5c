--- Makes the bench program of a set of kernels and rivals, and runs it.

local emit = require "gen.emit.emit"
local failure = require "host.failure"
local files = require "host.files"
local json = require "host.json"
local literal = require "gen.c.literal"
local problems = require "gen.problem.problem"
local tree = require "gen.tree"
local shell = require "host.shell"
local toolchain = require "host.toolchain"

local program = {}

-- Vectors of the limits, by target: bytes and flags; other targets have 16 bytes and no flag.
local LIMITS = {
  avx512 = { "-DLIMIT_WIDTH=64", "-mavx512f", "-mavx512bw" },
  avx2 = { "-DLIMIT_WIDTH=32", "-mavx2" },
}
LIMITS.avx512bf16 = LIMITS.avx512

-- The prefix of the set whose calls without rows are timed; it has a dispatcher.
local OVERHEAD_PREFIX = "o_"

local function progress(format, ...) io.stderr:write("bench: ", format:format(...), "\n") end

local function bench_file(name) return tree.path("bench/" .. name) end

local function argument_text(argument)
  if argument.shape ~= "scalar" then return "NULL" end
  return argument.dtype:find("^f") and "1e-5f" or "0"
end

-- Loops over calls without rows: of a kernel, and of its dispatcher, if the set has one.
-- @return functions, table entries
local function overhead_text(prefix, codes)
  local code, items = codes[#codes], {}
  for i, argument in ipairs(code.problem.args) do items[i] = argument_text(argument) end
  local name = prefix .. code.problem.name
  local calls = { { "direct", name .. "_" .. code.target }, #codes > 1 and { "through the dispatcher", name } or nil }
  local parts, entries = {}, {}
  for i, call in ipairs(calls) do
    parts[i] = ("static void overhead_%d(size_t count)\n{\n    while (count-- > 0) %s(%s);\n}\n")
      :format(i, call[2], table.concat(items, ", "))
    entries[i] = ('    { "%s", overhead_%d },\n'):format(call[1], i)
  end
  return table.concat(parts, "\n"), table.concat(entries)
end

-- The tables that bench.c walks.
local function tables_text(sets, builds, overhead)
  local functions, entries = overhead_text(OVERHEAD_PREFIX, overhead)
  local lines = { '#include "bench.h"', ('#include "%skernels.h"'):format(OVERHEAD_PREFIX), "" }
  local function add(format, ...) lines[#lines + 1] = format:format(...) end
  for _, set in ipairs(sets) do add("bench_registry %sbench;", set.prefix) end
  for i = 1, #builds do add("extern const bench_rival rivals_%s[];", literal.integer(i)) end
  add("%s", functions)
  add("bench_registry *const bench_registries[] = {")
  for _, set in ipairs(sets) do add("    %sbench,", set.prefix) end
  add("    NULL,\n};\nconst bench_rival *const bench_rival_tables[] = {")
  for i = 1, #builds do add("    rivals_%s,", literal.integer(i)) end
  add("    NULL,\n};\nconst bench_overhead bench_overheads[] = {\n%s    { NULL, NULL },\n};", entries)
  return table.concat(lines, "\n") .. "\n"
end

local function compile(cc, ...) return toolchain.compile(shell.words({ cc }, ...)) end

local function must_compile(what, cc, ...)
  local ok, text = compile(cc, ...)
  if not ok then failure("bench: %s does not compile %s: %s", cc, what, text) end
end

local Work = {}
Work.__index = Work

function Work.object(work)
  local path = ("%s/%s.o"):format(work.directory, literal.integer(#work.objects + 1))
  work.objects[#work.objects + 1] = path
  return path
end

-- Compiles C files into objects of the program.
function Work.add(work, what, list, flags)
  for _, path in ipairs(list) do
    must_compile(what, work.cc, { "-std=c11", "-O2", "-I", tree.path "bench", "-I", tree.path "reference", "-I", work.directory },
      flags, { "-c", "-o", work:object(), path })
  end
end

function Work.add_set(work, set)
  local directory = work.directory .. "/" .. set.prefix
  files.make_directory(directory)
  files.write_all(directory, emit.files(set.codes, { prefix = set.prefix, command = "normgen bench" }))
  work:add("kernels", toolchain.c_files(directory), {})
end

function Work.add_kernels(work, set)
  work:add_set(set)
  work:add("kernels", { bench_file "kernels.c" },
    { "-DBENCH_HEADER=\"" .. set.prefix .. "/" .. set.prefix .. "kernels.h\"", "-DBENCH_PREFIX=" .. set.prefix })
end

-- Rivals that do not compile are left out, unless the user brought them.
-- @return the builds that are in
function Work.add_rivals(work, builds, skip)
  local list = {}
  for _, build in ipairs(builds) do
    local object = ("%s/rival%s.o"):format(work.directory, literal.integer(#list + 1))
    local ok, text = compile(build.cc, build.flags, { "-I", tree.path "bench",
      ("-DBENCH_RIVALS=rivals_%s"):format(literal.integer(#list + 1)), "-c", "-o", object, build.source })
    if ok then
      list[#list + 1] = build
      work.objects[#work.objects + 1] = object
      for _, library in ipairs(build.libraries) do work.libraries[#work.libraries + 1] = library end
    else
      local reason = ("%s by %s: %s"):format(build.source:match("[^/]*$"), build.cc, text)
      if build.required then failure("bench: %s", reason) end
      skip(reason)
    end
  end
  return list
end

-- Compiles and links everything. Returns the program and the builds of rivals that are in.
local function build(directory, job, skip)
  local work = setmetatable({ directory = directory, cc = job.cc, objects = {}, libraries = {} }, Work)
  for i, set in ipairs(job.sets) do
    progress("building kernels, schedule %d of %d", i, #job.sets)
    work:add_kernels(set)
  end
  progress("building %d rivals", #job.builds)
  work:add_set { prefix = OVERHEAD_PREFIX, codes = job.overhead }
  work:add("the reference", toolchain.c_files(tree.path "reference", "^verify"), {})
  work:add("the bench", { bench_file "bench.c", bench_file "cell.c" }, {})
  work:add("the limits", { bench_file "limits.c" }, shell.words({ "-O3" }, LIMITS[job.target] or {}))
  local built = work:add_rivals(job.builds, skip)
  files.write_all(directory, { { path = "tables.c", text = tables_text(job.sets, built, job.overhead) } })
  work:add("the tables", { directory .. "/tables.c" }, { "-I", directory .. "/" .. OVERHEAD_PREFIX })
  local path = directory .. "/bench"
  must_compile("the bench", job.cc, { "-o", path }, work.objects, work.libraries, { "-lm" })
  return path, built
end

-- The environment that rivals need, as the beginning of a command.
local function environment_of(job, builds)
  local words = shell.words({ "env" }, job.environment)
  for _, one in ipairs(builds) do words = shell.words(words, one.environment) end
  return words
end

-- PyTorch makes its results anew in each call; what the system takes for fresh pages is not charged to it.
local KEEP_PAGES = { "MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=1000000000000" }

-- A cell as the Python program reads it.
local function python_cell(cell, prefix, target)
  local s = cell.spec
  return json.encode { name = cell.name, symbol = prefix .. cell.name .. "_" .. target, target = target, norm = s.norm, dir = s.dir,
    fusion = s.fusion or "", dtype = s.x, layout = s.layout or "", channels = s.h or s.c, groups = s.g or 0, rows = cell.rows,
    positions = cell.positions or 0, args = problems.new(s).args }
end

-- Times rivals that are Python packages beside the kernels of the first set.
local function run_python(directory, job)
  local library, path = directory .. "/kernels.so", directory .. "/python-results"
  local set = job.sets[1]
  must_compile("the kernels", job.cc, { "-O2", "-shared", "-fPIC", "-o", library }, toolchain.c_files(directory .. "/" .. set.prefix))
  local cells = {}
  for i, cell in ipairs(job.python.cells) do cells[i] = python_cell(cell, set.prefix, job.target) end
  local ok = shell.run(shell.words(environment_of(job, {}), KEEP_PAGES, { job.python.program, bench_file "python_rivals.py", path,
    literal.integer(job.python.rounds), library, table.concat(job.python.groups, ",") }, cells))
  if not ok then failure("bench: the Python program failed") end
  return files.read(path)
end

--- Builds the program, times all cells, and returns what it wrote (bench/results.lua reads it). Progress goes to standard
-- error.
-- @param job `{ cc =, target = name of the highest target, sets = {{ prefix, codes }..}, overhead = codes of one kernel for
--   several targets, the one to time last, builds, environment (bench/rivals.lua), cells = {{ name, spec, rows,
--   positions or nil }..}, rounds =,
--   python = { program, groups, cells, rounds } }`
-- @param skip function(text) that says what is left out
-- @return text, text of the Python program or nil if there is nothing for it to do
function program.run(job, skip)
  local text, python_text
  shell.in_temporary_directory(function(directory)
    local path, built = build(directory, job, skip)
    local words = { path, directory .. "/results", literal.integer(job.rounds) }
    for _, cell in ipairs(job.cells) do
      words[#words + 1] = cell.name
      words[#words + 1] = literal.integer(cell.rows)
      words[#words + 1] = literal.integer(cell.positions or 0)
    end
    if not shell.run(shell.words(environment_of(job, built), words)) then failure("bench: the program failed") end
    text = files.read(directory .. "/results")
    if #job.python.groups > 0 and #job.python.cells > 0 then python_text = run_python(directory, job) end
  end)
  return text, python_text
end

return program
