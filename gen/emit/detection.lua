--- CPU detection: the functions `<prefix>runs_<target>`, and what runtime/ holds for their architecture.

local c = require "gen.emit.prototype"
local tree = require "gen.tree"
local template = require "gen.emit.template"

local detection = {}

--- The text of runtime/<arch>.c; nothing where there is none: a target's checks then stand alone.
local function runtime_of(arch, prefix)
  return c.specialise(tree.read("runtime/" .. arch .. ".c") or "", prefix, "")
end

local function runs_function(target, name, prefix)
  local checks = {}
  if target.os_check then checks[1] = target.os_check end
  for _, feature in ipairs(target.features) do
    checks[#checks + 1] = ("%s /* %s */"):format(feature.check, feature.name)
  end
  local condition = #checks > 0 and table.concat(checks, "\n        && ") or "1"
  local text = template.fill("detection.c", { guard = target.guard, name = name, condition = condition })
  return c.specialise(text, prefix, "")
end

--- CPU detection for one target table.
function detection.of_target(target, prefix)
  return runtime_of(target.arch, prefix) .. "\n" .. runs_function(target, target.name, prefix)
end

--- CPU detection for the targets of a set (gen/emit/set.lua).
function detection.of_set(set)
  local parts = {}
  for _, architecture in ipairs(set.architectures) do
    if architecture.arch then parts[#parts + 1] = runtime_of(architecture.arch, set.prefix) end
  end
  for _, code in ipairs(set.targets) do parts[#parts + 1] = runs_function(code, code.target, set.prefix) end
  return template.trimmed(table.concat(parts, "\n"))
end

return detection
