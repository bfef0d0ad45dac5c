-- normgen model: the sites of every family, errors about configs, JSON, spec files and the headers of models.

local config = require "models.config"
local defaults = require "models.defaults"
local dkjson = require "dkjson"
local files = require "tests.support.files"
local families = require "tests.support.model_families"
local fixtures = require "tests.support.models"
local json = require "host.json"
local literal = require "gen.c.literal"
local models = require "models.models"
local names = require "gen.spec.names"
local normgen = require "tests.support.normgen"
local spec = require "gen.spec.spec"
local specfile = require "host.specfile"

local unpack = table.unpack or unpack
local scratch

local function sites_text(found)
  local lines = {}
  for i, site in ipairs(found.sites) do
    lines[i] = ("%s %s%s %s\n"):format(site.site, site.per_layer and "*" or "", site.eps and literal.decimal(site.eps) or "-",
      site.spec or "-")
  end
  return table.concat(lines)
end

local function sites(fields, more)
  more = more or {}
  return models.sites(fields, { source = "config.json", dtype = more.dtype, residual = more.residual, exact = more.exact })
end

local function refusal(fields, more)
  local ok, err = pcall(sites, fields, more)
  assert.is_false(ok, "accepted")
  assert.equal("table", type(err), tostring(err))
  return err.usage
end

-- A config of Llama without the fields that are named, and with others.
local function llama(more, without)
  local fields = { model_type = "llama", hidden_size = 4096, num_attention_heads = 32, num_key_value_heads = 8,
    rms_norm_eps = 1e-5 }
  for key, value in pairs(more or {}) do fields[key] = value end
  if without then fields[without] = nil end
  return fields
end

-- The same of a U-Net with one level, and of a ResNet with one stage.
local function unet(more)
  local fields = { _class_name = "UNet2DConditionModel", block_out_channels = { 320 }, layers_per_block = 2, norm_num_groups = 32,
    norm_eps = 1e-5, down_block_types = { "DownBlock2D" }, up_block_types = { "UpBlock2D" } }
  for key, value in pairs(more) do fields[key] = value end
  return fields
end

local function resnet(more)
  local fields = { model_type = "resnet", hidden_sizes = { 256 }, depths = { 3 }, layer_type = "bottleneck" }
  for key, value in pairs(more) do fields[key] = value end
  return fields
end

local function file(name, text)
  files.write(scratch .. "/" .. name, text)
  return scratch .. "/" .. name
end

local function run(words, lua)
  local code, out, err = normgen.run({ "model", unpack(words) }, lua)
  return { code = code, out = out, err = err }
end

-- The same from every interpreter.
local function same(words)
  local first = run(words, normgen.interpreters[1])
  for i = 2, #normgen.interpreters do assert.same(first, run(words, normgen.interpreters[i])) end
  return first
end

local function ok(words)
  local result = same(words)
  assert.equal("", result.err)
  assert.equal(0, result.code)
  return result.out
end

local function refused(words, code, pattern)
  local result = same(words)
  assert.equal(code, result.code, result.err)
  assert.equal("", result.out)
  assert.is_truthy(result.err:match("^normgen: [^\n]+\n$"), "not one line: " .. result.err)
  assert.is_truthy(result.err:find(pattern, 1, true), result.err .. "   wanted: " .. pattern)
end

describe("the sites of a model", function()
  local covered, both = {}, {}
  for _, list in ipairs { fixtures, families } do
    for _, fixture in ipairs(list) do both[#both + 1] = fixture end
  end

  for _, fixture in ipairs(both) do
    local model_type = fixture.config.model_type or fixture.config._class_name
    it(("are those of %s: %s"):format(model_type, fixture.sites:match("[^\n]*")), function()
      covered[model_type] = true
      for _, key in ipairs { "text_config", "vision_config" } do
        local part = fixture.config[key]
        if part and part.model_type then covered[part.model_type] = true end
      end
      local found = sites(fixture.config, fixture)
      assert.equal(fixture.sites, sites_text(found))
      for _, site in ipairs(found.sites) do
        assert.equal(site.spec ~= nil, site.emittable)
        assert.is_true(site.emittable or #site.note > 20, "no reason: " .. site.site)
      end
    end)
  end

  it("have a fixture for each row of the families", function()
    local rows = 0
    for _, room in ipairs { "decoders", "encoders", "recurrent", "images", "wrappers" } do
      for _, row in ipairs(require("models." .. room)) do
        local found = false
        for _, model_type in ipairs(row.types) do found = found or covered[model_type] end
        assert.is_truthy(found, table.concat(row.types, ", "))
        rows = rows + 1
      end
    end
    assert.is_true(rows > 150, rows .. " rows")
  end)

  it("are known for hundreds of types, each in one row, from what its class leaves to a nested config", function()
    -- These have lists of widths or parts of their own, for which there are no defaults.
    local seen, with_more = {}, { convnext = true, swin = true, resnet = true, internvl = true, lfm2_vl = true }
    for _, model_type in ipairs(models.types()) do
      assert.is_nil(seen[model_type], model_type)
      seen[model_type] = true
    end
    assert.is_true(#models.types() >= 250, #models.types() .. " types")
    for model_type, fields in pairs(defaults) do
      assert.is_true(seen[model_type], model_type)
      local text = {}
      for key, value in pairs(fields) do text[key] = value end
      text.model_type, text.head_dim = model_type, text.head_dim or 128
      if not with_more[model_type] then
        assert.is_true(#sites({ model_type = "some_wrapper", text_config = text }).sites >= 2, model_type)
      end
    end
  end)

  it("resolve for every built-in model, under names that are their own", function()
    local seen, count = {}, 0
    for _, model in ipairs(models.published()) do
      count = count + 1
      assert.is_nil(seen[model.name], model.name)
      seen[model.name] = true
      local found, names_seen = sites(models.fields(model.name)), {}
      assert.is_true(#found.sites >= 2, model.name)
      for _, site in ipairs(found.sites) do
        assert.is_nil(names_seen[site.site], model.name .. ": " .. site.site)
        names_seen[site.site] = true
        if site.spec then assert.equal(site.spec, spec.format(spec.parse(site.spec))) end
      end
    end
    assert.is_true(count > 100, count .. " models")
  end)

  it("say where an eps comes from that the config does not have", function()
    local function note(fields) return sites(fields).sites[1].note end
    assert.is_truthy(note({ model_type = "olmo", hidden_size = 64 }):find("eps 1e-5 is fixed in the reference code", 1, true))
    assert.is_truthy(note({ model_type = "whisper", d_model = 64 }):find("eps 1e-5 is fixed in the reference code", 1, true))
    assert.is_truthy(note({ model_type = "mpt", d_model = 64 }):find("the config leaves layer_norm_epsilon out", 1, true))
    assert.is_nil(note({ model_type = "mpt", d_model = 64, layer_norm_epsilon = 1e-6 }):find("eps", 1, true))
    assert.is_nil(note(llama()):find("eps", 1, true))
  end)

  it("keep a stream in f32 beside data of 16 bits alone, where the family does", function()
    local mamba = models.fields "mamba_2_8b"
    assert.is_truthy(sites(mamba, { dtype = "f16" }).sites[2].spec:find("residual=f32", 1, true))
    assert.is_nil(sites(mamba, { dtype = "f64" }).sites[2].spec:find("residual", 1, true))
    assert.is_nil(sites(mamba, { dtype = "bf16", residual = "bf16" }).sites[2].spec:find("residual", 1, true))
  end)

  it("tell how long the rows of a slice are, and the alpha of DeepNorm", function()
    local found = sites(models.fields "deepseek_v3")
    assert.is_truthy(found.sites[4].note:find("first 512 elements of rows of 576: x_stride = 576", 1, true))
    assert.is_truthy(sites(models.fields "glm_130b").sites[2].note:find("= 11.8322", 1, true))
  end)

  it("leave to a step of its own what no kernel applies", function()
    local vae, resnet_50 = models.fields "sd1_5_vae", models.fields "resnet_50"
    assert.is_truthy(sites(vae, { dtype = "f16" }).sites[1].spec:find("act=silu", 1, true))
    local wide = sites(vae, { dtype = "f64" }).sites[1]
    assert.is_nil(wide.spec:find("act=", 1, true))
    assert.is_truthy(wide.note:find("then silu, which is a step of its own", 1, true), wide.note)
    for _, dtype in ipairs { "f32", "f64" } do
      for _, site in ipairs(sites(resnet_50, { dtype = dtype }).sites) do
        local is_last = site.spec:find("addafter", 1, true) ~= nil
        local is_shortcut = site.site:find("shortcut", 1, true) ~= nil
        assert.equal(is_last, site.note:find("then ReLU, which is a step of its own", 1, true) ~= nil, site.site)
        assert.equal(not is_last and not is_shortcut, site.spec:find("act=relu", 1, true) ~= nil, site.site)
      end
    end
  end)

  it("take the dtype of the option, else of the config, else f32", function()
    assert.equal("f16", sites(llama { torch_dtype = "bfloat16" }, { dtype = "f16" }).dtype)
    assert.equal("bf16", sites(llama { torch_dtype = "bfloat16" }).dtype)
    assert.equal("bf16", sites(llama { dtype = "bfloat16" }).dtype)
    assert.equal("f32", sites(llama()).dtype)
    assert.equal("f16", sites({ model_type = "clip", text_config = { model_type = "clip_text_model", hidden_size = 64,
      layer_norm_eps = 1e-5, torch_dtype = "float16" } }).dtype)
  end)
end)

describe("a config is refused for", function()
  local huge = {}
  for i = 1, 30 do huge[i] = "full_attention" end
  -- what, fields, what the message says
  local cases = {
    { "no model type", llama({}, "model_type"), "config.json: model_type is missing; it must be a string" },
    { "a model type that is null", llama { model_type = config.null }, "model_type is null" },
    { "a model type that is a number", llama { model_type = 7 }, "model_type is 7; it must be a string" },
    { "an unknown model type", llama { model_type = "lama" },
      "config.json: model_type is 'lama', which is not known, did you mean 'llama'?" },
    { "a foreign model type", llama { model_type = "rwkv" },
      "model_type is 'rwkv', which is not known; docs/models.md lists those that are" },
    { "no width", llama({}, "hidden_size"), "hidden_size is missing; it must be a whole number from 1 to 65536" },
    { "a width that is null", llama { hidden_size = config.null }, "hidden_size is null; it must be a whole number" },
    { "a negative width", llama { hidden_size = -4096 }, "hidden_size is -4096; it must be a whole number" },
    { "no width at all", llama { hidden_size = 0 }, "hidden_size is 0;" },
    { "a broken width", llama { hidden_size = 4096.5 }, "hidden_size is 4096.5;" },
    { "a width that is a string", llama { hidden_size = "4096" }, "hidden_size is '4096'; it must be a whole number" },
    { "a width that is a list", llama { hidden_size = { 1 } }, "hidden_size is a list or an object;" },
    { "a huge width", llama { hidden_size = 131072 }, "hidden_size is 131072; it must be a whole number from 1 to 65536" },
    { "no eps", llama({}, "rms_norm_eps"), "rms_norm_eps is missing; it must be a finite number >= 0" },
    { "an eps that is null", llama { rms_norm_eps = config.null }, "rms_norm_eps is null;" },
    { "a negative eps", llama { rms_norm_eps = -1e-5 }, "rms_norm_eps is -1e-5;" },
    { "an eps that is a string", llama { rms_norm_eps = "1e-5" }, "rms_norm_eps is '1e-5'; it must be a finite number >= 0" },
    { "an infinite eps", llama { rms_norm_eps = math.huge }, "rms_norm_eps is inf;" },
    { "an eps of another name", llama({ layer_norm_eps = 1e-5 }, "rms_norm_eps"), "rms_norm_eps is missing" },
    { "heads that do not divide the width", llama { num_attention_heads = 33, num_key_value_heads = 3 },
      "hidden_size 4096 is not a multiple of num_attention_heads 33" },
    { "heads that groups do not divide", llama { num_key_value_heads = 5 },
      "num_attention_heads 32 is not a multiple of num_key_value_heads 5" },
    { "negative heads", llama { num_attention_heads = -32 }, "num_attention_heads is -32;" },
    { "two widths", { model_type = "gpt2", n_embd = 768, hidden_size = 1024, layer_norm_epsilon = 1e-5 },
      "n_embd 768 and hidden_size 1024 contradict each other" },
    { "two dtypes", llama { torch_dtype = "float16", dtype = "bfloat16" }, "dtype and torch_dtype contradict each other" },
    { "an unknown dtype", llama { torch_dtype = "float8_e4m3fn" },
      "torch_dtype is 'float8_e4m3fn'; it must be float32, bfloat16, float16 or float64" },
    { "layers that are not as many as their types",
      llama { model_type = "gemma4_text", num_hidden_layers = 26, head_dim = 256, layer_types = huge },
      "layer_types has 30 entries, but num_hidden_layers is 26" },
    { "no head width where a norm reads heads", llama { model_type = "afmoe" }, "head_dim is missing" },
    { "a head width that is null where the class has a number", llama { model_type = "qwen3", head_dim = config.null },
      "head_dim is null" },
    { "a rank that is missing, which null would switch off", llama {
      model_type = "deepseek_v3", kv_lora_rank = 512, qk_rope_head_dim = 64 },
      "q_lora_rank is missing; it must be a whole number from 1 to 65536, or null for none" },
    { "groups that are missing", { model_type = "mamba2", hidden_size = 2560, num_heads = 80, head_dim = 64, layer_norm_epsilon = 1e-5 },
      "n_groups is missing" },
    { "a ChatGLM that may be the first one or not", { model_type = "chatglm", hidden_size = 4096, layernorm_epsilon = 1e-5 },
      "rmsnorm is missing; it must be true or false" },
    { "a kind of norm that is missing where classes differ", { _class_name = "Transformer2DModel", num_attention_heads = 16,
      attention_head_dim = 72 }, "norm_type is missing; it must be ada_norm_zero" },
    { "a part without a type where any may stand", { model_type = "encoder-decoder", encoder = {}, decoder = {} },
      "encoder.model_type is missing" },
    { "a switch that is a string", llama { model_type = "llama4_text", head_dim = 128, use_qk_norm = "yes" },
      "use_qk_norm is 'yes'; it must be true or false" },
    { "switches that contradict each other", { model_type = "falcon", hidden_size = 64, layer_norm_epsilon = 1e-5,
      new_decoder_architecture = true, parallel_attn = false }, "new_decoder_architecture true and parallel_attn false" },
    { "a latent rank that is missing", llama { model_type = "deepseek_v3" }, "kv_lora_rank is missing" },
    { "a mixer of two widths", { model_type = "mamba2", hidden_size = 2560, num_heads = 81, head_dim = 64, expand = 2,
      layer_norm_epsilon = 1e-5 }, "num_heads * head_dim is 5184, but expand * hidden_size is 5120" },
    { "groups that do not divide a mixer", { model_type = "mamba2", hidden_size = 2560, num_heads = 80, head_dim = 64,
      n_groups = 7, layer_norm_epsilon = 1e-5 }, "5120 elements do not split into n_groups 7" },
    { "stages without depths", { model_type = "convnext", hidden_sizes = { 96, 192 }, depths = { 3 }, layer_norm_eps = 1e-12 },
      "depths has 1 entries, but hidden_sizes has 2" },
    { "stages that are no list", { model_type = "convnext", hidden_sizes = 96, depths = { 3 }, layer_norm_eps = 1e-12 },
      "hidden_sizes is 96; it must be a list of whole numbers" },
    { "groups that do not divide the channels", unet { norm_num_groups = 7 }, "320 channels do not split into norm_num_groups 7" },
    { "a group norm that is left out", unet { norm_num_groups = config.null }, "norm_num_groups is null" },
    { "block types that are missing", unet { up_block_types = config.null }, "up_block_types is null; it must be a list of block types" },
    { "block types that are not as many as levels", unet { down_block_types = { "DownBlock2D", "DownBlock2D" } },
      "down_block_types has 2 entries, but block_out_channels has 1" },
    { "an unknown block type", unet { up_block_types = { "AttnUpBlock2D" } },
      "up_block_types has 'AttnUpBlock2D', whose norms are not known" },
    { "layers that are not as many as levels", unet { layers_per_block = { 2, 2 } },
      "layers_per_block has 2 entries, but block_out_channels has 1" },
    { "no layers", unet { layers_per_block = config.null }, "layers_per_block is null; it must be a whole number" },
    { "another activation than SiLU", unet { act_fn = "mish" }, "act_fn is 'mish', which is not known (known: silu, swish)" },
    { "another activation than ResNet's", resnet { hidden_act = "silu" }, "hidden_act is 'silu', which is not known (known: relu)" },
    { "an unknown layer type", resnet { layer_type = "botleneck" },
      "layer_type is 'botleneck', which is not known, did you mean 'bottleneck'?" },
    { "a bottleneck that does not divide", resnet { hidden_sizes = { 254 } }, "254 channels of a bottleneck are not a multiple of 4" },
    { "a wrong field inside of another", { model_type = "clip",
      text_config = { model_type = "clip_text_model", hidden_size = 64, layer_norm_eps = "x" } },
      "text_config.layer_norm_eps is 'x'; it must be a finite number" },
    { "a part that is a number", { model_type = "clip", text_config = 7 }, "text_config is 7; it must be an object" },
    { "no part at all", { model_type = "clip" }, "text_config is missing; it must be an object" },
    { "a form that is not known", { _class_name = "DiTTransformer2DModel", num_attention_heads = 2, attention_head_dim = 8,
      norm_type = "ada_norm" }, "norm_type is 'ada_norm', which is not known" },
  }
  for _, case in ipairs(cases) do
    it(case[1], function()
      local message = refusal(case[2])
      assert.is_truthy(message:find(case[3], 1, true), message .. "   wanted: " .. case[3])
      assert.is_truthy(message:find("config.json", 1, true), message)
    end)
  end

  it("a residual dtype that nothing would read", function()
    local message = refusal(models.fields "bert_base", { residual = "bf16" })
    assert.is_truthy(message:find("--residual bf16: bert keeps no residual", 1, true), message)
    assert.is_truthy(refusal(llama(), { dtype = "f64", residual = "f32" }):find("f64 mixes with no other dtype", 1, true))
  end)
end)

describe("normgen model", function()
  before_each(function() scratch = normgen.scratch() end)
  after_each(function() normgen.remove(scratch) end)

  it("reads a file, standard input and a name alike", function()
    local text = dkjson.encode(models.fields "qwen3_8b")
    local path = file("config.json", text)
    local by_file, by_name = ok { path }, ok { "qwen3_8b" }
    local code, by_input = normgen.sh("cat " .. path .. " | " .. normgen.line { normgen.path, "model", "-" })
    assert.equal(0, code)
    local function body(list) return list:match("\n  kernels = .*") end
    assert.equal(body(by_name), body(by_file))
    assert.equal(body(by_name), body(by_input))
    assert.is_truthy(by_file:find("\n-- Made by: normgen model config.json\n", 1, true))
    assert.is_truthy(by_name:find('\n  model = "qwen3_8b",\n', 1, true))
    assert.is_truthy(by_file:find('\n  model = "qwen3",\n', 1, true))
  end)

  it("refuses texts that are no config", function()
    local function text(content) return file("config.json", content) end
    refused({ text "" }, 2, "invalid JSON")
    refused({ text "{" }, 2, "invalid JSON: unterminated object at line 1, column 1")
    refused({ text '{ "model_type": "llama", "hidden_size": }' }, 2, "invalid JSON")
    refused({ text "not JSON" }, 2, "invalid JSON")
    refused({ text '{ "model_type": "llama" } { }' }, 2, "invalid JSON: '{' behind the object")
    refused({ text "[1, 2]" }, 2, "a config.json holds an object")
    refused({ text "7" }, 2, "a config.json holds an object")
    refused({ text "null" }, 2, "a config.json holds an object")
    refused({ text '{ "model_type": "llama", "hidden_size": 64, "rms_norm_eps": NaN }' }, 2, "rms_norm_eps is NaN; it must be a finite")
    refused({ text '{ "model_type": "llama", "hidden_size": 64, "rms_norm_eps": -Infinity }' }, 2, "rms_norm_eps is -inf;")
    refused({ text '{ "model_type": NaN }' }, 2, "model_type is NaN; it must be a string")
    refused({ text '{ "model_type": "llama", "hidden_size": NaNs }' }, 2, "invalid JSON")
    refused({ text(("["):rep(300000)) }, 2, "invalid JSON")
    refused({ text '{ "model_type": "llama", "hidden_size": 64, "rms_norm_eps": 1e999 }' }, 2, "rms_norm_eps is inf;")
  end)

  it("reads what Python writes beside JSON, and minds it only where a norm does", function()
    local text = '{ "model_type": "llama", "hidden_size": 64, "rms_norm_eps": 1e-5,\n "time_step_limit": [0.0, Infinity], "a": -Infinity, '
      .. '"b": {"c": NaN}, "NaN": "NaN \\" Infinity", "d": "\\\\" }'
    local body = ok { file("config.json", text) }
    assert.is_truthy(body:find("h = 64", 1, true))
    local read = json.decode('[NaN, Infinity, -Infinity, "NaN", "\\"NaN"]', config.null)
    assert.is_true(read[1] ~= read[1])
    assert.same({ math.huge, -math.huge, "NaN", '"NaN' }, { read[2], read[3], read[4], read[5] })
    assert.equal("NaN", read[4])
  end)

  it("takes fields from --set", function()
    local path = file("config.json", '{ "model_type": "qwen3", "hidden_size": 64, "rms_norm_eps": "1e-05", "head_dim": 16 }')
    refused({ path }, 2, "rms_norm_eps is '1e-05'; it must be a finite number")
    local out = ok { path, "--set", "rms_norm_eps=1e-6", "--set", "head_dim=32", "--set", "torch_dtype=bfloat16" }
    assert.is_truthy(out:find('{ "rmsnorm", "bf16", h = 32, cast = "llama", site = "self_attn.q_norm", eps = 1e-6 }', 1, true), out)
    assert.is_truthy(out:find("config.json --set rms_norm_eps=1e-6 --set head_dim=32 --set torch_dtype=bfloat16\n", 1, true), out)
    path = file("config.json", '{ "model_type": "clip" }')
    out = ok { path, "--set", "text_config.hidden_size=48", "--set", "text_config.layer_norm_eps=0.5" }
    assert.is_truthy(out:find("h = 48", 1, true) and out:find("eps = 0.5", 1, true), out)
    out = ok { "command_r_plus", "--set", "use_qk_norm=null" }
    assert.is_nil(out:find("q_norm", 1, true))
    assert.is_truthy(ok { "command_r_plus" }:find("q_norm", 1, true))
  end)

  it("refuses a --set that is none, and one that changes nothing", function()
    refused({ "llama3_8b", "--set", "rms_norm_eps" }, 2, "--set 'rms_norm_eps': it must be NAME=VALUE, e.g. rms_norm_eps=1e-6")
    refused({ "llama3_8b", "--set", "=1" }, 2, "it must be NAME=VALUE")
    refused({ "llama3_8b", "--set", "a..b=1" }, 2, "it must be NAME=VALUE")
    refused({ "llama3_8b", "--set", "rms_norm_esp=1" }, 2,
      "--set rms_norm_esp: no norm of llama depends on this field, did you mean 'rms_norm_eps'?")
    refused({ "llama3_8b", "--set", "hidden_size.x=1" }, 2, "--set hidden_size.x=1: hidden_size is no object")
    refused({ "llama3_8b", "--set", "rms_norm_eps=[1]" }, 2, "rms_norm_eps is a list or an object; it must be a finite number")
    refused({ "llama3_8b", "--set", "rms_norm_eps=null" }, 2, "(--set rms_norm_eps=... gives it)")
  end)

  it("refuses a large file without reading it, and a long input", function()
    local path = scratch .. "/config.json"
    os.execute("truncate -s 4194305 " .. path)
    refused({ path }, 2, "larger than 4 MiB")
    os.execute("truncate -s 100G " .. path)
    refused({ path }, 2, "larger than 4 MiB")
    local code, _, err = normgen.sh("yes | " .. normgen.line { normgen.path, "model", "-" })
    assert.equal(2, code)
    assert.is_truthy(err:find("standard input: larger than 4 MiB", 1, true), err)
  end)

  it("refuses paths that cannot be read, and unknown names and options", function()
    refused({ scratch .. "/none.json" }, 1, "cannot read")
    refused({ scratch .. "/" }, 1, "is a directory")
    refused({ "lama3_8b" }, 2, "unknown model 'lama3_8b', did you mean 'llama3_8b'?")
    refused({ "yolos" }, 2, "unknown model 'yolos'; normgen list models")
    refused({ "resnet50" }, 2, "unknown model 'resnet50', did you mean 'resnet_50'?")
    refused({ "llama3_8b", "--dtype", "bf61" }, 2, "--dtype")
    refused({ "llama3_8b", "--residual", "int8" }, 2, "--residual")
    refused({ "llama3_8b", "--cast", "gemma" }, 2, "--cast")
    refused({}, 2, "MODEL")
  end)

  it("gives JSON with the keys that it promises, in order", function()
    local text = ok { "deepseek_v3", "--json" }
    local found = dkjson.decode(text)
    assert.equal("deepseek_v3", found.model_type)
    assert.equal("bf16", found.dtype)
    assert.equal(6, #found.sites)
    assert.same({ site = "self_attn.q_a_layernorm", spec = "rmsnorm fwd bf16 h=1536 cast=llama", eps = 1e-6, per_layer = true,
      emittable = true, note = "eps 1e-6 is fixed in the reference code" }, setmetatable(found.sites[3], nil))
    local keys = {}
    for key in text:match("%b{}", 2):gmatch('\n      "([%w_]+)":') do keys[#keys + 1] = key end
    assert.same({ "site", "spec", "eps", "per_layer", "emittable", "note" }, { unpack(keys, 1, 6) })
  end)

  it("lists what cannot be emitted, prints the rest and fails", function()
    local path = file("config.json", dkjson.encode { model_type = "llama4", text_config = { model_type = "llama4_text", hidden_size = 64,
      num_attention_heads = 4, head_dim = 16, rms_norm_eps = 1e-6 }, vision_config = { model_type = "eye" } })
    local result = same { path, "--json" }
    assert.equal(1, result.code)
    local found = dkjson.decode(result.out, 1, config.null).sites
    assert.equal(("normgen: model: 1 of %d sites cannot be emitted yet\n"):format(#found), result.err)
    assert.is_true(#found >= 4)
    local site = found[1]
    assert.equal("vision_model", site.site)
    assert.equal(config.null, site.spec)
    assert.is_false(site.emittable)
    local reason = "the norms of model_type 'eye' are not known to normgen"
    assert.equal(reason, site.note)
    result = same { path }
    assert.equal(1, result.code)
    assert.is_truthy(result.out:find("\n    -- not emitted: vision_model, " .. reason, 1, true), result.out)
  end)

  it("prints spec files that load as the sites say", function()
    for _, model in ipairs { "llama3_8b", "gemma3_4b", "nemotron_nano_9b_v2", "clip_vit_l14", "swin_tiny", "mamba_2_8b", "gemma4_e2b",
      "sd1_5_unet", "resnet_50", "convnext_tiny" } do
      local path = file(model .. ".lua", same({ model, "--dtype", "bf16" }).out)
      local specs, name = specfile.load(path)
      assert.equal(model, name)
      local index = 0
      for _, site in ipairs(sites(models.fields(model), { dtype = "bf16" }).sites) do
        if site.emittable then
          index = index + 1
          assert.equal(site.spec, spec.format(specs[index]))
          assert.equal(site.site, specs[index].site)
          assert.equal(site.eps, specs[index].eps)
        end
      end
      assert.equal(index, #specs)
    end
    local path = file("listed.lua", ok { "t5_base", "--dtype", "bf16", "--residual", "f32" })
    local code, out = normgen.run { "list", path, "--target", "scalar" }
    assert.equal(0, code)
    assert.is_truthy(out:find("ng_rmsnorm_fwd_bf16_rf32_h768_addout_llama_scalar", 1, true), out)
  end)

  it("prints the spec files of specs/", function()
    assert.equal(files.read "specs/llama3_8b.lua", ok { "llama3_8b", "--cast", "exact" })
    assert.equal(files.read "specs/gpt2.lua", ok { "gpt2" })
  end)

  it("is in the lists of commands and models", function()
    local _, help = normgen.run { "model", "--help" }
    assert.is_truthy(help:find("Examples:\n  normgen model ", 1, true))
    local _, list = normgen.run { "list", "models" }
    assert.is_truthy(list:find("\nqwen3_8b +qwen3\n"), list)
  end)

  it("has the table of docs/models.md", function()
    local code, out, err = normgen.sh "luajit tools/models-doc.lua"
    assert.equal("", err)
    assert.equal(0, code)
    assert.equal(files.read "docs/models.md", out)
  end)
end)

describe("the header of a model", function()
  local WARNINGS = { "-O1", "-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow" }
  local COMPILERS = {
    { "gcc", "-std=c11", "-Wmissing-prototypes" }, { "g++", "-std=c++17", "-x", "c++" },
    { "clang", "-std=c11", "-Wmissing-prototypes" }, { "clang++", "-std=c++17", "-x", "c++" },
  }
  local SPECS = [[
return { model = "small", kernels = {
  { "rmsnorm", "f32", "addout", h = 4, site = "input_layernorm", eps = 0.5 },
  { "rmsnorm", "f32", "strided", h = 3, site = "self_attn.q_norm[full]", eps = 1e-6 },
  { "layernorm", "f32", "add", "alpha", h = 4, site = "layers.*.norm" },
  { "layernorm", "f64", h = 4, site = "last", eps = 1e-12 },
  { "groupnorm", "f32", c = 4, g = 2, layout = "nchw", act = "silu", site = "resnets.*.norm1", eps = 0.5 },
  { "batchnorm", "infer", "f32", "addafter", c = 4, layout = "nchw", site = "layer.2.normalization", eps = 0.5 },
  "rmsnorm f32 h=5",
} }]]
  local MAIN = [[
#include "ng_small.h"
int main(void)
{
    const float x[4] = { 0.5f, 0.5f, 0.5f, 0.5f }, residual[4] = { 0.5f, 0.5f, 0.5f, 0.5f }, gamma[4] = { 1, 2, 4, 8 };
    float y[NG_SMALL_INPUT_LAYERNORM_WIDTH], sum[4], expected[4];
    ng_small_input_layernorm(1, x, residual, gamma, y, sum);
    ng_rmsnorm_fwd_f32_h4_addout(1, x, residual, gamma, 0.5f, expected, sum);
    for (int i = 0; i < 4; ++i)
        if (y[i] != expected[i] || y[i] == gamma[i] || sum[i] != 1.0f)
            return 1;
    float image[NG_SMALL_RESNETS_NORM1_WIDTH * 3] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, mapped[12], wanted[12];
    ng_small_resnets_norm1(1, 3, image, gamma, gamma, mapped);
    ng_groupnorm_fwd_f32_c4_g2_nchw_silu(1, 3, image, gamma, gamma, 0.5f, wanted);
    for (int i = 0; i < 12; ++i)
        if (mapped[i] != wanted[i] || mapped[i] == image[i])
            return 2;
    ng_small_layer_2_normalization(1, 3, image, image, gamma, gamma, gamma, gamma, mapped);
    if (!(mapped[0] > 1.0f))
        return 3;
    ng_small_layers_norm(1, x, residual, gamma, gamma, 2.0f, NG_SMALL_INPUT_LAYERNORM_EPS, y);
    return 0;
}
]]

  local function emit(path, more)
    local code, out, err = normgen.run({ "emit", path, "-o", scratch .. "/out", unpack(more) })
    assert.equal("", out .. err)
    assert.equal(0, code)
  end

  before_each(function() scratch = normgen.scratch() end)
  after_each(function() normgen.remove(scratch) end)

  it("compiles without warnings as C and C++, in both formats, and calls the kernels with their eps", function()
    local path = file("small.lua", SPECS)
    local built = 0
    for _, format in ipairs { "dir", "single" } do
      normgen.remove(scratch .. "/out")
      emit(path, { "--target", "scalar,native", "--format", format })
      local implementation = format == "single" and "#define NG_IMPLEMENTATION\n" or ""
      file("out/main.c", implementation .. MAIN)
      local sources = format == "single" and "main.c" or "*.c"
      for _, compiler in ipairs(COMPILERS) do
        if normgen.sh("command -v " .. compiler[1]) == 0 then
          built = built + 1
          local flags = normgen.line(compiler) .. " " .. normgen.line(WARNINGS)
          local code, out, err = normgen.sh(("cd %s/out && %s -o main %s && ./main"):format(scratch, flags, sources))
          assert.equal(0, code, compiler[1] .. " " .. format .. "\n" .. out .. err)
        end
      end
    end
    assert.is_true(built >= 4, built .. " builds")
  end)

  it("calls the kernels of each architecture where no dispatcher chooses", function()
    emit(file("small.lua", SPECS), { "--target", "avx2,neon" })
    local text = files.read(scratch .. "/out/ng_small.h")
    local calls = {}
    for symbol in text:gmatch("\n    (ng_rmsnorm_fwd_f32_h4_addout_[%w]+)%(") do calls[#calls + 1] = symbol end
    assert.same({ "ng_rmsnorm_fwd_f32_h4_addout_avx2", "ng_rmsnorm_fwd_f32_h4_addout_neon" }, calls)
    assert.is_truthy(text:find("\n#if defined(__x86_64__)", 1, true), text)
  end)

  it("bears the prefix, and is there for each model of the command", function()
    emit("specs/llama3_8b.lua", { "specs/gpt2.lua", "--target", "scalar", "--prefix", "my_" })
    local text = files.read(scratch .. "/out/my_llama3_8b.h") .. files.read(scratch .. "/out/my_gpt2.h")
    assert.is_nil(text:gsub("normgen", ""):find("%f[%w_][nN][gG]_"))
    assert.is_truthy(text:find("static inline void my_llama3_8b_input_layernorm(size_t rows, const uint16_t *x, "
      .. "const uint16_t *residual,", 1, true))
    assert.is_truthy(text:find("#define MY_GPT2_LN_1_EPS 0x1.4f8b588e368f1p-17f /* 1e-5 */", 1, true))
  end)

  it("has a function for each site of every built-in model, with names of its own", function()
    for _, model in ipairs(models.published()) do
      local seen = {}
      for _, site in ipairs(sites(models.fields(model.name)).sites) do
        local name = site.site:gsub("[^%w]+", "_"):gsub("_$", ""):upper()
        assert.is_nil(seen[name], model.name .. ": " .. site.site)
        seen[name] = true
        if site.spec then assert.is_true(#names.build(spec.parse(site.spec)) > 0) end
      end
    end
  end)

  it("is refused for sites that C cannot tell apart, and for names that C cannot bear", function()
    local function stopped(text, pattern)
      local code, _, err = normgen.run { "emit", file("wrong.lua", text), "--target", "scalar", "-o", scratch .. "/out" }
      assert.equal(2, code)
      assert.is_truthy(err:find(pattern, 1, true), err)
    end
    local entry = '{ "rmsnorm", "f32", h = %d, site = "%s", eps = 1 }'
    local two = "return { model = 'm', kernels = { " .. entry:format(4, "a.b") .. ", " .. entry:format(5, "A_b") .. " } }"
    stopped(two, "model m: the sites a.b and A_b have the same name in C")
    for _, name in ipairs { "4b", "a-b", "a__b", "a_", "", "a b" } do
      stopped(("return { model = %q, kernels = { 'rmsnorm f32 h=4' } }"):format(name), "model is '" .. name .. "'; it must be")
    end
    stopped("return { model = {}, kernels = { 'rmsnorm f32 h=4' } }", "model is ")
    local path = file("again.lua", "return { model = 'gpt2', kernels = { 'rmsnorm f32 h=4' } }")
    local code, _, err = normgen.run { "emit", "specs/gpt2.lua", path, "--target", "scalar", "-o", scratch .. "/out" }
    assert.equal(2, code)
    assert.is_truthy(err:find("are both of model gpt2", 1, true), err)
  end)
end)
