-- Each test that docs/known-faults.md names exists.

local files = require "tests.support.files"

describe("docs/known-faults.md", function()
  it("names tests that exist", function()
    local rows = 0
    for line in files.read("docs/known-faults.md"):gmatch("[^\n]+") do
      local id, path, text = line:match("^| (%u%d[^|]*) |.*| ([%w_/.-]+): ([^|]+) |$")
      if id then
        rows = rows + 1
        assert.is_truthy(files.read(path):find(text, 1, true), id .. ": " .. path .. " does not hold " .. text)
      end
    end
    assert.is_true(rows >= 30, rows .. " rows")
  end)
end)
