-- Configs of the families (facts of published ones, and variants of them that take other ways) and the sites that they must
-- give, one a line: its name, * if each layer has it, its eps, and its spec or - where it cannot be emitted.

local null = require("models.config").null

local function with(base, more)
  local result = {}
  for key, value in pairs(base) do result[key] = value end
  for key, value in pairs(more) do result[key] = value end
  return result
end

local qwen3 = { model_type = "qwen3", torch_dtype = "bfloat16", hidden_size = 4096, num_attention_heads = 32, num_key_value_heads = 8,
  head_dim = 128, num_hidden_layers = 36, rms_norm_eps = 1e-6 }
local gemma2 = { model_type = "gemma2", torch_dtype = "bfloat16", hidden_size = 2304, num_attention_heads = 8,
  num_key_value_heads = 4, head_dim = 256, rms_norm_eps = 1e-6 }
local gemma4 = { model_type = "gemma4_text", dtype = "bfloat16", hidden_size = 1536, num_attention_heads = 8, num_key_value_heads = 1,
  head_dim = 256, global_head_dim = 512, hidden_size_per_layer_input = 256, rms_norm_eps = 1e-6, num_hidden_layers = 3,
  layer_types = { "sliding_attention", "sliding_attention", "full_attention" } }
local deepseek = { model_type = "deepseek_v3", torch_dtype = "bfloat16", hidden_size = 7168, num_attention_heads = 128,
  num_key_value_heads = 128, q_lora_rank = 1536, kv_lora_rank = 512, qk_rope_head_dim = 64, rms_norm_eps = 1e-6 }
local falcon = { model_type = "falcon", torch_dtype = "bfloat16", hidden_size = 8192, num_attention_heads = 128,
    layer_norm_epsilon = 1e-5,
  parallel_attn = true, new_decoder_architecture = true }
local stablelm = { model_type = "stablelm", torch_dtype = "bfloat16", hidden_size = 2560, num_attention_heads = 32,
    layer_norm_eps = 1e-5 }
local neox = { model_type = "gpt_neox", torch_dtype = "float16", hidden_size = 512, num_attention_heads = 8, layer_norm_eps = 1e-5 }
local bloom = { model_type = "bloom", torch_dtype = "bfloat16", n_embed = 14336, n_head = 112, layer_norm_epsilon = 1e-5 }
local chatglm = { model_type = "chatglm", torch_dtype = "float16", hidden_size = 4096, num_attention_heads = 32,
    layernorm_epsilon = 1e-5,
  rmsnorm = true, post_layer_norm = true, apply_residual_connection_post_layernorm = false }
local opt = { model_type = "opt", torch_dtype = "float16", hidden_size = 1024, num_attention_heads = 16, do_layer_norm_before = false }
local mamba2 = { model_type = "mamba2", torch_dtype = "bfloat16", hidden_size = 2560, num_heads = 80, head_dim = 64, expand = 2,
  n_groups = 1, layer_norm_epsilon = 1e-5, residual_in_fp32 = true }

local unet = { _class_name = "UNet2DConditionModel", block_out_channels = { 320 }, layers_per_block = 1, norm_num_groups = 32,
  norm_eps = 1e-5, down_block_types = { "DownBlock2D" }, up_block_types = { "UpBlock2D" } }

local LLAMA = { hidden_size = 4096, num_attention_heads = 32, num_key_value_heads = 8, rms_norm_eps = 1e-5, torch_dtype = "bfloat16" }

return {
  { config = with(LLAMA, { model_type = "llama" }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = with(LLAMA, { model_type = "llama" }), residual = "f32", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 residual=f32 h=4096 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 residual=f32 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 residual=f32 h=4096 add cast=llama
]] },
  { config = with(LLAMA, { model_type = "llama" }), dtype = "f16", exact = true, sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd f16 h=4096
input_layernorm *1e-5 rmsnorm fwd f16 h=4096 addout
post_attention_layernorm *1e-5 rmsnorm fwd f16 h=4096 addout
norm 1e-5 rmsnorm fwd f16 h=4096 add
]] },
  { config = with(LLAMA, { model_type = "mistral", num_key_value_heads = null }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = with(LLAMA, { model_type = "mixtral", torch_dtype = "float32" }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd f32 h=4096
input_layernorm *1e-5 rmsnorm fwd f32 h=4096 addout
post_attention_layernorm *1e-5 rmsnorm fwd f32 h=4096 addout
norm 1e-5 rmsnorm fwd f32 h=4096 add
]] },
  { config = with(LLAMA, { model_type = "qwen2", hidden_size = 896, num_attention_heads = 14, num_key_value_heads = 2,
    rms_norm_eps = 1e-6 }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=896 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=896 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=896 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=896 add cast=llama
]] },
  { config = qwen3, sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = with(qwen3, { model_type = "qwen3_moe", hidden_size = 2048, head_dim = null }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=64 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=64 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = with(qwen3, { model_type = "qwen3_next", hidden_size = 2048, num_attention_heads = 16, num_key_value_heads = 2,
    head_dim = 256, linear_key_head_dim = 128, linear_value_head_dim = 128 }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
linear_attn.l2norm *1e-6 l2norm fwd bf16 h=128
linear_attn.norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=2048 add offset=1
]] },
  { config = with(LLAMA, { model_type = "llama4_text", hidden_size = 5120, num_attention_heads = 40, head_dim = 128 }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=5120 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=5120 addout cast=llama
self_attn.qk_norm *1e-5 rmsnorm fwd bf16 h=128 affine=none
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=5120 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=5120 add cast=llama
]] },
  { config = with(gemma2, { model_type = "gemma", hidden_size = 2048, num_key_value_heads = 1 }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=2048 add offset=1
]] },
  { config = gemma2, sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2304 offset=1
post_feedforward_layernorm+input_layernorm *1e-6 rmsnorm fwd bf16 h=2304 sandwich offset=1
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=2304 sandwich offset=1
post_feedforward_layernorm+norm 1e-6 rmsnorm fwd bf16 h=2304 sandwich offset=1
]] },
  { config = gemma2, residual = "f32", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2304 offset=1
post_feedforward_layernorm+input_layernorm *1e-6 rmsnorm fwd bf16 residual=f32 h=2304 sandwich offset=1
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 residual=f32 h=2304 sandwich offset=1
post_feedforward_layernorm+norm 1e-6 rmsnorm fwd bf16 residual=f32 h=2304 sandwich offset=1
]] },
  { config = with(gemma2, { model_type = "gemma3_text", hidden_size = 1152, num_attention_heads = 4,
    num_key_value_heads = 1 }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=1152 offset=1
post_feedforward_layernorm+input_layernorm *1e-6 rmsnorm fwd bf16 h=1152 sandwich offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1152 sandwich offset=1
post_feedforward_layernorm+norm 1e-6 rmsnorm fwd bf16 h=1152 sandwich offset=1
]] },
  { config = { model_type = "gemma3", torch_dtype = "bfloat16", text_config = { model_type = "gemma3_text", hidden_size = 2560 },
    vision_config = { model_type = "siglip_vision_model", hidden_size = 1152, num_attention_heads = 16,
    vision_use_head = false } }, sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1152
layer_norm1 *1e-6 layernorm fwd bf16 h=1152 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1152 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1152 add
mm_soft_emb_norm 1e-6 rmsnorm fwd bf16 h=1152 offset=1
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2560 offset=1
post_feedforward_layernorm+input_layernorm *1e-6 rmsnorm fwd bf16 h=2560 sandwich offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=2560 sandwich offset=1
post_feedforward_layernorm+norm 1e-6 rmsnorm fwd bf16 h=2560 sandwich offset=1
]] },
  { config = gemma4, sites = [[
per_layer_projection_norm 1e-6 rmsnorm fwd bf16 h=256
input_layernorm *1e-6 rmsnorm fwd bf16 h=1536
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.v_norm *1e-6 rmsnorm fwd bf16 h=256 affine=none
self_attn.q_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.k_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.v_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512 affine=none
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1536 sandwich
post_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1536 addafter
post_per_layer_input_norm *1e-6 rmsnorm fwd bf16 h=1536 addafter
norm 1e-6 rmsnorm fwd bf16 h=1536
]] },
  { config = { model_type = "gemma4", text_config = with(gemma4, { enable_moe_block = true, hidden_size_per_layer_input = 0 }),
    vision_config = { model_type = "gemma4_vision", hidden_size = 768 } }, sites = [[
vision_tower - -
input_layernorm *1e-6 rmsnorm fwd bf16 h=1536
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.v_norm *1e-6 rmsnorm fwd bf16 h=256 affine=none
self_attn.q_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.k_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.v_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512 affine=none
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1536 sandwich
post_feedforward_layernorm_1 *1e-6 rmsnorm fwd bf16 h=1536
router.norm *1e-6 rmsnorm fwd bf16 h=1536 affine=none
pre_feedforward_layernorm_2 *1e-6 rmsnorm fwd bf16 h=1536
post_feedforward_layernorm_2 *1e-6 rmsnorm fwd bf16 h=1536
post_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1536 addafter
norm 1e-6 rmsnorm fwd bf16 h=1536
]] },
  { config = { model_type = "olmo", hidden_size = 2048, num_attention_heads = 16 }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f32 h=2048 affine=none
input_layernorm *1e-5 layernorm fwd f32 h=2048 addout affine=none
post_attention_layernorm *1e-5 layernorm fwd f32 h=2048 addout affine=none
norm 1e-5 layernorm fwd f32 h=2048 add affine=none
]] },
  { config = with(LLAMA, { model_type = "olmo2", hidden_size = 5120, num_attention_heads = 40, rms_norm_eps = 1e-6 }), sites = [[
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=5120
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=1024
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=5120 addafter
post_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=5120 addafter
norm 1e-6 rmsnorm fwd bf16 h=5120
]] },
  { config = with(LLAMA, { model_type = "olmo3", rms_norm_eps = 1e-6 }), residual = "f32", sites = [[
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=4096
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=1024
post_attention_layernorm *1e-6 rmsnorm fwd bf16 residual=f32 h=4096 addafter
post_feedforward_layernorm *1e-6 rmsnorm fwd bf16 residual=f32 h=4096 addafter
norm 1e-6 rmsnorm fwd f32 out=bf16 gamma=bf16 h=4096
]] },
  { config = with(LLAMA, { model_type = "minimax_m2", hidden_size = 3072, num_attention_heads = 48, head_dim = 128,
    rms_norm_eps = 1e-6 }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=3072 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=3072 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=6144 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=1024 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=3072 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=3072 add cast=llama
]] },
  { config = { model_type = "cohere2", torch_dtype = "bfloat16", hidden_size = 4096, num_attention_heads = 32,
    layer_norm_eps = 1e-5 }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=4096 affine=gamma
input_layernorm *1e-5 layernorm fwd bf16 h=4096 addout affine=gamma
norm 1e-5 layernorm fwd bf16 h=4096 add affine=gamma
]] },
  { config = { model_type = "cohere", torch_dtype = "float16", hidden_size = 12288, num_attention_heads = 96, layer_norm_eps = 1e-5,
    use_qk_norm = true }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=12288 affine=gamma
input_layernorm *1e-5 layernorm fwd f16 h=12288 addout affine=gamma
self_attn.q_norm *1e-5 layernorm fwd f16 h=12288 affine=gamma heads=96
self_attn.k_norm *1e-5 layernorm fwd f16 h=12288 affine=gamma heads=96
norm 1e-5 layernorm fwd f16 h=12288 add affine=gamma
]] },
  { config = deepseek, sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=7168 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=7168 addout cast=llama
self_attn.q_a_layernorm *1e-6 rmsnorm fwd bf16 h=1536 cast=llama
self_attn.kv_a_layernorm *1e-6 rmsnorm fwd bf16 h=512 cast=llama strided
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=7168 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=7168 add cast=llama
]] },
  { config = with(deepseek, { model_type = "deepseek_v2", hidden_size = 2048, num_attention_heads = 16, num_key_value_heads = 16,
    q_lora_rank = null }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.kv_a_layernorm *1e-6 rmsnorm fwd bf16 h=512 cast=llama strided
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = { model_type = "nemotron", torch_dtype = "bfloat16", hidden_size = 3072, num_attention_heads = 24, head_dim = 128,
    norm_eps = 1e-5 }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=3072 offset=1
input_layernorm *1e-5 layernorm fwd bf16 h=3072 addout offset=1
post_attention_layernorm *1e-5 layernorm fwd bf16 h=3072 addout offset=1
norm 1e-5 layernorm fwd bf16 h=3072 add offset=1
]] },
  { config = { model_type = "nemotron_h", torch_dtype = "bfloat16", hidden_size = 4480, num_attention_heads = 40, head_dim = 128,
    layer_norm_epsilon = 1e-5, mamba_num_heads = 128, mamba_head_dim = 80, n_groups = 8, hybrid_override_pattern = "M-M*-" }, sites = [[
layers.0.norm 1e-5 rmsnorm fwd bf16 h=4480
norm *1e-5 rmsnorm fwd bf16 h=4480 addout
mixer.norm *1e-5 rmsnorm fwd bf16 h=10240 groups=8 cast=llama zgate=before
norm_f 1e-5 rmsnorm fwd bf16 h=4480 add
]] },
  { config = with(LLAMA, { model_type = "gpt_oss", hidden_size = 2880, num_attention_heads = 64, head_dim = 64 }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=2880
input_layernorm *1e-5 rmsnorm fwd bf16 h=2880 addout
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=2880 addout
norm 1e-5 rmsnorm fwd bf16 h=2880 add
]] },
  { config = with(LLAMA, { model_type = "glm4", head_dim = 128 }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
post_mlp_layernorm+input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
post_self_attn_layernorm+post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
post_mlp_layernorm+norm 1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
]] },
  { config = chatglm, sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd f16 h=4096
input_layernorm *1e-5 rmsnorm fwd f16 h=4096 addout
post_attention_layernorm *1e-5 rmsnorm fwd f16 h=4096 addout
final_layernorm 1e-5 rmsnorm fwd f16 h=4096 add
]] },
  { config = with(chatglm, { rmsnorm = false, apply_residual_connection_post_layernorm = true, post_layer_norm = false }), sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=4096
input_layernorm *1e-5 layernorm fwd f16 h=4096 add
post_attention_layernorm *1e-5 layernorm fwd f16 h=4096 add
]] },
  { config = { model_type = "glm-130b", torch_dtype = "float16", hidden_size = 12288, num_layers = 70,
    layernorm_epsilon = 1e-5 }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=12288
input_layernorm *1e-5 layernorm fwd f16 h=12288 add alpha
post_attention_layernorm *1e-5 layernorm fwd f16 h=12288 add alpha
final_layernorm 1e-5 layernorm fwd f16 h=12288 add alpha
]] },
  { config = with(LLAMA, { model_type = "grok-1", hidden_size = 6144, num_attention_heads = 48 }), sites = [[
layers.0.pre_attn_norm 1e-5 rmsnorm fwd bf16 h=6144 cast=llama
post_moe_norm+pre_attn_norm *1e-5 rmsnorm fwd bf16 h=6144 sandwich cast=llama
post_attn_norm+pre_moe_norm *1e-5 rmsnorm fwd bf16 h=6144 sandwich cast=llama
post_moe_norm+norm 1e-5 rmsnorm fwd bf16 h=6144 sandwich cast=llama
]] },
  { config = { model_type = "phi", torch_dtype = "float16", hidden_size = 2560, num_attention_heads = 32, layer_norm_eps = 1e-5,
    qk_layernorm = true }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=2560
input_layernorm *1e-5 layernorm fwd f16 h=2560 addout
self_attn.q_layernorm *1e-5 layernorm fwd f16 h=80
self_attn.k_layernorm *1e-5 layernorm fwd f16 h=80
final_layernorm 1e-5 layernorm fwd f16 h=2560 add
]] },
  { config = with(LLAMA, { model_type = "phi3", hidden_size = 3072, num_key_value_heads = 32 }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=3072 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=3072 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=3072 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=3072 add cast=llama
]] },
  { config = with(falcon, { hidden_size = 4544, num_attention_heads = 71, new_decoder_architecture = false }), sites = [[
h.0.input_layernorm 1e-5 layernorm fwd bf16 h=4544
input_layernorm *1e-5 layernorm fwd bf16 h=4544 addout
ln_f 1e-5 layernorm fwd bf16 h=4544 add
]] },
  { config = falcon, sites = [[
h.0.ln_attn 1e-5 layernorm fwd bf16 h=8192
ln_attn *1e-5 layernorm fwd bf16 h=8192 addout
ln_mlp *1e-5 layernorm fwd bf16 h=8192
ln_f 1e-5 layernorm fwd bf16 h=8192 add
]] },
  { config = with(falcon, { num_ln_in_parallel_attn = 1 }), sites = [[
h.0.input_layernorm 1e-5 layernorm fwd bf16 h=8192
input_layernorm *1e-5 layernorm fwd bf16 h=8192 addout
ln_f 1e-5 layernorm fwd bf16 h=8192 add
]] },
  { config = with(falcon, { new_decoder_architecture = false, parallel_attn = false }), sites = [[
h.0.input_layernorm 1e-5 layernorm fwd bf16 h=8192
input_layernorm *1e-5 layernorm fwd bf16 h=8192 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=8192 addout
ln_f 1e-5 layernorm fwd bf16 h=8192 add
]] },
  { config = stablelm, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=2560
input_layernorm *1e-5 layernorm fwd bf16 h=2560 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=2560 addout
norm 1e-5 layernorm fwd bf16 h=2560 add
]] },
  { config = with(stablelm, { hidden_size = 5120, use_parallel_residual = true, qk_layernorm = true }), sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=5120
input_layernorm *1e-5 layernorm fwd bf16 h=5120 addout
self_attn.q_layernorm *1e-5 layernorm fwd bf16 h=5120 affine=gamma heads=32
self_attn.k_layernorm *1e-5 layernorm fwd bf16 h=5120 affine=gamma heads=32
norm 1e-5 layernorm fwd bf16 h=5120 add
]] },
  { config = neox, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=512
input_layernorm *1e-5 layernorm fwd f16 h=512 addout
post_attention_layernorm *1e-5 layernorm fwd f16 h=512
final_layer_norm 1e-5 layernorm fwd f16 h=512 add
]] },
  { config = with(neox, { use_parallel_residual = false }), sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=512
input_layernorm *1e-5 layernorm fwd f16 h=512 addout
post_attention_layernorm *1e-5 layernorm fwd f16 h=512 addout
final_layer_norm 1e-5 layernorm fwd f16 h=512 add
]] },
  { config = { model_type = "gptj", n_embd = 4096, n_head = 16, layer_norm_epsilon = 1e-5 }, sites = [[
h.0.ln_1 1e-5 layernorm fwd f32 h=4096
ln_1 *1e-5 layernorm fwd f32 h=4096 addout
ln_f 1e-5 layernorm fwd f32 h=4096 add
]] },
  { config = { model_type = "gpt2", n_embd = 1600, n_head = 25, layer_norm_epsilon = 1e-5 }, sites = [[
h.0.ln_1 1e-5 layernorm fwd f32 h=1600
ln_1 *1e-5 layernorm fwd f32 h=1600 addout
ln_2 *1e-5 layernorm fwd f32 h=1600 addout
ln_f 1e-5 layernorm fwd f32 h=1600 add
]] },
  { config = { model_type = "gpt2", n_embd = 768, n_head = 12, layer_norm_epsilon = 1e-5, add_cross_attention = true }, sites = [[
h.0.ln_1 1e-5 layernorm fwd f32 h=768
ln_1 *1e-5 layernorm fwd f32 h=768 addout
ln_cross_attn *1e-5 layernorm fwd f32 h=768 addout
ln_2 *1e-5 layernorm fwd f32 h=768 addout
ln_f 1e-5 layernorm fwd f32 h=768 add
]] },
  { config = opt, sites = [[
self_attn_layer_norm *1e-5 layernorm fwd f16 h=1024 add
final_layer_norm *1e-5 layernorm fwd f16 h=1024 add
]] },
  { config = with(opt, { do_layer_norm_before = true, layer_norm_elementwise_affine = false }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd f16 h=1024 affine=none
self_attn_layer_norm *1e-5 layernorm fwd f16 h=1024 addout affine=none
final_layer_norm *1e-5 layernorm fwd f16 h=1024 addout affine=none
decoder.final_layer_norm 1e-5 layernorm fwd f16 h=1024 add affine=none
]] },
  { config = bloom, sites = [[
word_embeddings_layernorm 1e-5 layernorm fwd bf16 h=14336
h.0.input_layernorm 1e-5 layernorm fwd bf16 h=14336
input_layernorm *1e-5 layernorm fwd bf16 h=14336 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=14336 addout
ln_f 1e-5 layernorm fwd bf16 h=14336 add
]] },
  { config = with(bloom, { apply_residual_connection_post_layernorm = true }), sites = [[
word_embeddings_layernorm 1e-5 layernorm fwd bf16 h=14336
h.0.input_layernorm 1e-5 layernorm fwd bf16 h=14336
input_layernorm *1e-5 layernorm fwd bf16 h=14336 add
post_attention_layernorm *1e-5 layernorm fwd bf16 h=14336 add
ln_f 1e-5 layernorm fwd bf16 h=14336 add
]] },
  { config = { model_type = "mpt", d_model = 4096, n_heads = 32, norm_type = "low_precision_layernorm",
    torch_dtype = "bfloat16" }, sites = [[
blocks.0.norm_1 1e-5 layernorm fwd bf16 h=4096 affine=gamma
norm_1 *1e-5 layernorm fwd bf16 h=4096 addout affine=gamma
norm_2 *1e-5 layernorm fwd bf16 h=4096 addout affine=gamma
norm_f 1e-5 layernorm fwd bf16 h=4096 add affine=gamma
]] },
  { config = { model_type = "dbrx", d_model = 6144, n_heads = 48, torch_dtype = "bfloat16" }, sites = [[
blocks.0.norm_attn_norm.norm_1 1e-5 layernorm fwd bf16 h=6144 affine=gamma
norm_attn_norm.norm_1 *1e-5 layernorm fwd bf16 h=6144 addout affine=gamma
norm_attn_norm.norm_2 *1e-5 layernorm fwd bf16 h=6144 addout affine=gamma
norm_f 1e-5 layernorm fwd bf16 h=6144 add affine=gamma
]] },
  { config = { model_type = "mamba", hidden_size = 2560, layer_norm_epsilon = 1e-5, residual_in_fp32 = true,
    torch_dtype = "bfloat16" }, sites = [[
layers.0.norm 1e-5 rmsnorm fwd bf16 h=2560 cast=llama
norm *1e-5 rmsnorm fwd bf16 residual=f32 h=2560 addout cast=llama
norm_f 1e-5 rmsnorm fwd bf16 residual=f32 h=2560 add cast=llama
]] },
  { config = mamba2, sites = [[
layers.0.norm 1e-5 rmsnorm fwd bf16 h=2560 cast=llama
norm *1e-5 rmsnorm fwd bf16 residual=f32 h=2560 addout cast=llama
mixer.norm *1e-5 rmsnorm fwd bf16 h=5120 cast=llama zgate=before
norm_f 1e-5 rmsnorm fwd bf16 residual=f32 h=2560 add cast=llama
]] },
  { config = with(LLAMA, { model_type = "falcon_h1", hidden_size = 1024, num_attention_heads = 8, num_key_value_heads = 2,
    mamba_d_ssm = 1536, mamba_n_groups = 2, mamba_rms_norm = true, mamba_norm_before_gate = false }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
mamba.norm *1e-5 rmsnorm fwd bf16 h=1536 groups=2 zgate=before
pre_ff_layernorm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
final_layernorm 1e-5 rmsnorm fwd bf16 h=1024 add cast=llama
]] },
  { config = with(LLAMA, { model_type = "granitemoehybrid", mamba_expand = 2, mamba_n_groups = 1,
    residual_multiplier = 0.22 }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
mamba.norm *1e-5 rmsnorm fwd bf16 h=8192 cast=llama zgate=before
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = { model_type = "bert", hidden_size = 768, num_attention_heads = 12, layer_norm_eps = 1e-12 }, sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd f32 h=768
attention.output.LayerNorm *1e-12 layernorm fwd f32 h=768 add
output.LayerNorm *1e-12 layernorm fwd f32 h=768 add
]] },
  { config = { model_type = "roberta", hidden_size = 768, num_attention_heads = 12, layer_norm_eps = 1e-5 }, sites = [[
embeddings.LayerNorm 1e-5 layernorm fwd f32 h=768
attention.output.LayerNorm *1e-5 layernorm fwd f32 h=768 add
output.LayerNorm *1e-5 layernorm fwd f32 h=768 add
]] },
  { config = { model_type = "distilbert", dim = 768, n_heads = 12 }, sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd f32 h=768
sa_layer_norm *1e-12 layernorm fwd f32 h=768 add
output_layer_norm *1e-12 layernorm fwd f32 h=768 add
]] },
  { config = { model_type = "t5", d_model = 768, d_kv = 64, num_heads = 12, layer_norm_epsilon = 1e-6 }, dtype = "bf16", sites = [[
encoder.block.0.layer.0.layer_norm 1e-6 rmsnorm fwd bf16 h=768 cast=llama
encoder.layer.0.layer_norm *1e-6 rmsnorm fwd bf16 h=768 addout cast=llama
encoder.layer.1.layer_norm *1e-6 rmsnorm fwd bf16 h=768 addout cast=llama
encoder.final_layer_norm 1e-6 rmsnorm fwd bf16 h=768 add cast=llama
decoder.block.0.layer.0.layer_norm 1e-6 rmsnorm fwd bf16 h=768 cast=llama
decoder.layer.0.layer_norm *1e-6 rmsnorm fwd bf16 h=768 addout cast=llama
decoder.layer.1.layer_norm *1e-6 rmsnorm fwd bf16 h=768 addout cast=llama
layer.2.layer_norm *1e-6 rmsnorm fwd bf16 h=768 addout cast=llama
decoder.final_layer_norm 1e-6 rmsnorm fwd bf16 h=768 add cast=llama
]] },
  { config = { model_type = "whisper", d_model = 384, torch_dtype = "float32" }, sites = [[
encoder.layers.0.self_attn_layer_norm 1e-5 layernorm fwd f32 h=384
encoder.self_attn_layer_norm *1e-5 layernorm fwd f32 h=384 addout
encoder.final_layer_norm *1e-5 layernorm fwd f32 h=384 addout
encoder.layer_norm 1e-5 layernorm fwd f32 h=384 add
decoder.layers.0.self_attn_layer_norm 1e-5 layernorm fwd f32 h=384
decoder.self_attn_layer_norm *1e-5 layernorm fwd f32 h=384 addout
encoder_attn_layer_norm *1e-5 layernorm fwd f32 h=384 addout
decoder.final_layer_norm *1e-5 layernorm fwd f32 h=384 addout
decoder.layer_norm 1e-5 layernorm fwd f32 h=384 add
]] },
  { config = { model_type = "vit", hidden_size = 1280, num_attention_heads = 16, layer_norm_eps = 1e-12 }, sites = [[
layer.0.layernorm_before 1e-12 layernorm fwd f32 h=1280
layernorm_before *1e-12 layernorm fwd f32 h=1280 addout
layernorm_after *1e-12 layernorm fwd f32 h=1280 addout
layernorm 1e-12 layernorm fwd f32 h=1280 add
]] },
  { config = { model_type = "clip", text_config = { model_type = "clip_text_model", hidden_size = 768, layer_norm_eps = 1e-5 },
    vision_config = { model_type = "clip_vision_model", hidden_size = 1024, layer_norm_eps = 1e-5 } }, sites = [[
pre_layrnorm 1e-5 layernorm fwd f32 h=1024
vision_model.layers.0.layer_norm1 1e-5 layernorm fwd f32 h=1024
vision_model.layer_norm1 *1e-5 layernorm fwd f32 h=1024 addout
vision_model.layer_norm2 *1e-5 layernorm fwd f32 h=1024 addout
post_layernorm 1e-5 layernorm fwd f32 h=1024 add
text_model.layers.0.layer_norm1 1e-5 layernorm fwd f32 h=768
text_model.layer_norm1 *1e-5 layernorm fwd f32 h=768 addout
text_model.layer_norm2 *1e-5 layernorm fwd f32 h=768 addout
final_layer_norm 1e-5 layernorm fwd f32 h=768 add
]] },
  { config = { model_type = "siglip", text_config = { model_type = "siglip_text_model", hidden_size = 1152 },
    vision_config = { model_type = "siglip_vision_model", hidden_size = 1152 } }, sites = [[
vision_model.layers.0.layer_norm1 1e-6 layernorm fwd f32 h=1152
vision_model.layer_norm1 *1e-6 layernorm fwd f32 h=1152 addout
vision_model.layer_norm2 *1e-6 layernorm fwd f32 h=1152 addout
post_layernorm 1e-6 layernorm fwd f32 h=1152 add
head.layernorm 1e-6 layernorm fwd f32 h=1152
text_model.layers.0.layer_norm1 1e-6 layernorm fwd f32 h=1152
text_model.layer_norm1 *1e-6 layernorm fwd f32 h=1152 addout
text_model.layer_norm2 *1e-6 layernorm fwd f32 h=1152 addout
final_layer_norm 1e-6 layernorm fwd f32 h=1152 add
]] },
  { config = { model_type = "llama4", text_config = with(LLAMA, { model_type = "llama4_text", head_dim = 128, use_qk_norm = false }),
    vision_config = { model_type = "llama4_vision_model", hidden_size = 1408 } }, sites = [[
layernorm_pre 1e-5 layernorm fwd bf16 h=1408
vision_model.layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1408
vision_model.input_layernorm *1e-5 layernorm fwd bf16 h=1408 addout
vision_model.post_attention_layernorm *1e-5 layernorm fwd bf16 h=1408 addout
layernorm_post 1e-5 layernorm fwd bf16 h=1408 add
language_model.layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
language_model.input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
language_model.post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = { model_type = "dinov2", hidden_size = 1536, num_attention_heads = 24, layer_norm_eps = 1e-6 }, sites = [[
layer.0.norm1 1e-6 layernorm fwd f32 h=1536
norm1 *1e-6 layernorm fwd f32 h=1536 addout
norm2 *1e-6 layernorm fwd f32 h=1536 addout
layernorm 1e-6 layernorm fwd f32 h=1536 add
]] },
  { config = { model_type = "convnext", hidden_sizes = { 96, 192 }, depths = { 3, 3 }, layer_norm_eps = 1e-12 }, sites = [[
embeddings.layernorm 1e-6 layernorm fwd f32 h=96 layout=nchw
stages.0.layers.*.layernorm *1e-6 layernorm fwd f32 h=96
stages.1.downsampling_layer.0 1e-6 layernorm fwd f32 h=96 layout=nchw
stages.1.layers.*.layernorm *1e-6 layernorm fwd f32 h=192
layernorm 1e-12 layernorm fwd f32 h=192
]] },
  { config = { model_type = "swin", embed_dim = 96, depths = { 2, 6 }, layer_norm_eps = 1e-5 }, sites = [[
embeddings.norm 1e-5 layernorm fwd f32 h=96
layers.0.blocks.0.layernorm_before 1e-5 layernorm fwd f32 h=96
layers.0.blocks.*.layernorm_before *1e-5 layernorm fwd f32 h=96 addout
layers.0.blocks.*.layernorm_after *1e-5 layernorm fwd f32 h=96 addout
layers.0.downsample.norm 1e-5 layernorm fwd f32 h=384
layers.1.blocks.0.layernorm_before 1e-5 layernorm fwd f32 h=192
layers.1.blocks.*.layernorm_before *1e-5 layernorm fwd f32 h=192 addout
layers.1.blocks.*.layernorm_after *1e-5 layernorm fwd f32 h=192 addout
layernorm 1e-5 layernorm fwd f32 h=192 add
]] },
  { config = { _class_name = "DiTTransformer2DModel", num_attention_heads = 16, attention_head_dim = 72,
    norm_type = "ada_norm_zero" }, sites = [[
transformer_blocks.0.norm1.norm 1e-6 layernorm fwd f32 h=1152 mod
norm1.norm *1e-6 layernorm fwd f32 h=1152 addout gate mod
norm3 *1e-5 layernorm fwd f32 h=1152 addout gate mod
norm_out 1e-6 layernorm fwd f32 h=1152 add gate mod
]] },
  { config = { _class_name = "SD3Transformer2DModel", num_attention_heads = 38, attention_head_dim = 64, qk_norm = "rms_norm" },
    dtype = "bf16", sites = [[
transformer_blocks.0.norm1_context.norm 1e-6 layernorm fwd bf16 h=2432 mod
norm1_context.norm *1e-6 layernorm fwd bf16 h=2432 addout gate mod
attn.norm_added_q *1e-6 rmsnorm fwd bf16 h=64 cast=llama
attn.norm_added_k *1e-6 rmsnorm fwd bf16 h=64 cast=llama
norm2_context *1e-6 layernorm fwd bf16 h=2432 addout gate mod
transformer_blocks.0.norm1.norm 1e-6 layernorm fwd bf16 h=2432 mod
norm1.norm *1e-6 layernorm fwd bf16 h=2432 addout gate mod
attn.norm_q *1e-6 rmsnorm fwd bf16 h=64 cast=llama
attn.norm_k *1e-6 rmsnorm fwd bf16 h=64 cast=llama
norm2 *1e-6 layernorm fwd bf16 h=2432 addout gate mod
norm_out.norm 1e-6 layernorm fwd bf16 h=2432 add gate mod
]] },
  { config = { _class_name = "FluxTransformer2DModel", num_attention_heads = 24, attention_head_dim = 128 }, dtype = "bf16", sites = [[
transformer_blocks.0.norm1_context.norm 1e-6 layernorm fwd bf16 h=3072 mod
norm1_context.norm *1e-6 layernorm fwd bf16 h=3072 addout gate mod
attn.norm_added_q *1e-6 rmsnorm fwd bf16 h=128
attn.norm_added_k *1e-6 rmsnorm fwd bf16 h=128
norm2_context *1e-6 layernorm fwd bf16 h=3072 addout gate mod
transformer_blocks.0.norm1.norm 1e-6 layernorm fwd bf16 h=3072 mod
norm1.norm *1e-6 layernorm fwd bf16 h=3072 addout gate mod
transformer_blocks.attn.norm_q *1e-6 rmsnorm fwd bf16 h=128
transformer_blocks.attn.norm_k *1e-6 rmsnorm fwd bf16 h=128
norm2 *1e-6 layernorm fwd bf16 h=3072 addout gate mod
single_transformer_blocks.0.norm.norm 1e-6 layernorm fwd bf16 h=3072 mod
norm.norm *1e-6 layernorm fwd bf16 h=3072 addout gate mod
single_transformer_blocks.attn.norm_q *1e-6 rmsnorm fwd bf16 h=128
single_transformer_blocks.attn.norm_k *1e-6 rmsnorm fwd bf16 h=128
norm_out.norm 1e-6 layernorm fwd bf16 h=3072 add gate mod
]] },
  { config = { _class_name = "UNet2DConditionModel", block_out_channels = { 320, 640 }, layers_per_block = 2,
    norm_num_groups = 32, norm_eps = 1e-5, act_fn = "silu", down_block_types = { "CrossAttnDownBlock2D", "DownBlock2D" },
    up_block_types = { "UpBlock2D", "CrossAttnUpBlock2D" } }, sites = [[
down_blocks.0.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
down_blocks.0.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
down_blocks.0.attentions.*.norm *1e-6 groupnorm fwd f32 c=320 g=32 layout=nchw
down_blocks.0.attentions.*.transformer_blocks.*.norm1 *1e-5 layernorm fwd f32 h=320
down_blocks.0.attentions.*.transformer_blocks.*.norm2 *1e-5 layernorm fwd f32 h=320 addout
down_blocks.0.attentions.*.transformer_blocks.*.norm3 *1e-5 layernorm fwd f32 h=320 addout
down_blocks.1.resnets.0.norm1 1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
down_blocks.1.resnets.1.norm1 1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
down_blocks.1.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
mid_block.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
mid_block.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
mid_block.attentions.*.norm *1e-6 groupnorm fwd f32 c=640 g=32 layout=nchw
mid_block.attentions.*.transformer_blocks.*.norm1 *1e-5 layernorm fwd f32 h=640
mid_block.attentions.*.transformer_blocks.*.norm2 *1e-5 layernorm fwd f32 h=640 addout
mid_block.attentions.*.transformer_blocks.*.norm3 *1e-5 layernorm fwd f32 h=640 addout
up_blocks.0.resnets.0.norm1 1e-5 groupnorm fwd f32 c=1280 g=32 layout=nchw act=silu
up_blocks.0.resnets.1.norm1 1e-5 groupnorm fwd f32 c=1280 g=32 layout=nchw act=silu
up_blocks.0.resnets.2.norm1 1e-5 groupnorm fwd f32 c=960 g=32 layout=nchw act=silu
up_blocks.0.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
up_blocks.1.resnets.0.norm1 1e-5 groupnorm fwd f32 c=960 g=32 layout=nchw act=silu
up_blocks.1.resnets.1.norm1 1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
up_blocks.1.resnets.2.norm1 1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
up_blocks.1.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
up_blocks.1.attentions.*.norm *1e-6 groupnorm fwd f32 c=320 g=32 layout=nchw
up_blocks.1.attentions.*.transformer_blocks.*.norm1 *1e-5 layernorm fwd f32 h=320
up_blocks.1.attentions.*.transformer_blocks.*.norm2 *1e-5 layernorm fwd f32 h=320 addout
up_blocks.1.attentions.*.transformer_blocks.*.norm3 *1e-5 layernorm fwd f32 h=320 addout
conv_norm_out 1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
]] },
  { config = { _class_name = "UNet2DConditionModel", block_out_channels = { 32 }, layers_per_block = { 1 },
    norm_num_groups = 8, norm_eps = 1e-5, resnet_time_scale_shift = "scale_shift", down_block_types = { "DownBlock2D" },
    up_block_types = { "UpBlock2D" } }, sites = [[
down_blocks.0.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=32 g=8 layout=nchw act=silu
down_blocks.0.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=32 g=8 layout=nchw
mid_block.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=32 g=8 layout=nchw act=silu
mid_block.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=32 g=8 layout=nchw
mid_block.attentions.*.norm *1e-6 groupnorm fwd f32 c=32 g=8 layout=nchw
mid_block.attentions.*.transformer_blocks.*.norm1 *1e-5 layernorm fwd f32 h=32
mid_block.attentions.*.transformer_blocks.*.norm2 *1e-5 layernorm fwd f32 h=32 addout
mid_block.attentions.*.transformer_blocks.*.norm3 *1e-5 layernorm fwd f32 h=32 addout
up_blocks.0.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=64 g=8 layout=nchw act=silu
up_blocks.0.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=32 g=8 layout=nchw
conv_norm_out 1e-5 groupnorm fwd f32 c=32 g=8 layout=nchw act=silu
]] },
  { config = { _class_name = "AutoencoderKL", block_out_channels = { 128, 256 }, layers_per_block = 2, norm_num_groups = 32,
    down_block_types = { "DownEncoderBlock2D", "DownEncoderBlock2D" },
    up_block_types = { "UpDecoderBlock2D", "UpDecoderBlock2D" } }, sites = [[
encoder.down_blocks.0.resnets.*.norm1 *1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
encoder.down_blocks.0.resnets.*.norm2 *1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
encoder.down_blocks.1.resnets.0.norm1 1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
encoder.down_blocks.1.resnets.1.norm1 1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
encoder.down_blocks.1.resnets.*.norm2 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
encoder.mid_block.resnets.*.norm1 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
encoder.mid_block.resnets.*.norm2 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
encoder.mid_block.attentions.0.group_norm 1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw
encoder.conv_norm_out 1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
decoder.mid_block.resnets.*.norm1 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
decoder.mid_block.resnets.*.norm2 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
decoder.mid_block.attentions.0.group_norm 1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw
decoder.up_blocks.0.resnets.*.norm1 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
decoder.up_blocks.0.resnets.*.norm2 *1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
decoder.up_blocks.1.resnets.0.norm1 1e-6 groupnorm fwd f32 c=256 g=32 layout=nchw act=silu
decoder.up_blocks.1.resnets.1.norm1 1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
decoder.up_blocks.1.resnets.2.norm1 1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
decoder.up_blocks.1.resnets.*.norm2 *1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
decoder.conv_norm_out 1e-6 groupnorm fwd f32 c=128 g=32 layout=nchw act=silu
]] },
  { config = { model_type = "resnet", layer_type = "bottleneck", hidden_sizes = { 256, 512 }, depths = { 3, 4 },
    embedding_size = 64, hidden_act = "relu" }, sites = [[
embedder.embedder.normalization 1e-5 batchnorm infer f32 c=64 layout=nchw act=relu
encoder.stages.0.layers.0.shortcut.normalization 1e-5 batchnorm infer f32 c=256 layout=nchw
encoder.stages.0.layers.*.layer.0.normalization *1e-5 batchnorm infer f32 c=64 layout=nchw act=relu
encoder.stages.0.layers.*.layer.1.normalization *1e-5 batchnorm infer f32 c=64 layout=nchw act=relu
encoder.stages.0.layers.*.layer.2.normalization *1e-5 batchnorm infer f32 c=256 layout=nchw addafter
encoder.stages.1.layers.0.shortcut.normalization 1e-5 batchnorm infer f32 c=512 layout=nchw
encoder.stages.1.layers.*.layer.0.normalization *1e-5 batchnorm infer f32 c=128 layout=nchw act=relu
encoder.stages.1.layers.*.layer.1.normalization *1e-5 batchnorm infer f32 c=128 layout=nchw act=relu
encoder.stages.1.layers.*.layer.2.normalization *1e-5 batchnorm infer f32 c=512 layout=nchw addafter
]] },
  { config = { model_type = "resnet", layer_type = "basic", hidden_sizes = { 64, 128 }, depths = { 2, 2 }, hidden_act = "relu" }, sites = [[
embedder.embedder.normalization 1e-5 batchnorm infer f32 c=64 layout=nchw act=relu
encoder.stages.0.layers.*.layer.0.normalization *1e-5 batchnorm infer f32 c=64 layout=nchw act=relu
encoder.stages.0.layers.*.layer.1.normalization *1e-5 batchnorm infer f32 c=64 layout=nchw addafter
encoder.stages.1.layers.0.shortcut.normalization 1e-5 batchnorm infer f32 c=128 layout=nchw
encoder.stages.1.layers.*.layer.0.normalization *1e-5 batchnorm infer f32 c=128 layout=nchw act=relu
encoder.stages.1.layers.*.layer.1.normalization *1e-5 batchnorm infer f32 c=128 layout=nchw addafter
]] },
  -- What others have met: fields that are missing or null, and other classes of the same model_type.
  { config = { _class_name = "SD3Transformer2DModel", attention_head_dim = 64, num_attention_heads = 24, num_layers = 24 }, sites = [[
transformer_blocks.0.norm1_context.norm 1e-6 layernorm fwd f32 h=1536 mod
norm1_context.norm *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm2_context *1e-6 layernorm fwd f32 h=1536 addout gate mod
transformer_blocks.0.norm1.norm 1e-6 layernorm fwd f32 h=1536 mod
norm1.norm *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm2 *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm_out.norm 1e-6 layernorm fwd f32 h=1536 add gate mod
]] },
  { config = { _class_name = "SD3Transformer2DModel", attention_head_dim = 64, num_attention_heads = 24, qk_norm = null }, sites = [[
transformer_blocks.0.norm1_context.norm 1e-6 layernorm fwd f32 h=1536 mod
norm1_context.norm *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm2_context *1e-6 layernorm fwd f32 h=1536 addout gate mod
transformer_blocks.0.norm1.norm 1e-6 layernorm fwd f32 h=1536 mod
norm1.norm *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm2 *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm_out.norm 1e-6 layernorm fwd f32 h=1536 add gate mod
]] },
  { config = { _class_name = "SD3Transformer2DModel", attention_head_dim = 64, num_attention_heads = 24, qk_norm = "rms_norm",
    dual_attention_layers = { 0, 1 } }, sites = [[
transformer_blocks.0.norm1_context.norm 1e-6 layernorm fwd f32 h=1536 mod
norm1_context.norm *1e-6 layernorm fwd f32 h=1536 addout gate mod
attn.norm_added_q *1e-6 rmsnorm fwd f32 h=64
attn.norm_added_k *1e-6 rmsnorm fwd f32 h=64
norm2_context *1e-6 layernorm fwd f32 h=1536 addout gate mod
transformer_blocks.0.norm1.norm 1e-6 layernorm fwd f32 h=1536 mod
norm1.norm *1e-6 layernorm fwd f32 h=1536 addout gate mod
attn.norm_q *1e-6 rmsnorm fwd f32 h=64
attn.norm_k *1e-6 rmsnorm fwd f32 h=64
attn2.norm_q *1e-6 rmsnorm fwd f32 h=64
attn2.norm_k *1e-6 rmsnorm fwd f32 h=64
norm2 *1e-6 layernorm fwd f32 h=1536 addout gate mod
norm_out.norm 1e-6 layernorm fwd f32 h=1536 add gate mod
]] },
  { config = { model_type = "chatglm", hidden_size = 4096, inner_hidden_size = 16384, layernorm_epsilon = 1e-5, num_attention_heads = 32,
    num_layers = 28, position_encoding_2d = true, torch_dtype = "float16" }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f16 h=4096
input_layernorm *1e-5 layernorm fwd f16 h=4096 add alpha
post_attention_layernorm *1e-5 layernorm fwd f16 h=4096 add alpha
final_layernorm 1e-5 layernorm fwd f16 h=4096 add alpha
]] },
  { config = { model_type = "granitemoehybrid", hidden_size = 1536, num_attention_heads = 12, rms_norm_eps = 1e-5, mamba_expand = 2,
    mamba_n_groups = 8, layer_types = { "mamba", "attention" }, torch_dtype = "bfloat16" }, sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
mamba.norm *1e-5 rmsnorm fwd bf16 h=3072 cast=llama zgate=before
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=1536 add cast=llama
]] },
  { config = { model_type = "t5", architectures = { "T5EncoderModel" }, d_model = 4096, layer_norm_epsilon = 1e-6 }, sites = [[
block.0.layer.0.layer_norm 1e-6 rmsnorm fwd f32 h=4096
layer.0.layer_norm *1e-6 rmsnorm fwd f32 h=4096 addout
layer.1.layer_norm *1e-6 rmsnorm fwd f32 h=4096 addout
final_layer_norm 1e-6 rmsnorm fwd f32 h=4096 add
]] },
  { config = { model_type = "bart", architectures = { "BartForCausalLM" }, d_model = 1024 }, sites = [[
layernorm_embedding 1e-5 layernorm fwd f32 h=1024
self_attn_layer_norm *1e-5 layernorm fwd f32 h=1024 add
encoder_attn_layer_norm *1e-5 layernorm fwd f32 h=1024 add
final_layer_norm *1e-5 layernorm fwd f32 h=1024 add
]] },
  { config = { model_type = "cohere2", hidden_size = 4096, num_attention_heads = 32, layer_norm_eps = 1e-5, use_qk_norm = true }, sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd f32 h=4096 affine=gamma
input_layernorm *1e-5 layernorm fwd f32 h=4096 addout affine=gamma
norm 1e-5 layernorm fwd f32 h=4096 add affine=gamma
]] },
  { config = with(qwen3, { model_type = "qwen3_next", hidden_size = 2048, num_attention_heads = 16, num_key_value_heads = 2,
    head_dim = 256, linear_key_head_dim = 128, linear_value_head_dim = 128 }), exact = true, sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
linear_attn.l2norm *1e-6 l2norm fwd bf16 h=128
linear_attn.norm *1e-6 rmsnorm fwd bf16 h=128 zgate=after
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=2048 add offset=1
]] },
  { config = { model_type = "siglip", text_config = { model_type = "siglip_text_model", vocab_size = 256000 },
    vision_config = { model_type = "siglip_vision_model", image_size = 384 } }, sites = [[
vision_model.layers.0.layer_norm1 1e-6 layernorm fwd f32 h=768
vision_model.layer_norm1 *1e-6 layernorm fwd f32 h=768 addout
vision_model.layer_norm2 *1e-6 layernorm fwd f32 h=768 addout
post_layernorm 1e-6 layernorm fwd f32 h=768 add
head.layernorm 1e-6 layernorm fwd f32 h=768
text_model.layers.0.layer_norm1 1e-6 layernorm fwd f32 h=768
text_model.layer_norm1 *1e-6 layernorm fwd f32 h=768 addout
text_model.layer_norm2 *1e-6 layernorm fwd f32 h=768 addout
final_layer_norm 1e-6 layernorm fwd f32 h=768 add
]] },
  { config = { model_type = "qwen3", hidden_size = 1024, num_attention_heads = 16, num_key_value_heads = 8, rms_norm_eps = 1e-6 },
    sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd f32 h=1024
input_layernorm *1e-6 rmsnorm fwd f32 h=1024 addout
self_attn.q_norm *1e-6 rmsnorm fwd f32 h=128
self_attn.k_norm *1e-6 rmsnorm fwd f32 h=128
post_attention_layernorm *1e-6 rmsnorm fwd f32 h=1024 addout
norm 1e-6 rmsnorm fwd f32 h=1024 add
]] },
  { config = { model_type = "mistral3", torch_dtype = "bfloat16", text_config = { model_type = "mistral", hidden_size = 5120,
    num_attention_heads = 32, num_key_value_heads = 8, head_dim = 128, rms_norm_eps = 1e-5 },
    vision_config = { model_type = "pixtral", hidden_size = 1024 } }, sites = [[
ln_pre 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
layers.0.attention_norm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
attention_norm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
ffn_norm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
multi_modal_projector.norm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=5120 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=5120 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=5120 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=5120 add cast=llama
]] },
  { config = { model_type = "some_vl", text_config = { model_type = "llama", hidden_size = 64, num_attention_heads = 4,
    rms_norm_eps = 1e-5 }, vision_config = { model_type = "some_vision" } }, sites = [[
some_vl - -
layers.0.input_layernorm 1e-5 rmsnorm fwd f32 h=64
input_layernorm *1e-5 rmsnorm fwd f32 h=64 addout
post_attention_layernorm *1e-5 rmsnorm fwd f32 h=64 addout
norm 1e-5 rmsnorm fwd f32 h=64 add
vision - -
]] },
  { config = { model_type = "qwen2_5_vl", hidden_size = 3584, num_attention_heads = 28, num_key_value_heads = 4, rms_norm_eps = 1e-6,
    vision_config = { model_type = "qwen2_5_vl", hidden_size = 1280 } }, sites = [[
blocks.0.norm1 1e-6 rmsnorm fwd f32 h=1280
norm1 *1e-6 rmsnorm fwd f32 h=1280 addout
norm2 *1e-6 rmsnorm fwd f32 h=1280 addout
merger.ln_q 1e-6 rmsnorm fwd f32 h=1280 add
layers.0.input_layernorm 1e-6 rmsnorm fwd f32 h=3584
input_layernorm *1e-6 rmsnorm fwd f32 h=3584 addout
post_attention_layernorm *1e-6 rmsnorm fwd f32 h=3584 addout
norm 1e-6 rmsnorm fwd f32 h=3584 add
]] },
  { config = { model_type = "mpt", d_model = 4096, norm_type = "layernorm" }, sites = [[
blocks.0.norm_1 1e-5 layernorm fwd f32 h=4096 affine=gamma
norm_1 *1e-5 layernorm fwd f32 h=4096 addout affine=gamma
norm_2 *1e-5 layernorm fwd f32 h=4096 addout affine=gamma
norm_f 1e-5 layernorm fwd f32 h=4096 add affine=gamma
]] },
  { config = with(unet, { mid_block_type = null }), sites = [[
down_blocks.0.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
down_blocks.0.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
up_blocks.0.resnets.*.norm1 *1e-5 groupnorm fwd f32 c=640 g=32 layout=nchw act=silu
up_blocks.0.resnets.*.norm2 *1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
conv_norm_out 1e-5 groupnorm fwd f32 c=320 g=32 layout=nchw act=silu
]] },
  { config = { model_type = "electra", hidden_size = 256, embedding_size = 128, num_attention_heads = 4, layer_norm_eps = 1e-12 },
    sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd f32 h=128
attention.output.LayerNorm *1e-12 layernorm fwd f32 h=256 add
output.LayerNorm *1e-12 layernorm fwd f32 h=256 add
]] },
  { config = with(gemma4, { global_head_dim = null, per_layer_config = { ["2"] = { head_dim = 512 } } }), sites = [[
per_layer_projection_norm 1e-6 rmsnorm fwd bf16 h=256
input_layernorm *1e-6 rmsnorm fwd bf16 h=1536
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.v_norm *1e-6 rmsnorm fwd bf16 h=256 affine=none
self_attn.q_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.k_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.v_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512 affine=none
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1536 sandwich
post_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=1536 addafter
post_per_layer_input_norm *1e-6 rmsnorm fwd bf16 h=1536 addafter
norm 1e-6 rmsnorm fwd bf16 h=1536
]] },
  { config = { model_type = "bert", hidden_size = 768, num_attention_heads = 12, layer_norm_eps = 1e-12, is_decoder = true,
    add_cross_attention = true }, sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd f32 h=768
attention.output.LayerNorm *1e-12 layernorm fwd f32 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd f32 h=768 add
output.LayerNorm *1e-12 layernorm fwd f32 h=768 add
]] },
}
