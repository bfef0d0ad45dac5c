--- Facts of published models, as their config.json has them; `normgen model NAME` reads them as it reads a file.
-- Fields that no norm depends on are left out.

local null = require("models.config").null

-- A config with a hidden size, heads and a dtype; `fields` has the rest.
local function facts(model_type, width, heads, dtype, fields)
  fields.model_type, fields.hidden_size, fields.num_attention_heads, fields.torch_dtype = model_type, width, heads, dtype
  return fields
end

local function rms(model_type, width, heads, eps, fields)
  fields = facts(model_type, width, heads, "bfloat16", fields or {})
  fields.rms_norm_eps = eps
  return fields
end

local function gpt2(width, heads) return { model_type = "gpt2", n_embd = width, n_head = heads, layer_norm_epsilon = 1e-5 } end
local function neox(width, heads) return facts("gpt_neox", width, heads, "float16", { layer_norm_eps = 1e-5 }) end
local function whisper(width) return { model_type = "whisper", d_model = width, torch_dtype = "float32" } end
local function vit(width, heads) return facts("vit", width, heads, "float32", { layer_norm_eps = 1e-12 }) end

local function falcon(width, heads, new)
  return facts("falcon", width, heads, "bfloat16",
    { layer_norm_epsilon = 1e-5, parallel_attn = true, new_decoder_architecture = new })
end

local function chatglm()
  return facts("chatglm", 4096, 32, "float16", { layernorm_epsilon = 1e-5, rmsnorm = true, post_layer_norm = true,
    apply_residual_connection_post_layernorm = false })
end

local function latent(model_type, width, heads, q_rank)
  return rms(model_type, width, heads, 1e-6, { q_lora_rank = q_rank or null, kv_lora_rank = 512, qk_rope_head_dim = 64 })
end

local DOWN, CROSS_DOWN, UP, CROSS_UP = "DownBlock2D", "CrossAttnDownBlock2D", "UpBlock2D", "CrossAttnUpBlock2D"

local function unet(widths, down, up)
  return { _class_name = "UNet2DConditionModel", block_out_channels = widths, layers_per_block = 2, norm_eps = 1e-5,
    norm_num_groups = 32, act_fn = "silu", down_block_types = down, up_block_types = up }
end

local function vae()
  local down, up = {}, {}
  for i = 1, 4 do down[i], up[i] = "DownEncoderBlock2D", "UpDecoderBlock2D" end
  return { _class_name = "AutoencoderKL", block_out_channels = { 128, 256, 512, 512 }, layers_per_block = 2, norm_num_groups = 32,
    act_fn = "silu", down_block_types = down, up_block_types = up }
end

local function resnet(layer_type, widths, depths)
  return { model_type = "resnet", layer_type = layer_type, embedding_size = 64, hidden_sizes = widths, depths = depths,
    hidden_act = "relu", torch_dtype = "float32" }
end

return {
  { "llama1_30b", rms("llama", 6656, 52, 1e-6) },
  { "open_llama_3b", rms("llama", 3200, 32, 1e-6) },
  { "llama2_7b", rms("llama", 4096, 32, 1e-5) },
  { "llama2_13b", rms("llama", 5120, 40, 1e-5) },
  { "llama2_70b", rms("llama", 8192, 64, 1e-5, { num_key_value_heads = 8 }) },
  { "llama3_8b", rms("llama", 4096, 32, 1e-5, { num_key_value_heads = 8 }) },
  { "llama3_70b", rms("llama", 8192, 64, 1e-5, { num_key_value_heads = 8 }) },
  { "llama3_405b", rms("llama", 16384, 128, 1e-5, { num_key_value_heads = 8 }) },
  { "llama3_2_1b", rms("llama", 2048, 32, 1e-5, { num_key_value_heads = 8 }) },
  { "llama3_2_3b", rms("llama", 3072, 24, 1e-5, { num_key_value_heads = 8 }) },
  { "llama4_scout", rms("llama4_text", 5120, 40, 1e-5, { num_key_value_heads = 8, head_dim = 128, use_qk_norm = true }) },
  { "falcon3_7b", rms("llama", 3072, 12, 1e-6, { num_key_value_heads = 4, head_dim = 256 }) },
  { "mistral_7b", rms("mistral", 4096, 32, 1e-5, { num_key_value_heads = 8 }) },
  { "mixtral_8x7b", rms("mixtral", 4096, 32, 1e-5, { num_key_value_heads = 8 }) },
  { "mixtral_8x22b", rms("mixtral", 6144, 48, 1e-5, { num_key_value_heads = 8 }) },
  { "qwen2_5_0_5b", rms("qwen2", 896, 14, 1e-6, { num_key_value_heads = 2 }) },
  { "qwen2_5_1_5b", rms("qwen2", 1536, 12, 1e-6, { num_key_value_heads = 2 }) },
  { "qwen2_5_3b", rms("qwen2", 2048, 16, 1e-6, { num_key_value_heads = 2 }) },
  { "qwen2_5_7b", rms("qwen2", 3584, 28, 1e-6, { num_key_value_heads = 4 }) },
  { "qwen2_5_14b", rms("qwen2", 5120, 40, 1e-5, { num_key_value_heads = 8 }) },
  { "qwen2_5_32b", rms("qwen2", 5120, 40, 1e-5, { num_key_value_heads = 8 }) },
  { "qwen2_5_72b", rms("qwen2", 8192, 64, 1e-5, { num_key_value_heads = 8 }) },
  { "qwen3_0_6b", rms("qwen3", 1024, 16, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "qwen3_1_7b", rms("qwen3", 2048, 16, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "qwen3_4b", rms("qwen3", 2560, 32, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "qwen3_8b", rms("qwen3", 4096, 32, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "qwen3_14b", rms("qwen3", 5120, 40, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "qwen3_32b", rms("qwen3", 5120, 64, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "qwen3_30b_a3b", rms("qwen3_moe", 2048, 32, 1e-6, { num_key_value_heads = 4, head_dim = 128 }) },
  { "qwen3_235b_a22b", rms("qwen3_moe", 4096, 64, 1e-6, { num_key_value_heads = 4, head_dim = 128 }) },
  { "qwen3_next_80b_a3b", rms("qwen3_next", 2048, 16, 1e-6,
    { num_key_value_heads = 2, head_dim = 256, linear_key_head_dim = 128, linear_value_head_dim = 128 }) },
  { "gemma_2b", rms("gemma", 2048, 8, 1e-6, { num_key_value_heads = 1, head_dim = 256 }) },
  { "gemma_7b", rms("gemma", 3072, 16, 1e-6, { num_key_value_heads = 16, head_dim = 256 }) },
  { "gemma2_2b", rms("gemma2", 2304, 8, 1e-6, { num_key_value_heads = 4, head_dim = 256 }) },
  { "gemma2_9b", rms("gemma2", 3584, 16, 1e-6, { num_key_value_heads = 8, head_dim = 256 }) },
  { "gemma2_27b", rms("gemma2", 4608, 32, 1e-6, { num_key_value_heads = 16, head_dim = 128 }) },
  { "gemma3_1b", rms("gemma3_text", 1152, 4, 1e-6, { num_key_value_heads = 1, head_dim = 256 }) },
  { "gemma3_4b", rms("gemma3_text", 2560, 8, 1e-6, { num_key_value_heads = 4, head_dim = 256 }) },
  { "gemma3_12b", rms("gemma3_text", 3840, 16, 1e-6, { num_key_value_heads = 8, head_dim = 256 }) },
  { "gemma3_27b", rms("gemma3_text", 5376, 32, 1e-6, { num_key_value_heads = 16, head_dim = 128 }) },
  { "gemma4_e2b", rms("gemma4_text", 1536, 8, 1e-6,
    { num_key_value_heads = 1, head_dim = 256, global_head_dim = 512, hidden_size_per_layer_input = 256 }) },
  { "olmo_1b", facts("olmo", 2048, 16, "float32", {}) },
  { "olmo_7b", facts("olmo", 4096, 32, "float32", {}) },
  { "olmo2_7b", rms("olmo2", 4096, 32, 1e-6, { num_key_value_heads = 32 }) },
  { "olmo2_13b", rms("olmo2", 5120, 40, 1e-6, { num_key_value_heads = 40 }) },
  { "olmo3_7b", rms("olmo3", 4096, 32, 1e-6, { num_key_value_heads = 32 }) },
  { "command_r7b", facts("cohere2", 4096, 32, "bfloat16", { num_key_value_heads = 8, layer_norm_eps = 1e-5 }) },
  { "command_r", facts("cohere", 8192, 64, "float16", { layer_norm_eps = 1e-5 }) },
  { "command_r_plus", facts("cohere", 12288, 96, "float16",
    { num_key_value_heads = 8, layer_norm_eps = 1e-5, use_qk_norm = true }) },
  { "deepseek_v2_lite", latent("deepseek_v2", 2048, 16) },
  { "deepseek_v3", latent("deepseek_v3", 7168, 128, 1536) },
  { "kimi_k2", latent("kimi_k2", 7168, 64, 1536) },
  { "minitron_4b", facts("nemotron", 3072, 24, "bfloat16", { num_key_value_heads = 8, head_dim = 128, norm_eps = 1e-5 }) },
  { "nemotron4_340b", facts("nemotron", 18432, 96, "bfloat16", { num_key_value_heads = 8, norm_eps = 1e-5 }) },
  { "nemotron_nano_9b_v2", facts("nemotron_h", 4480, 40, "bfloat16", { num_key_value_heads = 8, head_dim = 128,
    layer_norm_epsilon = 1e-5, mamba_num_heads = 128, mamba_head_dim = 80, n_groups = 8 }) },
  { "gpt_oss_20b", rms("gpt_oss", 2880, 64, 1e-5, { num_key_value_heads = 8, head_dim = 64 }) },
  { "gpt_oss_120b", rms("gpt_oss", 2880, 64, 1e-5, { num_key_value_heads = 8, head_dim = 64 }) },
  { "glm4_9b", rms("glm4", 4096, 32, 1e-5, { num_key_value_heads = 2, head_dim = 128 }) },
  { "glm4_32b", rms("glm4", 6144, 48, 1e-5, { num_key_value_heads = 8, head_dim = 128 }) },
  { "chatglm2_6b", chatglm() },
  { "chatglm3_6b", chatglm() },
  { "glm_130b", facts("glm-130b", 12288, 96, "float16", { num_layers = 70, layernorm_epsilon = 1e-5 }) },
  { "phi_1_5", facts("phi", 2048, 32, "float16", { layer_norm_eps = 1e-5, qk_layernorm = false }) },
  { "phi_2", facts("phi", 2560, 32, "float16", { layer_norm_eps = 1e-5, qk_layernorm = false }) },
  { "phi3_mini", rms("phi3", 3072, 32, 1e-5) },
  { "phi4", rms("phi3", 5120, 40, 1e-5, { num_key_value_heads = 10 }) },
  { "phi4_mini", rms("phi3", 3072, 24, 1e-5, { num_key_value_heads = 8 }) },
  { "falcon_7b", falcon(4544, 71, false) },
  { "falcon_40b", falcon(8192, 128, true) },
  { "falcon_180b", falcon(14848, 232, true) },
  { "stablelm_3b_4e1t", facts("stablelm", 2560, 32, "bfloat16", { layer_norm_eps = 1e-5 }) },
  { "stablelm2_12b", facts("stablelm", 5120, 32, "bfloat16",
    { num_key_value_heads = 8, layer_norm_eps = 1e-5, qk_layernorm = true, use_parallel_residual = true }) },
  { "pythia_70m", neox(512, 8) },
  { "pythia_160m", neox(768, 12) },
  { "pythia_410m", neox(1024, 16) },
  { "pythia_1b", neox(2048, 8) },
  { "pythia_1_4b", neox(2048, 16) },
  { "pythia_2_8b", neox(2560, 32) },
  { "pythia_6_9b", neox(4096, 32) },
  { "pythia_12b", neox(5120, 40) },
  { "gpt_neox_20b", neox(6144, 64) },
  { "gptj_6b", { model_type = "gptj", n_embd = 4096, n_head = 16, layer_norm_epsilon = 1e-5 } },
  { "gpt2", gpt2(768, 12) },
  { "gpt2_medium", gpt2(1024, 16) },
  { "gpt2_large", gpt2(1280, 20) },
  { "gpt2_xl", gpt2(1600, 25) },
  { "opt_350m", facts("opt", 1024, 16, "float16", { do_layer_norm_before = false, word_embed_proj_dim = 512 }) },
  { "opt_6_7b", facts("opt", 4096, 32, "float16", { do_layer_norm_before = true, word_embed_proj_dim = 4096 }) },
  { "bloom_176b", { model_type = "bloom", n_embed = 14336, n_head = 112, layer_norm_epsilon = 1e-5, torch_dtype = "bfloat16",
    apply_residual_connection_post_layernorm = false } },
  { "mpt_7b", { model_type = "mpt", d_model = 4096, n_heads = 32, norm_type = "low_precision_layernorm", no_bias = true,
    torch_dtype = "bfloat16" } },
  { "dbrx", { model_type = "dbrx", d_model = 6144, n_heads = 48, torch_dtype = "bfloat16" } },
  { "grok_1", rms("grok-1", 6144, 48, 1e-5, { num_key_value_heads = 8 }) },
  { "minimax_m2", rms("minimax_m2", 3072, 48, 1e-6, { num_key_value_heads = 8, head_dim = 128 }) },
  { "mamba_2_8b", { model_type = "mamba", hidden_size = 2560, layer_norm_epsilon = 1e-5, residual_in_fp32 = true,
    torch_dtype = "float32" } },
  { "mamba2_2_7b", { model_type = "mamba2", hidden_size = 2560, num_heads = 80, head_dim = 64, expand = 2, n_groups = 1,
    layer_norm_epsilon = 1e-5, residual_in_fp32 = true, torch_dtype = "float32" } },
  { "falcon_h1_0_5b", rms("falcon_h1", 1024, 8, 1e-5, { num_key_value_heads = 2, head_dim = 64, mamba_d_ssm = 1536,
    mamba_n_groups = 1, mamba_rms_norm = false, mamba_norm_before_gate = false }) },
  { "granite4_h_small", rms("granitemoehybrid", 4096, 32, 1e-5, { num_key_value_heads = 8, mamba_expand = 2, mamba_n_groups = 1,
    residual_multiplier = 0.22 }) },
  { "bert_base", facts("bert", 768, 12, nil, { layer_norm_eps = 1e-12 }) },
  { "bert_large", facts("bert", 1024, 16, nil, { layer_norm_eps = 1e-12 }) },
  { "roberta_base", facts("roberta", 768, 12, nil, { layer_norm_eps = 1e-5 }) },
  { "distilbert_base", { model_type = "distilbert", dim = 768, n_heads = 12 } },
  { "t5_base", { model_type = "t5", d_model = 768, d_kv = 64, num_heads = 12, layer_norm_epsilon = 1e-6 } },
  { "flan_t5_xxl", { model_type = "t5", d_model = 4096, d_kv = 64, num_heads = 64, layer_norm_epsilon = 1e-6 } },
  { "whisper_tiny", whisper(384) },
  { "whisper_base", whisper(512) },
  { "whisper_small", whisper(768) },
  { "whisper_medium", whisper(1024) },
  { "whisper_large", whisper(1280) },
  { "vit_base", vit(768, 12) },
  { "vit_large", vit(1024, 16) },
  { "vit_huge", vit(1280, 16) },
  { "clip_vit_l14", { model_type = "clip", torch_dtype = "float32",
    text_config = { model_type = "clip_text_model", hidden_size = 768, num_attention_heads = 12, layer_norm_eps = 1e-5 },
    vision_config = { model_type = "clip_vision_model", hidden_size = 1024, num_attention_heads = 16, layer_norm_eps = 1e-5 } } },
  { "siglip_so400m", { model_type = "siglip", torch_dtype = "float32",
    text_config = { model_type = "siglip_text_model", hidden_size = 1152, num_attention_heads = 16 },
    vision_config = { model_type = "siglip_vision_model", hidden_size = 1152, num_attention_heads = 16 } } },
  { "dinov2_large", facts("dinov2", 1024, 16, "float32", { layer_norm_eps = 1e-6 }) },
  { "dinov2_giant", facts("dinov2", 1536, 24, "float32", { layer_norm_eps = 1e-6 }) },
  { "convnext_tiny", { model_type = "convnext", hidden_sizes = { 96, 192, 384, 768 }, depths = { 3, 3, 9, 3 },
    layer_norm_eps = 1e-12, torch_dtype = "float32" } },
  { "swin_tiny", { model_type = "swin", embed_dim = 96, depths = { 2, 2, 6, 2 }, layer_norm_eps = 1e-5, torch_dtype = "float32" } },
  { "dit_xl_2", { _class_name = "DiTTransformer2DModel", num_attention_heads = 16, attention_head_dim = 72,
    norm_type = "ada_norm_zero" } },
  { "sd3_5_large", { _class_name = "SD3Transformer2DModel", num_attention_heads = 38, attention_head_dim = 64,
    qk_norm = "rms_norm" } },
  { "flux1_dev", { _class_name = "FluxTransformer2DModel", num_attention_heads = 24, attention_head_dim = 128 } },
  { "sd1_5_unet", unet({ 320, 640, 1280, 1280 }, { CROSS_DOWN, CROSS_DOWN, CROSS_DOWN, DOWN }, { UP, CROSS_UP, CROSS_UP, CROSS_UP }) },
  { "sd1_5_vae", vae() },
  { "sdxl_unet", unet({ 320, 640, 1280 }, { DOWN, CROSS_DOWN, CROSS_DOWN }, { CROSS_UP, CROSS_UP, UP }) },
  { "resnet_18", resnet("basic", { 64, 128, 256, 512 }, { 2, 2, 2, 2 }) },
  { "resnet_50", resnet("bottleneck", { 256, 512, 1024, 2048 }, { 3, 4, 6, 3 }) },
}
