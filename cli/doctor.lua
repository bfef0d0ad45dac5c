--- normgen doctor: which interpreters, compilers and emulators there are, and what can be done with each target here.
--
-- For each target a tiny kernel is built, and run here and under an emulator, where its self-test decides.

local columns = require "host.columns"
local contract = require "gen.formula.contract"
local emit = require "gen.emit.emit"
local files = require "host.files"
local json = require "host.json"
local native = require "host.native"
local pipeline = require "gen.pipeline.pipeline"
local shell = require "host.shell"
local spec = require "gen.spec.spec"
local targets = require "gen.target.targets"
local toolchain = require "host.toolchain"
local version = require "gen.emit.version"

local command = {
  summary = "Tell what this machine can build, run and emulate, and why not.",
  arguments = { "target_path", "json" },
  examples = { "normgen doctor", "normgen doctor --json" },
  notes = [[
The JSON is an object with
  version, contract   of normgen
  arch, features      of this machine: the features are those that some target needs
  programs            array of { kind = interpreter|compiler|emulator, name, found, version }
  targets             array of { name, arch, build, run, emulate }
where build, run and emulate are { ok, reason }: ok is true or false; reason says with what, or why not.
Keys are never removed or renamed. The exit code is 0 whatever is missing.]],
}

-- Programs to look for, by kind, and the option that makes them tell their version.
local PROGRAMS = {
  { kind = "interpreter", option = "-v", names = { "luajit", "lua5.4" } },
  { kind = "compiler", option = "--version", names = { "cc", "gcc", "clang", "aarch64-linux-gnu-gcc" },
    also = toolchain.newest_clang },
  { kind = "emulator", option = "--version", names = { "qemu-aarch64", "qemu-x86_64" } },
}

local function program(kind, name, option)
  local found = shell.has(name)
  local text = found and shell.capture { name, option } or ""
  return { kind = kind, name = name, found = found, version = text:match("[^\n]+") or "" }
end

local function programs()
  local list = {}
  for _, row in ipairs(PROGRAMS) do
    for _, name in ipairs(shell.words(row.names, { row.also and row.also() })) do
      list[#list + 1] = program(row.kind, name, row.option)
    end
  end
  return list
end

local PREFIX = "ng_"

local PROBE = [[
#include "ng_kernels.h"
#include <stdio.h>

int main(void)
{
    size_t count;
    const ng_kernel *kernels = ng_registry(&count);
    if (count == 0 || !kernels[0].runs_here())
        return 3;
    const int code = ng_selftest();
    fputs(ng_selftest_message(code), stdout);
    return code != 0;
}
]]

local CANNOT_RUN = 3

local function yes(format, ...) return { ok = true, reason = format:format(...) } end
local function no(format, ...) return { ok = false, reason = format:format(...) } end

-- Builds the probe of a target.
-- @return result, path of the program
local function build(target, directory, tools)
  if not shell.has(tools.cc[1]) then return no("%s is not installed", tools.cc[1]) end
  local kernel, sources = pipeline.kernel(spec.parse "rmsnorm f32 h=8", target), { directory .. "/main.c" }
  local list = emit.files({ kernel }, { prefix = PREFIX })
  list[#list + 1] = { path = "main.c", text = PROBE }
  files.write_all(directory, list)
  for _, file in ipairs(list) do
    if file.path:find("^" .. PREFIX .. ".*%.c$") then sources[#sources + 1] = directory .. "/" .. file.path end
  end
  local path = directory .. "/probe"
  local ok, reason = toolchain.compile(shell.words(tools.cc, { "-O1", "-o", path }, sources))
  if not ok then return no("%s: %s", tools.cc[1], reason:match("[^\n]*")) end
  return yes("%s", tools.cc[1]), path
end

-- The features of a target that this CPU lacks, as text.
local function missing_features(target, features)
  local list = {}
  for _, feature in ipairs(target.features) do
    if not features[feature.name] then list[#list + 1] = feature.name end
  end
  return #list > 0 and table.concat(list, ", ") or "what it needs"
end

-- Runs the probe of a target. `where` says what runs it, `lacking` what that lacks if the target's check says no.
local function run(runner, path, where, lacking)
  local text, ok, code = shell.capture(shell.words(runner, { path }))
  if ok then return yes("%s", where) end
  return code == CANNOT_RUN and no("%s lacks %s", where, lacking) or no("%s: %s", where, text)
end

local function examine(target, features)
  local here = target.arch == "any" or target.arch == native.arch()
  local arch = here and native.arch() or target.arch
  local result = { name = target.name, arch = target.arch }
  shell.in_temporary_directory(function(directory)
    local path
    result.build, path = build(target, directory, here and toolchain.here() or toolchain.foreign(arch))
    local emulator = toolchain.emulator(arch)
    if not path then
      result.run, result.emulate = no "it cannot be built", no "it cannot be built"
      return
    end
    result.run = here and run({}, path, "this CPU", missing_features(target, features))
      or no("this machine is not %s", arch)
    result.emulate = shell.has(emulator[1]) and run(emulator, path, emulator[1], "features of the target")
      or no("%s is not installed", emulator[1])
  end)
  return result
end

-- The features of this CPU that some target needs, in the order of the targets.
local function features_of_interest(features)
  local list, seen = json.array {}, {}
  for _, target in ipairs(targets.all()) do
    for _, feature in ipairs(target.features) do
      if features[feature.name] and not seen[feature.name] then list[#list + 1] = feature.name end
      seen[feature.name] = true
    end
  end
  return list
end

local function findings()
  local features = native.features()
  local result = { version = version, contract = contract.version, arch = native.arch(),
    features = features_of_interest(features), programs = programs(), targets = {} }
  for i, target in ipairs(targets.all()) do result.targets[i] = examine(target, features) end
  return result
end

local function text_of(result)
  local rows = { { "machine", result.arch, "", table.concat(result.features, ", ") } }
  for _, p in ipairs(result.programs) do rows[#rows + 1] = { p.kind, p.name, p.found and "yes" or "no", p.version } end
  for _, target in ipairs(result.targets) do
    for _, what in ipairs { "build", "run", "emulate" } do
      rows[#rows + 1] = { "target " .. target.name, what, target[what].ok and "yes" or "no", target[what].reason }
    end
  end
  return ("normgen %s, contract %d\n"):format(result.version, result.contract) .. columns(rows, { 1, 2, 3, 4 })
end

--- @param args parsed arguments
function command.run(args)
  local result = findings()
  files.print(args.json and json.encode(result) or text_of(result))
end

return command
