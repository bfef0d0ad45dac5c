--- What machine and compilers a run was made with.

local files = require "gen.cli.files"
local shell = require "gen.cli.shell"

local machine = {}

local function field(text, name) return text:match("\n" .. name .. "%s*:%s*([^\n]*)") end

-- A file of /sys without its newline.
local function line_of(path)
  local text = files.read(path)
  return text and text:match("[^\n]*")
end

-- Caches that hold data: array of `{ level =, kib = }`.
local function caches()
  local list = {}
  for index = 0, 9 do
    local path = ("/sys/devices/system/cpu/cpu0/cache/index%d/"):format(index)
    local level, size = line_of(path .. "level"), (line_of(path .. "size") or ""):match("^(%d+)K$")
    if level and size and line_of(path .. "type") ~= "Instruction" then
      list[#list + 1] = { level = tonumber(level), kib = tonumber(size) }
    end
  end
  return list
end

--- The CPU in one line: "AMD EPYC, family 25, model 17, L1 32 KiB, L2 1024 KiB".
function machine.cpu()
  local info = "\n" .. (files.read("/proc/cpuinfo") or "")
  local parts = { field(info, "model name") or field(info, "CPU part") or "unknown CPU" }
  for _, name in ipairs { "cpu family", "model" } do
    local value = field(info, name)
    if value then parts[#parts + 1] = name:gsub("cpu ", "") .. " " .. value end
  end
  for _, cache in ipairs(caches()) do parts[#parts + 1] = ("L%d %d KiB"):format(cache.level, cache.kib) end
  return table.concat(parts, ", ")
end

--- Bytes of the cache of level 2, or 1 MiB where the system does not tell.
function machine.l2_bytes()
  for _, cache in ipairs(caches()) do
    if cache.level == 2 then return cache.kib * 1024 end
  end
  return 1024 * 1024
end

--- The first line of what a compiler says of its version.
function machine.compiler(cc)
  return shell.capture({ cc, "--version" }):match("[^\n]*")
end

return machine
