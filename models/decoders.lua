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
local function where(name, more, default)
  return setmetatable({ when = flag(name, default or false) }, { __index = more })
end

-- Two norms for queries and keys.
local function pair(q, k, more, more_k) return inside(q, more), inside(k, more_k or more) end

local PARALLEL = "x is the sum of the outputs of attention and MLP"
local STREAM_LAST = "x is the output of the MLP, residual the stream with the output of attention added"
local PER_HEAD = "gamma differs from head to head"
local Q_HEADS = { width = of_heads, heads = function(config) return config:heads() end, affine = "gamma", note = PER_HEAD }
local K_HEADS = { width = of_key_heads, heads = function(config) return config:key_heads() end, affine = "gamma", note = PER_HEAD }
local PER_HEAD_DIM = "one row for each head and token"
local OWN_KEYS = "one row for each head and token; not in layers that take keys and values from another one"

-- The last norm with an eps of its own.
local function last_with(site, eps) return last(site, { eps = eps }) end

-- The sections of a decoder with pre-norms in front of two branches; final is the name of the last norm or its step; what follows
-- `name` are norms inside of the first one.
local function pre(input, post_attention, final, name, ...)
  local steps = { read(input), ... }
  for _, at in ipairs { branch(), read(post_attention), branch() } do steps[#steps + 1] = at end
  return { layers(name or "layers", steps), { type(final) == "table" and final or last(final) } }
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

-- The same by the names that most models give to its norms.
local function llama(...) return pre("input_layernorm", "post_attention_layernorm", "norm", "layers", ...) end

local LLAMA = llama()

-- Norms of queries and keys in a llama; `more` as for steps.
local function llama_qk(more, more_k) return llama(pair("self_attn.q_norm", "self_attn.k_norm", more, more_k)) end

-- Branches that a field of the config multiplies before they are added.
local function multiplied(field)
  local times = forward.times(field)
  return { layers("layers", { read "input_layernorm", branch(times), read "post_attention_layernorm", branch(times) }),
    { last "norm" } }
end

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

-- DeepNorm: the residual is taken behind the norm, times alpha.
local function deep_norm(config)
  local count = config:size { "num_layers", "num_hidden_layers" }
  return ("DeepNorm: alpha is (2 * %d)^0.5 = %.6g"):format(count, (2 * count) ^ 0.5)
end

local function glm_130b()
  local more = { alpha = true }
  return { layers("layers", behind("input_layernorm", "post_attention_layernorm", more, deep_norm)),
    { post("final_layernorm", more) } }
end

-- The first ChatGLM has the model type of the second and the third, and the norms of GLM-130B.
local function is_first_chatglm(config) return config:has "inner_hidden_size" or config:has "position_encoding_2d" end

local function chatglm_norm(config)
  if is_first_chatglm(config) then return "layernorm" end
  if not config:has "rmsnorm" then config:refuse("rmsnorm", "true or false") end
  return config:flag "rmsnorm" and "rmsnorm" or "layernorm"
end

local function chatglm(config)
  if is_first_chatglm(config) then return glm_130b() end
  local sections = pre("input_layernorm", "post_attention_layernorm", "final_layernorm")
  if config:flag("apply_residual_connection_post_layernorm", false) then
    sections[1] = layers("layers", behind("input_layernorm", "post_attention_layernorm"))
  end
  if not config:flag("post_layer_norm", true) then sections[2] = nil end
  return sections
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

-- One norm for attention and MLP; what follows are norms inside of attention.
local function parallel(input, final, name, note, ...)
  local steps = { read(input), ... }
  steps[#steps + 1] = branch(note)
  return { layers(name, steps), { last(final) } }
end

-- Multi-head latent attention: the norm of keys and values reads a part of a wider row.
local function latent_row(config)
  local rank, rope = config:size "kv_lora_rank", config:size "qk_rope_head_dim"
  return ("x is the first %d elements of rows of %d: x_stride = %d"):format(rank, rank + rope, rank + rope)
end

local function has_query_rank(config) return config:size "kv_lora_rank" and config:size_or_null "q_lora_rank" ~= nil end

local function latent_keys(more)
  return inside("self_attn.kv_a_layernorm", { width = "kv_lora_rank", eps = 1e-6, strided = true, note = latent_row }), more
end

-- more: what else is inside of attention
local function latent(more)
  return llama(inside("self_attn.q_a_layernorm", { width = "q_lora_rank", eps = 1e-6, when = has_query_rank }),
    latent_keys(more))
end

local INDEXER = inside("self_attn.indexer.k_norm", { norm = "layernorm", width = "index_head_dim", eps = 1e-6 })

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

-- The heads of full attention: an own field, or that of single layers in newer configs.
local function global_head_dim(config)
  local list = config.fields.per_layer_config
  if config:has "global_head_dim" or type(list) ~= "table" or list == config.null then return config:size "global_head_dim" end
  local found
  for _, layer in pairs(list) do
    local width = type(layer) == "table" and layer.head_dim
    if width and found and width ~= found then config:contradict("per_layer_config has heads of several dimensions") end
    found = width or found
  end
  return found and config:computed(found, "per_layer_config") or config:size "head_dim"
end

local EXPERTS = flag("enable_moe_block", false)
local SCALED = "the layer's output is multiplied by layer_scalar at its end"

-- 0 and null switch it off.
local function has_per_layer_input(config) return config:number("hidden_size_per_layer_input", 0) ~= 0 end

local function gemma4(has_inputs)
  local steps = { read("input_layernorm", { note = SCALED }) }
  gemma4_heads(steps, "", "head_dim", layer_type "sliding_attention")
  gemma4_heads(steps, "[full_attention]", global_head_dim, layer_type "full_attention")
  for _, at in ipairs {
    after "post_attention_layernorm", read "pre_feedforward_layernorm",
    inside("post_feedforward_layernorm_1", { when = EXPERTS, note = "norm of the MLP's output" }),
    inside("router.norm", { when = EXPERTS, affine = "none", note = "norm of the stream, without weight" }),
    inside("pre_feedforward_layernorm_2", { when = EXPERTS, note = "norm of the stream, for the experts" }),
    inside("post_feedforward_layernorm_2", { when = EXPERTS, note = "norm of the experts' output" }),
    after "post_feedforward_layernorm",
  } do steps[#steps + 1] = at end
  if has_inputs then steps[#steps + 1] = after "post_per_layer_input_norm" end
  steps[#steps + 1] = forward.settle()
  local embedding = has_inputs and inside("per_layer_projection_norm", { width = "hidden_size_per_layer_input",
    note = "one row for each layer and token" }) or nil
  return { { embedding }, layers("layers", steps), { last "norm" } }
end

local LINEAR = layer_type "linear_attention"

-- The reference rounds the product with gamma, too, in front of the gate: there the gate is no part of the kernel.
local function rounds_in_front(types) return types.is_short and not types.exact end
local function gate_behind(_, types) return not rounds_in_front(types) and "zgate=after" or nil end
local function gate_note(_, types)
  return rounds_in_front(types) and PER_HEAD_DIM .. "; then times silu(z) in f32, which is a step of its own" or PER_HEAD_DIM
end

local QWEN3_NEXT = pre("input_layernorm", "post_attention_layernorm", "norm", "layers",
  inside("self_attn.q_norm", { width = "head_dim", when = layer_type "full_attention", note = PER_HEAD_DIM }),
  inside("self_attn.k_norm", { width = "head_dim", when = layer_type "full_attention", note = PER_HEAD_DIM }),
  inside("linear_attn.l2norm", { norm = "l2norm", affine = "none", width = "linear_key_head_dim", eps = 1e-6, when = LINEAR,
    note = "queries and keys; one row for each head and token" }),
  inside("linear_attn.norm", { width = "linear_value_head_dim", offset = false, cast = "llama", words = gate_behind, when = LINEAR,
    note = gate_note }))

-- The residual is taken behind the norm and multiplied, and so is the branch.
local function minimax()
  local more = { alpha = true }
  local attention = branch "x is the output of attention times attn_beta_factor, alpha the layer's attn_alpha_factor"
  local mlp = branch "x is the output of the MLP times mlp_beta_factor, alpha is mlp_alpha_factor"
  return { layers("layers", { post("input_layernorm", more),
    inside("self_attn.norm", { width = of_heads, eps = 1e-6, when = layer_type "linear_attention", note = "over all heads at once" }),
    attention, post("post_attention_layernorm", more), mlp }), { post("norm", more) } }
end

local RMS = { norm = "rmsnorm", width = "hidden_size", eps = "rms_norm_eps", cast = "llama" }
local LN = { norm = "layernorm", width = "hidden_size", eps = "layer_norm_eps" }
local NO_CAST = false

local IN_FULL_ATTENTION = { width = head_dim, when = layer_type "full_attention", note = PER_HEAD_DIM }
local CROSS = { width = head_dim, note = PER_HEAD_DIM .. "; in layers with cross-attention" }
local GLM4 = { "input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm" }

-- Norms behind both branches alone; q and k are norms inside of the first one.
local function behind_branches(q, k)
  local query, key = pair("self_attn.q_norm", "self_attn.k_norm", q, k)
  return { layers("layers", { query, key, after "post_attention_layernorm", after "post_feedforward_layernorm" }), { last "norm" } }
end

local ROUNDED_WEIGHT = "the reference rounds gamma + 1 to the dtype of gamma"

return {
  family(RMS, { types = { "llama", "mistral", "mixtral", "qwen2", "qwen2_moe", "phi3", "arcee", "aria_text", "cosmos3_edge_text",
    "csm_depth_decoder_model", "cwm", "deepseek_ocr2_text", "emu3_text_model", "ernie4_5", "ernie4_5_moe", "ernie4_5_vl_moe_text",
    "eurobert", "glm", "glm4v_moe_text", "internlm3", "iquestcoder", "mimo_v2_flash", "ministral", "ministral3",
    "paddleocr_vl_text", "qwen2_5_omni_text", "qwen2_5_vl_text", "qwen2_vl_text", "seed_oss", "smollm3", "solar_open",
    "ultrabert", "unlimited_ocr_text" }, sections = LLAMA }),
  family(RMS, { types = { "granite", "granite_swa", "granitemoe", "granitemoe_swa", "granitemoeshared", "granite4_vision_text",
    "granite_docling_text" }, sections = multiplied "residual_multiplier" }),
  family(RMS, { types = { "jetmoe" }, eps = 1e-6, sections = pre("input_layernorm", "post_attention_layernorm", last_with("norm",
    "rms_norm_eps")) }),
  family(RMS, { types = { "exaone" }, eps = { "rms_norm_eps", "layer_norm_epsilon" }, sections = LLAMA }),
  family(RMS, { types = { "mllama_text_model" }, sections = llama(pair("cross_attn.q_norm", "cross_attn.k_norm", CROSS)) }),
  family(RMS, { types = { "qwen3", "hy_v3", "mellum", "qwen3_vl_text", "dots1", "laguna" },
    left_out = { head_dim = 128 }, sections = llama_qk(QK_HEAD) }),
  family(RMS, { types = { "qwen3_moe", "exaone_moe", "qwen3_omni_moe_text", "qwen3_vl_moe_text" }, sections = llama_qk(QK_HEAD_DERIVED) }),
  family(RMS, { types = { "glm4_moe" }, sections = llama_qk(where("use_qk_norm", QK_HEAD_DERIVED)) }),
  family(RMS, { types = { "sarvam_moe" }, left_out = { head_dim = 64 }, sections = llama_qk(where("use_qk_norm", QK_HEAD_DERIVED, true)) }),
  family(RMS, { types = { "hunyuan_v1_dense", "hunyuan_v1_moe" }, sections = llama(pair("self_attn.query_layernorm",
    "self_attn.key_layernorm", QK_HEAD_DERIVED)) }),
  family(RMS, { types = { "apertus", "apertus1p5_text" }, sections = pre("attention_layernorm", "feedforward_layernorm", "norm",
    "layers", pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD_DERIVED)) }),
  family(RMS, { types = { "lfm2", "lfm2_moe" }, eps = "norm_eps", sections = pre("operator_norm", "ffn_norm", "embedding_norm",
    "layers", pair("self_attn.q_layernorm", "self_attn.k_layernorm", IN_FULL_ATTENTION)) }),
  family(RMS, { types = { "bitnet" }, sections = { layers("layers", { read "input_layernorm",
    inside("self_attn.attn_sub_norm", { note = "in front of o_proj" }), branch(), read "post_attention_layernorm",
    inside("mlp.ffn_sub_norm", { width = "intermediate_size", note = "in front of down_proj" }), branch() }), { last "norm" } } }),
  family(RMS, { types = { "diffllama" }, sections = llama(inside("self_attn.groupnorm", { affine = "none", eps = "rms_norm_eps",
    width = function(config) return 2 * config:head_dim() end, note = "without weight; one row for each pair of heads and token" })) }),
  family(RMS, { types = { "minimax", "minimax_m1" }, sections = minimax }),
  family(RMS, { types = { "qwen3_next" }, offset = 1, cast = NO_CAST, left_out = { head_dim = 256 }, sections = QWEN3_NEXT }),
  family(RMS, { types = { "qwen3_5_text", "qwen3_5_moe_text" }, offset = 1, cast = NO_CAST, left_out = { head_dim = 256 },
    sections = QWEN3_NEXT }),
  family(RMS, { types = { "llama4_text" },
    sections = llama(inside("self_attn.qk_norm", { width = head_dim, affine = "none", when = flag("use_qk_norm", true),
        note = "without weight; queries and keys of layers with RoPE; one row for each head and token" })) }),
  family(RMS, { types = { "gemma" }, offset = 1, cast = NO_CAST, sections = LLAMA }),
  family(RMS, { types = { "vaultgemma" }, offset = 1, cast = NO_CAST, sections = pre("input_layernorm", "pre_feedforward_layernorm",
    "norm") }),
  family(RMS, { types = { "gemma2" }, offset = 1, cast = NO_CAST, sections = sandwich(GEMMA, "norm") }),
  family(RMS, { types = { "gemma3_text" }, offset = 1, cast = NO_CAST,
    sections = sandwich(GEMMA, "norm", pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD)) }),
  family(RMS, { types = { "gemma4_unified_text" }, cast = NO_CAST, left_out = { global_head_dim = 512 }, sections = gemma4(false) }),
  family(RMS, { types = { "gemma4_text" }, cast = NO_CAST, left_out = { global_head_dim = 512, hidden_size_per_layer_input = 256 },
    sections = function(config) return gemma4(has_per_layer_input(config)) end }),
  family(RMS, { types = { "afmoe" }, cast = NO_CAST, sections = sandwich({ "input_layernorm", "post_attention_layernorm",
    "pre_mlp_layernorm", "post_mlp_layernorm" }, "norm", pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD)) }),
  family(LN, { types = { "olmo" }, affine = "none", eps = 1e-5, sections = LLAMA }),
  family(RMS, { types = { "olmo2", "olmo3", "flex_olmo" }, cast = NO_CAST, sections = behind_branches(Q_FULL, K_FULL) }),
  family(RMS, { types = { "exaone4" }, sections = behind_branches(QK_HEAD_DERIVED) }),
  family(RMS, { types = { "minimax_m2" }, left_out = { head_dim = 128, num_key_value_heads = 8 }, sections = llama_qk(Q_FULL, K_FULL) }),
  family(RMS, { types = { "olmoe" }, sections = llama_qk(Q_FULL, K_FULL) }),
  family(RMS, { types = { "flint" }, cast = NO_CAST, sections = llama_qk(QK_HEAD) }),
  family(RMS, { types = { "minimax_m3_vl_text" }, offset = 1, cast = NO_CAST, sections = llama_qk(QK_HEAD) }),
  family(RMS, { types = { "step3p5" }, offset = 1, cast = NO_CAST, sections = llama_qk(QK_HEAD) }),
  family(LN, { types = { "cohere" }, affine = "gamma", sections = parallel("input_layernorm", "norm", "layers", STREAM_LAST,
    pair("self_attn.q_norm", "self_attn.k_norm", where("use_qk_norm", Q_HEADS), where("use_qk_norm", K_HEADS))) }),
  family(LN, { types = { "cohere2", "cohere2_moe" }, affine = "gamma", sections = parallel("input_layernorm", "norm", "layers",
    STREAM_LAST) }),
  family(RMS, { types = { "deepseek_v2", "deepseek_v3", "kimi_k2", "glm4_moe_lite", "minicpm3", "mistral4", "youtu" },
    sections = latent() }),
  family(RMS, { types = { "sarvam_mla" }, sections = llama(latent_keys()) }),
  family(RMS, { types = { "deepseek_v32", "glm_moe_dsa" }, left_out = { index_head_dim = 128 }, sections = latent(INDEXER) }),
  family(LN, { types = { "nemotron" }, offset = 1, eps = "norm_eps", note = ROUNDED_WEIGHT, sections = LLAMA }),
  family(RMS, { types = { "gpt_oss", "openai_privacy_filter", "helium", "moshi", "kyutai_speech_to_text" }, cast = NO_CAST,
    sections = LLAMA }),
  family(RMS, { types = { "glm4", "glm4v_text", "glm_image_text", "glm_ocr_text" }, sections = sandwich(GLM4, "norm") }),
  family(RMS, { types = { "kolibri1" }, sections = sandwich(GLM4, "norm", pair("self_attn.q_norm", "self_attn.k_norm", QK_HEAD)) }),
  family(RMS, { types = { "chatglm" }, eps = "layernorm_epsilon", cast = NO_CAST, sections = chatglm, norm = chatglm_norm }),
  family(LN, { types = { "glm-130b" }, eps = "layernorm_epsilon", sections = glm_130b }),
  family(RMS, { types = { "grok-1" }, sections = sandwich({ "pre_attn_norm", "post_attn_norm", "pre_moe_norm",
    "post_moe_norm" }, "norm") }),
  family(LN, { types = { "phi" }, sections = parallel("input_layernorm", "final_layernorm", "layers", PARALLEL,
    pair("self_attn.q_layernorm", "self_attn.k_layernorm", where("qk_layernorm", QK_HEAD_DERIVED))) }),
  family(LN, { types = { "persimmon" }, sections = pre("input_layernorm", "post_attention_layernorm", "final_layernorm", "layers",
    pair("self_attn.q_layernorm", "self_attn.k_layernorm", where("qk_layernorm", QK_HEAD_DERIVED, true))) }),
  family(LN, { types = { "falcon" }, eps = "layer_norm_epsilon", sections = falcon }),
  family(LN, { types = { "stablelm" }, sections = stablelm }),
  family(LN, { types = { "jais2" }, sections = LLAMA }),
  family(LN, { types = { "phimoe" }, eps = "rms_norm_eps", sections = LLAMA }),
  family(LN, { types = { "starcoder2" }, eps = "norm_epsilon", sections = LLAMA }),
  family(LN, { types = { "gpt_neox" }, sections = gpt_neox }),
  family(LN, { types = { "gpt_neox_japanese" }, sections = pre("input_layernorm", "post_attention_layernorm", "final_layer_norm") }),
  family(LN, { types = { "gptj", "codegen" }, width = { "n_embd", "hidden_size" }, eps = "layer_norm_epsilon",
    sections = parallel("ln_1", "ln_f", "h", PARALLEL) }),
  family(LN, { types = { "gpt2", "gpt_bigcode" }, width = { "n_embd", "hidden_size" }, eps = "layer_norm_epsilon", sections = gpt2 }),
  family(LN, { types = { "gpt_neo" }, eps = "layer_norm_epsilon", sections = pre("ln_1", "ln_2", "ln_f", "h") }),
  family(LN, { types = { "openai-gpt" }, width = { "n_embd", "hidden_size" }, eps = "layer_norm_epsilon", sections = {
    layers("h", { branch(), post "ln_1", branch(), post "ln_2" }) } }),
  family(LN, { types = { "ctrl" }, width = { "n_embd", "hidden_size" }, eps = 1e-6, sections = pre("layernorm1", "layernorm2",
    last_with("layernorm", "layer_norm_epsilon"), "h") }),
  family(LN, { types = { "biogpt" }, eps = 1e-5, sections = pre("self_attn_layer_norm", "final_layer_norm", "layer_norm") }),
  family(LN, { types = { "xglm" }, width = { "d_model", "hidden_size" }, eps = 1e-5, sections = pre("self_attn_layer_norm",
    "final_layer_norm", "layer_norm") }),
  family(LN, { types = { "opt" }, eps = 1e-5, sections = opt,
    affine = function(config) return config:flag("layer_norm_elementwise_affine", true) and "gamma+beta" or "none" end }),
  family(LN, { types = { "bloom" }, width = { "hidden_size", "n_embed" }, eps = "layer_norm_epsilon", sections = bloom }),
  family(LN, { types = { "mpt" }, width = { "d_model", "hidden_size" }, eps = "layer_norm_epsilon", affine = "gamma",
    left_out = { layer_norm_epsilon = 1e-5 }, sections = pre("norm_1", "norm_2", "norm_f", "blocks"),
    note = "the original code runs it in the dtype of x" }),
  family(LN, { types = { "dbrx" }, width = { "d_model", "hidden_size" }, eps = 1e-5, affine = "gamma",
    sections = pre("norm_attn_norm.norm_1", "norm_attn_norm.norm_2", "norm_f", "blocks") }),
}
