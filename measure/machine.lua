--- What machine and compilers a run was made with.

local files = require "host.files"
local shell = require "host.shell"

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

-- KiB of caches by level, where the system does not tell.
local USUAL = { 32, 1024, 8192 }

--- Bytes of the data caches, by level 1 to 3.
-- @param is_here whether this machine is asked, or usual sizes are wanted
function machine.cache_bytes(is_here)
  local bytes = {}
  for level, kib in ipairs(USUAL) do bytes[level] = kib * 1024 end
  for _, cache in ipairs(is_here and caches() or {}) do
    if bytes[cache.level] then bytes[cache.level] = cache.kib * 1024 end
  end
  return bytes
end

--- Bytes of the cache of level 2.
function machine.l2_bytes() return machine.cache_bytes(true)[2] end

--- Seconds of a clock that never goes back, to a hundredth.
function machine.now() return tonumber((files.read "/proc/uptime" or ""):match("^[%d.]+")) or os.time() end

--- How many CPUs there are.
function machine.cpus() return tonumber((shell.capture { "getconf", "_NPROCESSORS_ONLN" })) or 1 end

local function governor()
  local name = line_of "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
  if not name then return "governor unknown" end
  return "governor " .. name, name ~= "performance"
end

local function turbo()
  local no_turbo, boost = line_of "/sys/devices/system/cpu/intel_pstate/no_turbo", line_of "/sys/devices/system/cpu/cpufreq/boost"
  if no_turbo then return no_turbo == "0" and "turbo on" or "turbo off" end
  return boost and (boost == "1" and "turbo on" or "turbo off") or "turbo unknown"
end

--- How many processes run beside this one at the moment.
function machine.others_running()
  local running = (files.read "/proc/loadavg" or ""):match(" (%d+)/")
  return math.max(0, (tonumber(running) or 1) - 1)
end

local function load()
  local text = (files.read "/proc/loadavg" or ""):match("^[%d.]+")
  return "load " .. (text or "unknown")
end

local function hypervisor()
  local is_virtual = (files.read "/proc/cpuinfo" or ""):find("\nflags[^\n]* hypervisor")
  return is_virtual and "virtual machine" or "no hypervisor seen"
end

--- What may disturb times: array of `{ text =, is_noisy = }`.
function machine.conditions()
  local list = {}
  for i, ask in ipairs { governor, turbo, load, hypervisor } do
    local text, is_noisy = ask()
    list[i] = { text = text, is_noisy = is_noisy or false }
  end
  return list
end

--- The first line of what a compiler says of its version.
function machine.compiler(cc)
  return shell.capture({ cc, "--version" }):match("[^\n]*")
end

return machine
