--- Builds the candidates of a kernel and times them in processes of their own, which may crash or hang.
--
-- With LuaJIT for this machine a child loads them from shared objects; everywhere else they are linked into one static
-- program, which a runner may take to another machine.

local candidates = require "tuner.candidates"
local failure = require "host.failure"
local files = require "host.files"
local json = require "dkjson"
local literal = require "gen.c.literal"
local tree = require "gen.tree"
local shell = require "host.shell"
local toolchain = require "host.toolchain"

local engine = {}

--- Nanoseconds of a slot.
engine.SLOT = 500000

-- Seconds after which a process hangs.
local LIMIT = 60

-- What `timeout` exits with when it had to end a process.
local TIMED_OUT = 124

local INCLUDES = { "-I", tree.path "reference", "-I", tree.path "bench", "-I", tree.path "tuner" }
local COMMON = { "-std=c11", "-O2" }

--- The C files that time, and the directory of each.
function engine.sources(is_static)
  local list = toolchain.c_files(tree.path "reference", "^verify")
  for _, name in ipairs { "bench/cell.c", "tuner/identify.c", "tuner/measure.c", is_static and "tuner/runner.c" or nil } do
    list[#list + 1] = tree.path(name)
  end
  return list
end

-- All that the C files that time are made of, as one text.
local function content_of_sources()
  local parts = {}
  for _, room in ipairs { "reference", "bench", "tuner" } do
    for _, path in ipairs(toolchain.c_files(tree.path(room))) do parts[#parts + 1] = files.read(path) end
    for _, path in ipairs(toolchain.c_files(tree.path(room), nil, "%.h$")) do parts[#parts + 1] = files.read(path) end
  end
  return table.concat(parts)
end

--- What builds and runs: by dynamic loading if this is LuaJIT and nothing else is asked for.
-- @param options `{ build = build (tuner/build.lua), runner = words or nil, is_here = whether this machine runs it,
--   limit = seconds or nil }`
function engine.new(options)
  local interpreter = _G.jit and options.is_here and not options.runner and arg and arg[-1]
  return setmetatable({ build = options.build, scratch = options.build.scratch, runner = options.runner or {},
    interpreter = interpreter or nil, limit = options.limit or LIMIT }, { __index = engine })
end

function engine.compile_runtime(self)
  local list = {}
  for i, path in ipairs(engine.sources(not self.interpreter)) do
    list[i] = { path = path, key = path:match("[^/]*/[^/]*$") .. self.content }
  end
  self.build:compile(list, shell.words(COMMON, { "-fPIC" }, INCLUDES, { "-c" }))
  for i, source in ipairs(list) do list[i] = source.object or failure("tune: %s", source.complaint) end
  return list
end

function engine.write(self, name, text)
  local path = self.scratch .. "/" .. name
  files.write(path, text)
  return path
end

-- Compiles batches; where one fails, its members one by one. Candidates that come out have an `object`, others that the
-- compiler refuses a `complaint`.
local function compile_candidates(self, kernel, may_go_on)
  local sources = {}
  for i, batch in ipairs(candidates.batches(kernel)) do
    sources[i] = { path = self:write(batch.name, batch.text), key = batch.text, members = batch.members }
  end
  local flags = shell.words(COMMON, self.interpreter and { "-shared", "-fPIC" } or { "-c" })
  self.build:compile(sources, flags, may_go_on)
  local single = {}
  for _, source in ipairs(sources) do
    for _, one in ipairs(source.members) do
      one.object = source.object
      if source.complaint then
        single[#single + 1] = { path = self:write(("candidate_%d.c"):format(one.number), one.text), key = one.text, one = one }
      end
    end
  end
  if #single > 0 then self.build:compile(single, flags, may_go_on) end
  for _, source in ipairs(single) do source.one.object, source.one.complaint = source.object, source.complaint end
end

-- The table of candidates that the child reads.
local function table_of_objects(kernel)
  local lines = {}
  for _, one in ipairs(kernel.list) do
    if one.object then lines[#lines + 1] = ("%s %s %s\n"):format(literal.integer(one.number), one.symbol, one.object) end
  end
  return table.concat(lines)
end

-- Links what runs in the end: the library that measures, or the program with all candidates.
local function link(self, kernel, objects)
  local sources = { { path = self:write("cells.c", candidates.cells_text(kernel)) } }
  if not self.interpreter then
    local text = candidates.table_text(kernel, function(one) return one.object end)
    sources[2] = { path = self:write("table.c", text) }
  end
  for _, source in ipairs(sources) do source.key = files.read(source.path) .. self.content end
  self.build:compile(sources, shell.words(COMMON, { "-fPIC" }, INCLUDES, { "-c" }))
  for _, source in ipairs(sources) do objects[#objects + 1] = source.object or failure("tune: %s", source.complaint) end
  local seen = {}
  for _, one in ipairs(self.interpreter and {} or kernel.list) do
    if one.object and not seen[one.object] then objects[#objects + 1] = one.object end
    if one.object then seen[one.object] = true end
  end
  local program = self.scratch .. (self.interpreter and "/measure.so" or "/runner")
  local ok, complaint = self.build:link(program, { self.interpreter and "-shared" or "-static" }, objects)
  if not ok then failure("tune: %s", complaint) end
  self.command = self.interpreter
    and { self.interpreter, tree.path "tuner/child.lua", self:write("objects", table_of_objects(kernel)), program } or { program }
end

--- Builds the candidates of a kernel that were not built yet, in the order of their numbers, as long as may_go_on() says so.
-- @return nil, or why the compiler refuses the default schedule: then there is nothing to time
function engine.prepare(self, kernel, may_go_on)
  self.content = self.content or content_of_sources()
  if self.kernel ~= kernel then self.kernel, self.checked = kernel, {} end
  compile_candidates(self, kernel, may_go_on)
  local default = kernel.list[1]
  if not default.object then return default.complaint end
  self.runtime = self.runtime or self:compile_runtime()
  link(self, kernel, shell.words(self.runtime))
end

-- Whether some of the candidates were never checked in a cell; those that a measurement took were.
local function is_new(self, cell, numbers)
  for _, number in ipairs(numbers) do
    if not self.checked[cell .. "/" .. number] then return true end
  end
  return false
end

local function words_of(self, cell, numbers, rounds, seed)
  local words = shell.words({ "timeout", "-k", "1", tostring(self.limit) }, self.runner, self.command)
  local check = is_new(self, cell, numbers) and 1 or 0
  for _, number in ipairs { cell - 1, rounds, seed, engine.SLOT, #numbers, check } do words[#words + 1] = literal.integer(number) end
  for _, number in ipairs(numbers) do words[#words + 1] = literal.integer(number) end
  return words
end

--- Reads the lines of tuner/measure.h; others are left out.
-- @return `{ cpu =, copy =, bytes =, wrong = {number..}, begun = last number or nil, is_complete =, samples = by number
--   `{ ns = {..}, ratios = {..} }` }`: ratios are to the yardstick of the same round
function engine.parse(text)
  local result = { wrong = {}, samples = {}, is_complete = false }
  for line in text:gmatch("[^\n]+") do
    local item = line:sub(1, 1) == "{" and json.decode(line) or {}
    result.cpu, result.copy, result.bytes = item.cpu or result.cpu, item.copy or result.copy, item.bytes or result.bytes
    result.begun = item.begin or result.begun
    result.is_complete = result.is_complete or item["end"] == true
    if item.wrong then table.insert(result.wrong, item.wrong) end
    if item.sample then
      local ratios = {}
      for i, ns in ipairs(item.ns) do ratios[i] = ns / item.yard[i] end
      result.samples[item.sample] = { ns = item.ns, ratios = ratios }
    end
  end
  return result
end

local function refuse_wrong(self, result)
  local number = result.wrong[1]
  if number then
    local text = "tune: %s for %s, schedule %s: its bits are not those of the reference"
    error({ is_wrong = true, failure = text:format(self.kernel.name, self.kernel.target, self.kernel.list[number + 1].schedule) }, 0)
  end
end

local function without(numbers, number)
  local list = {}
  for _, one in ipairs(numbers) do
    if one ~= number then list[#list + 1] = one end
  end
  return list
end

--- Times candidates in a cell.
-- @param cell index of the cell
-- @param numbers of candidates, the default's first
-- @param report function(candidate, reason) for those that crash or hang; they have no samples
-- @return what engine.parse does. Fails (is_wrong) if a candidate computes wrong bits, or if the default one crashes or hangs
function engine.measure(self, cell, numbers, rounds, seed, report)
  while true do
    local text, _, code = shell.finish(shell.start(words_of(self, cell, numbers, rounds, seed)))
    local result = engine.parse(text)
    refuse_wrong(self, result)
    if result.is_complete then
      for _, number in ipairs(numbers) do self.checked[cell .. "/" .. number] = true end
      return result
    end
    local begun = result.begun
    if not begun or begun == numbers[1] then
      failure("tune: %s for %s: %s", self.kernel.name, self.kernel.target,
        code == TIMED_OUT and "the default schedule hangs" or "the runner failed: " .. (text:match("[^\n{]+[^\n]*") or "no output"))
    end
    report(self.kernel.list[begun + 1], code == TIMED_OUT and "hangs" or "crashes")
    numbers = without(numbers, begun)
  end
end

return engine
