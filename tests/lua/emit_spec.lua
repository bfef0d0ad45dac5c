-- Codes and files: every helper is there, lines are short, names are clear, and the same spec gives the same text.

local e = require "gen.formula.expr"
local emit = require "gen.emit.emit"
local files = require "tests.support.files"
local lower = require "gen.lower.lower"
local pipeline = require "gen.pipeline.pipeline"
local plan = require "gen.plan.plan"
local problem = require "gen.problem.problem"
local schedule = require "gen.schedule.schedule"
local spec = require "gen.spec.spec"
local statements = require "gen.c.statements"
local targets = require "gen.target.targets"
local vocabulary = require "gen.target.vocabulary"

local OPTIONS = { prefix = "ng_", command = "normgen emit" }

-- What is added to fixed lines makes them longer; the lines that the generator breaks stay short.
local LONG = { prefix = "my_library_", command = "normgen emit" }

-- spec, and the schedules to try beside the default one where the target has vectors.
local KERNELS = {
  { "rmsnorm f32 h=1" }, { "rmsnorm f32 h=769", { layout = "split" } }, { "rmsnorm bf16 h=2048 cast=llama", { layout = "plain" } },
  { "layernorm f32 h=7", { rows = "8" }, { layout = "split" } }, { "layernorm bf16 h=100", { rows = "2" }, { layout = "plain" } },
  { "layernorm f32 h=768 addout", { strips = "2", rows = "2" }, { pipe = "1", prefetch = "1" } },
  { "layernorm bf16 h=4096 add", { reuse = "reload" }, { blocks = "2" } },
  { "layernorm bf16 residual=f32 gamma=f32 out=f32 h=14848 addout", { layout = "split", strips = "2" } },
  { "rmsnorm f32 residual=bf16 gamma=bf16 out=bf16 offset=1 affine=gamma+beta h=65536 addout", { rows = "4" } },
  { "layernorm f64 h=100 addout stats", { rows = "2" }, { strips = "2" } }, { "rmsnorm f64 h=33 addafter strided" },
  { "rmsnorm f16 h=300 acc=f64 add alpha strided stats", { rows = "4" } },
  { "layernorm bf16 h=300 addafter center=full acc=f64 stats", { rows = "2", layout = "plain" } },
}

local codes

setup(function()
  codes = {}
  for _, kernel in ipairs(KERNELS) do
    for _, target in ipairs(targets.all()) do
      codes[#codes + 1] = pipeline.kernel(spec.parse(kernel[1]), target)
      for i = 2, targets.has_vectors(target) and #kernel or 1 do
        codes[#codes + 1] = pipeline.kernel(spec.parse(kernel[1]), target, kernel[i])
      end
    end
  end
end)

local function name_of(code) return code.problem.name .. "_" .. code.target .. " " .. code.schedule_text end

-- Calls visit(name) for each helper that a text uses.
local function each_use(text, visit)
  for name in text:gmatch("@([%w_]+)") do visit(name) end
end

describe("the helpers of a code", function()
  it("are all that its statements need, each behind those that it uses itself", function()
    for _, code in ipairs(codes) do
      local known, used = {}, {}
      for _, helper in ipairs(code.helpers) do
        assert.is_nil(known[helper.name])
        known[helper.name] = true
        each_use(helper.text, function(name)
          assert.is_true(known[name], ("%s: %s uses %s before it is there"):format(name_of(code), helper.name, name))
          used[name] = used[name] or name ~= helper.name
        end)
      end
      for _, text in ipairs(statements.texts(code.body)) do
        each_use(text, function(name)
          assert.is_true(known[name], name_of(code) .. ": no helper " .. name)
          used[name] = true
        end)
      end
      for _, helper in ipairs(code.helpers) do assert.is_true(used[helper.name], name_of(code) .. ": idle helper " .. helper.name) end
    end
  end)
end)

local DTYPES = { "f32", "bf16", "f16", "f64", "s8", "u8", "e4m3" }

-- Calls add(text) for all texts that memory words in a layout can make; some dtypes are stored only.
local function each_memory_text(words, vecs, width, add, is_plain)
  local is_read = words.load ~= nil
  local function add_parts(j, n)
    if is_read then add(words.load_n("p", j, n)) end
    add(words.store_n("p", j, "q", n))
  end
  for j = 1, words.raws do
    if is_read then add(words.load("p", j)) end
    add(words.store("p", j, "q"))
    add(words.narrow({ "v1", "v2" }, j))
    add((words.narrow_nan or words.narrow)({ "v1", "v2" }, j))
    for n = 1, vecs * width - 1 do add_parts(j, n) end
    if is_plain then add_parts(j, "left") end
  end
  if not is_read then return end
  add(words.first "p")
  for k = 1, vecs do add(words.widen({ "q1", "q2" }, k)) end
end

local function each_vector_text(its, add)
  for _, name in ipairs { "zero", "set1", "pin", "forget" } do add(its.words[name] "v") end
  for _, name in ipairs { "widen_low", "widen_high", "to_f32" } do add(its.words[name] and its.words[name] "v" or "") end
  add(its.words.store_first("p", "v"))
  add(its.words.keep_n("v", "left"))
  for slot = 0, its.width - 1 do
    add(its.words.keep_n("v", slot))
    add(its.words.bcast("v", slot))
  end
  for _, fold in ipairs(its.folds) do add(fold.text("a", "b")) end
  for _, name in ipairs { "plain", "split" } do
    local layout = its.layouts[name]
    for _, dtype in ipairs(layout and DTYPES or {}) do
      if layout.dtypes[dtype] then each_memory_text(layout.dtypes[dtype], layout.vecs, its.width, add, name == "plain") end
    end
  end
end

local function each_scalar_text(its, add)
  add(its.words.pin "v")
  add(its.words.convert "v")
  add(its.words.tree "lane")
  add(its.words.pairwise("part", 4))
  for _, dtype in ipairs(DTYPES) do
    local words = its.dtypes[dtype]
    if words then
      if words.load then add(words.load "x[i]") end
      add(words.store("y[i]", "v"))
      add(words.round and words.round "v" or "")
    end
  end
end

-- All texts that the words of a target can make.
local function texts_of_words(target)
  local list = {}
  local function add(text) list[#list + 1] = text end
  for _, name in ipairs { "f32", "f64" } do
    local its = target.types[name]
    for _, word in ipairs(vocabulary.arithmetic) do
      if its.words[word.name] or not word.optional then add(its.words[word.name]("a", "b", "c")) end
    end
    local each = targets.has_vectors(target) and each_vector_text or each_scalar_text
    each(its, add)
  end
  return list
end

describe("a target", function()
  for _, target in ipairs(targets.all()) do
    it("defines or borrows every helper that its words use, in order, and no other: " .. target.name, function()
      local known, used = {}, {}
      for _, helper in ipairs(targets.helpers(target)) do
        each_use(helper.text, function(name)
          assert.is_true(known[name] or name == helper.name, helper.name .. " uses " .. name)
          used[name] = used[name] or name ~= helper.name
        end)
        assert.is_nil(known[helper.name])
        known[helper.name] = true
        assert.is_truthy(helper.text:find("@" .. helper.name, 1, true), helper.name .. " does not define itself")
      end
      for _, text in ipairs(texts_of_words(target)) do
        each_use(text, function(name)
          assert.is_true(known[name], "no helper " .. name)
          used[name] = true
        end)
      end
      for number, helper in ipairs(targets.helpers(target)) do
        local is_borrowed = target.borrows and targets.helpers(targets.named(target.borrows))[number] == helper
        assert.is_true(is_borrowed or used[helper.name], "idle helper " .. helper.name)
        local owner = is_borrowed and target.borrows or target.name
        assert.equal(1, (helper.name:find(owner .. "_", 1, true)), helper.name .. " does not bear the name of its target")
      end
    end)

    it("asks for CPU features by functions of its runtime: " .. target.name, function()
      local runtime = target.arch == "any" and "" or files.read("runtime/" .. target.arch .. ".c")
      local checks = { target.os_check or "" }
      for _, feature in ipairs(target.features) do checks[#checks + 1] = feature.check end
      for _, check in ipairs(checks) do
        each_use(check, function(name) assert.is_truthy(runtime:find("@" .. name .. "(", 1, true), "no function " .. name) end)
      end
    end)
  end
end)

describe("names in a code", function()
  it("are never hidden by an inner scope", function()
    local function check(body, outer, code)
      local mine = setmetatable({}, { __index = outer })
      for _, statement in ipairs(body) do
        if statement.kind == "splice" then
          for _, inner in ipairs(statement.body) do
            if inner.name then
              assert.is_nil(mine[inner.name], name_of(code) .. ": " .. inner.name)
              mine[inner.name] = true
            end
          end
        elseif statement.kind == "def" or statement.kind == "array" then
          assert.is_nil(mine[statement.name], name_of(code) .. ": " .. statement.name)
          mine[statement.name] = true
        elseif statement.body then
          local scope = setmetatable({}, { __index = mine })
          if statement.name then
            assert.is_nil(mine[statement.name], name_of(code) .. ": " .. statement.name)
            scope[statement.name] = true
          end
          check(statement.body, scope, code)
        end
      end
    end
    for _, code in ipairs(codes) do
      local arguments = {}
      for _, argument in ipairs(code.problem.args) do arguments[argument.name] = true end
      check(code.body, arguments, code)
    end
  end)
end)

-- One code for each kernel of short rows and target, with the default schedule. (Long rows take golden rows long.)
local function default_codes()
  local list = {}
  for _, kernel in ipairs(KERNELS) do
    local s = spec.parse(kernel[1])
    for _, target in ipairs(s.h <= 1024 and targets.all() or {}) do list[#list + 1] = pipeline.kernel(s, target) end
  end
  return list
end

-- The lines that stand in templates and helpers as they are.
local function fixed_lines()
  local fixed = {}
  local function add(text)
    for line in text:gmatch("[^\n]+") do fixed[line] = true end
  end
  for _, path in ipairs(files.under("templates", "%.[ch]$")) do add(files.read(path)) end
  for _, target in ipairs(targets.all()) do
    for _, helper in ipairs(targets.helpers(target)) do add(emit.helper(helper, LONG.prefix)) end
  end
  return fixed
end

describe("emitted files", function()
  local fixed = fixed_lines()

  -- limit: columns of a line that the generator makes; it breaks lines behind commas and =.
  local function check_text(path, text, limit)
    assert.equal("\n", text:sub(-1), path)
    assert.is_nil(text:find("\n\n\n"), path .. ": two empty lines")
    local number = 0
    for line in text:gmatch("([^\n]*)\n") do
      number = number + 1
      local function check(is_fine, what)
        if not is_fine then error(("%s:%d: %s: %s"):format(path, number, what, line), 0) end
      end
      check(#line <= limit or fixed[line] or not line:find("[,=] "), #line .. " columns")
      check(not line:find("[\t\r@]"), "tab or @")
      check(not line:find("%s$"), "blank at the end")
      check(not line:find("${", 1, true) and not line:find("$A", 1, true), "hole")
      check(not line:find("[\128-\255]"), "not ASCII")
    end
    for _, pair in ipairs { "()", "{}", "[]" } do
      local _, opened = text:gsub("%" .. pair:sub(1, 1), "")
      local _, closed = text:gsub("%" .. pair:sub(2, 2), "")
      assert.equal(opened, closed, path .. ": " .. pair)
    end
  end

  it("have short lines, no tabs, no holes and no blanks at the end", function()
    for _, code in ipairs(codes) do check_text(name_of(code), emit.kernel(code, LONG).text, 120) end
    for _, file in ipairs(emit.files(default_codes(), LONG)) do
      -- Registry and dispatcher hold names and specs of any length on one line.
      local has_names = file.path:find("registry") or file.path:find("dispatch")
      check_text(file.path, file.text, has_names and math.huge or 120)
    end
  end)

  it("are the same each time", function()
    assert.same(emit.files(default_codes(), OPTIONS), emit.files(default_codes(), OPTIONS))
  end)

  it("are a file for each code, the header, the registry and the dispatcher", function()
    local scalar, avx2 = targets.named "scalar", targets.named "avx2"
    local function paths(...)
      local list, kernels = {}, {}
      for i, target in ipairs { ... } do kernels[i] = pipeline.kernel(spec.parse "rmsnorm f32 h=8", target) end
      for i, file in ipairs(emit.files(kernels, { prefix = "my_" })) do list[i] = file.path end
      return list
    end
    assert.same({ "my_rmsnorm_fwd_f32_h8_avx2.c", "my_kernels.h", "my_registry.c" }, paths(avx2))
    assert.same({ "my_rmsnorm_fwd_f32_h8_scalar.c", "my_rmsnorm_fwd_f32_h8_avx2.c", "my_kernels.h", "my_registry.c",
      "my_dispatch.c" }, paths(scalar, avx2))
    assert.same({ "my_rmsnorm_fwd_f32_h8_avx2.c", "my_rmsnorm_fwd_f32_h8_neon.c", "my_kernels.h", "my_registry.c" },
      paths(avx2, targets.named "neon"))
  end)

  it("bear the user's prefix and no other", function()
    local list = emit.files(default_codes(), { prefix = "my_", command = "" })
    list[#list + 1] = emit.single(default_codes(), { prefix = "my_", command = "" })
    for _, file in ipairs(list) do
      assert.equal("my_", file.path:sub(1, 3))
      local text = file.text:gsub("normgen", "")
      assert.is_nil(text:find("%f[%w_]ng_"), file.path)
      assert.is_nil(text:find("%f[%w_]NG_"), file.path)
    end
  end)

  it("say in their head what they are", function()
    local text = emit.kernel(pipeline.kernel(spec.parse "layernorm f32 h=768 addout", targets.named "avx2"), OPTIONS).text
    for _, line in ipairs {
      "/* ng_layernorm_fwd_f32_h768_addout_avx2", " * Spec:      layernorm fwd f32 h=768 addout",
      " * Contract:  1: 64 lanes of f32 sums, blocks of 768, halving tree, explicit fma, round to nearest even",
      " * Passes:    the first 16 elements, then the row, then the row",
      " * Bytes:     reads 6144 and writes 6144 per row, reads 6144 per call", " * Made by:   normgen emit",
    } do
      assert.is_truthy(text:find(line .. "\n", 1, true), line)
    end
  end)
end)

describe("lowering", function()
  local function copied(t)
    local copy = {}
    for key, value in pairs(t) do copy[key] = value end
    return copy
  end

  -- A target without one of its parts: `remove` takes it away from a copy of its types.
  local function poorer(name, remove)
    local copy = copied(targets.named(name))
    copy.types = copied(copy.types)
    for key, its in pairs(copy.types) do
      copy.types[key] = copied(its)
      copy.types[key].words = copied(its.words)
    end
    remove(copy.types)
    return copy
  end

  local function refusal(text, target)
    local p = plan.new(problem.new(spec.parse(text)))
    local ok, err = pcall(function() lower.new(p, target, schedule.choose(p, target)) end)
    assert.is_false(ok, "lowered " .. text)
    assert.equal("table", type(err), tostring(err))
    return err.usage
  end

  it("refuses a product that meets a sum, which compilers would fuse", function()
    local p = plan.new(problem.new(spec.parse "rmsnorm f32 h=8 affine=none"))
    local x = p.problem.normed
    for _, node in ipairs { x * x + x, x - x * x, e.sqrt(x * x - x) } do
      p.problem.outputs[1].node = node
      for _, target in ipairs(targets.all()) do
        local ok, err = pcall(lower.new, p, target, schedule.choose(p, target))
        assert.is_false(ok)
        assert.is_truthy(tostring(err):find("a product or a quotient meets a sum", 1, true), tostring(err))
      end
    end
  end)

  it("refuses a target that lacks a type, a word, a layout or a dtype, by name", function()
    local function without(name, text, remove) return refusal(text, poorer(name, remove)) end

    for _, word in ipairs(vocabulary.structural) do
      assert.equal("target avx2 has no word " .. word .. " for f32",
        without("avx2", "layernorm f32 h=100", function(t) t.f32.words[word] = nil end))
      assert.equal("target neon has no word " .. word .. " for f64",
        without("neon", "layernorm f32 acc=f64 h=100", function(t) t.f64.words[word] = nil end))
    end
    for _, word in ipairs { "sub", "mul", "div", "sqrt", "fnma", "clamp0" } do
      assert.equal("target neon has no word '" .. word .. "' for f32",
        without("neon", "layernorm f32 h=100", function(t) t.f32.words[word] = nil end))
    end
    for _, word in ipairs { "div", "sqrt", "fnma", "clamp0", "to_f32" } do
      assert.equal("target sse2 has no word '" .. word .. "' for f64",
        without("sse2", "layernorm f32 acc=f64 h=100", function(t) t.f64.words[word] = nil end))
    end
    for _, name in ipairs { "avx2", "scalar" } do
      for _, text in ipairs { "rmsnorm f64 h=8", "rmsnorm f32 acc=f64 h=8" } do
        assert.equal("target " .. name .. " has no type f64", without(name, text, function(t) t.f64 = nil end))
      end
    end
    assert.equal("target sse2 has no word 'store_first' for f32",
      without("sse2", "rmsnorm f32 stats h=100", function(t) t.f32.words.store_first = nil end))
    local plainer = poorer("avx2", function(t) t.f32.layouts = { plain = t.f32.layouts.plain } end)
    assert.equal("plain", schedule.choose(plan.new(problem.new(spec.parse "layernorm bf16 h=100")), plainer).layout)
    assert.equal("target avx2 has no dtype bf16 in layout plain", without("avx2", "layernorm f32 gamma=bf16 h=100", function(t)
      local plain = t.f32.layouts.plain
      t.f32.layouts = { plain = { vecs = 1, element = plain.element, dtypes = { f32 = plain.dtypes.f32 } } }
    end))
    assert.equal("target scalar has no dtype f16", without("scalar", "rmsnorm f16 h=8", function(t)
      t.f32.dtypes = { f32 = t.f32.dtypes.f32 }
    end))
  end)
end)
