--- Tuned schedules: reading of records, and which of them answers for a kernel on a CPU. No record can change a bit: all
-- that it holds is a schedule, which gen/schedule/schedule.lua checks.

local contract = require "gen.formula.contract"
local json = require "dkjson"
local schedule = require "gen.schedule.schedule"
local usage = require "gen.errors.usage"

local tuned = {}

local MOST_ROWS = 2 ^ 53

--- Fields that a record must have, and their types; it may have others.
local FIELDS = {
  { "name", "string" }, { "target", "string" }, { "regime", "string" }, { "cpu", "string" }, { "microarchitecture", "string" },
  { "compiler", "string" }, { "schedule", "string" }, { "space", "string" }, { "contract", "number" }, { "rows", "number" },
}

--- The regime of few rows, and those of more rows, in the order in which they may give a kernel a second schedule.
tuned.SMALL, tuned.LARGER = "hot", { "l2", "dram" }

--- The order in which regimes answer for a kernel that has one schedule.
local REGIMES = { tuned.SMALL, tuned.LARGER[1], tuned.LARGER[2] }

local function wrong_schedule(text, space)
  local settings, reason = schedule.parse(text)
  if reason then return reason end
  local version = schedule.version(settings)
  if space ~= version then return ("made for schedule space %s, not %s"):format(usage.quote(space), version) end
  return schedule.fault(settings)
end

--- Why a line is no record that can be used, or nil.
local function fault(record)
  if type(record) ~= "table" then return "no JSON object" end
  for _, field in ipairs(FIELDS) do
    if type(record[field[1]]) ~= field[2] then return ("%s is no %s"):format(field[1], field[2]) end
  end
  if not (record.rows >= 1 and record.rows < MOST_ROWS) then return "rows is no number of rows" end
  if record.contract ~= contract.version then return ("contract %s, not %d"):format(tostring(record.contract), contract.version) end
  return wrong_schedule(record.schedule, record.space)
end

--- Reads lines of JSON. Lines that are no usable records are skipped one by one.
-- @param source what to call the text in messages
-- @return array of records; array of messages about lines that were skipped; array of those lines
function tuned.read(text, source)
  local records, skipped, lines, number = {}, {}, {}, 0
  for line in (text:gsub("\n$", "") .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    if line:find "%S" then
      local ok, record = pcall(json.decode, line)
      local reason = fault(ok and record)
      if reason then
        skipped[#skipped + 1] = ("%s:%d: skipped: %s"):format(source, number, reason)
        lines[#lines + 1] = line
      else
        records[#records + 1] = record
      end
    end
  end
  return records, skipped, lines
end

--- The kernel's name without its row length, and the length; nil for kernels without one.
local function family_of(name)
  local h = name:match("_h(%d+)")
  return (name:gsub("_h%d+", "_h", 1)), tonumber(h)
end

local function distance(record, wanted)
  local _, h = family_of(record.name)
  local _, its = family_of(wanted.name)
  return h and its and math.abs(math.log(h / its)) or 0
end

local function is_kernel(record, wanted) return record.name == wanted.name and record.target == wanted.target end

--- Whether a record is of the target or of the one that it extends, whose kernels differ in a few words.
local function has_target(record, wanted) return record.target == wanted.target or record.target == wanted.extends end

--- The steps of the ladder: what it is called, and whether a record stands on it.
tuned.STEPS = {
  { name = "this CPU and compiler", fits = function(r, w)
    return is_kernel(r, w) and r.cpu == w.cpu and r.compiler == w.compiler
  end },
  { name = "this CPU, another compiler", fits = function(r, w) return is_kernel(r, w) and r.cpu == w.cpu end },
  { name = "the same microarchitecture", fits = function(r, w)
    return r.name == w.name and has_target(r, w) and r.microarchitecture == w.microarchitecture
  end },
  { name = "the same target, the nearest h", fits = function(r, w)
    return has_target(r, w) and family_of(r.name) == family_of(w.name)
  end },
  { name = "the built-in default" },
}

local NEAREST = 4

--- Whether record a answers before record b on a step: the nearest h, then the target itself, then the own microarchitecture,
-- then the better record.
local function is_better(a, b, wanted)
  local function key(record)
    return { distance(record, wanted), record.target == wanted.target and 0 or 1,
      record.microarchitecture == wanted.microarchitecture and 0 or 1, record.quality == "clean" and 0 or 1, record.decided and 0 or 1 }
  end
  local of_a, of_b = key(a), key(b)
  for i, value in ipairs(of_a) do
    if value ~= of_b[i] then return value < of_b[i] end
  end
  return false
end

--- The best record of a regime on a step, and why others there cannot be used.
local function best_on(step, records, regime, wanted, refuse)
  local best, reasons = nil, {}
  for _, record in ipairs(records) do
    if record.regime == regime and step.fits(record, wanted) then
      local reason = refuse(schedule.parse(record.schedule))
      if reason then
        reasons[#reasons + 1] = reason
      elseif not best or is_better(record, best, wanted) then
        best = record
      end
    end
  end
  return best, reasons
end

--- The record that answers for a kernel.
-- @param records array of records (tuned.read); of equals the first one answers
-- @param wanted `{ name =, target =, extends = another target or nil, cpu =, microarchitecture =, compiler = }` of the kernel,
--   this CPU and the compiler
-- @param refuse function(overrides) that says why a kernel cannot have them, or nil
-- @param regimes nil or array of regimes in the order in which they are asked
-- @return `{ record = nil or the one that answers, step = its number, missed = why each better step did not answer }`
function tuned.lookup(records, wanted, refuse, regimes)
  local missed = {}
  for number, step in ipairs(tuned.STEPS) do
    local reasons = {}
    for _, regime in ipairs(step.fits and (regimes or REGIMES) or {}) do
      local best, why = best_on(step, records, regime, wanted, refuse)
      if best then return { record = best, step = number, missed = missed } end
      for _, reason in ipairs(why) do reasons[#reasons + 1] = reason end
    end
    if not step.fits then return { step = number, missed = missed } end
    missed[number] = #reasons > 0 and reasons[1] or "no record"
  end
end

--- Whether a kernel is worth two schedules: what many rows want is measured to gain over what few rows want.
-- @param small, large answers for the regimes (tuned.lookup)
-- @return nil, or the number of rows from which on the second one runs: in the middle between the calls that were measured
local function rows_between(small, large)
  local a, b = small.record, large.record
  local pays = a and b and small.step == large.step and small.step < NEAREST and type(b.over) == "table" and b.over.schedule == a.schedule
  if not pays or b.rows <= a.rows or a.schedule == b.schedule then return nil end
  return math.ceil(math.sqrt(a.rows * b.rows))
end

--- The second schedule of a kernel, if it is worth one.
-- @param small answer for few rows; the other arguments are those of lookup
-- @return nil, or its record and from how many rows on it runs
function tuned.second(small, records, wanted, refuse)
  for _, regime in ipairs(tuned.LARGER) do
    local large = tuned.lookup(records, wanted, refuse, { regime })
    local rows = rows_between(small, large)
    if rows then return large.record, rows end
  end
end

return tuned
