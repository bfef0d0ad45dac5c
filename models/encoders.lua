--- Encoders of text, speech and images, and models of an encoder and a decoder.

local forward = require "models.forward"

local read, last, post, inside = forward.read, forward.last, forward.post, forward.inside
local branch, settle = forward.branch, forward.settle
local layers, family = forward.layers, forward.family

local unpack = table.unpack or unpack

local LN = { norm = "layernorm", width = "hidden_size", eps = "layer_norm_eps" }

local SCALED = "x is the branch's output times its LayerScale"

local function flag(name, default)
  return function(config) return config:flag(name, default) end
end

-- Post-norms behind branches, after a norm of the embedding.
local function behind(name, embedding, ...)
  local steps = {}
  for _, site in ipairs { ... } do
    steps[#steps + 1] = branch()
    steps[#steps + 1] = type(site) == "table" and site or post(site)
  end
  return { { post(embedding, { note = "norm of the sum of all embeddings" }) }, layers(name, steps) }
end

-- Pre-norms in front of branches, one after the other.
local function before(name, final, ...)
  local steps = {}
  for _, site in ipairs { ... } do
    steps[#steps + 1] = read(site)
    steps[#steps + 1] = branch()
  end
  return { layers(name, steps), final and { last(final) } }
end

-- The same behind a norm of the embedding.
local function normed(embedding, sections)
  return { { post(embedding, { note = "norm of the embedding" }) }, unpack(sections) }
end

-- The same, where a branch's output is multiplied by a vector of the layer.
local function scaled(name, final, first, second)
  return { layers(name, { read(first), branch(SCALED), read(second), branch(SCALED) }), final and { last(final) } }
end

-- The sections of BERT; where the config says so, attention to another text is a branch between both.
local function bert(config)
  local is_crossed = config:flag("add_cross_attention", false)
  return behind("layer", "embeddings.LayerNorm", "attention.output.LayerNorm", is_crossed and "crossattention.output.LayerNorm"
    or "output.LayerNorm", is_crossed and "output.LayerNorm" or nil)
end

local PLAIN_BERT = behind("layer", "embeddings.LayerNorm", "attention.output.LayerNorm", "output.LayerNorm")

-- Where the embedding is narrower than the stream, a projection starts that.
local function narrow(sections, field)
  return { { inside("embeddings.LayerNorm", { width = field, note = "norm of the sum of all embeddings, in front of a projection" }) },
    sections[2] }
end

local function electra(config)
  local width = config:optional_size "embedding_size"
  if not width or width == config:size "hidden_size" then return bert(config) end
  return narrow(bert(config), "embedding_size")
end

local D_MODEL = { "d_model", "hidden_size" }
local T5 = { norm = "rmsnorm", cast = "llama", width = D_MODEL, eps = "layer_norm_epsilon" }
local SEQUENCES = { norm = "layernorm", width = D_MODEL, eps = 1e-5 }

local CLASS_TOKEN = "only the rows of class tokens"

local function siglip_vision(config)
  local sections = before("layers", "post_layernorm", "layer_norm1", "layer_norm2")
  if config:flag("vision_use_head", true) then
    sections[3] = { inside("head.layernorm", { note = "in the head that pools by attention" }) }
  end
  return sections
end

local function clip_vision(embedding)
  local sections = normed(embedding, before("layers", nil, "layer_norm1", "layer_norm2"))
  sections[3] = { last("post_layernorm", { note = CLASS_TOKEN }) }
  return sections
end

local TEXT = before("layers", "final_layer_norm", "layer_norm1", "layer_norm2")
local VISION = before("layers", "post_layernorm", "layer_norm1", "layer_norm2")
local VIT = before("layer", "layernorm", "layernorm_before", "layernorm_after")
local SPEECH = before("layers", "layer_norm", "self_attn_layer_norm", "final_layer_norm")

-- Classes of a config that have one half of a model of encoder and decoder.
local ENCODER_ONLY = { "Encoder$", "EncoderModel$", "ForTokenClassification$", "ForAudioClassification$" }
local DECODER_ONLY = { "Decoder$", "ForCausalLM$" }

-- Whether all classes that the config names are of one kind.
local function only(config, patterns)
  local classes = config:texts "architectures"
  for _, class in ipairs(classes) do
    local found = false
    for _, pattern in ipairs(patterns) do found = found or class:find(pattern) ~= nil end
    if not found then return false end
  end
  return #classes > 0
end

-- A model of an encoder and a decoder, or of one of them alone.
local function halves(types, base, encoder, decoder)
  return { types = types, towers = {
    { name = "encoder", row = family(base, { sections = encoder }), when = function(config) return not only(config, DECODER_ONLY) end },
    { name = "decoder", row = family(base, { sections = decoder }), when = function(config) return not only(config, ENCODER_ONLY) end },
  } }
end

-- Sections of both halves with pre-norms; `embedding` is a norm of the embedding, or nil.
local function pre_halves(embedding, final)
  local encoder = before("layers", final, "self_attn_layer_norm", "final_layer_norm")
  local decoder = before("layers", final, "self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm")
  if not embedding then return encoder, decoder end
  return normed(embedding, encoder), normed(embedding, decoder)
end

-- The same with post-norms.
local function post_halves(embedding)
  local encoder = behind("layers", embedding or "", "self_attn_layer_norm", "final_layer_norm")
  local decoder = behind("layers", embedding or "", "self_attn_layer_norm", "encoder_attn_layer_norm", "final_layer_norm")
  if embedding then return encoder, decoder end
  return { encoder[2] }, { decoder[2] }
end

-- The merger behind blocks of a vision tower: a norm of its rows, one for each patch.
local function with_merger(sections, merger)
  return { sections[1], { last(merger, { note = "in front of the merger of patches" }) }, sections[2] }
end

local BLOCKS = before("blocks", nil, "norm1", "norm2")

-- Qwen3-VL has further mergers, whose norms read rows of merged patches.
local function qwen3_vl_vision(config)
  local sections = with_merger(BLOCKS, "merger.norm")
  local merge, width = config:size "spatial_merge_size", config:size "hidden_size"
  sections[3] = { inside("deepstack_merger_list.*.norm", { width = config:computed(merge * merge * width,
    "spatial_merge_size^2 * hidden_size"), each = true, note = "rows of merged patches, of layers in deepstack_visual_indexes" }) }
  return sections
end

local function internvl_vision(config)
  local norm = config:text("norm_type", { "layer_norm", "rms_norm" }) == "rms_norm" and "rmsnorm" or "layernorm"
  local q_k = { norm = "rmsnorm", affine = "gamma", cast = "llama", eps = 1e-6, when = flag("use_qk_norm", false),
    note = "over all heads at once" }
  local more = { norm = norm, affine = norm == "rmsnorm" and "gamma" or nil }
  return { layers("layer", { read("layernorm_before", more), inside("attention.q_norm", q_k), inside("attention.k_norm", q_k),
    branch(SCALED), read("layernorm_after", more), branch(SCALED) }),
    not config:flag("use_mean_pooling", true) and { last "layernorm" } or nil }
end

local MODERNBERT = normed("embeddings.norm", { layers("layers", { read("attn_norm", { not_first = true }), branch(),
  read "mlp_norm", branch() }), { last "final_norm" } })

-- BEiT: a pooler that takes a mean has the last norm.
local function beit(pooler)
  return function(config)
    local note = config:number("layer_scale_init_value", 0.1) > 0 and SCALED or nil
    local final = config:flag("use_mean_pooling", true) and pooler or { last "layernorm" }
    return { layers("layer", { read "layernorm_before", branch(note), read "layernorm_after", branch(note) }), final }
  end
end

local function videomae(config)
  return before("layer", not config:flag("use_mean_pooling", true) and "layernorm" or nil, "layernorm_before", "layernorm_after")
end

local function glm4v_vision()
  local sections = before("blocks", "post_layernorm", "norm1", "norm2")
  sections[3] = { inside("merger.post_projection_norm", { norm = "layernorm", width = "out_hidden_size", affine = "gamma+beta",
    eps = 1e-5, note = "rows of merged patches" }) }
  return normed("post_conv_layernorm", sections)
end

local function mllama_vision()
  local edge = { eps = 1e-5 }
  local function stack(name, note)
    return layers(name, { read(name .. ".*.input_layernorm"), branch(note), read(name .. ".*.post_attention_layernorm"), branch(note) })
  end
  return { { post("layernorm_pre", edge) }, stack "transformer.layers", { last("layernorm_post", edge), settle() },
    stack("global_transformer.layers", "x is the branch's output times the tanh of its gate") }
end

local function aimv2(config)
  local sections = before("layers", "rms_norm", "rms_norm1", "rms_norm2")
  if config:has "patch_size" then
    table.insert(sections, 1, { inside("embeddings.rms_norm", { note = "norm of the patches, in front of positions" }) })
  end
  return sections
end

local QUERIES = "in layers with attention to images"

local function qformer(embedding, has_text)
  local steps = { branch(), post "attention.output.LayerNorm", branch(), post("crossattention.output.LayerNorm", { note = QUERIES }),
    branch(), post("output_query.LayerNorm", { note = "rows of queries" }) }
  if has_text then steps[7], steps[8] = branch(), post("output.LayerNorm", { note = "rows of text" }) end
  return { { post(embedding, { note = "norm of the queries" }) }, layers("layer", steps) }
end

local function beta_where(field, default)
  return function(config) return config:flag(field, default) and "gamma+beta" or "gamma" end
end

local AIMV2 = { norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "rms_norm_eps" }
local RMS_BLOCKS = { norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = 1e-6 }

return {
  family(LN, { types = { "bert", "roberta", "xlm-roberta", "camembert", "data2vec-text", "ernie", "big_bird", "roc_bert",
    "bert-generation" }, sections = bert }),
  family(LN, { types = { "align_text_model", "altclip_text_model", "blip_text_model", "bridgetower_text_model", "bros",
    "chinese_clip_text_model", "clap_text_model", "layoutlm", "longformer", "markuplm", "mra", "nystromformer", "splinter", "tapas",
    "visual_bert", "yoso" }, sections = PLAIN_BERT }),
  family(LN, { types = { "luke" }, sections = { PLAIN_BERT[1], { inside("entity_embeddings.LayerNorm", { note = "norm of the sum of "
    .. "the embeddings of entities" }) }, PLAIN_BERT[2] } }),
  family(LN, { types = { "electra" }, left_out = { embedding_size = 128 }, sections = electra }),
  family(LN, { types = { "convbert" }, left_out = { embedding_size = 768 }, sections = electra }),
  family(LN, { types = { "roformer" }, sections = electra }),
  family(LN, { types = { "albert" }, sections = { narrow({}, "embedding_size")[1], layers("albert_layers", { branch(),
    post "attention.LayerNorm", branch(), post "full_layer_layer_norm" }) } }),
  family(LN, { types = { "rembert" }, sections = function(config) return narrow(bert(config), "input_embedding_size") end }),
  family(LN, { types = { "mpnet" }, sections = behind("layer", "embeddings.LayerNorm", "attention.LayerNorm", "output.LayerNorm") }),
  family(LN, { types = { "nomic_bert", "gte", "jina_embeddings_v3" }, sections = behind("layers", "embeddings.LayerNorm",
    "post_attention_layernorm", "post_mlp_layernorm") }),
  family(LN, { types = { "megatron-bert" }, sections = before("layer", "ln", "attention.ln", "layer.*.ln") }),
  family(LN, { types = { "xlm-roberta-xl" }, sections = before("layer", "encoder.LayerNorm", "attention.self_attn_layer_norm",
    "layer.*.LayerNorm") }),
  family(LN, { types = { "roberta-prelayernorm" }, sections = normed("embeddings.LayerNorm", before("layer", "LayerNorm",
    "attention.LayerNorm", "intermediate.LayerNorm")) }),
  family(LN, { types = { "modernbert", "modernbert-decoder" }, eps = "norm_eps", affine = beta_where("norm_bias", false),
    sections = MODERNBERT }),
  family(LN, { types = { "distilbert" }, width = { "dim", "hidden_size" }, eps = 1e-12,
    sections = behind("layer", "embeddings.LayerNorm", "sa_layer_norm", "output_layer_norm") }),
  halves({ "t5", "mt5", "umt5", "longt5", "switch_transformers" }, T5,
    before("block", "final_layer_norm", "layer.0.layer_norm", "layer.1.layer_norm"),
    before("block", "final_layer_norm", "layer.0.layer_norm", "layer.1.layer_norm", "layer.2.layer_norm")),
  halves({ "whisper", "blenderbot", "m2m_100", "pegasus", "speech_to_text" }, SEQUENCES, pre_halves(nil, "layer_norm")),
  halves({ "mbart" }, SEQUENCES, pre_halves("layernorm_embedding", "layer_norm")),
  halves({ "bart", "mvp", "plbart", "blenderbot-small", "led" }, SEQUENCES, post_halves "layernorm_embedding"),
  halves({ "marian", "fsmt" }, SEQUENCES, post_halves()),
  family(LN, { types = { "vit", "deit", "ijepa", "vit_mae", "vit_msn", "dpt", "yolos", "flava_image_model", "flava_multimodal_model",
    "audio-spectrogram-transformer", "vivit" }, sections = VIT }),
  family(LN, { types = { "flava_text_model" }, sections = normed("embeddings.LayerNorm", VIT) }),
  family(LN, { types = { "videomae" }, sections = videomae }),
  family(LN, { types = { "beit" }, sections = beit { inside("pooler.layernorm", { note = "of pooled rows, one for each image" }) } }),
  family(LN, { types = { "data2vec-vision" }, sections = beit {} }),
  family(LN, { types = { "dinov2", "dinov2_with_registers", "tipsv2_vision_model" }, sections = scaled("layer", "layernorm", "norm1",
    "norm2") }),
  family(LN, { types = { "dinov3_vit" }, sections = scaled("layer", "norm", "norm1", "norm2") }),
  family(LN, { types = { "clip_text_model", "siglip_text_model", "siglip2_text_model", "clipseg_text_model", "metaclip_2_text_model",
    "xclip_text_model", "owlvit_text_model", "owlv2_text_model", "groupvit_text_model", "tipsv2_text_model" }, sections = TEXT }),
  family(LN, { types = { "clip_vision_model", "altclip_vision_model", "chinese_clip_vision_model", "clipseg_vision_model",
    "metaclip_2_vision_model", "mlcd_vision_model" }, sections = clip_vision "pre_layrnorm" }),
  family(LN, { types = { "owlvit_vision_model", "owlv2_vision_model" }, sections = clip_vision "pre_layernorm" }),
  family(LN, { types = { "git_vision_model" }, sections = normed("pre_layrnorm", VISION) }),
  family(LN, { types = { "siglip_vision_model", "siglip2_vision_model" }, sections = siglip_vision }),
  family(LN, { types = { "blip_vision_model", "blip_2_vision_model", "idefics2_vision", "idefics3_vision", "smolvlm_vision",
    "instructblip_vision_model", "instructblipvideo_vision_model", "video_llama_3_vision", "paddleocr_vl_vision" }, sections = VISION }),
  family(LN, { types = { "llama4_vision_model" }, eps = 1e-5, sections = normed("layernorm_pre", before("layers", "layernorm_post",
    "input_layernorm", "post_attention_layernorm")) }),
  family(LN, { types = { "mllama_vision_model" }, eps = "norm_eps", sections = mllama_vision }),
  family(LN, { types = { "internvl_vision" }, sections = internvl_vision }),
  family(LN, { types = { "qwen2_vl_vision" }, width = "embed_dim", eps = 1e-6, sections = with_merger(BLOCKS, "merger.ln_q") }),
  family(RMS_BLOCKS, { types = { "qwen2_5_vl_vision", "qwen2_5_omni_vision_encoder", "exaone4_5_vision" },
    sections = with_merger(BLOCKS, "merger.ln_q") }),
  family(LN, { types = { "qwen3_vl_vision", "qwen3_vl_moe_vision" }, eps = 1e-6, sections = qwen3_vl_vision }),
  family(LN, { types = { "qwen3_5_vision", "qwen3_5_moe_vision" }, eps = 1e-6, sections = with_merger(BLOCKS, "merger.norm") }),
  family(RMS_BLOCKS, { types = { "glm4v_vision", "glm4v_moe_vision" }, eps = "rms_norm_eps", sections = glm4v_vision }),
  family(RMS_BLOCKS, { types = { "pixtral" }, eps = 1e-5, sections = normed("ln_pre", before("layers", nil, "attention_norm",
    "ffn_norm")) }),
  family(LN, { types = { "kimi_k25_vision" }, eps = 1e-5, sections = before("layers", "final_layernorm", "norm1", "norm2") }),
  family(AIMV2, { types = { "aimv2_vision_model", "aimv2_text_model" }, sections = aimv2 }),
  family(LN, { types = { "voxtral_encoder", "audioflamingo3_encoder" }, eps = 1e-5, sections = SPEECH }),
  family(LN, { types = { "glmasr_encoder" }, eps = 1e-5, sections = before("layers", "norm", "input_layernorm",
    "post_attention_layernorm") }),
  family(LN, { types = { "qwen2_audio_encoder" }, width = D_MODEL, eps = 1e-5, sections = { SPEECH[1], { settle(),
    inside("layer_norm", { note = "of pooled rows" }) } } }),
  family(LN, { types = { "qwen2_5_omni_audio_encoder", "qwen3_omni_moe_audio_encoder", "qwen3_asr_encoder" }, width = D_MODEL, eps = 1e-5,
    sections = before("layers", "ln_post", "self_attn_layer_norm", "final_layer_norm") }),
  family(LN, { types = { "blip_2_qformer" }, sections = qformer "layernorm" }),
  family(LN, { types = { "instructblip_qformer", "instructblipvideo_qformer" }, sections = qformer("embeddings.layernorm", true) }),
}
