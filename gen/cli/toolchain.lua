--- Compilers and emulators: what builds and runs programs for an architecture.

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

return toolchain
