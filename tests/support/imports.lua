-- Who may see whom, told as tables, and what a tree of sources has against them.

local files = require "tests.support.files"

local imports = {}

local TOPS = { "bench", "cli", "gen", "host", "measure", "models", "targets", "tuner" }

-- What a room may see, beside itself: rooms, or single modules. Rooms of the generator are the folders and files of gen/. Nothing sees
-- cli, and nothing that gen sees is the outside world.
local MAY_SEE = {
  ["gen.errors"] = {},
  ["gen.tree"] = {},
  ["gen.c"] = {},
  ["gen.formula"] = {},
  ["gen.norms"] = { "gen.formula" },
  ["gen.spec"] = { "gen.errors", "gen.formula.activations", "gen.formula.norm", "gen.norms", "gen.tree" },
  ["gen.problem"] = { "gen.formula", "gen.norms", "gen.spec" },
  ["gen.plan"] = { "gen.formula" },
  ["gen.golden"] = { "gen.formula", "gen.problem" },
  ["gen.target"] = { "gen.errors", "gen.formula", "gen.spec", "gen.tree", "targets" },
  ["gen.schedule"] = { "gen.errors", "gen.formula", "gen.plan" },
  ["gen.lower"] = { "gen.c", "gen.errors", "gen.formula", "gen.plan", "gen.schedule", "gen.target" },
  ["gen.emit"] = { "gen.c", "gen.errors", "gen.formula", "gen.golden", "gen.problem", "gen.spec", "gen.tree" },
  ["gen.pipeline"] = { "gen.emit", "gen.errors", "gen.formula", "gen.lower", "gen.plan", "gen.problem", "gen.schedule", "gen.target" },
  targets = {},
  models = { "gen.c", "gen.errors", "gen.formula.activations", "gen.spec" },
  host = { "gen.emit", "gen.errors", "gen.pipeline", "gen.spec" },
  measure = { "host" },
  bench = { "gen", "host", "measure" },
  tuner = { "gen", "host", "measure" },
  cli = { "bench", "gen", "host", "models", "tuner" },
}

-- Modules that see less than their room may.
local MODULES_MAY_SEE = {
  { "gen%.norms%..*", { "gen.formula.expr", "gen.formula.norm" } },
  { "gen%.formula%.expr", {} },
  { "gen%.formula%.norm", { "gen.formula.expr" } },
  { "gen%.formula%.elementary", { "gen.formula.expr" } },
  { "gen%.formula%.activations", { "gen.formula.elementary" } },
  { "gen%.formula%.contract", { "gen.formula.expr", "gen.formula.activations" } },
  { "targets%..*", { "targets.shared.words", "targets.shared.x86" } },
  { "gen%.golden%.interpreter", { "gen.golden.arithmetic", "gen.formula.contract" } },
}

-- Modules whose functions may be given a plan and a target together: they choose schedules, and lower.
local SEES_PLAN_AND_TARGET = { "gen%.lower%..*", "gen%.schedule%..*", "cli%.schedules", "tuner%.candidates" }

local MOST_ROOMS = 14

local function module_name(path) return (path:gsub("%.lua$", ""):gsub("/", ".")) end

-- imports.sources(): the text of every module, by name.
function imports.sources()
  local sources = {}
  for _, top in ipairs(TOPS) do
    for _, path in ipairs(files.under(top, "%.lua$")) do sources[module_name(path)] = files.read(path) end
  end
  return sources
end

local function requires_of(text)
  local list = {}
  for name in text:gmatch("require[ (]+\"([%w_.]+)\"") do list[#list + 1] = name end
  -- require("gen.norms." .. name): any module of that folder.
  for prefix in text:gmatch("require%(\"([%w_.]+)%.\" %.%.") do list[#list + 1] = prefix end
  return list
end

local function top_of(module) return module:match("^[^.]+") end

local function room_of(module) return module:match("^gen%.[^.]+") or top_of(module) end

local function is_ours(module)
  for _, top in ipairs(TOPS) do
    if top_of(module) == top then return true end
  end
end

local function contains(list, value)
  for _, item in ipairs(list) do
    if item == value then return true end
  end
end

local function fits(module, patterns)
  for _, pattern in ipairs(patterns) do
    if module:find("^" .. pattern .. "$") then return true end
  end
end

local function check_rooms(module, seen, complain)
  local room = room_of(module)
  if not MAY_SEE[room] then return complain("%s is in a room that the law does not know", module) end
  for _, other in ipairs(seen) do
    local its_room = room_of(other)
    local allowed = its_room == room or contains(MAY_SEE[room], its_room) or contains(MAY_SEE[room], top_of(other))
      or contains(MAY_SEE[room], other)
    if not allowed then complain("%s must not see %s", module, other) end
  end
end

local function check_module(module, seen, complain)
  for _, rule in ipairs(MODULES_MAY_SEE) do
    for _, other in ipairs(module:find("^" .. rule[1] .. "$") and seen or {}) do
      if not contains(rule[2], other) then complain("%s must not see %s", module, other) end
    end
  end
end

local function check_parameters(module, text, complain)
  if fits(module, SEES_PLAN_AND_TARGET) then return end
  text = text:gsub("%-%-[^\n]*", "")
  for parameters in text:gmatch("function[ %w_.:]*(%b())") do
    local words = {}
    for word in parameters:gmatch("[%w_]+") do words[word] = true end
    local has_plan = words.plan or words.its_plan
    if has_plan and words.target then complain("a function of %s is given a plan and a target", module) end
  end
end

-- imports.violations(sources): what the modules have against the laws, a line for each, sorted.
function imports.violations(sources)
  local list, rooms, count = {}, {}, 0
  local function complain(...) list[#list + 1] = (...):format(select(2, ...)) end
  for module, text in pairs(sources) do
    local seen = {}
    for _, name in ipairs(requires_of(text)) do
      if is_ours(name) then seen[#seen + 1] = name end
    end
    check_rooms(module, seen, complain)
    check_module(module, seen, complain)
    check_parameters(module, text, complain)
    local room = room_of(module)
    if top_of(module) == "gen" and not rooms[room] then
      rooms[room], count = true, count + 1
    end
  end
  if count > MOST_ROOMS then complain("gen has %d rooms, more than %d", count, MOST_ROOMS) end
  table.sort(list)
  return list
end

return imports
