--- A set of kernels as the emitted files see it: by name, by target, by architecture.

local template = require "gen.emit.template"

local set = {}

--- Codes by name in order of first appearance: array of `{ problem=, codes={..} }`.
local function by_name(codes)
  local groups, index = {}, {}
  for _, code in ipairs(codes) do
    local name = code.problem.name
    if not index[name] then
      index[name] = { problem = code.problem, codes = {} }
      groups[#groups + 1] = index[name]
    end
    table.insert(index[name].codes, code)
  end
  return groups
end

--- The targets of codes, lowest rank first.
local function targets_of(codes)
  local list, seen = {}, {}
  for _, code in ipairs(codes) do
    if not seen[code.target] then
      seen[code.target] = true
      list[#list + 1] = code
    end
  end
  table.sort(list, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    return a.target < b.target
  end)
  return list
end

--- Architectures with their guard and targets; targets of any architecture belong to all, and to what is left.
local function architectures_of(targets)
  local list, index, negated, has_any = {}, {}, {}, false
  for _, code in ipairs(targets) do
    if code.arch == "any" then
      has_any = true
    elseif not index[code.arch] then
      index[code.arch] = true
      list[#list + 1] = { arch = code.arch, guard = code.guard }
      negated[#negated + 1] = "!(" .. code.guard .. ")"
    end
  end
  if has_any then list[#list + 1] = { guard = #negated > 0 and table.concat(negated, " && ") or "1" } end
  for _, architecture in ipairs(list) do
    architecture.targets = {}
    for _, code in ipairs(targets) do
      if code.arch == "any" or code.arch == architecture.arch then table.insert(architecture.targets, code) end
    end
  end
  return list
end

--- A set of codes (gen/lower/lower.lua), each (name, target) once.
-- @param options `{ prefix =, command = }`; `command` stands in header comments
-- @return `{ codes=, prefix=, macro=, command=, groups={{problem=, codes=}..}, targets={code..}, architectures=,
--   has_dispatcher= }`: `targets` has one code for each target, lowest rank first; an architecture is `{ arch=|nil,
--   guard=, targets= }`; `macro` is the prefix of macros
function set.new(codes, options)
  local targets = targets_of(codes)
  local architectures, has_dispatcher = architectures_of(targets), false
  for _, architecture in ipairs(architectures) do has_dispatcher = has_dispatcher or #architecture.targets > 1 end
  return { codes = codes, prefix = options.prefix, macro = options.prefix:upper(),
    command = options.command or "normgen emit", groups = by_name(codes), targets = targets,
    architectures = architectures, has_dispatcher = has_dispatcher }
end

--- A text for those who compile for an architecture with this guard.
function set.within(guard, text) return guard == "1" and text or ("#if %s\n%s\n#endif"):format(guard, text) end

--- Texts of the set's codes, `make(group, code)`, enclosed in the guards of their architectures.
-- @param between what separates them, a newline if nil
function set.guarded(self, make, between)
  local parts = {}
  for _, group in ipairs(self.groups) do
    for _, code in ipairs(group.codes) do
      parts[#parts + 1] = set.within(code.guard, template.trimmed(make(group, code)))
    end
  end
  return table.concat(parts, between or "\n")
end

return set
