--- normgen check: emits kernels, compiles them with the C reference, compares their bits, once for each architecture.

local emit = require "gen.emit.emit"
local failure = require "host.failure"
local files = require "host.files"
local inputs = require "host.inputs"
local native = require "host.native"
local tree = require "gen.tree"
local shell = require "host.shell"
local toolchain = require "host.toolchain"
local tuned = require "cli.schedules"
local usage = require "gen.errors.usage"

local command = {
  summary = "Compile kernels and compare them with the C reference, bit for bit.",
  arguments = { "specs", "check_target", "target_path", "cc", "schedule", "tuned" },
  examples = {
    "normgen check 'rmsnorm fwd bf16 h=4096 addout'",
    "normgen check specs/llama3_8b.lua --target scalar,avx2,neon --cc clang",
  },
}

-- Kernels with two schedules change over here, so that the rows of the verifier meet both.
local FEW_ROWS = 5

-- The names that the verifier is written for.
local PREFIX = "ng_"

-- How to build and run for an architecture, and the verifier's options (a foreign one is spared most of the work); nil and
-- the missing program if that is not possible for a foreign one.
local function tools_for(arch, cc)
  local here = arch == native.arch()
  local tools = here and toolchain.here(cc) or toolchain.foreign(arch)
  for _, program in ipairs { tools.cc[1], tools.run[1] } do
    if not shell.has(program) then
      if here then failure("check: %s is not installed", usage.quote(program)) end
      return nil, program
    end
  end
  return tools, here and {} or { "--quick" }
end

-- Targets by the architecture they are checked on, this machine's first.
local function by_architecture(targets)
  local here, order, groups = native.arch(), {}, {}
  for _, target in ipairs(targets) do
    local arch = target.arch == "any" and here or target.arch
    if not groups[arch] then
      groups[arch] = {}
      table.insert(order, arch == here and 1 or #order + 1, arch)
    end
    table.insert(groups[arch], target)
  end
  return order, groups
end

local function compile(directory, tools, arch)
  local reference, program = tree.path "reference", directory .. "/verify"
  local flags = { "-O2", "-I", directory, "-I", reference, "-o", program }
  local ok, reason = toolchain.compile(shell.words(tools.cc, flags, toolchain.c_files(directory), toolchain.c_files(reference),
    { "-lm" }))
  if not ok then failure("check: %s does not compile for %s: %s", tools.cc[1], arch, reason) end
  return program
end

-- Prints what the verifier says: its verdict and what it left out, and every mismatch.
local function verify(program, tools, effort, arch)
  local text, ok = shell.capture(shell.words(tools.run, { program }, effort))
  for line in text:gmatch("[^\n]+") do files.print(arch .. ": " .. line .. "\n") end
  if not ok then failure("check: the kernels for %s do not match the reference", arch) end
end

local function check(specs, targets, args, overrides, arch)
  local tools, effort = tools_for(arch, args.cc)
  if not tools then
    files.print(arch .. ": skipped: " .. effort .. " is not installed\n")
    return
  end
  local kernels = inputs.kernels(specs, targets, overrides)
  local list = emit.files(kernels, { prefix = PREFIX, command = "normgen check" })
  shell.in_temporary_directory(function(directory)
    files.write_all(directory, list)
    verify(compile(directory, tools, arch), tools, effort, arch)
  end)
end

--- @param args parsed arguments
function command.run(args)
  local specs = inputs.specs(args.specs)
  local order, groups = by_architecture(inputs.targets(args.target))
  local overrides = tuned.chooser(args.schedule, tuned.open(args.tuned), FEW_ROWS)
  for _, arch in ipairs(order) do check(specs, groups[arch], args, overrides, arch) end
end

return command
