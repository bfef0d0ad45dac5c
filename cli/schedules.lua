--- What --tuned means: where records come from, and the schedules that they give kernels.

local cpu = require "host.cpu"
local tree = require "gen.tree"
local failure = require "host.failure"
local files = require "host.files"
local inputs = require "host.inputs"
local places = require "host.places"
local schedule = require "gen.schedule.schedule"
local shell = require "host.shell"
local targets = require "gen.target.targets"
local toolchain = require "host.toolchain"
local tuned = require "gen.schedule.records"
local usage = require "gen.errors.usage"

local command = {}

-- Paths of the files of records that one word of --tuned stands for.
local function paths_of(word)
  if word == "user" then return { places.records() } end
  if word ~= "shipped" then return { word } end
  local list = {}
  for i, name in ipairs(tree.records()) do list[i] = tree.path("records/" .. name) end
  return list
end

-- The text of a file, or nil: the user may not have tuned yet. What is named must be there.
local function text_of(path, word)
  local text, reason = files.read(path)
  if text or word == "user" then return text end
  failure("--tuned: cannot read %s: %s", usage.quote_path(path), reason:gsub("^.*: ", ""))
end

local function add_file(self, path, text)
  self.files[#self.files + 1] = path
  local records, skipped = tuned.read(text, path)
  for _, record in ipairs(records) do table.insert(self.records, record) end
  for _, message in ipairs(skipped) do table.insert(self.skipped, message) end
end

--- Records of --tuned, and what the kernels are for: this CPU, and the compiler that cc is.
-- @param text "user", "shipped", paths, with commas; or nil
-- @param is_required whether a kernel must not fall back to the default
-- @return nil, or what the functions below need, with `files`: the paths that were read
function command.open(text, is_required)
  if not text then
    if is_required then usage.fail("--require-tuned needs --tuned") end
    return nil
  end
  local self = { records = {}, skipped = {}, files = {}, is_required = is_required, cpu = cpu.identity(),
    compiler = toolchain.identity((shell.capture { "cc", "--version" })) }
  self.microarchitecture = cpu.microarchitecture(self.cpu)
  for word in inputs.items(text) do
    for _, path in ipairs(paths_of(word)) do
      local content = text_of(path, word)
      if content then add_file(self, path, content) end
    end
  end
  for _, message in ipairs(self.skipped) do io.stderr:write("normgen: ", (message:gsub("%c", " ")), "\n") end
  if is_required and #self.skipped > 0 then failure("--require-tuned: %d records cannot be used", #self.skipped) end
  return self
end

-- Why a kernel cannot have a schedule, or nil.
local function refusal(plan, target)
  return function(overrides) return select(2, schedule.try(plan, target, overrides)) end
end

--- Which records answer for a kernel.
-- @return the answer (tuned.lookup); if the kernel is worth a second schedule, its record, and from how many rows on it holds
function command.ask(self, plan, target)
  local wanted = { name = plan.problem.name, target = target.name, extends = target.borrows, cpu = self.cpu,
    microarchitecture = self.microarchitecture, compiler = self.compiler }
  local refuse = refusal(plan, target)
  local answer = tuned.lookup(self.records, wanted, refuse)
  return answer, tuned.second(answer, self.records, wanted, refuse)
end

--- What pipeline.kernels takes for --schedule or --tuned.
-- @param text of --schedule, or nil
-- @param self what open returns
-- @param rows nil, or from how many rows on the second of two schedules holds, instead of what records say
-- @return nil, a table of overrides, or a function(plan, target) that returns one, and for kernels with two schedules
--   `{ overrides =, rows = from which on they hold }`
function command.chooser(text, self, rows)
  if not self then return inputs.schedule(text) end
  if text then usage.fail("--schedule and --tuned: only one of them can choose") end
  return function(plan, target)
    if not targets.has_vectors(target) then return nil end
    local answer, second, from = command.ask(self, plan, target)
    if not answer.record then
      if self.is_required then failure("--require-tuned: no record for %s on %s", plan.problem.name, target.name) end
      return nil
    end
    local many = second and { rows = rows or from, overrides = schedule.parse(second.schedule) }
    return schedule.parse(answer.record.schedule), many
  end
end

-- How a record is called.
local function origin(record)
  return ("%s, %.0f rows (%s), %s, %s, %s%s"):format(record.name, record.rows, record.regime, record.cpu, record.compiler,
    record.quality or "quality unknown", record.decided and "" or ", undecided")
end

--- Which step of the ladder answered, why better ones did not, and whether there is a second schedule.
function command.explain(self, plan, target)
  local answer, second, from = command.ask(self, plan, target)
  local lines = {}
  for number, reason in ipairs(answer.missed) do lines[number] = ("not by    %s: %s"):format(tuned.STEPS[number].name, reason) end
  lines[#lines + 1] = "chosen by " .. tuned.STEPS[answer.step].name
  if answer.record then lines[#lines + 1] = "record    " .. origin(answer.record) end
  if second then lines[#lines + 1] = ("from %.0f rows on %s, by %s"):format(from, second.schedule, origin(second)) end
  return table.concat(lines, "\n") .. "\n"
end

return command
