--- Decoders of language models: attention and MLP on one residual stream.

local forward = require "models.forward"

local read, last, post, after, inside, branch = forward.read, forward.last, forward.post, forward.after, forward.inside,
  forward.branch
local layers, family = forward.layers, forward.family

local function head_dim(config) return config:head_dim() end
local function of_heads(config) return config:computed(config:heads() * config:head_dim(), "num_attention_heads * head_dim") end
local function of_key_heads(config)
  return config:computed(config:key_heads() * config:head_dim(), "num_key_value_heads * head_dim")
end

local function flag(name, default)
  return function(config) return config:flag(name, default) end
end

-- The same, where a flag of the config asks for it.
local function where(name, more) return setmetatable({ when = flag(name, false) }, { __index = more }) end

-- Two norms for queries and keys.
local function pair(q, k, more, more_k) return inside(q, more), inside(k, more_k or more) end

local PARALLEL = "x is the sum of the outputs of attention and MLP"
local STREAM_LAST = "x is the output of the MLP, residual the stream with the output of attention added"
local PER_HEAD = "gamma differs from head to head"
local Q_HEADS = { width = of_heads, heads = function(config) return config:heads() end, affine = "gamma", note = PER_HEAD }
local K_HEADS = { width = of_key_heads, heads = function(config) return config:key_heads() end, affine = "gamma", note = PER_HEAD }
local PER_HEAD_DIM = "one row for each head and token"
local OWN_KEYS = "one row for each head and token; not in layers that take keys and values from another one"

-- The sections of a decoder with pre-norms in front of two branches; what follows `name` are norms inside of the first one.
local function pre(input, post_attention, final, name, ...)
  local steps = { read(input), ... }
  for _, at in ipairs { branch(), read(post_attention), branch() } do steps[#steps + 1] = at end
  return { layers(name or "layers", steps), { last(final) } }
end

-- The same with further norms behind both branches.
local function sandwich(names, final, ...)
  local steps = { read(names[1]), ... }
  for _, at in ipairs { after(names[2]), read(names[3]), after(names[4]) } do steps[#steps + 1] = at end
  return { layers("layers", steps), { last(final) } }
end

local GEMMA = { "input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm" }

local QK_HEAD = { width = "head_dim", note = PER_HEAD_DIM }
local QK_HEAD_DERIVED = { width = head_dim, note = PER_HEAD_DIM }
local Q_FULL, K_FULL = { width = of_heads, note = "over all heads at once" }, { width = of_key_heads, note = "over all heads at once" }

local LLAMA = pre("input_layernorm", "post_attention_layernorm", "norm")

local function falcon(config)
  local new, parallel = config:flag("new_decoder_architecture", false), config:flag("parallel_attn", true)
  local norms = config:optional_size "num_ln_in_parallel_attn" or (new and 2 or 1)
  if new and not parallel then
    config:contradict("new_decoder_architecture true and parallel_attn false contradict each other")
  end
  if norms > 2 then config:refuse("num_ln_in_parallel_attn", "1 or 2") end
  if not parallel then return pre("input_layernorm", "post_attention_layernorm", "ln_f", "h") end
  local steps = { read "input_layernorm" }
  if new and norms == 2 then steps = { read "ln_attn", read("ln_mlp", { note = "reads the rows that ln_attn reads" }) } end
  steps[#steps + 1] = branch(PARALLEL)
  return { layers("h", steps), { last "ln_f" } }
end

-- Decoders in which the residual is taken behind the norm instead of in front of it.
local function behind(input, post_attention, more, note)
  return { post(input, more), branch(note), post(post_attention, more), branch(note) }
end

local function bloom(config)
  local embedding, final = { post("word_embeddings_layernorm", { note = "norm of the embedding" }) }, { last "ln_f" }
  if not config:flag("apply_residual_connection_post_layernorm", false) then
    local sections = pre("input_layernorm", "post_attention_layernorm", "ln_f", "h")
    table.insert(sections, 1, embedding)
    return sections
  end
  return { embedding, layers("h", behind("input_layernorm", "post_attention_layernorm")), final }
end

local function chatglm(config)
  local sections = pre("input_layernorm", "post_attention_layernorm", "final_layernorm")
  if config:flag("apply_residual_connection_post_layernorm", false) then
    sections[1] = layers("layers", behind("input_layernorm", "post_attention_layernorm"))
  end
  if not config:flag("post_layer_norm", true) then sections[2] = nil end
  return sections
end

local function deep_norm(config)
  local count = config:size { "num_layers", "num_hidden_layers" }
  return ("DeepNorm: alpha is (2 * %d)^0.5 = %.6g"):format(count, (2 * count) ^ 0.5)
end

local function glm_130b()
  local more = { alpha = true }
  return { layers("layers", behind("input_layernorm", "post_attention_layernorm", more, deep_norm)),
    { post("final_layernorm", more) } }
end

local function opt(config)
  if not config:flag("do_layer_norm_before", true) then
    return { layers("layers", { branch(), post "self_attn_layer_norm", branch(), post "final_layer_norm" }) }
  end
  local sections = pre("self_attn_layer_norm", "final_layer_norm", "decoder.final_layer_norm")
  if config:flag("_remove_final_layer_norm", false) then sections[2] = nil end
  return sections
end

local function gpt2(config)
  local steps = { read "ln_1", branch() }
  if config:flag("add_cross_attention", false) then steps = { read "ln_1", branch(), read "ln_cross_attn", branch() } end
  steps[#steps + 1], steps[#steps + 2] = read "ln_2", branch()
  return { layers("h", steps), { last "ln_f" } }
end

local function gpt_neox(config)
  if not config:flag("use_parallel_residual", true) then
    return pre("input_layernorm", "post_attention_layernorm", "final_layer_norm")
  end
  return { layers("layers", { read "input_layernorm",
    read("post_attention_layernorm", { note = "reads the rows that input_layernorm reads" }), branch(PARALLEL) }),
    { last "final_layer_norm" } }
end

local function stablelm(config)
  local q, k = pair("self_attn.q_layernorm", "self_attn.k_layernorm", where("qk_layernorm", Q_HEADS), where("qk_layernorm", K_HEADS))
  if not config:flag("use_parallel_residual", false) then
    return pre("input_layernorm", "post_attention_layernorm", "norm", "layers", q, k)
  end
  return { layers("layers", { read "input_layernorm", q, k, branch(STREAM_LAST) }), { last "norm" } }
end

local function cohere()
  local q, k = pair("self_attn.q_norm", "self_attn.k_norm", where("use_qk_norm", Q_HEADS), where("use_qk_norm", K_HEADS))
  return { layers("layers", { read "input_layernorm", q, k, branch(STREAM_LAST) }), { last "norm" } }
end

-- Multi-head latent attention: the norm of keys and values reads a part of a wider row.
local function latent_row(config)
  local rank, rope = config:size "kv_lora_rank", config:size "qk_rope_head_dim"
  return ("x is the first %d elements of rows of %d: x_stride = %d"):format(rank, rank + rope, rank + rope)
end

local LATENT = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
  inside("self_attn.q_a_layernorm", { width = "q_lora_rank", eps = 1e-6,
    when = function(config) return config:has "q_lora_rank" end }),
  inside("self_attn.kv_a_layernorm", { width = "kv_lora_rank", eps = 1e-6, strided = true, note = latent_row }))

local function layer_type(name)
  return function(config) return config:lists("layer_types", name) end
end

-- Norms of queries, keys and values of Gemma 4, whose heads differ with the type of the layer.
local function gemma4_heads(steps, suffix, width, when)
  local function add(name, affine, note)
    steps[#steps + 1] = inside("self_attn." .. name .. suffix, { width = width, when = when, affine = affine, note = note })
  end
  add("q_norm", nil, PER_HEAD_DIM)
  add("k_norm", nil, OWN_KEYS)
  add("v_norm", "none", OWN_KEYS)
end

local EXPERTS = flag("enable_moe_block", false)
local SCALED = "the layer's output is multiplied by layer_scalar at its end"

-- 0 and null switch it off.
local function per_layer_input(config)
  return config.fields.hidden_size_per_layer_input ~= 0 and config:optional_size "hidden_size_per_layer_input" ~= nil
end

local function gemma4()
  local steps = { read("input_layernorm", { note = SCALED }) }
  gemma4_heads(steps, "", "head_dim", layer_type "sliding_attention")
  gemma4_heads(steps, "[full_attention]", "global_head_dim", layer_type "full_attention")
  for _, at in ipairs {
    after "post_attention_layernorm", read "pre_feedforward_layernorm",
    inside("post_feedforward_layernorm_1", { when = EXPERTS, note = "norm of the MLP's output" }),
    inside("router.norm", { when = EXPERTS, affine = "none", note = "norm of the stream, without weight" }),
    inside("pre_feedforward_layernorm_2", { when = EXPERTS, note = "norm of the stream, for the experts" }),
    inside("post_feedforward_layernorm_2", { when = EXPERTS, note = "norm of the experts' output" }),
    after "post_feedforward_layernorm", after("post_per_layer_input_norm", { when = per_layer_input }),
  } do steps[#steps + 1] = at end
  local embedding = inside("per_layer_projection_norm", { width = "hidden_size_per_layer_input", when = per_layer_input,
    note = "one row for each layer and token" })
  return { { embedding }, layers("layers", steps), { last "norm" } }
end

local LINEAR = layer_type "linear_attention"

local QWEN3_NEXT = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
  inside("self_attn.q_norm", { width = "head_dim", when = layer_type "full_attention", note = PER_HEAD_DIM }),
  inside("self_attn.k_norm", { width = "head_dim", when = layer_type "full_attention", note = PER_HEAD_DIM }),
  inside("linear_attn.l2norm", { norm = "l2norm", affine = "none", width = "linear_key_head_dim", eps = 1e-6, when = LINEAR,
    note = "queries and keys; one row for each head and token" }),
  inside("linear_attn.norm", { width = "linear_value_head_dim", offset = false, cast = "llama", words = "zgate=after", when = LINEAR,
    note = PER_HEAD_DIM }))

local function mpt(config)
  config:text("norm_type", { "low_precision_layernorm" })
  return pre("norm_1", "norm_2", "norm_f", "blocks")
end

local RMS = { norm = "rmsnorm", width = "hidden_size", eps = "rms_norm_eps", cast = "llama" }
local LN = { norm = "layernorm", width = "hidden_size", eps = "layer_norm_eps" }
local NO_CAST = false

local ROUNDED_WEIGHT = "the reference rounds gamma + 1 to the dtype of gamma"

return {
  family(RMS, { types = { "llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "phi3" }, sections = LLAMA }),
  family(RMS, { types = { "qwen3" },
    sections = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
      pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD)) }),
  family(RMS, { types = { "qwen3_moe" },
    sections = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
      pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD_DERIVED)) }),
  family(RMS, { types = { "qwen3_next" }, offset = 1, cast = NO_CAST, sections = QWEN3_NEXT }),
  family(RMS, { types = { "llama4_text" },
    sections = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
      inside("self_attn.qk_norm", { width = "head_dim", affine = "none", when = flag("use_qk_norm", true),
        note = "without weight; queries and keys of layers with RoPE; one row for each head and token" })) }),
  family(RMS, { types = { "gemma" }, offset = 1, cast = NO_CAST, sections = LLAMA }),
  family(RMS, { types = { "gemma2" }, offset = 1, cast = NO_CAST, sections = sandwich(GEMMA, "norm") }),
  family(RMS, { types = { "gemma3_text" }, offset = 1, cast = NO_CAST,
    left_out_nested = { rms_norm_eps = 1e-6, head_dim = 256 },
    sections = sandwich(GEMMA, "norm", pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD)) }),
  family(RMS, { types = { "gemma4_text" }, cast = NO_CAST, sections = gemma4 }),
  family(LN, { types = { "olmo" }, affine = "none", eps = 1e-5, sections = LLAMA }),
  family(RMS, { types = { "olmo2", "olmo3" }, cast = NO_CAST, sections = {
    layers("layers", { inside("self_attn.q_norm", Q_FULL), inside("self_attn.k_norm", K_FULL),
      after "post_attention_layernorm", after "post_feedforward_layernorm" }), { last "norm" } } }),
  family(RMS, { types = { "minimax_m2" },
    sections = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
      pair("self_attn.q_norm", "self_attn.k_norm", Q_FULL, K_FULL)) }),
  family(LN, { types = { "cohere", "cohere2" }, affine = "gamma", sections = cohere }),
  family(RMS, { types = { "deepseek_v2", "deepseek_v3", "kimi_k2" }, sections = LATENT }),
  family(LN, { types = { "nemotron" }, offset = 1, eps = "norm_eps", note = ROUNDED_WEIGHT, sections = LLAMA }),
  family(RMS, { types = { "gpt_oss" }, cast = NO_CAST, sections = LLAMA }),
  family(RMS, { types = { "glm4" }, sections = sandwich({ "input_layernorm", "post_self_attn_layernorm",
    "post_attention_layernorm", "post_mlp_layernorm" }, "norm") }),
  family(RMS, { types = { "chatglm" }, eps = "layernorm_epsilon", cast = NO_CAST, sections = chatglm,
    norm = function(config) return config:flag("rmsnorm", true) and "rmsnorm" or "layernorm" end }),
  family(LN, { types = { "glm-130b" }, eps = "layernorm_epsilon", sections = glm_130b }),
  family(RMS, { types = { "grok-1" }, sections = sandwich({ "pre_attn_norm", "post_attn_norm", "pre_moe_norm",
    "post_moe_norm" }, "norm") }),
  family(LN, { types = { "phi" }, sections = { layers("layers", { read "input_layernorm",
    inside("self_attn.q_layernorm", { width = head_dim, when = flag("qk_layernorm", false), note = PER_HEAD_DIM }),
    inside("self_attn.k_layernorm", { width = head_dim, when = flag("qk_layernorm", false), note = PER_HEAD_DIM }),
    branch(PARALLEL) }), { last "final_layernorm" } } }),
  family(LN, { types = { "falcon" }, eps = "layer_norm_epsilon", sections = falcon }),
  family(LN, { types = { "stablelm" }, sections = stablelm }),
  family(LN, { types = { "gpt_neox" }, sections = gpt_neox }),
  family(LN, { types = { "gptj" }, width = { "n_embd", "hidden_size" }, eps = "layer_norm_epsilon",
    sections = { layers("h", { read "ln_1", branch(PARALLEL) }), { last "ln_f" } } }),
  family(LN, { types = { "gpt2" }, width = { "n_embd", "hidden_size" }, eps = "layer_norm_epsilon",
    sections = gpt2 }),
  family(LN, { types = { "opt" }, eps = 1e-5, sections = opt,
    affine = function(config) return config:flag("layer_norm_elementwise_affine", true) and "gamma+beta" or "none" end }),
  family(LN, { types = { "bloom" }, width = { "hidden_size", "n_embed" }, eps = "layer_norm_epsilon", sections = bloom }),
  family(LN, { types = { "mpt" }, width = { "d_model", "hidden_size" }, eps = "layer_norm_epsilon", affine = "gamma",
    left_out = { layer_norm_epsilon = 1e-5 }, sections = mpt,
    note = "the original code runs it in the dtype of x" }),
  family(LN, { types = { "dbrx" }, width = { "d_model", "hidden_size" }, eps = 1e-5, affine = "gamma",
    sections = pre("norm_attn_norm.norm_1", "norm_attn_norm.norm_2", "norm_f", "blocks") }),
}
