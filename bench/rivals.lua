--- The rivals that normgen knows how to build or to call, by group.

local inputs = require "host.inputs"
local lfs = require "lfs"
local tree = require "gen.tree"
local shell = require "host.shell"
local spec = require "gen.spec.spec"
local suggest = require "gen.errors.suggest"
local toolchain = require "host.toolchain"

local rivals = {}

-- What keeps rivals to a target that may not be the best one of the machine: -march= of compilers, and what libraries
-- read. Without a row they take all that the machine has.
local LEVELS = {
  avx2 = { march = "x86-64-v3",
    environment = { "ONEDNN_MAX_CPU_ISA=AVX2", "ATEN_CPU_CAPABILITY=avx2", "LIBXSMM_TARGET=hsw" } },
  sse2 = { march = "x86-64",
    environment = { "ONEDNN_MAX_CPU_ISA=SSE41", "ATEN_CPU_CAPABILITY=default", "LIBXSMM_TARGET=wsm" } },
}
local NATIVE = { march = "native", environment = {} }

local function level_of(target) return LEVELS[target] or NATIVE end

-- Where tools/install-deps.sh puts the Python packages of rivals.
local PACKAGES = tree.path "out/bench-python"

local function source(name) return tree.path("bench/rivals/" .. name) end

-- A build: `{ cc =, source =, flags = {..}, libraries = {..}, environment = {..} }`; flags hold for compiling, libraries
-- for linking, the environment for running. Without one that is `required` nothing runs.
local function new_build(cc, name, flags)
  return { cc = cc, source = source(name), flags = flags, libraries = {}, environment = {} }
end

local function plain_build(cc, label, flags)
  return new_build(cc, "plain.c", shell.words({ "-std=gnu11", '-DBENCH_BUILD="' .. label .. '"' }, flags))
end

-- Every compiler, plainly and with all that it takes, h a variable and each h a constant.
local function plain(options)
  local builds = {}
  local function add(cc, level, flags)
    local label = cc .. " " .. level
    builds[#builds + 1] = plain_build(cc, label, flags)
    for _, h in ipairs(options.hs) do
      builds[#builds + 1] = plain_build(cc, label .. " fixed", shell.words(flags, { ("-DPLAIN_H=%.0f"):format(h) }))
    end
  end
  local fast = { "-O3", "-march=" .. options.march, "-ffast-math" }
  for _, cc in ipairs(options.compilers) do
    add(cc, "-O3", { "-O3" })
    add(cc, "fast", fast)
  end
  return builds
end

local function double(options)
  local cc = options.compilers[1]
  return { plain_build(cc, cc .. " double", { "-O3", "-march=" .. options.march, "-DPLAIN_DOUBLE" }) }
end

-- The PyPI packages onednn and onednn-devel. They run on SYCL, which finds the CPU by the second variable.
local function onednn(_, skip)
  local lib = PACKAGES .. "/lib"
  if not lfs.attributes(PACKAGES .. "/include/oneapi/dnnl/dnnl.h") then
    skip "onednn: its packages are not in out/bench-python (tools/install-deps.sh bench)"
    return {}
  end
  local result = new_build("cc", "onednn.c", { "-std=gnu11", "-O2", "-I", PACKAGES .. "/include" })
  result.libraries = { "-L" .. lib, "-Wl,-rpath-link," .. lib, "-ldnnl" }
  result.environment = { "LD_LIBRARY_PATH=" .. lib, "OCL_ICD_FILENAMES=" .. lib .. "/libintelocl.so" }
  return { result }
end

local function words_of(text)
  local words = {}
  for word in text:gmatch("%S+") do words[#words + 1] = word end
  return words
end

-- A LIBXSMM 2 that pkg-config finds.
local function libxsmm(_, skip)
  local flags, found = shell.capture { "pkg-config", "--cflags", "libxsmm" }
  if not found then
    skip "libxsmm: pkg-config does not find it (PKG_CONFIG_PATH)"
    return {}
  end
  local result = new_build("cc", "libxsmm.c", shell.words({ "-std=gnu11", "-O2" }, words_of(flags)))
  result.libraries = words_of(shell.output { "pkg-config", "--static", "--libs", "libxsmm" })
  return { result }
end

local GROUPS = {
  { name = "plain", builds = plain, default = true },
  { name = "double", builds = double, default = true },
  { name = "onednn", builds = onednn },
  { name = "libxsmm", builds = libxsmm },
  { name = "torch", modules = "numpy, torch" },
  { name = "onnxruntime", modules = "numpy, onnx, onnxruntime" },
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
  for word in inputs.items(text) do
    for _, group in ipairs(groups_of(word)) do
      if not seen[group] then list[#list + 1] = group end
      seen[group] = true
    end
  end
  return list
end

--- The environment that keeps rivals to a target: array of "NAME=value".
function rivals.environment(target) return level_of(target).environment end

--- The build of a rival of the user: "FILE.c FLAG...".
function rivals.own(text, cc)
  local words = words_of(text)
  local file = table.remove(words, 1)
  return { cc = cc, source = file, flags = words, libraries = words, environment = {}, required = true }
end

-- The norms that rivals know, by direction; of rmsnorm only that of rows.
local NORMS = { rmsnorm = { fwd = true }, layernorm = { fwd = true }, groupnorm = { fwd = true }, instancenorm = { fwd = true },
  batchnorm = { fwd = true, infer = true } }

--- Whether rivals know what to do: the usual parameters, one dtype, no other option than a sum that is stored.
-- (bench.c asks the same of C rivals, which know `add` as well.)
function rivals.can_do(s)
  local known = { dir = true, x = s.x ~= "f64", h = true, c = true, g = true, layout = s.norm ~= "rmsnorm",
    fusion = s.fusion == "addout" }
  for _, entry in ipairs(spec.words(s)) do
    if not known[entry.row.field] then return false end
  end
  return NORMS[s.norm] ~= nil and NORMS[s.norm][s.dir] ~= nil
end

--- The Python that has the groups' packages, and those of them that it has.
-- @param groups array of groups (rivals.groups)
-- @param skip function(text) that says what is left out
-- @return path or name of the interpreter, array of names
function rivals.python(groups, skip)
  local own, list = PACKAGES .. "/bin/python3", {}
  local program = lfs.attributes(own) and own or "python3"
  for _, group in ipairs(groups) do
    if group.modules then
      local _, ok = shell.capture { program, "-c", "import " .. group.modules }
      if ok then
        list[#list + 1] = group.name
      else
        skip(("%s: %s cannot import %s (tools/install-deps.sh bench)"):format(group.name, program:match("[^/]*$"), group.modules))
      end
    end
  end
  return program, list
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
-- @return array of builds
function rivals.builds(groups, target, hs, skip)
  local found, missing = compilers()
  local list = {}
  if #groups > 0 then
    for _, cc in ipairs(missing) do skip("rivals by " .. cc .. ": it is not installed") end
  end
  local options = { march = level_of(target).march, hs = hs, compilers = found }
  for _, group in ipairs(groups) do
    for _, build in ipairs(group.builds and group.builds(options, skip) or {}) do list[#list + 1] = build end
  end
  return list
end

return rivals
