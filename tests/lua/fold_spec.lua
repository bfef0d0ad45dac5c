-- Lowered code computes the contract's trees: executed symbolically for every target and schedule, and wrong fold words or
-- labels are refused.

local e = require "gen.formula.expr"
local fold = require "gen.lower.fold"
local lower = require "gen.lower.lower"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"
local symbolic = require "tests.support.symbolic"
local targets = require "gen.target.targets"

local unpack = table.unpack or unpack

local ghosts, vector_ghosts = {}, {}
for _, target in ipairs(targets.all()) do
  local ghost = symbolic.target(target)
  ghosts[#ghosts + 1] = ghost
  if targets.has_vectors(ghost) then vector_ghosts[#vector_ghosts + 1] = ghost end
end

-- The first difference between what a kernel stores and the contract, or nil. A row more than the row block needs, and two
-- such blocks where addresses are made of strides; three where sums run ahead.
local function difference(text, ghost, overrides, alias, may_stream)
  symbolic.reset()
  local s = spec.parse(text)
  local its_plan = plan.new(problem.new(s))
  local chosen = schedule.choose(its_plan, ghost, overrides)
  local rows = (chosen.pipe == 1 and 3 or s.strided and 2 or 1) * chosen.rows + 1
  local got = symbolic.run(lower.new(its_plan, ghost, chosen), rows, alias, may_stream)
  return symbolic.difference(symbolic.expected(s, rows), got)
end

local function text_of(overrides)
  local parts = {}
  for key, value in pairs(overrides or {}) do parts[#parts + 1] = key .. "=" .. value end
  table.sort(parts)
  return "{" .. table.concat(parts, " ") .. "}"
end

local function check(text, ghost, overrides, alias, may_stream)
  local ok, found = pcall(difference, text, ghost, overrides, alias, may_stream)
  if not ok or found then
    found = type(found) == "table" and found.usage or tostring(found)
    error(("%s for %s, schedule %s: %s"):format(text, ghost.name, text_of(overrides), found:sub(1, 2000)), 0)
  end
end

-- Tails that end in every part of a vector of 2 to 16 slots, of one and of two stripes.
local EDGES = { 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 23, 31, 32, 33, 47, 49, 63, 64, 65, 66, 79, 97, 112, 127, 128, 129 }

local TAIL_TYPES, ROWS = { "rmsnorm f64", "rmsnorm f32", "rmsnorm f32 acc=f64" }, { "1", "2", "4", "8" }

-- Every fusion, dtype, parameter and option.
local SPECS = {
  "layernorm bf16 addout", "layernorm f32 addout residual=bf16 out=bf16 gamma=bf16", "layernorm bf16 add",
  "layernorm f32 add residual=bf16 affine=gamma", "rmsnorm bf16 cast=llama", "rmsnorm bf16 cast=llama gamma=f32 residual=f32 out=f32 add",
  "rmsnorm f32 offset=1 affine=gamma+beta out=bf16", "layernorm bf16 gamma=f32 offset=1 out=f32", "rmsnorm f32 addout residual=bf16",
  "layernorm f64 addout stats", "rmsnorm f64 addafter strided affine=gamma+beta", "layernorm f64 center=full add alpha stats offset=1",
  "rmsnorm f64", "layernorm f32 acc=f64 stats", "rmsnorm bf16 acc=f64 addout alpha stats", "layernorm f16 center=full",
  "layernorm bf16 acc=f64 center=full addafter stats", "rmsnorm f16 cast=llama addafter residual=f32", "rmsnorm f32 addafter",
  "layernorm f16 add alpha residual=bf16 out=f32 stats strided", "rmsnorm f32 addafter out=f16 gamma=f16",
  "rmsnorm f32 acc=f64 out=f16", "layernorm f32 addout strided acc=f64 residual=f16", "layernorm f32 add alpha strided",
}

-- Longer than a block; the last block is full, short or one element.
local LONG = { 1025, 1152 }

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
    it("equals the contract for every tail, in blocks of 1 to 8 rows: " .. ghost.name, function()
      for h = 1, 66 do
        check(TAIL_TYPES[h % 3 + 1] .. " affine=none h=" .. h, ghost, { rows = "1", layout = "plain" })
      end
      for i, h in ipairs(EDGES) do
        local words = ("rmsnorm %s affine=none h=%d"):format(i % 2 == 0 and "bf16" or "f32", h)
        for _, rows in ipairs { ROWS[i % 4 + 1], ROWS[(i + 1) % 4 + 1] } do check(words, ghost, { rows = rows, layout = "split" }) end
        check(words, ghost, { rows = ROWS[(i + 2) % 4 + 1], layout = "plain" })
      end
    end)
  end

  for number, ghost in ipairs(ghosts) do
    it("equals the contract for every kind of spec: " .. ghost.name, function()
      for i, words in ipairs(SPECS) do
        for _, h in ipairs { i, 60 + (i * 13) % 70, (i + number) % 5 == 0 and 200 + i or nil } do check(words .. " h=" .. h, ghost) end
      end
    end)

    it("equals the contract for rows of several blocks: " .. ghost.name, function()
      for i, h in ipairs(LONG) do check(SPECS[(7 * i + 3 * number) % #SPECS + 1] .. " h=" .. h, ghost) end
      if ghost.name ~= "neon" then check("layernorm f32 affine=none h=8193", ghost) end
    end)

    it("may store in the place of its inputs: " .. ghost.name, function()
      for _, h in ipairs { 1, 63, number == 3 and 1100 or 130 } do
        check("layernorm f32 h=" .. h, ghost, nil, { y = "x" })
        check("rmsnorm bf16 addout h=" .. h, ghost, nil, { y = "x", sum = "residual" })
        check("layernorm bf16 addout h=" .. h, ghost, nil, { sum = "x" })
        check("layernorm bf16 add alpha h=" .. h, ghost, nil, { y = "residual" })
        check("rmsnorm f64 addafter h=" .. h, ghost, nil, { y = "residual" })
        check("layernorm f32 acc=f64 addafter h=" .. h, ghost, nil, { y = "x" })
      end
    end)
  end

  for number, ghost in ipairs(vector_ghosts) do
    it("is the same in a loop over rows: " .. ghost.name, function()
      for i = 1 + number % 2, #SPECS, 2 do
        check(("%s h=%d"):format(SPECS[i], 129 + 2 * i), ghost, { rows = i % 3 == 0 and "4" or "2" })
      end
      check("layernorm bf16 h=513", ghost, { rows = "8", strips = "2", layout = "plain" })
      check("rmsnorm f32 strided acc=f64 h=1100", ghost, { rows = "2", blocks = "2" })
    end)

    it("is the same for all strips, and for two blocks side by side: " .. ghost.name, function()
      for _, strips in ipairs { "2", "4" } do
        for _, h in ipairs { 64, 129, 300 } do
          check("layernorm bf16 addout h=" .. h, ghost, { layout = "plain", rows = "2", strips = strips })
        end
        check("rmsnorm bf16 h=1300", ghost, { layout = "plain", strips = strips, blocks = "2", rows = "1" })
        check("layernorm f64 h=130", ghost, { layout = "plain", strips = strips, rows = "2" })
        check("layernorm f32 acc=f64 h=130", ghost, { layout = "plain", rows = "2", strips = "2" })
      end
      check("layernorm f32 add alpha h=2080", ghost, { rows = "1", blocks = "2" })
      check("rmsnorm f32 h=1089", ghost, { rows = "2", blocks = "2", layout = "split" })
    end)

    it("is the same if sums run ahead, rows are asked for, and outputs are streamed: " .. ghost.name, function()
      for i, words in ipairs(SPECS) do
        local h, rows = i % 2 == 0 and 64 or 100 + 7 * i, ROWS[(i + number) % 3 + 1]
        check(words .. " h=" .. h, ghost, { pipe = "1", prefetch = tostring(i % 2), rows = rows })
      end
      check("layernorm f32 h=1100", ghost, { pipe = "1", prefetch = "1", rows = "2" })
      if not ghost.fence then return end
      for _, words in ipairs { "rmsnorm f32 h=48", "layernorm f64 h=136 addout", "rmsnorm f32 h=70 strided" } do
        for _, rows in ipairs { "1", "4" } do
          for _, may_stream in ipairs { false, true } do
            check(words, ghost, { stream = "1", rows = rows, pipe = "1" }, nil, may_stream)
          end
        end
      end
    end)

    it("may keep the sum in y: " .. ghost.name, function()
      for _, h in ipairs { 1, 100, 1100 } do
        check("layernorm bf16 add h=" .. h, ghost, { reuse = "reload" })
        check("rmsnorm f16 add alpha h=" .. h, ghost, { reuse = "reload" })
        if h < 1000 then check("layernorm f64 add h=" .. h, ghost, { reuse = "reload" }, { y = "x" }) end
      end
    end)
  end
end)

-- Contraction --------------------------------------------------------------------------------------------------------

-- A product, quotients of both kinds, and a quotient behind a conversion.
local NEED_PINS = { "rmsnorm f32 addafter h=9", "rmsnorm f64 h=8", "layernorm f32 center=full stats h=8", "layernorm f32 acc=f64 h=640" }

describe("a product or a quotient that meets a sum", function()
  for _, ghost in ipairs(ghosts) do
    it("is refused unless it is pinned: " .. ghost.name, function()
      local careless = symbolic.target(targets.named(ghost.name))
      for _, its in pairs(careless.types) do
        its.words.pin = its.vector and its.words.forget or function(text) return text end
      end
      for _, words in ipairs(NEED_PINS) do
        check(words, ghost)
        local ok, message = pcall(check, words, careless)
        assert.is_false(ok, words)
        assert.is_truthy(message:find("meets a sum and is not pinned", 1, true), message)
      end
    end)
  end

  it("is refused in a formula", function()
    local its_plan = plan.new(problem.new(spec.parse "layernorm f32 h=128 stats"))
    for _, output in ipairs(its_plan.problem.outputs) do
      output.node = e.rewrite(output.node, function(node) return node.op == "pin" and node[1] or node end, {})
    end
    local ok, message = pcall(lower.new, its_plan, ghosts[1], {})
    assert.is_false(ok)
    assert.is_truthy(tostring(message):find("a product or a quotient meets a sum: ", 1, true), tostring(message))
  end)
end)

-- Wrong trees --------------------------------------------------------------------------------------------------------

local LANES = { f32 = 64, f64 = 32 }

-- Folds the lanes of `rows` rows: the text of each row's sum. Fails where a sum does not hold `lanes` lanes.
local function folded(its_type, vectors, rows, lanes)
  symbolic.reset()
  local env, texts = {}, {}
  for _, vector in ipairs(vectors) do env[vector.name] = symbolic.lanes(vector) end
  local function define(text)
    local name = "part" .. text:sub(2, -2)
    env[name] = symbolic.evaluate(text, env)
    return name
  end
  local w = lanes / 2
  while w >= 1 do
    vectors = fold.level(vectors, w, its_type, define)
    w = w / 2
  end
  local done = fold.finish(vectors, rows, lanes)
  for row = 0, rows - 1 do
    local at = done.at[row]
    texts[row + 1] = symbolic.text(env[done.vectors[at.vector]][at.slot + 1])
  end
  return texts
end

-- The labelled accumulators of rows of so many lanes.
local function accumulators(width, lanes, rows)
  local vectors = {}
  for row = 0, rows - 1 do
    for v = 0, lanes / width - 1 do
      local slots = {}
      for s = 1, width do slots[s] = { row = row, position = v * width + s - 1, lanes = 1 } end
      vectors[#vectors + 1] = fold.vector(("row%d_%d"):format(row, v), slots)
    end
  end
  return vectors
end

local function tree_text(lanes, row, from, step)
  if step == lanes then return ("lane[%d][%d]"):format(row, from) end
  return "(" .. tree_text(lanes, row, from, 2 * step) .. " + " .. tree_text(lanes, row, from + step, 2 * step) .. ")"
end

local function right_trees(lanes, rows)
  local texts = {}
  for row = 0, rows - 1 do texts[row + 1] = tree_text(lanes, row, 0, 1) end
  return texts
end

describe("a fold", function()
  for _, ghost in ipairs(vector_ghosts) do
    for _, type_name in ipairs { "f32", "f64" } do
      local name, lanes, its_type = ghost.name .. " " .. type_name, LANES[type_name], ghost.types[type_name]
      local width = its_type.width

      local function lanes_of(rows) return accumulators(width, lanes, rows or 1) end

      local function another_type() return symbolic.target(targets.named(ghost.name)).types[type_name] end

      -- Without the words that halve one vector, instead of which there is always one that folds two.
      local function type_without_halving()
        local type_of, folds = another_type(), {}
        for _, word in ipairs(type_of.folds) do folds[#folds + 1] = #word.low == width and word or nil end
        type_of.folds = folds
        return type_of
      end

      -- Why one row with these labels is refused.
      local function refusal(of_type, vectors)
        local ok, err = pcall(folded, of_type, vectors, 1, lanes)
        assert.is_false(ok, "a wrong tree was accepted")
        return type(err) == "table" and err.usage or err
      end

      it("is the halving tree over the lanes of each row: " .. name, function()
        for _, rows in ipairs { 1, 2, 3, 4, 5, 8, 16 } do
          assert.same(right_trees(lanes, rows), folded(its_type, lanes_of(rows), rows, lanes))
        end
      end)

      it("refuses a lane that is missing: " .. name, function()
        for missing = 1, lanes / width do
          local vectors = lanes_of()
          table.remove(vectors, missing)
          refusal(its_type, vectors)
        end
        local vectors = lanes_of()
        vectors[2].slots[2].lanes = 0
        local message = refusal(its_type, vectors)
        assert.is_truthy(message:find(("%d of %d lanes"):format(lanes - 1, lanes), 1, true), message)
      end)

      it("refuses a lane that is added twice: " .. name, function()
        for twice = 1, lanes / width do
          local vectors = lanes_of()
          vectors[#vectors + 1] = fold.vector("again", vectors[twice].slots)
          refusal(its_type, vectors)
        end
        local vectors = lanes_of()
        vectors[1].slots[1].lanes = 2
        local message = refusal(its_type, vectors)
        assert.is_truthy(message:find(("%d of %d lanes"):format(lanes + 1, lanes), 1, true), message)
      end)

      it("refuses labels that are swapped, moved or of another row: " .. name, function()
        local vectors = lanes_of()
        vectors[1].slots[1].position = 1
        refusal(its_type, vectors)
        vectors = lanes_of()
        vectors[1].slots[1].position, vectors[1].slots[2].position = 1, 0
        refusal(its_type, vectors)
        vectors = lanes_of()
        vectors[1].slots[2].row = 1
        refusal(its_type, vectors)
      end)

      it("needs each of the target's words: " .. name, function()
        for missing in ipairs(type_without_halving().folds) do
          local poorer = type_without_halving()
          table.remove(poorer.folds, missing)
          assert.is_truthy(refusal(poorer, lanes_of()):find("the target has no fold word for " .. its_type.vector, 1, true))
        end
      end)

      it("is refused where words add a lane to itself or to a lower one: " .. name, function()
        for number, word in ipairs(type_without_halving().folds) do
          local low, high = { unpack(word.low) }, { unpack(word.high) }
          for _, indices in ipairs { { low, low }, { high, high }, { high, low } } do
            local wrong = type_without_halving()
            wrong.folds[number] = symbolic.fold(indices[1], indices[2])
            assert.is_truthy(refusal(wrong, lanes_of()):find("has no fold word", 1, true))
          end
        end
      end)

      it("is never wrong by a word with one wrong slot: " .. name, function()
        local rows = math.min(width, 4)
        for number, word in ipairs(its_type.folds) do
          for s = 1, #word.low do
            for _, side in ipairs { "low", "high" } do
              local wrong = another_type()
              local indices = { low = { unpack(word.low) }, high = { unpack(word.high) } }
              indices[side][s] = (indices[side][s] + 1) % (2 * width)
              wrong.folds[number] = symbolic.fold(indices.low, indices.high)
              local ok, trees = pcall(folded, wrong, lanes_of(rows), rows, lanes)
              if ok then assert.same(right_trees(lanes, rows), trees) end
            end
          end
        end
      end)
    end
  end
end)
