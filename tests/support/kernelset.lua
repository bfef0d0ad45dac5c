-- Writes a set of tests/support/sets.lua as C:
--   luajit tests/support/kernelset.lua SET TARGET,... PARTS DIR [DEPFILE OUTPUT]
-- DIR gets SET_<target>_<part>.c (the kernels of a target dealt out to PARTS files, counted from 0), SET_kernels.h,
-- SET_registry.c and SET_dispatch.c: several sets can lie in one directory. DEPFILE tells ninja what OUTPUT depends on.
-- Prints what the set holds.

package.path = "./?.lua;" .. package.path

local emit = require "gen.emit.emit"
local files = require "tests.support.files"
local sets = require "tests.support.sets"

local function split(text)
  local list = {}
  for item in text:gmatch("[^,]+") do list[#list + 1] = item end
  return list
end

local function build(set, targets)
  local kernels, target_of, impossible = {}, {}, 0
  for _, target in ipairs(targets) do
    local requests, left_out = sets.requests(set, target)
    impossible = impossible + #(left_out or {})
    for _, request in ipairs(requests) do
      local kernel = sets.kernel(request)
      local path = "ng_" .. kernel.problem.name .. "_" .. target .. ".c"
      assert(not target_of[path], "twice in the set " .. set .. ": " .. path)
      target_of[path] = target
      kernels[#kernels + 1] = kernel
    end
  end
  return kernels, target_of, impossible
end

-- The emitted names ng_*.h and ng_*.c become SET_*.
local function write_parts(directory, set, emitted, target_of, targets, parts)
  local function write(name, text)
    files.write(directory .. "/" .. set .. "_" .. name, (text:gsub('#include "ng_', '#include "' .. set .. "_")))
  end
  local texts, count = {}, {}
  for _, target in ipairs(targets) do
    texts[target], count[target] = {}, 0
    for part = 0, parts - 1 do texts[target][part] = {} end
  end
  for _, file in ipairs(emitted) do
    local target = target_of[file.path]
    if target then
      local part = texts[target][count[target] % parts]
      part[#part + 1] = file.text
      count[target] = count[target] + 1
    else
      write(file.path:gsub("^ng_", ""), file.text)
    end
  end
  for _, target in ipairs(targets) do
    for part = 0, parts - 1 do write(("%s_%d.c"):format(target, part), table.concat(texts[target][part], "\n")) end
  end
end

local set, targets, parts, directory = arg[1], split(arg[2]), tonumber(arg[3]), arg[4]
local kernels, target_of, impossible = build(set, targets)
write_parts(directory, set, emit.files(kernels, { prefix = "ng_", command = "meson test" }), target_of, targets, parts)
if arg[5] then files.write_depfile(arg[5], arg[6]) end
print(("%s: kernels generated: %d, pairs that no legal kernel holds: %d"):format(set, #kernels, impossible))
