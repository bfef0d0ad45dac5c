-- Each test that docs/known-faults.md names exists.

local files = require "tests.support.files"

describe("docs/known-faults.md", function()
  it("names tests that exist", function()
    local rows = 0
    for line in files.read("docs/known-faults.md"):gmatch("[^\n]+") do
      local id, tests = line:match("^| (%u%d[^|]*) |.*| ([%w_/.-]+: [^|]+) |$")
      if id then
        rows = rows + 1
        for test in (tests .. "; "):gmatch("(.-); ") do
          local path, text = test:match("^([%w_/.-]+): (.+)$")
          assert.is_truthy(path and files.read(path):find(text, 1, true), id .. ": no test " .. test)
        end
      end
    end
    assert.is_true(rows >= 30, rows .. " rows")
  end)
end)
