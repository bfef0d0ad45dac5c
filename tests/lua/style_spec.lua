-- What the source text may not hold: calls whose answer depends on the machine or the run, tabs, trailing blanks.

local files = require "tests.support.files"

-- In the generator itself nothing may depend on time, environment, chance or the order of a hash table.
local BANNED = {
  "os%.date", "os%.time", "os%.getenv", "os%.tmpname", "os%.clock", "math%.random", "collectgarbage",
  "[^i%w_]pairs *%(", "[^%w_]next *[%(,]",
}

-- The few places where one of these is harmless, and why.
local ALLOWED = {
  ["gen/golden/arithmetic.lua:[^i%w_]pairs *%("] = "fills a table",
  ["gen/golden/channels.lua:[^i%w_]pairs *%("] = "the same",
  ["gen/emit/selftest.lua:[^i%w_]pairs *%("] = "copies a table",
  ["gen/lower/channels/single.lua:[^i%w_]pairs *%("] = "the same",
  ["gen/spec/spec.lua:[^i%w_]pairs *%("] = "the keys are sorted before use",
  ["gen/spec/specfile.lua:collectgarbage"] = "limits what a spec file may use",
  ["gen/spec/specfile.lua:os%.clock"] = "the same",
  ["gen/schedule/schedule.lua:[^i%w_]pairs *%("] = "the keys are sorted before use",
  ["gen/target/targets.lua:[^i%w_]pairs *%("] = "the same: combines tables",
  ["gen/c/print.lua:[^i%w_]pairs *%("] = "copies a table",
  ["targets/shared/words.lua:[^i%w_]pairs *%("] = "the same",
  ["targets/shared/x86.lua:[^i%w_]pairs *%("] = "the same",
}

local SOURCES = {
  "bench", "bin", "cli", "cmake", "cross", "gen", "host", "install", "measure", "models", "reference", "runtime", "specs", "targets",
  "templates", "tests", "tools", "tuner",
}

local function lines_of(path)
  local list = {}
  for line in files.read(path):gmatch("([^\n]*)\n") do list[#list + 1] = line end
  return list
end

local function without_comment(line) return (line:gsub("%-%-.*$", "")) end

describe("the source text", function()
  it("of the generator depends on nothing but the spec", function()
    local lines = 0
    for _, directory in ipairs { "gen", "targets", "templates", "specs" } do
      for _, path in ipairs(files.under(directory, "%.lua$")) do
        for number, line in ipairs(lines_of(path)) do
          lines = lines + 1
          for _, pattern in ipairs(BANNED) do
            local hit = without_comment(line):find(pattern) and not ALLOWED[path .. ":" .. pattern]
            assert.is_falsy(hit, path .. ":" .. number .. ": " .. line)
          end
        end
      end
    end
    assert.is_true(lines > 1000)
  end)

  it("has no tabs, no trailing blanks and no endless lines", function()
    for _, directory in ipairs(SOURCES) do
      for _, path in ipairs(files.under(directory, ".")) do
        for number, line in ipairs(lines_of(path)) do
          local where = path .. ":" .. number
          assert.is_falsy(line:find("\t"), where .. ": tab")
          assert.is_falsy(line:find("%s$"), where .. ": trailing blank")
          assert.is_true(#line <= 140, where .. ": " .. #line .. " columns")
        end
      end
    end
  end)
end)
