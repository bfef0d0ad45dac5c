-- Specs: the words, the defaults, the canonical text, and every way to say it wrong.

local spec = require "gen.spec.spec"

local function refused(source, pattern)
  local ok, err = pcall(spec.parse, source)
  assert.is_false(ok, "accepted: " .. tostring(source))
  assert.equal("table", type(err), tostring(err))
  assert.is_truthy(err.usage:find(pattern, 1, true), err.usage .. "   wanted: " .. pattern)
  assert.is_nil(err.usage:find("\n", 1, true))
end

describe("a spec", function()
  it("has every field filled with its default", function()
    local s = spec.parse "rmsnorm bf16 h=4096"
    for field, value in pairs { norm = "rmsnorm", dir = "fwd", x = "bf16", out = "bf16", residual = "bf16", gamma = "bf16", h = 4096,
      fusion = false, alpha = false, offset = 0, affine = "gamma", cast = false, acc = false, center = false, stats = false,
      strided = false, gate = false, mod = false, twin = false, groups = 1, heads = 1, zgate = false, act = false, layout = false,
      shards = false, folded = false, momentum = "torch", quant = false, round = false, side = false } do
      assert.equal(value, s[field], field)
    end
    for _, row in ipairs(spec.grammar) do assert.not_nil(s[row.field], row.field) end
    assert.equal("gamma+beta", spec.parse("layernorm f32 h=1").affine)
    assert.equal("none", spec.parse("layernorm f32 h=1 mod").affine)
    assert.equal("none", spec.parse("l2norm f32 h=1").affine)
  end)

  it("may have its words in any order", function()
    local wanted = spec.parse "rmsnorm fwd bf16 gamma=f32 h=7 addout offset=1 cast=llama"
    assert.same(wanted, spec.parse "  rmsnorm cast=llama offset=1\taddout h=7 gamma=f32 bf16 ")
  end)

  it("drops defaults from its canonical text", function()
    for written, canonical in pairs {
      ["rmsnorm bf16 h=4096 addout"] = "rmsnorm fwd bf16 h=4096 addout",
      ["rmsnorm h=4096 out=bf16 gamma=bf16 affine=gamma offset=0 bf16 fwd"] = "rmsnorm fwd bf16 h=4096",
      ["layernorm f32 h=768 affine=gamma+beta"] = "layernorm fwd f32 h=768",
      ["layernorm affine=none add residual=f32 out=f32 h=65536 bf16"] =
        "layernorm fwd bf16 out=f32 residual=f32 h=65536 add affine=none",
      ["layernorm strided h=8 stats center=full acc=f64 f16 alpha addout gamma=f32"] =
        "layernorm fwd f16 gamma=f32 h=8 addout alpha acc=f64 center=full stats strided",
      ["rmsnorm act=silu h=8 zgate=after stats bf16"] = "rmsnorm fwd bf16 h=8 zgate=after act=silu stats",
      ["batchnorm f64 act=relu infer layout=nchw c=8"] = "batchnorm infer f64 c=8 layout=nchw act=relu",
      ["groupnorm layout=nchw g=32 c=320 act=silu f16"] = "groupnorm fwd f16 c=320 g=32 layout=nchw act=silu",
      ["groupnorm f32 affine=group c=8 g=2 layout=nhwc addafter residual=f32"] =
        "groupnorm fwd f32 c=8 g=2 layout=nhwc addafter affine=group",
      ["batchnorm f32 momentum=torch layout=rows c=8"] = "batchnorm fwd f32 c=8 layout=rows",
      ["batchnorm f32 folded infer affine=none layout=nhwc c=8"] = "batchnorm infer f32 c=8 layout=nhwc folded",
      ["batchnorm stats f32 c=8 layout=nchw affine=none"] = "batchnorm stats f32 c=8 layout=nchw",
      ["batchnorm f32 c=8 foldstats offset=1"] = "batchnorm foldstats f32 c=8 offset=1",
      ["powernorm bf16 momentum=onnx c=8 layout=nchw"] = "powernorm fwd bf16 c=8 layout=nchw momentum=onnx",
      ["mvn affine=none f64 c=8 layout=nhwc"] = "mvn fwd f64 c=8 layout=nhwc",
      ["rmsnorm layout=nchw f32 h=8 add"] = "rmsnorm fwd f32 h=8 layout=nchw add",
      ["layernorm stats shards=2 f32 h=8"] = "layernorm stats f32 h=8 shards=2",
      ["layernorm f32 h=8 shards=2 apply affine=gamma"] = "layernorm apply f32 h=8 shards=2 affine=gamma",
      ["dyt h=8 affine=gamma+beta f16"] = "dyt fwd f16 h=8",
      ["rmsnorm f64 out=f64 addafter residual=f64 h=8 gamma=f64"] = "rmsnorm fwd f64 h=8 addafter",
    } do
      assert.equal(canonical, spec.format(spec.parse(written)))
      assert.same(spec.parse(written), spec.parse(canonical))
    end
  end)

  it("means a step by stats where ranks share the work, else the statistics of rows", function()
    local step, flag = spec.parse "batchnorm stats f32 c=8 layout=nchw", spec.parse "layernorm f32 h=8 stats"
    assert.same({ "stats", false }, { step.dir, step.stats })
    assert.same({ "fwd", true }, { flag.dir, flag.stats })
    assert.same(spec.parse "layernorm stats f32 h=8 shards=4", spec.parse { "layernorm", "f32", "stats", h = 8, shards = 4 })
  end)

  it("has no parameters where there is no y to apply them to", function()
    assert.equal("none", spec.parse("batchnorm merge f32 c=8 layout=nchw").affine)
    assert.equal("none", spec.parse("mvn f32 c=8 layout=nchw").affine)
    assert.equal("gamma+beta", spec.parse("batchnorm f32 c=8 layout=nchw").affine)
    assert.equal("gamma", spec.parse("rmsnorm apply f32 h=8 shards=2").affine)
  end)

  it("may be a table with notes", function()
    local s = spec.parse { "rmsnorm", "bf16", "addout", h = 4096, gamma = "f32", site = "input_layernorm", eps = 1e-5 }
    assert.equal("rmsnorm fwd bf16 gamma=f32 h=4096 addout", spec.format(s))
    assert.equal("input_layernorm", s.site)
    assert.equal(1e-5, s.eps)
    assert.same(spec.parse "rmsnorm f32 h=64 offset=1", spec.parse { "rmsnorm f32", h = "64", offset = 1 })
  end)
end)

describe("a wrong spec is refused:", function()
  local cases = {
    { "", "empty spec" },
    { "rmsnrom f32 h=4", "unknown norm 'rmsnrom', did you mean 'rmsnorm'?" },
    { "bf16 rmsnorm h=4", "unknown norm 'bf16' (known: " },
    { "rmsnorm bf17 h=4", "unknown word 'bf17', did you mean 'bf16'?" },
    { "rmsnorm f32 h=4 adddout", "did you mean 'addout'?" },
    { "rmsnorm f32 h=4 gama=f32", "unknown key 'gama=', did you mean 'gamma='?" },
    { "rmsnorm f32 h=4 gamma=f31", "unknown gamma= value 'f31', did you mean 'f32'?" },
    { "rmsnorm f32 h=4 wherever", "(known: fwd, " },
    { "rmsnorm f32 h=4 add=1", "without =" },
    { "rmsnorm f32 h=4 gamma", "needs a value" },
    { "rmsnorm f32 h=4 offset=2", "unknown offset= value '2'" },
    { "rmsnorm f32 h=4 eps=1e-5", "only a note in a spec table" },
    { "rmsnorm h=4", "dtype of x is missing" },
    { "rmsnorm f32", "h is missing" },
    { "rmsnorm f32 f32 h=4", "'f32' is repeated" },
    { "rmsnorm f32 bf16 h=4", "'f32' and 'bf16' exclude each other" },
    { "rmsnorm f32 h=4 h=4", "'h=4' is repeated" },
    { "rmsnorm f32 h=4 h=5", "'h=4' and 'h=5' exclude each other" },
    { "rmsnorm f32 h=4 add addout", "'add' and 'addout' exclude each other" },
    { "rmsnorm f32 h=4 affine=none affine=none", "repeated" },
    { "rmsnorm f32 h=4 affine=none offset=1", "offset=1 needs a gamma" },
    { "rmsnorm f32 h=4 affine=none gamma=f32", "affine is none" },
    { "rmsnorm f32 h=4 residual=f32", "there is no add, addout or addafter" },
    { "rmsnorm f32 h=4 cast=llama", "x must be bf16 or f16" },
    { "rmsnorm f64 h=4 cast=llama", "x must be bf16 or f16" },
    { "rmsnorm f32 h=4 alpha", "alpha scales the residual, so it needs add or addout" },
    { "rmsnorm f32 h=4 addafter alpha", "alpha scales the residual, so it needs add or addout" },
    { "rmsnorm f32 h=4 alpha=2", "'alpha' is a word of its own, without =" },
    { "rmsnorm f32 h=4 add addafter", "'add' and 'addafter' exclude each other" },
    { "rmsnorm f64 h=4 gamma=f32", "f64 mixes with no other dtype" },
    { "rmsnorm f64 h=4 out=bf16", "f64 mixes with no other dtype" },
    { "rmsnorm f64 h=4 add residual=f16", "f64 mixes with no other dtype" },
    { "rmsnorm f16 h=4 out=f64", "f64 mixes with no other dtype" },
    { "rmsnorm f64 h=4 acc=f64", "acc=f64 is what f64 does anyway" },
    { "rmsnorm f32 h=4 acc=f32", "unknown acc= value 'f32'" },
    { "rmsnorm f32 h=4 center=full", "rmsnorm has no center=full, unlike layernorm" },
    { "layernorm f32 h=4 zgate=after", "layernorm has no zgate=after, unlike rmsnorm" },
    { "rmsnorm f32 h=4 zgate=before zgate=after", "'zgate=before' and 'zgate=after' exclude each other" },
    { "rmsnorm f32 h=4 act=swish", "unknown act= value 'swish' (known: silu, gelu, gelutanh, tanh, sigmoid, relu, " },
    { "layernorm f64 h=4 act=gelu", "act=gelu is computed in f32, so it does not go with f64" },
    { "rmsnorm f64 h=4 zgate=after act=relu", "zgate=after is computed in f32, so it does not go with f64" },
    { "dyt f64 h=4", "dyt is computed in f32" },
    { "dyt f32 h=4 stats", "stats stores mean or rstd, but dyt has none" },
    { "dyt f32 h=4 acc=f64", "dyt has no sums" },
    { "dyt f32 h=4 add alpha", "dyt has an alpha of its own" },
    { "layernorm f32 h=4 center=head", "unknown center= value 'head'" },
    { "layernorm f32 h=4 stats stats", "'stats' is repeated" },
    { "layernorm bf16 h=4 affine=gamma cast=llama", "layernorm has no cast=llama, unlike rmsnorm" },
    { "rmsnorm bf16 h=4 affine=none cast=llama", "needs affine=gamma" },
    { "rmsnorm bf16 h=4 affine=gamma+beta cast=llama", "needs affine=gamma" },
    { "rmsnorm f32 h=4 gate", "gate scales what is added to the residual" },
    { "rmsnorm f32 h=4 addout gate alpha", "without alpha" },
    { "rmsnorm f32 h=4 twin affine=none", "twin needs a gamma" },
    { "rmsnorm f32 h=4 twin addafter", "twin needs a gamma, and neither addafter" },
    { "rmsnorm f32 h=4 sandwich affine=none", "one gamma for each norm" },
    { "rmsnorm f32 h=4 sandwich stats", "stats stores the statistics of one norm, and sandwich has two" },
    { "rmsnorm f32 h=4 epsform=max", "rmsnorm has no epsform=max, unlike l2norm" },
    { "l2norm f32 h=4 epsform=some", "unknown epsform= value 'some'" },
    { "l2norm f32 h=4 p=1", "l2norm has no p=1, unlike lpnorm" },
    { "lpnorm f32 h=4 p=2", "unknown p= value '2'" },
    { "lpnorm f32 h=4 stats", "stats stores mean or rstd, but lpnorm has none" },
    { "rmsnorm f32 h=10 groups=4", "must divide h" },
    { "rmsnorm f32 h=16 groups=4 heads=2", "exclude each other" },
    { "rmsnorm f32 h=16 groups=0", "groups=0: groups must be a whole number" },
    { "rmsnorm f32 h=16 heads=4 sandwich", "go with neither sandwich nor quant=" },
    { "rmsnorm f32 h=16 out=s8", "need quant=row or quant=static" },
    { "rmsnorm f32 h=16 quant=row", "quant= needs one of them" },
    { "rmsnorm f32 h=16 out=s8 quant=row addafter", "quant= goes with neither addafter" },
    { "rmsnorm f32 h=16 out=s8 quant=row round=io", "x in bf16 or f16" },
    { "rmsnorm f32 h=16 side", "side stores what is quantised" },
    { "rmsnorm s8 h=16", "unknown word 's8'" },
    { "weightnorm f32 h=16 add", "weightnorm takes weights, so it does not go with add" },
    { "fold f32 h=16 affine=none", "fold needs a gamma" },
    { "grupnorm f32 c=8 g=2 layout=nchw", "unknown norm 'grupnorm', did you mean 'groupnorm'?" },
    { "groupnorm f32 g=2 layout=nchw", "c is missing (c=N, N from 1 to 65536)" },
    { "groupnorm f32 c=8 layout=nchw", "g is missing (g=N, a divisor of c)" },
    { "groupnorm f32 c=8 g=3 layout=nchw", "g=3 does not divide c=8" },
    { "groupnorm f32 c=8 g=2", "layout is missing (layout=nchw, nhwc)" },
    { "groupnorm f32 c=8 g=2 layout=nchv", "unknown layout= value 'nchv', did you mean 'nchw'?" },
    { "groupnorm f32 c=8 g=2 layout=rows", "groupnorm has no layout=rows" },
    { "groupnorm f32 c=8 g=2 layot=nchw", "unknown key 'layot=', did you mean 'layout='?" },
    { "groupnorm f32 h=8 c=8 g=2 layout=nchw", "groupnorm counts channels: c=, not h=" },
    { "groupnorm infer f32 c=8 g=2 layout=nchw", "groupnorm has no direction infer" },
    { "groupnorm f32 c=8 g=2 layout=nchw addout", "addout does not go with a norm of channels" },
    { "groupnorm f32 c=8 g=2 layout=nchw strided", "strided does not go with a norm of channels" },
    { "groupnorm f32 c=8 g=2 layout=nchw acc=f64", "acc=f64 does not go with a norm of channels" },
    { "groupnorm f32 c=8 g=2 layout=nchw stats", "stats" },
    { "groupnorm f64 c=8 g=2 layout=nchw act=silu", "act=silu is computed in f32" },
    { "groupnorm f32 c=0 g=2 layout=nchw", "c=0: c must be a whole number from 1 to 65536" },
    { "groupnorm f32 c=8 g=2 layout=nchw momentum=onnx", "momentum= says how running statistics move, but there are none" },
    { "instancenorm f32 c=8 g=8 layout=nchw", "instancenorm has no g=8, unlike groupnorm" },
    { "instancenorm f32 c=8 layout=nchw affine=group",
      "affine=group gives gamma and beta to each group of channels, but instancenorm has none" },
    { "rmsnorm f32 c=8 layout=nchw", "h is missing" },
    { "rmsnorm f32 h=8 c=8", "rmsnorm counts the elements of a row: h=, not c=" },
    { "rmsnorm f32 h=8 layout=nhwc", "rmsnorm has no layout=nhwc" },
    { "l2norm f32 h=8 layout=nchw", "l2norm has no layout=nchw" },
    { "rmsnorm infer f32 h=8", "rmsnorm has no direction infer" },
    { "layernorm merge f32 h=8", "merge is a step of a row that ranks share: it needs shards=" },
    { "layernorm f32 h=8 shards=2", "shards= goes with a step that ranks share: stats, merge or apply" },
    { "layernorm stats f32 h=8 shards=3", "shards=3 does not divide h=8" },
    { "layernorm stats f32 h=8 shards=2 add", "add does not go with shards=" },
    { "l2norm stats f32 h=8 shards=2", "l2norm has no shards=2, unlike layernorm, rmsnorm" },
    { "batchnorm f32 c=8", "layout is missing (layout=nchw, nhwc, rows)" },
    { "batchnorm foldstats f32 c=8 layout=nchw", "foldstats has no layout" },
    { "batchnorm foldstats f32 c=8 act=silu", "addafter and act= need a y, but foldstats has none" },
    { "batchnorm f32 c=8 layout=nchw folded", "batchnorm fwd has no folded form" },
    { "batchnorm infer f32 c=8 layout=nchw folded affine=gamma", "folded has its parameters in a and b" },
    { "batchnorm infer f32 c=8 layout=nchw momentum=onnx", "momentum= says how running statistics move" },
    { "batchnorm f32 c=8 layout=nchw momentum=onxx", "unknown momentum= value 'onxx', did you mean 'onnx'?" },
    { "batchnorm f32 c=8 layout=nchw momentum=0.1", "unknown momentum= value '0.1'" },
    { "batchnorm stats f32 c=8 layout=nchw affine=gamma", "stats takes no parameters" },
    { "batchnorm merge f32 c=8 layout=nchw add", "merge reads no x to add to" },
    { "batchnorm infr f32 c=8 layout=nchw", "unknown word 'infr', did you mean 'infer'?" },
    { "batchnorm infer fwd f32 c=8 layout=nchw", "'infer' and 'fwd' exclude each other" },
    { "batchnorm f32 c=8193 layout=nhwc", "c is at most 8192" },
    { "groupnorm f32 c=4098 g=2 layout=nhwc", "(groups: 4096)" },
    { "mvn f32 c=8 layout=nchw affine=gamma", "mvn takes no parameters" },
    { "powernorm merge f32 c=8 layout=nchw", "powernorm has no direction merge" },
    { { "rmsnorm", 7, h = 4 }, "word 2 of the spec is a number" },
    { { "rmsnorm", "f32", [4] = "add", h = 4 }, "without gaps" },
    { { "rmsnorm", "f32", [true] = "add", h = 4 }, "without gaps" },
    { { "rmsnorm", "f32", h = {} }, "must be a string or a number" },
    { { "rmsnorm", "f32", h = 4, eps = -1 }, "eps=-1: eps must be a finite number >= 0" },
    { { "rmsnorm", "f32", h = 4, eps = 0 / 0 }, "eps=nan: eps must be" },
    { { "rmsnorm", "f32", h = 4, eps = math.huge }, "eps=inf: eps must be" },
    { { "rmsnorm", "f32", h = 4, site = "*/" }, "site=*/: site must be" },
    { { "rmsnorm", "f32", h = 4, sit = "a" }, "unknown key 'sit', did you mean 'site'?" },
    { { "rmsnorm", "f32", h = 4, [""] = "a" }, "unknown key '' (known: out, " },
    { { "rmsnorm", "f32", h = 4, acc = "f16" }, "unknown acc= value 'f16'" },
    { { "rmsnorm", "f32", h = 4, dir = "bwd" }, "unknown key 'dir'" },
    { "rmsnorm h=4 bwd", "'bwd' is not supported yet" },
    { {}, "empty spec" },
    { true, "not a boolean" },
  }
  for _, h in ipairs { "0", "-1", "1e9", "4096.5", "0x40", "1e3", "abc", "", "04", "65537", "99999999999999999999", "+4" } do
    cases[#cases + 1] = { "rmsnorm f32 h=" .. h, "h=" .. h .. ": h must be a whole number from 1 to 65536" }
  end
  for _, h in ipairs { 0, -1, 1e9, 4096.5, 0 / 0, math.huge } do
    cases[#cases + 1] = { { "rmsnorm", "f32", h = h }, "h must be a whole number from 1 to 65536" }
  end
  for number, case in ipairs(cases) do
    it(("%d %s"):format(number, type(case[1]) == "string" and case[1] or case[2]), function() refused(case[1], case[2]) end)
  end

  it("long input and control characters are cut and replaced", function()
    refused("rmsnorm " .. ("x\a"):rep(1000), "'x?x?x?")
  end)
end)
