-- README.md and docs/ say what is so: their commands print what they show, their examples compile, their tables are complete.

local files = require "tests.support.files"
local lfs = require "lfs"
local normgen = require "tests.support.normgen"
local pipeline = require "gen.pipeline.pipeline"
local spec = require "gen.spec.spec"
local tree = require "gen.tree"

local unpack = table.unpack or unpack

local ROOT = lfs.currentdir()
local README = files.read "README.md"

-- Texts of the blocks of a kind, fenced by ``` in a document.
local function blocks(text, kind)
  local list = {}
  for body in ("\n" .. text):gmatch("\n```" .. kind .. "\n(.-)\n```") do list[#list + 1] = body end
  return list
end

-- Commands of a console block with the lines that they must print: array of { command, lines }. A command may go on behind a
-- backslash at the end of a line.
local function commands_of(block)
  local list = {}
  for line in (block:gsub("\\\n%s*", "") .. "\n"):gmatch("([^\n]*)\n") do
    local command = line:match("^%$ (.*)$")
    if command then
      list[#list + 1] = { command = command, lines = {} }
    else
      table.insert(list[#list].lines, line)
    end
  end
  return list
end

-- Whether the printed lines are the expected ones from these indices on; "..." stands for any lines.
local function fits(printed, expected, i, j)
  i, j = i or 1, j or 1
  if j > #expected then return i > #printed end
  if expected[j] ~= "..." then return printed[i] == expected[j] and fits(printed, expected, i + 1, j + 1) end
  for from = i, #printed + 1 do
    if fits(printed, expected, from, j + 1) then return true end
  end
  return false
end

local function lines_of(text)
  local list = {}
  for line in text:gmatch("([^\n]*)\n") do list[#list + 1] = line end
  return list
end

-- A directory in which the commands of the documents work as they do in a clone, without writing into it.
local function clone()
  local scratch = normgen.scratch()
  for _, name in ipairs { "bin", "specs" } do lfs.link(ROOT .. "/" .. name, scratch .. "/" .. name, true) end
  for i, name in ipairs { "example.c", "images.c" } do files.write(scratch .. "/" .. name, blocks(README, "c")[i] .. "\n") end
  files.write(scratch .. "/norm.lua", blocks(files.read "docs/bindings.md", "lua")[1] .. "\n")
  return scratch
end

local function run_document(path)
  local scratch, count = clone(), 0
  for _, block in ipairs(blocks(files.read(path), "console")) do
    for _, entry in ipairs(commands_of(block)) do
      local code, out, err = normgen.sh(("cd %s && %s"):format(scratch, entry.command))
      assert.equal(0, code, path .. ": " .. entry.command .. "\n" .. out .. err)
      assert.is_true(fits(lines_of(out), entry.lines), path .. ": " .. entry.command .. " prints\n" .. out)
      count = count + 1
    end
  end
  normgen.remove(scratch)
  return count
end

local DTYPES = { x = true, out = true, residual = true, gamma = true }

describe("README.md", function()
  it("has commands that print what it shows", function()
    assert.is_true(run_document "README.md" >= 5)
  end)

  it("has an example of about ten lines", function()
    local _, count = blocks(README, "c")[1]:gsub("\n", "")
    assert.is_true(count <= 11, count .. " lines")
  end)

  it("explains every target", function()
    local text = README:match "\nTargets:\n(.-)\n## "
    for _, target in ipairs(pipeline.targets()) do assert.is_truthy(text:find("`" .. target.name .. "`", 1, true), target.name) end
  end)

  it("explains every option and every value that it has", function()
    local text = README:match "\n## What is there\n(.-)\n## "
    for _, row in ipairs(spec.grammar) do
      for _, value in ipairs(DTYPES[row.field] and {} or spec.supported(row)) do
        local plain = value:gsub("%p", "%%%0")
        local is_said = row.key and text:find(row.key .. "=[%w|+]*%f[%w]" .. plain .. "%f[%W]") or text:find("`" .. plain .. "`")
        assert.is_truthy(is_said, (row.key and row.key .. "=" or "") .. value)
      end
      if row.read then assert.is_truthy(text:find("`" .. row.key .. "=", 1, true), row.key) end
    end
  end)

  it("explains every option and every norm once", function()
    local text, explained = README:match "\n## What is there\n(.-)\n## ", {}
    local function explain(word)
      assert.is_nil(explained[word], word .. " is explained twice")
      explained[word] = true
    end
    for bullet in text:gsub("\n%- ", "\n\0"):gmatch("%z([^%z]*)") do
      local introduced = {}
      -- What stands in front of a colon, from the start of its sentence on: words, and what joins them.
      for before in bullet:gmatch("([^:]*):") do
        local sentence = (". " .. before):match("^.*%. (.-)$")
        local rest = sentence:gsub("`[^`]+`", ""):gsub("%f[%a]or%f[%A]", ""):gsub("%f[%a]with%f[%A]", "")
        for word in (rest:find("^[%s,]*$") and sentence or ""):gmatch("`([%w_]+)") do introduced[word] = true end
      end
      for _, row in ipairs(spec.grammar) do
        if introduced[row.key or row.field] then explain(row.key or row.field) end
      end
    end
    for _, norm in ipairs(tree.norms()) do
      local _, is = text:gsub("`" .. norm .. "` is ", "")
      local _, bracket = text:gsub("`" .. norm .. "` %(", "")
      assert.is_true(is + bracket <= 1, norm .. " is explained twice")
    end
    for _, word in ipairs { "quant", "out", "act", "affine", "layout" } do assert.is_true(explained[word], word) end
  end)

  it("names every package that the installer installs", function()
    local count = 0
    for name, list in files.read("tools/install-deps.sh"):gmatch("\n *([%w_]+)=\"([^\"]+)\"") do
      if name:find("^for_") or name == "foreign" or name == "optional" then
        for package in list:gsub("%$%b()", "clang-N"):gsub("%$[%w_]+", ""):gmatch("%S+") do
          assert.is_truthy(README:find("`" .. package, 1, true), package .. " is not in README.md")
          count = count + 1
        end
      end
    end
    assert.is_true(count >= 20, count .. " packages")
  end)

  it("names suites, files and directories that exist", function()
    local build = ""
    for _, path in ipairs(files.under("tests", "^meson%.build$")) do build = build .. files.read(path) end
    for list in README:gmatch("suites? (`[%l`, \nand]+)") do
      for suite in list:gmatch("`(%l+)`") do assert.is_truthy(build:find("'" .. suite .. "'", 1, true), "suite " .. suite) end
    end
    for path in README:gmatch("`%.?/?([%w_./-]+)`") do
      local is_path = (path:find("/", 1, true) or path:find("%.md$")) and not path:find("^out/")
      if is_path then assert.is_truthy(lfs.attributes(path, "mode"), path) end
    end
  end)
end)

describe("the documents for developers", function()
  -- A path as a pattern: `<name>` and `*` stand for anything but a slash.
  local function exists(path)
    local directory, name = path:match("^(.-)/?([^/]*)/?$")
    local pattern = "^" .. name:gsub("%b<>", "*"):gsub("[%-.]", "%%%0"):gsub("%*", "[^/]+") .. "$"
    for entry in lfs.dir(directory == "" and "." or directory) do
      if entry:find(pattern) then return true end
    end
    return false
  end

  it("name files and directories that exist", function()
    local count = 0
    for _, path in ipairs { "CONTRIBUTING.md", unpack(files.under("docs", "%.md$")) } do
      local text = files.read(path)
      for named in text:gmatch("`%.?/?([%w_./*<>-]+)`") do
        local is_path = named:find("/", 1, true) and lfs.attributes(named:match("^[^/]+"), "mode") == "directory"
        if is_path then
          local is_new = text:find("`" .. named .. "`, a new file", 1, true) ~= nil
          assert.is_true(exists(named) ~= is_new, path .. ": " .. named)
          count = count + 1
        end
      end
    end
    assert.is_true(count > 100, count .. " paths")
    assert.is_false(exists "gen/norms/nonorm.lua")
  end)
end)

describe("docs/", function()
  it("has commands that print what it shows", function()
    for _, name in ipairs { "architecture", "bindings", "integration", "numerics", "porting-a-target", "tuning" } do
      assert.is_true(run_document("docs/" .. name .. ".md") >= 1, name)
    end
  end)

  -- The files whose names stand in front of the blocks of a document that are no commands; each must hold its blocks.
  local function files_shown(text)
    local list = {}
    for before, kind, body in text:gmatch("(.-)\n```(%l+)\n(.-\n)```") do
      local path = before:match(".*`([%w_./-]+/[%w_.-]+)`") or list[#list]
      if kind ~= "console" then
        assert.is_truthy(path and files.read(path):find(body, 1, true), tostring(path) .. " does not hold\n" .. body)
        list[#list + 1] = path
      end
    end
    return list
  end

  it("cuts what it shows of a target out of the example", function()
    local list = files_shown(files.read "docs/porting-a-target.md")
    assert.is_true(#list >= 4, #list .. " blocks")
  end)

  it("cuts what it shows of a build out of tested examples", function()
    local text, shown = files.read "docs/integration.md", {}
    for _, path in ipairs(files_shown(text)) do shown[path:match("^examples/%l+") or path:match("^%l+")] = true end
    local count = 0
    for example in text:gmatch("\n| [%w+, -]+ | `([%w_/]-)/?` |") do
      assert.is_truthy(shown[example], "nothing of " .. example)
      count = count + 1
    end
    assert.is_true(count >= 7, count .. " ways")
  end)
end)
