-- What holds for tests/ itself: no test runs out of time because a machine is busy, and whoever names a test finds it.

local files = require "tests.support.files"
local lfs = require "lfs"

-- Ways to end or to judge by the time on the wall. What may loop without end has a limit of the processor's time (ulimit -t),
-- and cases of Check come from add_case.
local BANNED = {
  "time[o]ut", "os%.clock", "os%.time", "clock_[g]ettime", "[g]ettimeofday", "al[a]rm%(", "time%.mono", "tcase_[c]reate",
}

-- The places where one of these is right.
local ALLOWED = {
  ["tests/models/peers.py:al[a]rm%("] = "a model that is too slow to be called is compared at rest",
  ["tests/meson.build:time[o]ut"] = "the one limit of all tests",
  ["tests/support/suite.h:time[o]ut"] = "none for cases of Check",
  ["tests/support/suite.h:tcase_[c]reate"] = "the same",
}

local TOPS = {
  ".ci", "bench", "bin", "cli", "cmake", "cross", "docs", "gen", "host", "install", "measure", "models", "reference",
  "runtime", "specs", "targets", "templates", "tests", "tools", "tuner",
}

-- Texts of the tree that people write, by path.
local function sources()
  local texts = {}
  for name in lfs.dir(".") do
    if lfs.attributes(name, "mode") == "file" then texts[name] = files.read(name) end
  end
  for _, top in ipairs(TOPS) do
    for _, path in ipairs(files.under(top, ".")) do texts[path] = files.read(path) end
  end
  return texts
end

describe("tests/", function()
  it("has one limit of time, for tests that hang", function()
    local count = 0
    for _, path in ipairs(files.under("tests", ".")) do
      local text = files.read(path)
      for _, pattern in ipairs(BANNED) do
        local where = path .. ":" .. pattern
        if ALLOWED[where] then count = count + 1 end
        assert.equal(ALLOWED[where] ~= nil, text:find(pattern) ~= nil, where)
      end
    end
    assert.equal(4, count)
    assert.is_nil(files.read("bench/meson.build"):find "time[o]ut")
    -- It is that of the default setup, so that no test lacks it.
    local setup = files.read("tests/meson.build"):match "\nadd_test_setup(%b())"
    assert.is_truthy(setup:find("is_default: true", 1, true))
    assert.is_true(tonumber(setup:match "time[o]ut_multiplier: (%d+)") >= 120)
  end)

  it("holds each file that is named somewhere", function()
    local count = 0
    for path, text in pairs(sources()) do
      for before, name in text:gmatch("(.)%f[%w](tests/[%w_/-]+%.[%w.]*%w)") do
        if before ~= "/" then
          count = count + 1
          assert.is_truthy(lfs.attributes(name), path .. " names " .. name)
        end
      end
    end
    assert.is_true(count > 100, count .. " names")
  end)

  it("has its files in folders", function()
    local names = {}
    for name in lfs.dir "tests" do
      if lfs.attributes("tests/" .. name, "mode") == "file" then names[#names + 1] = name end
    end
    table.sort(names)
    assert.same({ "digests.txt", "meson.build" }, names)
  end)
end)
