--- Models of several parts: towers for text, images and sound, and what lies between them.

local forward = require "models.forward"

local read, last, inside, branch = forward.read, forward.last, forward.inside, forward.branch
local layers, family = forward.layers, forward.family

-- A tower: `name` in front of sites that another tower has, too; `config` the field with its config, `type` the model_type of
-- that if it names none; or `row` a row of its own. `or_outer`: older configs have the tower's fields outside, e.g. this one.
local function tower(name, config, model_type) return { name = name, config = config, type = model_type } end

-- Rows for types that differ in nothing but the types of their parts: `list` has each type, the first part's and the second's.
local function pairs_of(first, first_config, second, second_config, list)
  local rows = {}
  for i, entry in ipairs(list) do
    rows[i] = { types = { entry[1] }, towers = { tower(first, first_config, entry[2]), tower(second, second_config, entry[3]) } }
  end
  return rows
end

-- A part with a single norm between the towers; `more` as for a step, and the base of a row.
local function between(name, site, more)
  return { name = name, row = family({ norm = "layernorm" }, { sections = { { inside(site, more) } } }) }
end

local function width_of(field, model_type)
  return function(config)
    local part = config:inner(field, model_type)
    return part and part:size "hidden_size" or config:refuse(field, "an object")
  end
end

-- The width of rows in which a projector has merged patches of a tower: `more` of them, a function of the config.
local function merged_width(model_type, more)
  local width = width_of("vision_config", model_type)
  return function(config) return config:computed(more(config) * width(config), "rows of merged patches") end
end

local PATCHES = "rows of merged patches"

local function shuffled(config) return 1 / config:number("downsample_ratio", 0.5) ^ 2 end
local function unshuffled(config) return config:number("downsample_factor", 2) ^ 2 end

local MISTRAL3 = { name = "multi_modal_projector", row = { norm = "rmsnorm", cast = "llama", width = width_of("vision_config", "pixtral"),
  eps = function(config)
    local text = config:inner("text_config", "mistral")
    return text and text:eps "rms_norm_eps" or config:refuse("text_config", "an object")
  end, sections = { { inside("multi_modal_projector.norm", { note = "norm of the image tokens" }) } } } }

local GEMMA3 = { name = "multi_modal_projector", config = "vision_config", row = { norm = "rmsnorm", width = "hidden_size",
  eps = "layer_norm_eps", offset = 1, sections = { { inside("mm_soft_emb_norm", { note = "norm of the pooled image tokens" }) } } } }

-- Qwen2-VL and its kin: the first configs have the fields of the text outside.
local function qwen_vl(model_type)
  return { types = { model_type }, towers = { tower("visual", "vision_config", model_type .. "_vision"),
    { name = "language_model", config = "text_config", type = model_type .. "_text", or_outer = "hidden_size" } } }
end

local LLAMA = { norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "rms_norm_eps", sections = {
  layers("layers", { read "input_layernorm", branch(), read "post_attention_layernorm", branch() }), { last "norm" } } }

local rows = {
  { types = { "gemma3", "shieldgemma2" }, towers = { tower("vision_tower", "vision_config", "siglip_vision_model"), GEMMA3,
    tower("language_model", "text_config", "gemma3_text") } },
  { types = { "gemma4" }, towers = { tower("audio_tower", "audio_config", "gemma4_audio"),
    tower("vision_tower", "vision_config", "gemma4_vision"), tower("language_model", "text_config", "gemma4_text") } },
  { types = { "mistral3" }, towers = { tower("vision_tower", "vision_config", "pixtral"), MISTRAL3,
    tower("language_model", "text_config", "mistral") } },
  { types = { "internvl" }, towers = { tower("vision_tower", "vision_config", "internvl_vision"),
    between("multi_modal_projector", "multi_modal_projector.layer_norm", { width = merged_width("internvl_vision", shuffled),
      eps = 1e-5, note = PATCHES }),
    tower("language_model", "text_config", "qwen2") } },
  { types = { "lfm2_vl" }, towers = { tower("vision_tower", "vision_config", "siglip2_vision_model"),
    between("multi_modal_projector", "multi_modal_projector.layer_norm", { eps = 1e-5, note = PATCHES,
      width = merged_width("siglip2_vision_model", unshuffled),
      when = function(config) return config:flag("projector_use_layernorm", true) end }),
    tower("language_model", "text_config", "lfm2") } },
  { types = { "aya_vision" }, towers = { tower("vision_tower", "vision_config", "siglip_vision_model"),
    between("multi_modal_projector", "multi_modal_projector.layernorm", { eps = "adapter_layer_norm_eps", note = PATCHES,
      width = merged_width("siglip_vision_model", unshuffled) }),
    tower("language_model", "text_config", "cohere2") } },
  { types = { "paddleocr_vl" }, towers = { tower("visual", "vision_config", "paddleocr_vl_vision"),
    between("projector", "projector.pre_norm", { width = width_of("vision_config", "paddleocr_vl_vision"), eps = 1e-5 }),
    tower("language_model", "text_config", "paddleocr_vl_text") } },
  { types = { "kimi_k25" }, left_out = { projection_hidden_size = 1152, projection_layer_norm_eps = 1e-5 }, towers = {
    tower("vision_tower", "vision_config", "kimi_k25_vision"),
    between("mm_projector", "mm_projector.pre_norm", { width = "projection_hidden_size", eps = "projection_layer_norm_eps" }),
    tower("language_model", "text_config", "deepseek_v3") } },
  { types = { "florence2" }, towers = { tower("vision_tower", "vision_config", "florence_vision"),
    between("multi_modal_projector", "multi_modal_projector.image_proj_norm", { eps = 1e-5, note = "norm of the image tokens",
      width = function(config) return config:inner "vision_config":size "projection_dim" end }),
    tower("language_model", "text_config", "bart") } },
  { types = { "blip-2" }, towers = { tower("vision_model", "vision_config", "blip_2_vision_model"),
    tower("qformer", "qformer_config", "blip_2_qformer"), tower("language_model", "text_config", "opt") } },
  { types = { "instructblip" }, towers = { tower("vision_model", "vision_config", "instructblip_vision_model"),
    tower("qformer", "qformer_config", "instructblip_qformer"), tower("language_model", "text_config", "opt") } },
  { types = { "instructblipvideo" }, towers = { tower("vision_model", "vision_config", "instructblipvideo_vision_model"),
    tower("qformer", "qformer_config", "instructblipvideo_qformer"), tower("language_model", "text_config", "opt") } },
  { types = { "qwen2_5_omni_thinker" }, towers = { tower("audio_tower", "audio_config", "qwen2_5_omni_audio_encoder"),
    tower("visual", "vision_config", "qwen2_5_omni_vision_encoder"), tower("language_model", "text_config", "qwen2_5_omni_text") } },
  { types = { "qwen3_omni_moe_thinker" }, towers = { tower("audio_tower", "audio_config", "qwen3_omni_moe_audio_encoder"),
    tower("visual", "vision_config", "qwen3_omni_moe_vision_encoder"), tower("language_model", "text_config", "qwen3_omni_moe_text") } },
  { types = { "colpali" }, towers = { tower("vlm", "vlm_config", "paligemma") } },
  { types = { "colqwen2" }, towers = { tower("vlm", "vlm_config", "qwen2_vl") } },
  { types = { "fuyu" }, towers = { tower("language_model", "text_config", "persimmon") } },
  { types = { "qwen2_5_omni" }, towers = { tower("thinker", "thinker_config", "qwen2_5_omni_thinker"),
    tower("talker", "talker_config", "qwen2_5_omni_talker"), tower("token2wav", "token2wav_config", "qwen2_5_omni_token2wav") } },
  { types = { "qwen3_omni_moe" }, towers = { tower("thinker", "thinker_config", "qwen3_omni_moe_thinker"),
    tower("talker", "talker_config", "qwen3_omni_moe_talker"), tower("code2wav", "code2wav_config", "qwen3_omni_moe_code2wav") } },
  { types = { "video_llava" }, towers = { tower("video_tower", "vision_config", "clip_vision_model"),
    tower("image_tower", "vision_config", "clip_vision_model"), tower("language_model", "text_config", "llama") } },
  { types = { "encoder-decoder", "vision-encoder-decoder" }, towers = { tower("encoder", "encoder"), tower("decoder", "decoder") } },
  { types = { "phi4_multimodal" }, towers = { tower("image_embed", "vision_config", "phi4_multimodal_vision"),
    tower("audio_embed", "audio_config", "phi4_multimodal_audio"), { name = "layers", row = LLAMA } } },
  qwen_vl "qwen2_vl", qwen_vl "qwen2_5_vl",
}

local function add(list)
  for _, row in ipairs(list) do rows[#rows + 1] = row end
end

add(pairs_of("vision_model", "vision_config", "text_model", "text_config", {
  { "clip", "clip_vision_model", "clip_text_model" }, { "siglip", "siglip_vision_model", "siglip_text_model" },
  { "siglip2", "siglip2_vision_model", "siglip2_text_model" }, { "clipseg", "clipseg_vision_model", "clipseg_text_model" },
  { "metaclip_2", "metaclip_2_vision_model", "metaclip_2_text_model" }, { "owlvit", "owlvit_vision_model", "owlvit_text_model" },
  { "owlv2", "owlv2_vision_model", "owlv2_text_model" }, { "chinese_clip", "chinese_clip_vision_model", "chinese_clip_text_model" },
  { "aimv2", "aimv2_vision_model", "aimv2_text_model" }, { "tipsv2", "tipsv2_vision_model", "tipsv2_text_model" },
  { "blip", "blip_vision_model", "blip_text_model" }, { "idefics3", "idefics3_vision", "llama" },
  { "smolvlm", "smolvlm_vision", "llama" }, { "vision-text-dual-encoder", "vit", "bert" },
}))

add(pairs_of("vision_tower", "vision_config", "language_model", "text_config", {
  { "llava", "clip_vision_model", "llama" }, { "llava_next", "clip_vision_model", "llama" },
  { "llava_next_video", "clip_vision_model", "llama" }, { "llava_onevision", "siglip_vision_model", "qwen2" },
  { "paligemma", "siglip_vision_model", "gemma" }, { "cohere2_vision", "siglip_vision_model", "cohere2" },
  { "minimax_m3_vl", "minimax_m3_vl_vision", "minimax_m3_vl_text" },
}))

add(pairs_of("vision_model", "vision_config", "language_model", "text_config", {
  { "llama4", "llama4_vision_model", "llama4_text" }, { "mllama", "mllama_vision_model", "mllama_text_model" },
  { "video_llama_3", "video_llama_3_vision", "qwen2" }, { "deepseek_vl", "siglip_vision_model", "llama" },
}))

add(pairs_of("visual", "vision_config", "language_model", "text_config", {
  { "qwen3_vl", "qwen3_vl_vision", "qwen3_vl_text" }, { "qwen3_vl_moe", "qwen3_vl_moe_vision", "qwen3_vl_moe_text" },
  { "qwen3_5", "qwen3_5_vision", "qwen3_5_text" }, { "qwen3_5_moe", "qwen3_5_moe_vision", "qwen3_5_moe_text" },
  { "glm4v", "glm4v_vision", "glm4v_text" }, { "glm46v", "glm4v_vision", "glm4v_text" },
  { "glm4v_moe", "glm4v_moe_vision", "glm4v_moe_text" }, { "exaone4_5", "exaone4_5_vision", "exaone4" },
}))

add(pairs_of("audio_tower", "audio_config", "language_model", "text_config", {
  { "voxtral", "voxtral_encoder", "llama" }, { "qwen2_audio", "qwen2_audio_encoder", "qwen2" },
  { "audioflamingo3", "audioflamingo3_encoder", "qwen2" }, { "glmasr", "glmasr_encoder", "llama" },
  { "qwen3_asr", "qwen3_asr_encoder", "qwen3" },
}))

return rows
