-- The sets of kernels of the bits suite: the covering array over the real factors holds every pair that is legal.

local covering = require "tests.support.covering"
local pipeline = require "gen.pipeline.pipeline"
local sets = require "tests.support.sets"

describe("the covering array of the bits suite", function()
  it("holds every legal pair, for every target", function()
    for _, target in ipairs(pipeline.targets()) do
      local factors, allowed = sets.factors(target), sets.allowed(target)
      local rows, held = covering.array(factors, allowed), {}
      for _, row in ipairs(rows) do
        for _, key in ipairs(covering.keys(factors, row)) do held[key] = true end
      end
      local drawn = covering.sample(factors, allowed, 200)
      for _, row in ipairs(drawn) do
        for _, key in ipairs(covering.keys(factors, row)) do
          assert.is_true(held[key], target.name .. ": " .. key)
        end
      end
      print(("%s: %d rows hold every pair of %d legal rows drawn at random"):format(target.name, #rows, #drawn))
    end
  end)
end)
