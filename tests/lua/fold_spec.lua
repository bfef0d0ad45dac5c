-- Lowered code computes the contract's trees: executed symbolically for every target and schedule, and wrong fold words or
-- labels are refused.

local fold = require "gen.lower.fold"
local lower = require "gen.lower"
local plan = require "gen.plan"
local problem = require "gen.problem"
local schedule = require "gen.schedule"
local spec = require "gen.spec"
local symbolic = require "tests.support.symbolic"
local targets = require "gen.targets"

local unpack = table.unpack or unpack

local ghosts, vector_ghosts = {}, {}
for _, target in ipairs(targets.all()) do
  local ghost = symbolic.target(target)
  ghosts[#ghosts + 1] = ghost
  if ghost.layouts then vector_ghosts[#vector_ghosts + 1] = ghost end
end

-- The first difference between what a kernel stores and the contract, or nil. A row more than the row block needs.
local function difference(text, ghost, overrides, alias)
  symbolic.reset()
  local s = spec.parse(text)
  local its_plan = plan.new(problem.new(s))
  local chosen = schedule.choose(its_plan, ghost, overrides)
  local rows = chosen.rows + 1
  local got = symbolic.run(lower.new(its_plan, ghost, chosen), rows, alias)
  return symbolic.difference(symbolic.expected(s, rows), got, rows * s.h)
end

local function text_of(overrides)
  local parts = {}
  for key, value in pairs(overrides or {}) do parts[#parts + 1] = key .. "=" .. value end
  return "{" .. table.concat(parts, " ") .. "}"
end

local function check(text, ghost, overrides, alias)
  local found = difference(text, ghost, overrides, alias)
  if found then
    error(("%s for %s, schedule %s: %s"):format(text, ghost.name, text_of(overrides), found:sub(1, 2000)))
  end
end

-- All tails of one and of two stripes, and those at the edges of vectors.
local LENGTHS = {}
for h = 1, 130 do LENGTHS[h] = h end
local EDGES = { 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 20, 23, 31, 32, 33, 36, 47, 48, 49, 60, 61, 62, 63, 64, 65, 66, 68, 79, 80, 95,
  97, 112, 127, 128, 129 }

-- Every fusion, dtype and parameter, each with tails that end in every part of a vector.
local SPECS = {
  "layernorm bf16 addout", "layernorm f32 addout residual=bf16 out=bf16 gamma=bf16", "layernorm bf16 add",
  "layernorm f32 add residual=bf16 affine=gamma", "rmsnorm bf16 cast=llama", "rmsnorm bf16 cast=llama gamma=f32 residual=f32 out=f32 add",
  "rmsnorm f32 offset=1 affine=gamma+beta out=bf16", "layernorm bf16 gamma=f32 offset=1 out=f32", "rmsnorm f32 addout residual=bf16",
}

-- Longer than a block; the last block is full, short or one element.
local LONG = { 1025, 1088, 2048, 4097 }

describe("lowered code", function()
  it("adds lanes as the halving tree does, written out", function()
    symbolic.reset()
    local s = spec.parse "rmsnorm f32 h=5 affine=none"
    local ghost = vector_ghosts[1]
    local its_plan = plan.new(problem.new(s))
    local y = symbolic.run(lower.new(its_plan, ghost, schedule.choose(its_plan, ghost, { rows = "1" })), 1).y
    local function square(k) return ("fma(x[0][%d], x[0][%d], 0.0)"):format(k, k) end
    local tree = ("(((%s + %s) + %s) + (%s + %s))"):format(square(0), square(4), square(2), square(1), square(3))
    assert.equal(("mul(x[0][3], div(1.0, sqrt((div(%s, 5.0) + eps))))"):format(tree), symbolic.text(y[3]))
  end)

  for _, ghost in ipairs(vector_ghosts) do
    for _, layout in ipairs { "plain", "split" } do
      it(("equals the contract for every tail, in blocks of 1 to 8 rows: %s %s"):format(ghost.name, layout), function()
        for rows, lengths in pairs { ["1"] = LENGTHS, ["2"] = EDGES, ["4"] = EDGES, ["8"] = EDGES } do
          for _, h in ipairs(lengths) do
            check("rmsnorm f32 affine=none h=" .. h, ghost, { rows = rows, layout = layout })
          end
        end
      end)
    end
  end

  for _, ghost in ipairs(ghosts) do
    it("equals the contract for every kind of spec: " .. ghost.name, function()
      for i, words in ipairs(SPECS) do
        for _, h in ipairs { i, 13 * i, 64 + i, 128 - i, 200 + i } do check(words .. " h=" .. h, ghost) end
      end
    end)

    it("equals the contract for rows of several blocks: " .. ghost.name, function()
      for i, h in ipairs(LONG) do check(SPECS[#SPECS - i] .. " h=" .. h, ghost) end
      check("layernorm f32 h=8193", ghost, ghost.layouts and { rows = "1" })
    end)

    it("may store in the place of its inputs: " .. ghost.name, function()
      for _, h in ipairs { 1, 63, 64, 100, 200, 1100 } do
        check("layernorm f32 h=" .. h, ghost, nil, { y = "x" })
        check("rmsnorm bf16 addout h=" .. h, ghost, nil, { y = "x", sum = "residual" })
        check("layernorm bf16 addout h=" .. h, ghost, nil, { sum = "x" })
        check("layernorm bf16 add h=" .. h, ghost, nil, { y = "residual" })
      end
    end)
  end

  for _, ghost in ipairs(vector_ghosts) do
    it("is the same for all strips, and for two blocks side by side: " .. ghost.name, function()
      for _, strips in ipairs { "2", "4" } do
        for _, h in ipairs { 7, 40, 64, 100, 129, 700 } do
          check("layernorm bf16 addout h=" .. h, ghost, { layout = "plain", rows = "2", strips = strips })
        end
        check("layernorm bf16 h=2880", ghost, { layout = "plain", strips = strips, blocks = "2" })
      end
      for i, h in ipairs(LONG) do
        check(SPECS[i] .. " h=" .. h, ghost, { rows = "1", blocks = "2" })
      end
      check("rmsnorm f32 h=1089", ghost, { rows = "2", blocks = "2", layout = "split" })
      check("layernorm bf16 h=4097", ghost, { rows = "2", blocks = "2", layout = "plain" })
    end)

    it("may keep the sum in y: " .. ghost.name, function()
      for _, h in ipairs { 1, 65, 100, 700, 1100 } do
        check("layernorm bf16 add h=" .. h, ghost, { reuse = "reload" })
        check("layernorm bf16 add h=" .. h, ghost, { reuse = "reload" }, { y = "x" })
      end
    end)
  end
end)

-- Wrong trees --------------------------------------------------------------------------------------------------------

-- Folds the lanes of `rows` rows: the text of each row's sum. Fails where a sum does not hold `lanes` lanes.
local function folded(ghost, vectors, rows, lanes)
  symbolic.reset()
  local env, texts = {}, {}
  for _, vector in ipairs(vectors) do env[vector.name] = symbolic.lanes(vector) end
  local function define(text)
    local name = "part" .. text:sub(2, -2)
    env[name] = symbolic.evaluate(text, env)
    return name
  end
  local w = 32
  while w >= 1 do
    vectors = fold.level(vectors, w, ghost, define)
    w = w / 2
  end
  local done = fold.finish(vectors, rows, lanes)
  for row = 0, rows - 1 do
    local at = done.at[row]
    texts[row + 1] = symbolic.text(env[done.vectors[at.vector]][at.slot + 1])
  end
  return texts
end

-- The labelled accumulators of rows of 64 lanes.
local function accumulators(ghost, rows)
  local vectors = {}
  for row = 0, rows - 1 do
    for v = 0, 64 / ghost.width - 1 do
      local slots = {}
      for s = 1, ghost.width do slots[s] = { row = row, position = v * ghost.width + s - 1, lanes = 1 } end
      vectors[#vectors + 1] = fold.vector(("row%d_%d"):format(row, v), slots)
    end
  end
  return vectors
end

local function tree_text(row, from, step)
  if step == 64 then return ("lane[%d][%d]"):format(row, from) end
  return "(" .. tree_text(row, from, 2 * step) .. " + " .. tree_text(row, from + step, 2 * step) .. ")"
end

local function right_trees(rows)
  local texts = {}
  for row = 0, rows - 1 do texts[row + 1] = tree_text(row, 0, 1) end
  return texts
end

-- Why one row of 64 lanes with these labels is refused.
local function refusal(ghost, vectors)
  local ok, err = pcall(folded, ghost, vectors, 1, 64)
  assert.is_false(ok, "a wrong tree was accepted")
  return type(err) == "table" and err.usage or err
end

describe("a fold", function()
  for _, ghost in ipairs(vector_ghosts) do
    it("is the halving tree over 64 lanes of each row: " .. ghost.name, function()
      for _, rows in ipairs { 1, 2, 3, 4, 5, 8, 16 } do
        assert.same(right_trees(rows), folded(ghost, accumulators(ghost, rows), rows, 64))
      end
    end)

    it("refuses a lane that is missing: " .. ghost.name, function()
      for missing = 1, 64 / ghost.width do
        local vectors = accumulators(ghost, 1)
        table.remove(vectors, missing)
        refusal(ghost, vectors)
      end
      local vectors = accumulators(ghost, 1)
      vectors[2].slots[3].lanes = 0
      assert.is_truthy(refusal(ghost, vectors):find("63 of 64 lanes", 1, true))
    end)

    it("refuses a lane that is added twice: " .. ghost.name, function()
      for twice = 1, 64 / ghost.width do
        local vectors = accumulators(ghost, 1)
        vectors[#vectors + 1] = fold.vector("again", vectors[twice].slots)
        refusal(ghost, vectors)
      end
      local vectors = accumulators(ghost, 1)
      vectors[1].slots[1].lanes = 2
      assert.is_truthy(refusal(ghost, vectors):find("65 of 64 lanes", 1, true))
    end)

    it("refuses labels that are swapped, moved or of another row: " .. ghost.name, function()
      local vectors = accumulators(ghost, 1)
      vectors[1].slots[1].position = 1
      refusal(ghost, vectors)
      vectors = accumulators(ghost, 1)
      vectors[1].slots[1].position, vectors[1].slots[2].position = 1, 0
      refusal(ghost, vectors)
      vectors = accumulators(ghost, 1)
      vectors[1].slots[2].row = 1
      refusal(ghost, vectors)
    end)

    it("needs each of the target's words: " .. ghost.name, function()
      for missing in ipairs(ghost.folds) do
        local poorer = symbolic.target(targets.named(ghost.name))
        table.remove(poorer.folds, missing)
        assert.is_truthy(refusal(poorer, accumulators(poorer, 1)):find("has no fold word for lanes at a distance of", 1, true))
      end
    end)

    it("is refused where words add a lane to itself or to a lower one: " .. ghost.name, function()
      for number, word in ipairs(ghost.folds) do
        local low, high = { unpack(word.low) }, { unpack(word.high) }
        for _, indices in ipairs { { low, low }, { high, high }, { high, low } } do
          local wrong = symbolic.target(targets.named(ghost.name))
          wrong.folds[number] = symbolic.fold(indices[1], indices[2])
          assert.is_truthy(refusal(wrong, accumulators(wrong, 1)):find("has no fold word", 1, true))
        end
      end
    end)

    it("is never wrong by a word with one wrong slot: " .. ghost.name, function()
      local rows = ghost.width
      for number, word in ipairs(ghost.folds) do
        for s = 1, ghost.width do
          for _, side in ipairs { "low", "high" } do
            local wrong = symbolic.target(targets.named(ghost.name))
            local indices = { low = { unpack(word.low) }, high = { unpack(word.high) } }
            indices[side][s] = (indices[side][s] + 1) % (2 * ghost.width)
            wrong.folds[number] = symbolic.fold(indices.low, indices.high)
            local ok, trees = pcall(folded, wrong, accumulators(wrong, rows), rows, 64)
            if ok then assert.same(right_trees(rows), trees) end
          end
        end
      end
    end)
  end
end)
