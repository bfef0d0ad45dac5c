-- Kernel names: parse(build(x)) = x, and nothing else is a name.

local activations = require "gen.formula.activations"
local names = require "gen.spec.names"
local spec = require "gen.spec.spec"

local TARGETS = { "avx2", "neon", "scalar", "sse2" }

-- A small generator of its own, so that both interpreters test the same specs.
local state = 1
local function choose(list)
  state = state * 16807 % 2147483647
  return list[state % #list + 1]
end

local function maybe(t, word)
  if choose { true, false } then t[#t + 1] = word end
end

-- The activations of a dtype.
local function acts_of(dtype)
  local list = {}
  for _, name in ipairs(activations.words) do
    if dtype ~= "f64" or activations.named[name].types.f64 then list[#list + 1] = name end
  end
  return list
end

-- A random spec that is not contradictory.
local random_spec

random_spec = function()
  local dtypes = { "f32", "bf16", "f16" }
  local norm = choose { "rmsnorm", "layernorm", "rmsnorm", "layernorm", "l2norm", "scalenorm", "lpnorm", "dyt" }
  local x = choose { "f32", "bf16", "f16", "f64" }
  local affine, fusion = choose { "none", "gamma", "gamma+beta" }, choose { "", "add", "addout", "addafter" }
  local function other() return x == "f64" and x or choose(dtypes) end
  local t = { norm, x, h = choose { 1, 7, 80, 769, 4096, 65536 }, affine = affine, out = other() }
  if fusion ~= "" then
    t[#t + 1] = fusion
    t.residual = other()
  end
  local has_sums = norm ~= "dyt"
  if not has_sums and x == "f64" then return random_spec() end
  if has_sums and (fusion == "add" or fusion == "addout") then maybe(t, "alpha") end
  local has_alpha = t[4] ~= nil
  if affine ~= "none" then
    t.gamma, t.offset = other(), choose { 0, 1 }
  end
  if norm == "rmsnorm" and (x == "bf16" or x == "f16") and affine == "gamma" then maybe(t, "cast=llama") end
  if norm == "layernorm" then maybe(t, "center=full") end
  local words = #t
  if norm == "rmsnorm" and x ~= "f64" then maybe(t, choose { "zgate=before", "zgate=after" }) end
  maybe(t, "act=" .. choose(acts_of(x)))
  local has_function = #t > words
  if has_sums and x ~= "f64" then maybe(t, "acc=f64") end
  if norm == "l2norm" then t.epsform = choose { "inside", "outside", "max" } end
  if has_sums and norm ~= "scalenorm" and norm ~= "lpnorm" then maybe(t, "stats") end
  if (fusion == "add" or fusion == "addout") and not has_alpha then maybe(t, "gate") end
  if affine ~= "none" and fusion ~= "addafter" and not has_function then maybe(t, "twin") end
  if t.h == 80 then t[choose { "groups", "heads" }] = choose { 1, 2, 5 } end
  maybe(t, "strided")
  return spec.parse(t)
end

-- The same of a norm of channels, or of a step of a row that ranks share.
local function random_spec_of_channels()
  local x = choose { "f32", "bf16", "f16", "f64" }
  local norm = choose { "groupnorm", "instancenorm", "batchnorm", "powernorm", "mvn", "layernorm", "rmsnorm" }
  local has_h = norm == "layernorm" or norm == "rmsnorm"
  if has_h and choose { true, false } then
    return spec.parse { norm, choose { "stats", "merge", "apply" }, x, h = choose { 8, 64, 4096 }, shards = choose { 1, 2, 8 } }
  end
  local per_group = norm == "groupnorm" or norm == "instancenorm"
  local layout = has_h and "nchw" or choose(per_group and { "nchw", "nhwc" } or { "nchw", "nhwc", "rows" })
  local t = { norm, x, [has_h and "h" or "c"] = choose { 8, 64, 4096 }, layout = layout }
  if norm == "groupnorm" then t.g = choose { 1, 2, 8 } end
  if norm == "groupnorm" then maybe(t, "affine=group") end
  local directions = { batchnorm = { "fwd", "infer", "stats", "merge", "apply" }, powernorm = { "fwd", "infer" } }
  local dir = choose(directions[norm] or { "fwd" })
  t[#t + 1] = dir
  if dir == "merge" then return spec.parse(t) end
  if directions[norm] and dir == "fwd" then maybe(t, "momentum=onnx") end
  if norm == "batchnorm" and dir == "infer" then maybe(t, "folded") end
  maybe(t, dir == "stats" and "add" or choose { "add", "addafter" })
  if dir ~= "stats" then maybe(t, "act=" .. choose(acts_of(x))) end
  return spec.parse(t)
end

local function refused(name, pattern)
  local ok, err = pcall(names.parse, name, { targets = TARGETS })
  assert.is_false(ok, "accepted: " .. name)
  assert.is_truthy(err.usage:find(pattern, 1, true), err.usage .. "   wanted: " .. pattern)
end

describe("kernel names", function()
  it("follow the grammar", function()
    for text, name in pairs {
      ["rmsnorm bf16 h=4096 out=s8 quant=row round=io side addout"] = "rmsnorm_fwd_bf16_ys8_h4096_addout_qrow_roundio_side",
      ["l2norm f32 h=64 epsform=max heads=4"] = "l2norm_fwd_f32_h64_heads4_epsmax",
      ["layernorm f32 h=64 mod addout gate"] = "layernorm_fwd_f32_h64_addout_gate_mod",
      ["rmsnorm bf16 h=4096 addout residual=f32"] = "rmsnorm_fwd_bf16_rf32_h4096_addout",
      ["rmsnorm bf16 h=4096 out=f32 gamma=f32 offset=1 cast=llama add"] =
        "rmsnorm_fwd_bf16_yf32_gf32_h4096_add_offset1_llama",
      ["rmsnorm f32 h=1 affine=none"] = "rmsnorm_fwd_f32_h1_nogamma",
      ["rmsnorm f32 h=1 affine=gamma+beta"] = "rmsnorm_fwd_f32_h1_beta",
      ["layernorm f32 h=768 affine=gamma"] = "layernorm_fwd_f32_h768_nobeta",
      ["layernorm f32 h=768"] = "layernorm_fwd_f32_h768",
      ["rmsnorm f64 h=8 addafter"] = "rmsnorm_fwd_f64_h8_addafter",
      ["rmsnorm bf16 h=8 stats zgate=after act=silu"] = "rmsnorm_fwd_bf16_h8_zgateafter_silu_stats",
      ["groupnorm f32 c=320 g=32 layout=nchw act=silu affine=group"] = "groupnorm_fwd_f32_c320_g32_nchw_groupaffine_silu",
      ["instancenorm bf16 c=64 layout=nhwc out=f32"] = "instancenorm_fwd_bf16_yf32_c64_nhwc",
      ["batchnorm infer f32 c=64 layout=rows folded add"] = "batchnorm_infer_f32_c64_rows_folded_add",
      ["batchnorm f16 c=64 layout=nchw momentum=onnx"] = "batchnorm_fwd_f16_c64_nchw_onnx",
      ["batchnorm stats f32 c=64 layout=nhwc"] = "batchnorm_stats_f32_c64_nhwc",
      ["batchnorm foldstats f32 c=64 affine=none"] = "batchnorm_foldstats_f32_c64_nogamma",
      ["mvn f64 c=3 layout=nchw"] = "mvn_fwd_f64_c3_nchw",
      ["layernorm f32 h=96 layout=nchw"] = "layernorm_fwd_f32_h96_nchw",
      ["rmsnorm apply bf16 h=64 shards=4"] = "rmsnorm_apply_bf16_h64_shards4",
      ["dyt f32 h=8 act=gelutanh"] = "dyt_fwd_f32_h8_gelutanh",
      ["layernorm f16 strided stats h=8 center=full acc=f64 offset=1 affine=gamma add alpha"] =
        "layernorm_fwd_f16_h8_add_alpha_offset1_nobeta_accf64_full_stats_strided",
    } do
      assert.equal(name, names.build(spec.parse(text)))
    end
  end)

  it("say all that a spec says: parse(build(x)) = x", function()
    local text_of, different = {}, 0
    for _ = 1, 5000 do
      local s, target = choose { random_spec, random_spec, random_spec_of_channels } (), choose(TARGETS)
      local name = names.build(s)
      assert.is_nil(name:find("__", 1, true))
      local back, none = names.parse(name)
      assert.same(s, back)
      assert.is_nil(none)
      local again, found = names.parse("my_" .. name .. "_" .. target, { prefix = "my_", targets = TARGETS })
      assert.same(s, again)
      assert.equal(target, found)
      assert.same(s, spec.parse(spec.format(s)))
      if not text_of[name] then different = different + 1 end
      assert.equal(text_of[name] or spec.format(s), spec.format(s))
      text_of[name] = spec.format(s)
    end
    assert.is_true(different > 1000, different .. " different names")
  end)

  it("are refused if they are not exactly what build writes", function()
    refused("", "empty spec")
    refused("ng_", "empty spec")
    refused("rmsnorm_fwd_bf16_h4096_avx3", "unknown part of a kernel name 'avx3', did you mean 'avx2'?")
    refused("rmsnorm_bf16_h4096", "is not how that kernel is named: rmsnorm_fwd_bf16_h4096")
    refused("rmsnorm_fwd_bf16_h4096_nogamma_add", "rmsnorm_fwd_bf16_h4096_add_nogamma")
    refused("rmsnorm_fwd_bf16_ybf16_h4096", "is not how that kernel is named")
    refused("rmsnorm_fwd_bf16_h4096_nobeta", "is not how that kernel is named")
    refused("rmsnorm_fwd_bf16_h4096_offset0", "is not how that kernel is named")
    refused("rmsnorm_fwd_bf16_h4096_avx2_avx2", "unknown part of a kernel name 'avx2'")
    refused("rmsnorm__fwd_bf16_h4096", "unknown part of a kernel name ''")
    refused("rmsnorm_fwd_bf16_h4096_", "unknown part of a kernel name ''")
    refused("rmsnorm_fwd_bf16_h04096", "h=04096")
    refused("rmsnorm_fwd_bf16_h65537", "h=65537")
    refused("rmsnorm_fwd_bf16_h=4096", "unknown part of a kernel name 'h=4096'")
    refused("blocknorm_fwd_bf16_h4096", "unknown norm 'blocknorm'")
    refused("rmsnorm_fwd_bf16_h4096_stats_accf64", "rmsnorm_fwd_bf16_h4096_accf64_stats")
    refused("rmsnorm_fwd_f64_h4096_accf64", "acc=f64 is what f64 does anyway")
    refused("rmsnorm_fwd_f32_h4096_full", "rmsnorm has no center=full, unlike layernorm")
    refused("rmsnorm_bwd_bf16_h4096", "'bwd' is not supported yet")
  end)
end)
