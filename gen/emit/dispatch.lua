--- The dispatcher: each kernel under its name without target.

local c = require "gen.emit.prototype"
local template = require "gen.emit.template"

local dispatch = {}

--- The code that serves a target: its own, else that of the next lower target which has the kernel.
local function best_code(group, targets, index)
  for i = index, 1, -1 do
    for _, code in ipairs(group.codes) do
      if code.target == targets[i].target then return code end
    end
  end
end

local function entry_text(group, targets, prefix)
  local cases, items = {}, {}
  for i, argument in ipairs(group.problem.args) do items[i] = argument.name end
  for i in ipairs(targets) do
    local code = best_code(group, targets, i)
    if code then
      cases[#cases + 1] = ("    case %d:\n        %s(%s);\n        return;"):format(i - 1, c.symbol(code, prefix),
        table.concat(items, ", "))
    end
  end
  return template.fill("dispatch_entry.c", { p = prefix,
    prototype = c.prototype(c.entry(group.problem, prefix), group.problem.args),
    cases = table.concat(cases, "\n") })
end

--- The dispatcher as C, to stand behind the declarations and the CPU detection; empty if the set has none.
-- @param set set of kernels (gen/emit/set.lua)
function dispatch.text(set)
  if not set.has_dispatcher then return "" end
  local parts = {}
  for _, architecture in ipairs(set.architectures) do
    local rows, entries = {}, {}
    for i, code in ipairs(architecture.targets) do
      rows[i] = ('    { "%s", %sruns_%s },'):format(code.target, set.prefix, code.target)
    end
    for i, group in ipairs(set.groups) do entries[i] = entry_text(group, architecture.targets, set.prefix) end
    parts[#parts + 1] = template.fill("dispatch_architecture.c", { guard = architecture.guard, p = set.prefix,
      targets = table.concat(rows, "\n"), entries = template.trimmed(table.concat(entries)) })
  end
  return template.trimmed(table.concat(parts))
end

return dispatch
