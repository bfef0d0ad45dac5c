--- The best target of the machine that runs normgen. Never for a cross build: outside of the pure generator.

local failure = require "host.failure"
local files = require "host.files"
local shell = require "host.shell"

local native = {}

--- The architecture of this machine as targets name it, "x86_64" or "aarch64".
function native.arch()
  return (shell.output { "uname", "-m" }:gsub("%s", ""))
end

--- The set of CPU features that the kernel reports, by name; the line is called flags on x86 and Features on Arm.
function native.features()
  local text = files.read("/proc/cpuinfo") or ""
  local line = text:match("\nflags%s*:([^\n]*)") or text:match("\nFeatures%s*:([^\n]*)") or ""
  local set = {}
  for word in line:gmatch("%S+") do set[word] = true end
  return set
end

--- A function that tells whether this machine can run a target, by its arch and its features, whose names are those of the
-- kernel's flags.
function native.test()
  local arch, features = native.arch(), native.features()
  return function(target)
    if target.arch ~= arch and target.arch ~= "any" then return false end
    for _, feature in ipairs(target.features) do
      if not features[feature.name] then return false end
    end
    return true
  end
end

--- The highest-ranking target that this machine can run.
-- @param targets array of target tables
function native.target(targets)
  local fits, best = native.test(), nil
  for _, target in ipairs(targets) do
    if fits(target) and (not best or target.rank > best.rank) then best = target end
  end
  return best or failure("no target fits this machine")
end

return native
