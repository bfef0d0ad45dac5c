-- Who may require whom: the rooms of the generator, checked by reading the source.

local files = require "tests.support.files"

local function imports_of(path)
  local list, text = {}, files.read(path)
  for name in text:gmatch("require[ (]+\"([%w_.]+)\"") do list[#list + 1] = name end
  -- require("gen.norms." .. name): any module of that folder.
  for prefix in text:gmatch("require%(\"([%w_.]+)\" %.%.") do list[#list + 1] = prefix .. "*" end
  return list
end

local function module_name(path) return (path:gsub("%.lua$", ""):gsub("/", ".")) end

local graph, modules = {}, {}
for _, directory in ipairs { "gen", "targets" } do
  for _, path in ipairs(files.under(directory, "%.lua$")) do
    local name = module_name(path)
    modules[#modules + 1] = name
    graph[name] = imports_of(path)
  end
end

local function matches(name, patterns)
  for _, pattern in ipairs(patterns) do
    if name:find("^" .. pattern .. "$") then return true end
  end
  return false
end

-- Everything that a module reaches, directly or through others.
local function reach(name, seen)
  seen = seen or {}
  for _, import in ipairs(graph[name] or {}) do
    for _, module in ipairs(modules) do
      if (module == import or (import:sub(-1) == "*" and module:find(import:sub(1, -2), 1, true) == 1)) and not seen[module] then
        seen[module] = true
        reach(module, seen)
      end
    end
  end
  return seen
end

-- Modules that see little: all that they may require.
local MAY_REQUIRE = {
  { "gen%.norms%..*", { "gen%.expr" } },
  { "targets%..*", { "targets%.vocabulary" } },
  { "gen%.expr", {} },
  { "gen%.elementary", { "gen%.expr" } },
  { "gen%.contract", { "gen%.expr", "gen%.elementary" } },
  { "gen%.interpreter", { "gen%.arithmetic", "gen%.contract" } },
  { "gen%.channels%..*", { "gen%.channels%..*", "gen%.contract", "gen%.expr", "gen%.interpreter", "gen%.norms%..*" } },
}

-- Modules that must not reach others, not even through a third one, and how many there are, if not one.
local NEVER_REACH = {
  { "gen%.spec", { "targets%..*", "gen%.schedule", "gen%.lower.*", "gen%.emit" } },
  { "gen%.problem", { "targets%..*", "gen%.schedule", "gen%.lower.*", "gen%.emit" } },
  { "gen%.plan", { "targets%..*", "gen%.schedule", "gen%.lower.*", "gen%.emit" } },
  { "gen%.channels%..*", { "targets%..*", "gen%.schedule", "gen%.lower.*", "gen%.emit.*" }, 5 },
  { "gen%.tuned", { "targets%..*", "gen%.lower.*", "gen%.emit" } },
  { "gen%.schedule", { "targets%..*", "gen%.lower.*", "gen%.emit" } },
  { "gen%.emit", { "targets%..*", "gen%.plan", "gen%.schedule", "gen%.lower.*" } },
}

local function offenders(name, imports, patterns, forbidden)
  for _, import in ipairs(imports) do
    assert.is_true(matches(import, patterns) ~= forbidden, name .. " must not see " .. import)
  end
end

describe("the import law", function()
  it("lets small rooms see only what they may", function()
    local count = 0
    for _, module in ipairs(modules) do
      for _, rule in ipairs(MAY_REQUIRE) do
        if matches(module, { rule[1] }) then
          offenders(module, graph[module], rule[2], false)
          count = count + 1
        end
      end
    end
    assert.is_true(count >= 8, count .. " modules")
  end)

  it("keeps ISAs out of problem and plan, and vocabulary out of emit", function()
    for _, rule in ipairs(NEVER_REACH) do
      local seen = 0
      for _, module in ipairs(modules) do
        if matches(module, { rule[1] }) then
          seen = seen + 1
          local reached = {}
          for other in pairs(reach(module)) do reached[#reached + 1] = other end
          offenders(module, reached, rule[2], true)
        end
      end
      assert.equal(rule[3] or 1, seen, rule[1])
    end
  end)

  it("lets only lowering see plan, target and schedule together", function()
    for _, module in ipairs(modules) do
      local sees = { plan = false, schedule = false, target = false }
      for _, import in ipairs(graph[module]) do
        sees.plan = sees.plan or import == "gen.plan"
        sees.schedule = sees.schedule or import == "gen.schedule"
        sees.target = sees.target or import:find("^targets%.") ~= nil
      end
      local all = sees.plan and sees.schedule and sees.target
      assert.is_true(not all or matches(module, { "gen%.lower.*", "gen%.pipeline" }), module)
    end
  end)
end)
