--- The rivals that normgen knows how to build, by group.

local root = require "gen.root"
local shell = require "gen.cli.shell"
local suggest = require "gen.suggest"
local toolchain = require "gen.cli.toolchain"

local rivals = {}

-- What a user would pass for a target that is not the best one of the machine.
local MARCH = { avx2 = "x86-64-v3", sse2 = "x86-64" }

local function source(name) return root.path("bench/rivals/" .. name) end

-- A build: `{ cc =, source =, flags = {..}, libraries = {..} }`; flags hold for compiling alone.
local function plain_build(cc, label, flags)
  return { cc = cc, source = source "plain.c", libraries = {},
    flags = shell.words({ "-std=gnu11", '-DBENCH_BUILD="' .. label .. '"' }, flags) }
end

-- Every compiler, plainly and with all that it takes, h a variable and each h a constant.
local function plain(options)
  local builds = {}
  local levels = { { "-O3", { "-O3" } }, { "fast", { "-O3", "-march=" .. options.march, "-ffast-math" } } }
  for _, cc in ipairs(options.compilers) do
    for _, level in ipairs(levels) do
      local label = cc .. " " .. level[1]
      builds[#builds + 1] = plain_build(cc, label, level[2])
      for _, h in ipairs(options.hs) do
        builds[#builds + 1] = plain_build(cc, label .. " fixed", shell.words(level[2], { "-DPLAIN_H=" .. h }))
      end
    end
  end
  return builds
end

local function double(options)
  local cc = options.compilers[1]
  return { plain_build(cc, cc .. " double", { "-O3", "-march=" .. options.march, "-DPLAIN_DOUBLE" }) }
end

local GROUPS = {
  { name = "plain", builds = plain, default = true },
  { name = "double", builds = double, default = true },
}

local function names()
  local list = {}
  for i, group in ipairs(GROUPS) do list[i] = group.name end
  return list
end

-- The groups that one word of --rivals stands for.
local function groups_of(word)
  local list = {}
  for _, group in ipairs(GROUPS) do
    if word == group.name or word == "all" or (word == "default" and group.default) then list[#list + 1] = group end
  end
  if #list == 0 and word ~= "none" then suggest.unknown("rival", word, shell.words(names(), { "default", "all", "none" })) end
  return list
end

--- The groups of --rivals, each once.
-- @param text "plain,double", "default", "all" or "none"
function rivals.groups(text)
  local list, seen = {}, {}
  for word in (text .. ","):gmatch("([^,]*),") do
    for _, group in ipairs(groups_of(word)) do
      if not seen[group] then list[#list + 1] = group end
      seen[group] = true
    end
  end
  return list
end

--- A rival of the user: "FILE.c FLAG...".
function rivals.own(text, cc)
  local words = {}
  for word in text:gmatch("%S+") do words[#words + 1] = word end
  local file = table.remove(words, 1)
  return { cc = cc, source = file, flags = words, libraries = words }
end

-- The compilers of rivals that are installed: gcc and the newest clang; and what is missing.
local function compilers()
  local list, missing = {}, {}
  local clang = toolchain.newest_clang() or "clang"
  for _, cc in ipairs { "gcc", clang } do
    table.insert(shell.has(cc) and list or missing, cc)
  end
  return list, missing
end

--- Everything to build for some groups.
-- @param groups array of groups (rivals.groups)
-- @param target name of the highest target
-- @param hs array of row lengths
-- @param skip function(text) that says what is left out
-- @return array of `{ cc =, source =, flags =, libraries = }`
function rivals.builds(groups, target, hs, skip)
  local found, missing = compilers()
  local list = {}
  if #groups > 0 then
    for _, cc in ipairs(missing) do skip("rivals by " .. cc .. ": it is not installed") end
  end
  local options = { march = MARCH[target] or "native", hs = hs, compilers = found }
  for _, group in ipairs(groups) do
    for _, build in ipairs(group.builds(options, skip)) do list[#list + 1] = build end
  end
  return list
end

return rivals
