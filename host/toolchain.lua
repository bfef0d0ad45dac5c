--- Compilers and emulators: what builds and runs programs for an architecture.

local lfs = require "lfs"
local shell = require "host.shell"

local toolchain = {}

local OLDEST_CLANG, NEWEST_CLANG = 10, 30

--- The installed clang-N of the largest N, or nil.
function toolchain.newest_clang()
  for number = NEWEST_CLANG, OLDEST_CLANG, -1 do
    if shell.has("clang-" .. number) then return "clang-" .. number end
  end
end

--- For this machine.
-- @param cc compiler, or nil for cc
function toolchain.here(cc) return { cc = { cc or "cc" }, run = {} } end

--- The emulator for programs of an architecture, with every feature that it knows.
function toolchain.emulator(arch) return { "qemu-" .. arch, "-cpu", "max" } end

--- For another architecture, by the names that Debian and others give these programs.
function toolchain.foreign(arch)
  return { cc = { arch .. "-linux-gnu-gcc", "-static" }, run = toolchain.emulator(arch) }
end

--- What matters of the text of a compiler: its first line about an error, else all.
function toolchain.complaint(text) return text:match("[^\n]*error[^\n]*") or text end

--- Runs a compiler.
-- @param words array of strings
-- @return whether it succeeded; what it complains about
function toolchain.compile(words)
  local text, ok = shell.capture(words)
  return ok, toolchain.complaint(text)
end

--- Name and version of a compiler, whatever it is called: "gcc 12.2.0", "clang 19.1.7"; "unknown" if it does not tell.
-- @param text what it prints for --version
function toolchain.identity(text)
  local line = text:match("[^\n]*")
  local clang = line:match("clang version ([%d.]+)")
  if clang then return "clang " .. clang end
  local gcc = line:match("([%d.]+)%s*$") or line:match("%) ([%d.]+)")
  return gcc and "gcc " .. gcc or "unknown"
end

--- Paths of the C files in a directory, sorted.
-- @param except nil or a pattern of names to leave out
-- @param pattern of the names, if not those that end in .c
function toolchain.c_files(directory, except, pattern)
  local names, list = {}, {}
  for name in lfs.dir(directory) do
    if name:match(pattern or "%.c$") and not (except and name:find(except)) then names[#names + 1] = name end
  end
  table.sort(names)
  for i, name in ipairs(names) do list[i] = directory .. "/" .. name end
  return list
end

return toolchain
