--- Compilers and emulators: what builds and runs programs for an architecture.

local lfs = require "lfs"
local shell = require "gen.cli.shell"

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

--- Runs a compiler.
-- @param words array of strings
-- @return whether it succeeded; its first line about an error, else all that it prints
function toolchain.compile(words)
  local text, ok = shell.capture(words)
  return ok, text:match("[^\n]*error[^\n]*") or text
end

--- Paths of the C files in a directory, sorted.
-- @param except nil or a pattern of names to leave out
function toolchain.c_files(directory, except)
  local names, list = {}, {}
  for name in lfs.dir(directory) do
    if name:match("%.c$") and not (except and name:find(except)) then names[#names + 1] = name end
  end
  table.sort(names)
  for i, name in ipairs(names) do list[i] = directory .. "/" .. name end
  return list
end

return toolchain
