-- A config for each row of the families that tests/support/models.lua has none for: what the configuration class of a type has, or
-- wrappers of parts that leave everything out; and the sites, in the same form.

local defaults = require "models.defaults"

-- The config that the class of a type stands for.
local function class(model_type, more)
  local config = { model_type = model_type, torch_dtype = "bfloat16" }
  for _, fields in ipairs { defaults[model_type] or {}, more or {} } do
    for key, value in pairs(fields) do config[key] = value end
  end
  return config
end

-- A wrapper whose parts are empty.
local function wrapper(model_type, parts, more)
  local config = class(model_type, more)
  for _, part in ipairs(parts) do config[part] = {} end
  return config
end

return {
  { config = class "granite", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "jetmoe", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = class "exaone", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "mllama_text_model", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
cross_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
cross_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "sarvam_moe", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=64 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=64 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "hunyuan_v1_dense", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.query_layernorm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
self_attn.key_layernorm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "apertus", sites = [[
layers.0.attention_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
feedforward_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "lfm2", sites = [[
layers.0.operator_norm 1e-5 rmsnorm fwd bf16 h=2560 cast=llama
operator_norm *1e-5 rmsnorm fwd bf16 h=2560 addout cast=llama
self_attn.q_layernorm *1e-5 rmsnorm fwd bf16 h=80 cast=llama
self_attn.k_layernorm *1e-5 rmsnorm fwd bf16 h=80 cast=llama
ffn_norm *1e-5 rmsnorm fwd bf16 h=2560 addout cast=llama
embedding_norm 1e-5 rmsnorm fwd bf16 h=2560 add cast=llama
]] },
  { config = class "bitnet", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=2560 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=2560 addout cast=llama
self_attn.attn_sub_norm *1e-5 rmsnorm fwd bf16 h=2560 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=2560 addout cast=llama
mlp.ffn_sub_norm *1e-5 rmsnorm fwd bf16 h=6912 cast=llama
norm 1e-5 rmsnorm fwd bf16 h=2560 add cast=llama
]] },
  { config = class "diffllama", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.groupnorm *1e-5 rmsnorm fwd bf16 h=128 affine=none
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = class "minimax", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 add alpha cast=llama
self_attn.norm *1e-6 rmsnorm fwd bf16 h=4096 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 add alpha cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add alpha cast=llama
]] },
  { config = class "qwen3_5_text", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
linear_attn.l2norm *1e-6 l2norm fwd bf16 h=128
linear_attn.norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=4096 add offset=1
]] },
  { config = class "vaultgemma", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2304 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=2304 addout offset=1
pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=2304 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=2304 add offset=1
]] },
  { config = class "gemma4_unified_text", sites = [[
input_layernorm *1e-6 rmsnorm fwd bf16 h=2304
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256
self_attn.v_norm *1e-6 rmsnorm fwd bf16 h=256 affine=none
self_attn.q_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.k_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512
self_attn.v_norm[full_attention] *1e-6 rmsnorm fwd bf16 h=512 affine=none
post_attention_layernorm+pre_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=2304 sandwich
post_feedforward_layernorm *1e-6 rmsnorm fwd bf16 h=2304 addafter
norm 1e-6 rmsnorm fwd bf16 h=2304
]] },
  { config = class "afmoe", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=2048
post_mlp_layernorm+input_layernorm *1e-5 rmsnorm fwd bf16 h=2048 sandwich
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128
post_attention_layernorm+pre_mlp_layernorm *1e-5 rmsnorm fwd bf16 h=2048 sandwich
post_mlp_layernorm+norm 1e-5 rmsnorm fwd bf16 h=2048 sandwich
]] },
  { config = class "exaone4", sites = [[
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addafter cast=llama
post_feedforward_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addafter cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
]] },
  { config = class "olmoe", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=2048 cast=llama
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=2048 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = class "flint", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout
norm 1e-6 rmsnorm fwd bf16 h=2048 add
]] },
  { config = class "minimax_m3_vl_text", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=6144 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=6144 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 offset=1
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=6144 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=6144 add offset=1
]] },
  { config = class "step3p5", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 offset=1
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout offset=1
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 offset=1
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 offset=1
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout offset=1
norm 1e-5 rmsnorm fwd bf16 h=4096 add offset=1
]] },
  { config = class "sarvam_mla", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.kv_a_layernorm *1e-6 rmsnorm fwd bf16 h=512 cast=llama strided
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "deepseek_v32", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=7168 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=7168 addout cast=llama
self_attn.q_a_layernorm *1e-6 rmsnorm fwd bf16 h=1536 cast=llama
self_attn.kv_a_layernorm *1e-6 rmsnorm fwd bf16 h=512 cast=llama strided
self_attn.indexer.k_norm *1e-6 layernorm fwd bf16 h=128
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=7168 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=7168 add cast=llama
]] },
  { config = class "kolibri1", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2560 cast=llama
post_mlp_layernorm+input_layernorm *1e-6 rmsnorm fwd bf16 h=2560 sandwich cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_self_attn_layernorm+post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2560 sandwich cast=llama
post_mlp_layernorm+norm 1e-6 rmsnorm fwd bf16 h=2560 sandwich cast=llama
]] },
  { config = class "persimmon", sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=4096
input_layernorm *1e-5 layernorm fwd bf16 h=4096 addout
self_attn.q_layernorm *1e-5 layernorm fwd bf16 h=64
self_attn.k_layernorm *1e-5 layernorm fwd bf16 h=64
post_attention_layernorm *1e-5 layernorm fwd bf16 h=4096 addout
final_layernorm 1e-5 layernorm fwd bf16 h=4096 add
]] },
  { config = class "jais2", sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=3328
input_layernorm *1e-5 layernorm fwd bf16 h=3328 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=3328 addout
norm 1e-5 layernorm fwd bf16 h=3328 add
]] },
  { config = class "phimoe", sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=4096
input_layernorm *1e-5 layernorm fwd bf16 h=4096 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=4096 addout
norm 1e-5 layernorm fwd bf16 h=4096 add
]] },
  { config = class "starcoder2", sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=3072
input_layernorm *1e-5 layernorm fwd bf16 h=3072 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=3072 addout
norm 1e-5 layernorm fwd bf16 h=3072 add
]] },
  { config = class "gpt_neox_japanese", sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=2560
input_layernorm *1e-5 layernorm fwd bf16 h=2560 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=2560 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=2560 add
]] },
  { config = class "gpt_neo", sites = [[
h.0.ln_1 1e-5 layernorm fwd bf16 h=2048
ln_1 *1e-5 layernorm fwd bf16 h=2048 addout
ln_2 *1e-5 layernorm fwd bf16 h=2048 addout
ln_f 1e-5 layernorm fwd bf16 h=2048 add
]] },
  { config = class "openai-gpt", sites = [[
ln_1 *1e-5 layernorm fwd bf16 h=768 add
ln_2 *1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = class "ctrl", sites = [[
h.0.layernorm1 1e-6 layernorm fwd bf16 h=1280
layernorm1 *1e-6 layernorm fwd bf16 h=1280 addout
layernorm2 *1e-6 layernorm fwd bf16 h=1280 addout
layernorm 1e-6 layernorm fwd bf16 h=1280 add
]] },
  { config = class "biogpt", sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1024
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
layer_norm 1e-5 layernorm fwd bf16 h=1024 add
]] },
  { config = class "xglm", sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1024
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
layer_norm 1e-5 layernorm fwd bf16 h=1024 add
]] },
  { config = class "falcon_mamba", sites = [[
layers.0.norm 1e-5 rmsnorm fwd bf16 h=768 cast=llama
norm *1e-5 rmsnorm fwd bf16 residual=f32 h=768 addout cast=llama
mixer.dt_layernorm *1e-6 rmsnorm fwd bf16 h=48 affine=none
mixer.b_layernorm *1e-6 rmsnorm fwd bf16 h=16 affine=none
mixer.c_layernorm *1e-6 rmsnorm fwd bf16 h=16 affine=none
norm_f 1e-5 rmsnorm fwd bf16 residual=f32 h=768 add cast=llama
]] },
  { config = class "bamba", sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
mamba.norm *1e-5 rmsnorm fwd bf16 h=8192 cast=llama zgate=before
pre_ff_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
final_layernorm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "jamba", sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
mamba.dt_layernorm *1e-6 rmsnorm fwd bf16 h=256 cast=llama
mamba.b_layernorm *1e-6 rmsnorm fwd bf16 h=16 cast=llama
mamba.c_layernorm *1e-6 rmsnorm fwd bf16 h=16 cast=llama
pre_ff_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
final_layernorm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class "recurrent_gemma", sites = [[
layers.0.temporal_pre_norm 1e-6 rmsnorm fwd bf16 h=2560 offset=1
temporal_pre_norm *1e-6 rmsnorm fwd bf16 h=2560 addout offset=1
channel_pre_norm *1e-6 rmsnorm fwd bf16 h=2560 addout offset=1
final_norm 1e-6 rmsnorm fwd bf16 h=2560 add offset=1
]] },
  { config = class "align_text_model", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "luke", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
entity_embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "electra", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=128
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=256 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=256 add
]] },
  { config = class "convbert", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "roformer", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "albert", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=128
attention.LayerNorm *1e-12 layernorm fwd bf16 h=4096 add
full_layer_layer_norm *1e-12 layernorm fwd bf16 h=4096 add
]] },
  { config = class "rembert", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=256
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=1152 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=1152 add
]] },
  { config = class "mpnet", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "nomic_bert", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
post_attention_layernorm *1e-12 layernorm fwd bf16 h=768 add
post_mlp_layernorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "megatron-bert", sites = [[
layer.0.attention.ln 1e-12 layernorm fwd bf16 h=1024
attention.ln *1e-12 layernorm fwd bf16 h=1024 addout
layer.*.ln *1e-12 layernorm fwd bf16 h=1024 addout
ln 1e-12 layernorm fwd bf16 h=1024 add
]] },
  { config = class "xlm-roberta-xl", sites = [[
layer.0.attention.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=2560
attention.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=2560 addout
layer.*.LayerNorm *1e-5 layernorm fwd bf16 h=2560 addout
encoder.LayerNorm 1e-5 layernorm fwd bf16 h=2560 add
]] },
  { config = class "roberta-prelayernorm", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
layer.0.attention.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.LayerNorm *1e-12 layernorm fwd bf16 h=768 addout
intermediate.LayerNorm *1e-12 layernorm fwd bf16 h=768 addout
LayerNorm 1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "modernbert", sites = [[
embeddings.norm 1e-5 layernorm fwd bf16 h=768 affine=gamma
attn_norm *1e-5 layernorm fwd bf16 h=768 addout affine=gamma
mlp_norm *1e-5 layernorm fwd bf16 h=768 addout affine=gamma
final_norm 1e-5 layernorm fwd bf16 h=768 add affine=gamma
]] },
  { config = class "mbart", sites = [[
encoder.layernorm_embedding 1e-5 layernorm fwd bf16 h=1024
encoder.layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1024
encoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
encoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
encoder.layer_norm 1e-5 layernorm fwd bf16 h=1024 add
decoder.layernorm_embedding 1e-5 layernorm fwd bf16 h=1024
decoder.layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1024
decoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
encoder_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
decoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
decoder.layer_norm 1e-5 layernorm fwd bf16 h=1024 add
]] },
  { config = class "bart", sites = [[
encoder.layernorm_embedding 1e-5 layernorm fwd bf16 h=1024
encoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
encoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
decoder.layernorm_embedding 1e-5 layernorm fwd bf16 h=1024
decoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
encoder_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
decoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
]] },
  { config = class "marian", sites = [[
encoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
encoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
decoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
encoder_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
decoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
]] },
  { config = class "flava_text_model", sites = [[
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
layer.0.layernorm_before 1e-12 layernorm fwd bf16 h=768
layernorm_before *1e-12 layernorm fwd bf16 h=768 addout
layernorm_after *1e-12 layernorm fwd bf16 h=768 addout
layernorm 1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "videomae", sites = [[
layer.0.layernorm_before 1e-12 layernorm fwd bf16 h=768
layernorm_before *1e-12 layernorm fwd bf16 h=768 addout
layernorm_after *1e-12 layernorm fwd bf16 h=768 addout
]] },
  { config = class "beit", sites = [[
layer.0.layernorm_before 1e-12 layernorm fwd bf16 h=768
layernorm_before *1e-12 layernorm fwd bf16 h=768 addout
layernorm_after *1e-12 layernorm fwd bf16 h=768 addout
pooler.layernorm 1e-12 layernorm fwd bf16 h=768
]] },
  { config = class "data2vec-vision", sites = [[
layer.0.layernorm_before 1e-12 layernorm fwd bf16 h=768
layernorm_before *1e-12 layernorm fwd bf16 h=768 addout
layernorm_after *1e-12 layernorm fwd bf16 h=768 addout
]] },
  { config = class "dinov3_vit", sites = [[
layer.0.norm1 1e-5 layernorm fwd bf16 h=384
norm1 *1e-5 layernorm fwd bf16 h=384 addout
norm2 *1e-5 layernorm fwd bf16 h=384 addout
norm 1e-5 layernorm fwd bf16 h=384 add
]] },
  { config = class "clip_text_model", sites = [[
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=512
layer_norm1 *1e-5 layernorm fwd bf16 h=512 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=512 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=512 add
]] },
  { config = class "clip_vision_model", sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = class "owlvit_vision_model", sites = [[
pre_layernorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = class "git_vision_model", sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = class "siglip_vision_model", sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
]] },
  { config = class "blip_vision_model", sites = [[
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = class "llama4_vision_model", sites = [[
layernorm_pre 1e-5 layernorm fwd bf16 h=768
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=768
input_layernorm *1e-5 layernorm fwd bf16 h=768 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=768 addout
layernorm_post 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = class "mllama_vision_model", sites = [[
layernorm_pre 1e-5 layernorm fwd bf16 h=1280
transformer.layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1280
transformer.layers.*.input_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
transformer.layers.*.post_attention_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
layernorm_post 1e-5 layernorm fwd bf16 h=1280 add
global_transformer.layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1280
global_transformer.layers.*.input_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
global_transformer.layers.*.post_attention_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
]] },
  { config = class "internvl_vision", sites = [[
layer.0.layernorm_before 1e-6 layernorm fwd bf16 h=1024
layernorm_before *1e-6 layernorm fwd bf16 h=1024 addout
layernorm_after *1e-6 layernorm fwd bf16 h=1024 addout
]] },
  { config = class "qwen2_vl_vision", sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1280
norm1 *1e-6 layernorm fwd bf16 h=1280 addout
norm2 *1e-6 layernorm fwd bf16 h=1280 addout
merger.ln_q 1e-6 layernorm fwd bf16 h=1280 add
]] },
  { config = class "qwen2_5_vl_vision", sites = [[
blocks.0.norm1 1e-6 rmsnorm fwd bf16 h=3584 cast=llama
norm1 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
norm2 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
merger.ln_q 1e-6 rmsnorm fwd bf16 h=3584 add cast=llama
]] },
  { config = class "qwen3_vl_vision", sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1152
norm1 *1e-6 layernorm fwd bf16 h=1152 addout
norm2 *1e-6 layernorm fwd bf16 h=1152 addout
merger.norm 1e-6 layernorm fwd bf16 h=1152 add
deepstack_merger_list.*.norm *1e-6 layernorm fwd bf16 h=4608
]] },
  { config = class "qwen3_5_vision", sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1152
norm1 *1e-6 layernorm fwd bf16 h=1152 addout
norm2 *1e-6 layernorm fwd bf16 h=1152 addout
merger.norm 1e-6 layernorm fwd bf16 h=1152 add
]] },
  { config = class "glm4v_vision", sites = [[
post_conv_layernorm 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
blocks.0.norm1 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
norm1 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
norm2 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
post_layernorm 1e-5 rmsnorm fwd bf16 h=1536 add cast=llama
merger.post_projection_norm 1e-5 layernorm fwd bf16 h=4096
]] },
  { config = class "pixtral", sites = [[
ln_pre 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
layers.0.attention_norm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
attention_norm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
ffn_norm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
]] },
  { config = class "kimi_k25_vision", sites = [[
layers.0.norm1 1e-5 layernorm fwd bf16 h=1152
norm1 *1e-5 layernorm fwd bf16 h=1152 addout
norm2 *1e-5 layernorm fwd bf16 h=1152 addout
final_layernorm 1e-5 layernorm fwd bf16 h=1152 add
]] },
  { config = class "aimv2_vision_model", sites = [[
embeddings.rms_norm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
layers.0.rms_norm1 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
rms_norm1 *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
rms_norm2 *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
rms_norm 1e-5 rmsnorm fwd bf16 h=1024 add cast=llama
]] },
  { config = class "voxtral_encoder", sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
layer_norm 1e-5 layernorm fwd bf16 h=1280 add
]] },
  { config = class "glmasr_encoder", sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1280
input_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
post_attention_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
norm 1e-5 layernorm fwd bf16 h=1280 add
]] },
  { config = class "qwen2_audio_encoder", sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
layer_norm 1e-5 layernorm fwd bf16 h=1280
]] },
  { config = class "qwen2_5_omni_audio_encoder", sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
ln_post 1e-5 layernorm fwd bf16 h=1280 add
]] },
  { config = class "blip_2_qformer", sites = [[
layernorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output_query.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = class "instructblip_qformer", sites = [[
embeddings.layernorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output_query.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("mistral3", { "vision_config", "text_config" }), sites = [[
ln_pre 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
layers.0.attention_norm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
attention_norm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
ffn_norm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
multi_modal_projector.norm 1e-6 rmsnorm fwd bf16 h=1024 cast=llama
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("internvl", { "vision_config", "text_config" }), sites = [[
layer.0.layernorm_before 1e-6 layernorm fwd bf16 h=1024
layernorm_before *1e-6 layernorm fwd bf16 h=1024 addout
layernorm_after *1e-6 layernorm fwd bf16 h=1024 addout
multi_modal_projector.layer_norm 1e-5 layernorm fwd bf16 h=4096
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("lfm2_vl", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
multi_modal_projector.layer_norm 1e-5 layernorm fwd bf16 h=3072
layers.0.operator_norm 1e-5 rmsnorm fwd bf16 h=2560 cast=llama
operator_norm *1e-5 rmsnorm fwd bf16 h=2560 addout cast=llama
self_attn.q_layernorm *1e-5 rmsnorm fwd bf16 h=80 cast=llama
self_attn.k_layernorm *1e-5 rmsnorm fwd bf16 h=80 cast=llama
ffn_norm *1e-5 rmsnorm fwd bf16 h=2560 addout cast=llama
embedding_norm 1e-5 rmsnorm fwd bf16 h=2560 add cast=llama
]] },
  { config = wrapper("paddleocr_vl", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1152
layer_norm1 *1e-6 layernorm fwd bf16 h=1152 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1152 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1152 add
projector.pre_norm 1e-5 layernorm fwd bf16 h=1152
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=1024 add cast=llama
]] },
  { config = wrapper("kimi_k25", { "vision_config", "text_config" }), sites = [[
layers.0.norm1 1e-5 layernorm fwd bf16 h=1152
norm1 *1e-5 layernorm fwd bf16 h=1152 addout
norm2 *1e-5 layernorm fwd bf16 h=1152 addout
final_layernorm 1e-5 layernorm fwd bf16 h=1152 add
mm_projector.pre_norm 1e-5 layernorm fwd bf16 h=1152
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=7168 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=7168 addout cast=llama
self_attn.q_a_layernorm *1e-6 rmsnorm fwd bf16 h=1536 cast=llama
self_attn.kv_a_layernorm *1e-6 rmsnorm fwd bf16 h=512 cast=llama strided
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=7168 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=7168 add cast=llama
]] },
  { config = wrapper("blip-2", { "vision_config", "qformer_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1408
layer_norm1 *1e-6 layernorm fwd bf16 h=1408 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1408 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1408 add
layernorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output_query.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=768
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=768 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=768 addout
decoder.final_layer_norm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("instructblip", { "vision_config", "qformer_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1408
layer_norm1 *1e-6 layernorm fwd bf16 h=1408 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1408 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1408 add
embeddings.layernorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output_query.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=768
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=768 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=768 addout
decoder.final_layer_norm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("instructblipvideo", { "vision_config", "qformer_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1408
layer_norm1 *1e-6 layernorm fwd bf16 h=1408 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1408 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1408 add
embeddings.layernorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output_query.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=768
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=768 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=768 addout
decoder.final_layer_norm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("qwen2_5_omni_thinker", { "audio_config", "vision_config", "text_config" }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
ln_post 1e-5 layernorm fwd bf16 h=1280 add
blocks.0.norm1 1e-6 rmsnorm fwd bf16 h=3584 cast=llama
norm1 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
norm2 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
merger.ln_q 1e-6 rmsnorm fwd bf16 h=3584 add cast=llama
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=3584 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=3584 add cast=llama
]] },
  { config = wrapper("fuyu", { "text_config" }), sites = [[
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=4096
input_layernorm *1e-5 layernorm fwd bf16 h=4096 addout
self_attn.q_layernorm *1e-5 layernorm fwd bf16 h=64
self_attn.k_layernorm *1e-5 layernorm fwd bf16 h=64
post_attention_layernorm *1e-5 layernorm fwd bf16 h=4096 addout
final_layernorm 1e-5 layernorm fwd bf16 h=4096 add
]] },
  { config = wrapper("video_llava", { "vision_config", "text_config" }), sites = [[
video_tower.pre_layrnorm 1e-5 layernorm fwd bf16 h=768
video_tower.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
video_tower.layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
video_tower.layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
video_tower.post_layernorm 1e-5 layernorm fwd bf16 h=768 add
image_tower.pre_layrnorm 1e-5 layernorm fwd bf16 h=768
image_tower.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
image_tower.layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
image_tower.layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
image_tower.post_layernorm 1e-5 layernorm fwd bf16 h=768 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("phi4_multimodal", { "vision_config", "audio_config" }), sites = [[
image_embed - -
audio_embed - -
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=3072 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=3072 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=3072 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=3072 add cast=llama
]] },
  { config = wrapper("qwen2_vl", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1280
norm1 *1e-6 layernorm fwd bf16 h=1280 addout
norm2 *1e-6 layernorm fwd bf16 h=1280 addout
merger.ln_q 1e-6 layernorm fwd bf16 h=1280 add
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=8192 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=8192 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=8192 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=8192 add cast=llama
]] },
  { config = wrapper("qwen2_5_vl", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 rmsnorm fwd bf16 h=3584 cast=llama
norm1 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
norm2 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
merger.ln_q 1e-6 rmsnorm fwd bf16 h=3584 add cast=llama
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=8192 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=8192 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=8192 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=8192 add cast=llama
]] },
  { config = wrapper("siglip2", { "vision_config", "text_config" }), sites = [[
vision_model.layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
vision_model.layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
vision_model.layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
text_model.layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
text_model.layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
text_model.layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
final_layer_norm 1e-6 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("clipseg", { "vision_config", "text_config" }), sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
vision_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
vision_model.layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
vision_model.layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
text_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=512
text_model.layer_norm1 *1e-5 layernorm fwd bf16 h=512 addout
text_model.layer_norm2 *1e-5 layernorm fwd bf16 h=512 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=512 add
]] },
  { config = wrapper("metaclip_2", { "vision_config", "text_config" }), sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
vision_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
vision_model.layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
vision_model.layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
text_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=512
text_model.layer_norm1 *1e-5 layernorm fwd bf16 h=512 addout
text_model.layer_norm2 *1e-5 layernorm fwd bf16 h=512 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=512 add
]] },
  { config = wrapper("owlvit", { "vision_config", "text_config" }), sites = [[
pre_layernorm 1e-5 layernorm fwd bf16 h=768
vision_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
vision_model.layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
vision_model.layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
text_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=512
text_model.layer_norm1 *1e-5 layernorm fwd bf16 h=512 addout
text_model.layer_norm2 *1e-5 layernorm fwd bf16 h=512 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=512 add
]] },
  { config = wrapper("owlv2", { "vision_config", "text_config" }), sites = [[
pre_layernorm 1e-5 layernorm fwd bf16 h=768
vision_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
vision_model.layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
vision_model.layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
text_model.layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=512
text_model.layer_norm1 *1e-5 layernorm fwd bf16 h=512 addout
text_model.layer_norm2 *1e-5 layernorm fwd bf16 h=512 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=512 add
]] },
  { config = wrapper("chinese_clip", { "vision_config", "text_config" }), sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("aimv2", { "vision_config", "text_config" }), sites = [[
embeddings.rms_norm 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
vision_model.layers.0.rms_norm1 1e-5 rmsnorm fwd bf16 h=1024 cast=llama
vision_model.rms_norm1 *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
vision_model.rms_norm2 *1e-5 rmsnorm fwd bf16 h=1024 addout cast=llama
vision_model.rms_norm 1e-5 rmsnorm fwd bf16 h=1024 add cast=llama
text_model.layers.0.rms_norm1 1e-5 rmsnorm fwd bf16 h=768 cast=llama
text_model.rms_norm1 *1e-5 rmsnorm fwd bf16 h=768 addout cast=llama
text_model.rms_norm2 *1e-5 rmsnorm fwd bf16 h=768 addout cast=llama
text_model.rms_norm 1e-5 rmsnorm fwd bf16 h=768 add cast=llama
]] },
  { config = wrapper("tipsv2", { "vision_config", "text_config" }), sites = [[
layer.0.norm1 1e-6 layernorm fwd bf16 h=768
norm1 *1e-6 layernorm fwd bf16 h=768 addout
norm2 *1e-6 layernorm fwd bf16 h=768 addout
layernorm 1e-6 layernorm fwd bf16 h=768 add
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
final_layer_norm 1e-5 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("blip", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("idefics3", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1152
layer_norm1 *1e-6 layernorm fwd bf16 h=1152 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1152 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1152 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("smolvlm", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=1152
layer_norm1 *1e-6 layernorm fwd bf16 h=1152 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=1152 addout
post_layernorm 1e-6 layernorm fwd bf16 h=1152 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("vision-text-dual-encoder", { "vision_config", "text_config" }), sites = [[
layer.0.layernorm_before 1e-12 layernorm fwd bf16 h=768
layernorm_before *1e-12 layernorm fwd bf16 h=768 addout
layernorm_after *1e-12 layernorm fwd bf16 h=768 addout
layernorm 1e-12 layernorm fwd bf16 h=768 add
embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
  { config = wrapper("llava", { "vision_config", "text_config" }), sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("llava_next", { "vision_config", "text_config" }), sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("llava_next_video", { "vision_config", "text_config" }), sites = [[
pre_layrnorm 1e-5 layernorm fwd bf16 h=768
layers.0.layer_norm1 1e-5 layernorm fwd bf16 h=768
layer_norm1 *1e-5 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-5 layernorm fwd bf16 h=768 addout
post_layernorm 1e-5 layernorm fwd bf16 h=768 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("llava_onevision", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("paligemma", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=3072 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=3072 addout offset=1
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=3072 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=3072 add offset=1
]] },
  { config = wrapper("cohere2_vision", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=8192 affine=gamma
input_layernorm *1e-5 layernorm fwd bf16 h=8192 addout affine=gamma
norm 1e-5 layernorm fwd bf16 h=8192 add affine=gamma
]] },
  { config = wrapper("minimax_m3_vl", { "vision_config", "text_config" }), sites = [[
vision_tower - -
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=6144 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=6144 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 offset=1
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=6144 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=6144 add offset=1
]] },
  { config = wrapper("mllama", { "vision_config", "text_config" }), sites = [[
layernorm_pre 1e-5 layernorm fwd bf16 h=1280
transformer.layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1280
transformer.layers.*.input_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
transformer.layers.*.post_attention_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
layernorm_post 1e-5 layernorm fwd bf16 h=1280 add
global_transformer.layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1280
global_transformer.layers.*.input_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
global_transformer.layers.*.post_attention_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
cross_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
cross_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("video_llama_3", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("deepseek_vl", { "vision_config", "text_config" }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("qwen3_vl", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1152
norm1 *1e-6 layernorm fwd bf16 h=1152 addout
norm2 *1e-6 layernorm fwd bf16 h=1152 addout
merger.norm 1e-6 layernorm fwd bf16 h=1152 add
deepstack_merger_list.*.norm *1e-6 layernorm fwd bf16 h=4608
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("qwen3_vl_moe", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1152
norm1 *1e-6 layernorm fwd bf16 h=1152 addout
norm2 *1e-6 layernorm fwd bf16 h=1152 addout
merger.norm 1e-6 layernorm fwd bf16 h=1152 add
deepstack_merger_list.*.norm *1e-6 layernorm fwd bf16 h=4608
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = wrapper("qwen3_5", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1152
norm1 *1e-6 layernorm fwd bf16 h=1152 addout
norm2 *1e-6 layernorm fwd bf16 h=1152 addout
merger.norm 1e-6 layernorm fwd bf16 h=1152 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
linear_attn.l2norm *1e-6 l2norm fwd bf16 h=128
linear_attn.norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=4096 add offset=1
]] },
  { config = wrapper("qwen3_5_moe", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 layernorm fwd bf16 h=1152
norm1 *1e-6 layernorm fwd bf16 h=1152 addout
norm2 *1e-6 layernorm fwd bf16 h=1152 addout
merger.norm 1e-6 layernorm fwd bf16 h=1152 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=256 offset=1
linear_attn.l2norm *1e-6 l2norm fwd bf16 h=128
linear_attn.norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=2048 add offset=1
]] },
  { config = wrapper("glm4v", { "vision_config", "text_config" }), sites = [[
post_conv_layernorm 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
blocks.0.norm1 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
norm1 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
norm2 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
post_layernorm 1e-5 rmsnorm fwd bf16 h=1536 add cast=llama
merger.post_projection_norm 1e-5 layernorm fwd bf16 h=4096
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
post_mlp_layernorm+input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
post_self_attn_layernorm+post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
post_mlp_layernorm+norm 1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
]] },
  { config = wrapper("glm46v", { "vision_config", "text_config" }), sites = [[
post_conv_layernorm 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
blocks.0.norm1 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
norm1 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
norm2 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
post_layernorm 1e-5 rmsnorm fwd bf16 h=1536 add cast=llama
merger.post_projection_norm 1e-5 layernorm fwd bf16 h=4096
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
post_mlp_layernorm+input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
post_self_attn_layernorm+post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
post_mlp_layernorm+norm 1e-5 rmsnorm fwd bf16 h=4096 sandwich cast=llama
]] },
  { config = wrapper("glm4v_moe", { "vision_config", "text_config" }), sites = [[
post_conv_layernorm 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
blocks.0.norm1 1e-5 rmsnorm fwd bf16 h=1536 cast=llama
norm1 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
norm2 *1e-5 rmsnorm fwd bf16 h=1536 addout cast=llama
post_layernorm 1e-5 rmsnorm fwd bf16 h=1536 add cast=llama
merger.post_projection_norm 1e-5 layernorm fwd bf16 h=4096
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("exaone4_5", { "vision_config", "text_config" }), sites = [[
blocks.0.norm1 1e-6 rmsnorm fwd bf16 h=3584 cast=llama
norm1 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
norm2 *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
merger.ln_q 1e-6 rmsnorm fwd bf16 h=3584 add cast=llama
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addafter cast=llama
post_feedforward_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addafter cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
]] },
  { config = wrapper("voxtral", { "audio_config", "text_config" }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
layer_norm 1e-5 layernorm fwd bf16 h=1280 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("qwen2_audio", { "audio_config", "text_config" }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
layer_norm 1e-5 layernorm fwd bf16 h=1280
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("audioflamingo3", { "audio_config", "text_config" }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
layer_norm 1e-5 layernorm fwd bf16 h=1280 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("glmasr", { "audio_config", "text_config" }), sites = [[
audio_tower.layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=1280
audio_tower.input_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
audio_tower.post_attention_layernorm *1e-5 layernorm fwd bf16 h=1280 addout
audio_tower.norm 1e-5 layernorm fwd bf16 h=1280 add
language_model.layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
language_model.input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
language_model.post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
language_model.norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("qwen3_asr", { "audio_config", "text_config" }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1024
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1024 addout
ln_post 1e-5 layernorm fwd bf16 h=1024 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = class("glm4_moe", { head_dim = 128, use_qk_norm = true }), sites = [[
layers.0.input_layernorm 1e-5 rmsnorm fwd bf16 h=4096 cast=llama
input_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
self_attn.q_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-5 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-5 rmsnorm fwd bf16 h=4096 addout cast=llama
norm 1e-5 rmsnorm fwd bf16 h=4096 add cast=llama
]] },
  { config = wrapper("aya_vision", { "text_config", "vision_config" }, { adapter_layer_norm_eps = 1e-6 }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
multi_modal_projector.layernorm 1e-6 layernorm fwd bf16 h=3072
layers.0.input_layernorm 1e-5 layernorm fwd bf16 h=8192 affine=gamma
input_layernorm *1e-5 layernorm fwd bf16 h=8192 addout affine=gamma
norm 1e-5 layernorm fwd bf16 h=8192 add affine=gamma
]] },
  { config = wrapper("florence2", { "text_config" }, { vision_config = { projection_dim = 1024 } }), sites = [[
vision_tower - -
multi_modal_projector.image_proj_norm 1e-5 layernorm fwd bf16 h=1024
encoder.layernorm_embedding 1e-5 layernorm fwd bf16 h=1024
encoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
encoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
decoder.layernorm_embedding 1e-5 layernorm fwd bf16 h=1024
decoder.self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
encoder_attn_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
decoder.final_layer_norm *1e-5 layernorm fwd bf16 h=1024 add
]] },
  { config = wrapper("qwen3_omni_moe_thinker", { "audio_config" }, { text_config = { head_dim = 128 } }), sites = [[
layers.0.self_attn_layer_norm 1e-5 layernorm fwd bf16 h=1280
self_attn_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
final_layer_norm *1e-5 layernorm fwd bf16 h=1280 addout
ln_post 1e-5 layernorm fwd bf16 h=1280 add
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=2048 add cast=llama
]] },
  { config = class("colpali", { vlm_config = wrapper("paligemma", { "text_config", "vision_config" }) }), sites = [[
layers.0.layer_norm1 1e-6 layernorm fwd bf16 h=768
layer_norm1 *1e-6 layernorm fwd bf16 h=768 addout
layer_norm2 *1e-6 layernorm fwd bf16 h=768 addout
post_layernorm 1e-6 layernorm fwd bf16 h=768 add
head.layernorm 1e-6 layernorm fwd bf16 h=768
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=3072 offset=1
input_layernorm *1e-6 rmsnorm fwd bf16 h=3072 addout offset=1
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=3072 addout offset=1
norm 1e-6 rmsnorm fwd bf16 h=3072 add offset=1
]] },
  { config = class("colqwen2", { vlm_config = { model_type = "qwen2_vl", hidden_size = 1536, rms_norm_eps = 1e-6 } }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=1536 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=1536 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=1536 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=1536 add cast=llama
]] },
  { config = class("qwen2_5_omni", { thinker_config = { text_config = {} }, token2wav_config = {} }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=3584 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=3584 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=3584 add cast=llama
token2wav - -
]] },
  { config = class("qwen3_omni_moe", { thinker_config = { text_config = { head_dim = 128 } }, talker_config = {} }), sites = [[
layers.0.input_layernorm 1e-6 rmsnorm fwd bf16 h=2048 cast=llama
input_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
self_attn.q_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
self_attn.k_norm *1e-6 rmsnorm fwd bf16 h=128 cast=llama
post_attention_layernorm *1e-6 rmsnorm fwd bf16 h=2048 addout cast=llama
norm 1e-6 rmsnorm fwd bf16 h=2048 add cast=llama
talker - -
]] },
  { config = class("encoder-decoder", { encoder = class "bert", decoder = class("bert", { add_cross_attention = true }) }), sites = [[
encoder.embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
encoder.attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
encoder.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
decoder.embeddings.LayerNorm 1e-12 layernorm fwd bf16 h=768
decoder.attention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
crossattention.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
decoder.output.LayerNorm *1e-12 layernorm fwd bf16 h=768 add
]] },
}
