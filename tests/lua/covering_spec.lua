-- The covering arrays that choose the kernels of the bits suite: every allowed pair is in them.

local covering = require "tests.support.covering"

local function held_pairs(factors, rows)
  local held, count = {}, 0
  for _, row in ipairs(rows) do
    for _, key in ipairs(covering.keys(factors, row)) do
      if not held[key] then
        held[key] = true
        count = count + 1
      end
    end
  end
  return held, count
end

local function every_row(factors, allowed)
  local rows = { {} }
  for _, factor in ipairs(factors) do
    local longer = {}
    for _, row in ipairs(rows) do
      for _, value in ipairs(factor.values) do
        local copy = { [factor.name] = value }
        for name, other in pairs(row) do copy[name] = other end
        longer[#longer + 1] = copy
      end
    end
    rows = longer
  end
  local legal = {}
  for _, row in ipairs(rows) do
    if allowed(row) then legal[#legal + 1] = row end
  end
  return legal
end

local small = {
  { name = "norm", values = { "rmsnorm", "layernorm" } },
  { name = "x", values = { "f32", "bf16", "f16" } },
  { name = "layout", values = { "plain", "split" } },
  { name = "h", values = { 1, 7, 64, 100, 4096 } },
  { name = "rows", values = { 1, 2, 4 } },
}

local function anything() return true end

-- split only with 16-bit data, and then no rows=4: one rule over two factors and one over three.
local function ruled(row)
  if row.layout == "split" and row.x == "f32" then return false end
  return not (row.layout == "split" and row.rows == 4 and row.h == 1)
end

describe("covering.array", function()
  it("covers all pairs of free factors with few rows", function()
    local rows, impossible = covering.array(small, anything)
    local _, count = held_pairs(small, rows)
    assert.equal(#covering.pairs(small), count)
    assert.equal(0, #impossible)
    assert.is_true(#rows < 25, #rows .. " rows")
  end)

  it("covers exactly the pairs that allowed rows can hold", function()
    local rows, impossible = covering.array(small, ruled)
    local possible, possible_count = held_pairs(small, every_row(small, ruled))
    local held, held_count = held_pairs(small, rows)
    assert.same(possible, held)
    assert.equal(possible_count, held_count)
    assert.equal(#covering.pairs(small), possible_count + #impossible)
    for _, row in ipairs(rows) do assert.is_true(ruled(row)) end
  end)

  it("gives the same rows each time", function()
    assert.same(covering.array(small, ruled), covering.array(small, ruled))
  end)
end)
