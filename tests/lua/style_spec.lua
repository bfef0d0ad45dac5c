-- What the source text may not hold: calls whose answer depends on the machine or the run, tabs, trailing blanks.

local files = require "tests.support.files"

local PAIRS = "%f[%w_]pairs *[%({]"

-- In the generator itself nothing may depend on time, environment, chance or the order of a hash table.
local BANNED = {
  "os%.date", "os%.time", "os%.getenv", "os%.tmpname", "os%.clock", "math%.random", "collectgarbage",
  PAIRS, "%f[%w_]next *[%(,{]",
}

-- The few places where one of these is harmless, and why. A row that allows nothing any more has to go.
local ALLOWED = {
  ["gen/spec/spec.lua:" .. PAIRS] = "the keys are sorted before use",
  ["gen/schedule/schedule.lua:" .. PAIRS] = "the keys are sorted before use",
  ["gen/target/targets.lua:" .. PAIRS] = "combines tables",
  ["targets/shared/words.lua:" .. PAIRS] = "adds the words of one type to those of both",
  ["targets/shared/x86.lua:" .. PAIRS] = "the same",
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

-- The banned patterns that a line of source has.
local function banned_in(line)
  local list = {}
  for _, pattern in ipairs(BANNED) do
    if without_comment(line):find(pattern) then list[#list + 1] = pattern end
  end
  return list
end

-- Whether a line of a comment ends early: the first word of the next one would stand on it, far from its end. Sentences, items of
-- lists and what a function takes and returns may end anywhere.
local EARLY = 80
local function ends_early(line, next_line)
  local text, word = line:match("^%s*%-%-%-? (%S.*)$"), next_line:match("^%s*%-%- (%S+)")
  if not text or not word or text:find("^@") or text:find("[.:|]$") or word:find("^[@`|%d]") then return false end
  return #line + 1 + #word < EARLY
end

describe("the source text", function()
  it("of the generator depends on nothing but the spec", function()
    local lines, unused = 0, {}
    for place in pairs(ALLOWED) do unused[place] = true end
    for _, directory in ipairs { "gen", "targets", "templates", "specs" } do
      for _, path in ipairs(files.under(directory, "%.lua$")) do
        for number, line in ipairs(lines_of(path)) do
          lines = lines + 1
          for _, pattern in ipairs(banned_in(line)) do
            local place = path .. ":" .. pattern
            assert.is_truthy(ALLOWED[place], path .. ":" .. number .. ": " .. line)
            unused[place] = nil
          end
        end
      end
    end
    assert.is_true(lines > 1000)
    assert.same({}, unused)
  end)

  it("is read for each way to write these calls", function()
    for _, line in ipairs { "for k in pairs(t) do", "for k in pairs (t) do", "for k in pairs { 1 } do", "(pairs(t))", "return next(t)",
      "local k = next{ 1 }", "for k in next, t do", "local t = math.random()" } do
      assert.equal(1, #banned_in(line), line)
    end
    for _, line in ipairs { "for i in ipairs(t) do", "for i in ipairs { 1 } do", "my_pairs(t)", "-- pairs(t)", "next_id = 1" } do
      assert.same({}, banned_in(line), line)
    end
  end)

  it("has no ragged comments, and no two empty lines", function()
    for _, directory in ipairs(SOURCES) do
      for _, path in ipairs(files.under(directory, "%.lua$")) do
        local lines = lines_of(path)
        for number = 2, #lines do
          local line, where = lines[number - 1], path .. ":" .. number - 1
          assert.is_false(ends_early(line, lines[number]), where .. ": ends early: " .. line)
          assert.is_false(line == "" and lines[number] == "", where .. ": two empty lines")
        end
      end
    end
    assert.is_true(ends_early("-- text, or nil for a full chunk), `memo`,", "-- and what follows it"))
    assert.is_false(ends_early("-- The end of a sentence.", "-- And the next one."))
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
