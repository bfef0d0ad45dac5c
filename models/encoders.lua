--- Encoders of text, speech and images, and models of an encoder and a decoder or of two towers.

local forward = require "models.forward"

local read, last, post, inside, branch = forward.read, forward.last, forward.post, forward.inside, forward.branch
local layers, family = forward.layers, forward.family

local LN = { norm = "layernorm", width = "hidden_size", eps = "layer_norm_eps" }

-- Post-norms behind two branches, after a norm of the embedding.
local function behind(attention, mlp)
  return { { post("embeddings.LayerNorm", { note = "norm of the sum of all embeddings" }) },
    layers("layer", { branch(), post(attention), branch(), post(mlp) }) }
end

-- Pre-norms in front of branches, one after the other.
local function before(name, final, ...)
  local steps = {}
  for _, site in ipairs { ... } do
    steps[#steps + 1] = read(site)
    steps[#steps + 1] = branch()
  end
  return { layers(name, steps), { last(final) } }
end

local T5 = { norm = "rmsnorm", cast = "llama", width = { "d_model", "hidden_size" }, eps = "layer_norm_epsilon" }
local WHISPER = { norm = "layernorm", width = { "d_model", "hidden_size" }, eps = 1e-5 }

local CLASS_TOKEN = "only the rows of class tokens"

local function siglip_vision(config)
  local sections = before("layers", "post_layernorm", "layer_norm1", "layer_norm2")
  if config:flag("vision_use_head", true) then
    sections[3] = { inside("head.layernorm", { note = "in the head that pools by attention" }) }
  end
  return sections
end

local function clip_vision()
  local sections = before("layers", "post_layernorm", "layer_norm1", "layer_norm2")
  sections[2] = { last("post_layernorm", { note = CLASS_TOKEN }) }
  table.insert(sections, 1, { post("pre_layrnorm", { note = "norm of the embedding" }) })
  return sections
end

local function llama4_vision()
  local sections = before("layers", "layernorm_post", "input_layernorm", "post_attention_layernorm")
  table.insert(sections, 1, { post("layernorm_pre", { note = "norm of the embedding" }) })
  return sections
end

local TEXT = before("layers", "final_layer_norm", "layer_norm1", "layer_norm2")

local SCALED = "x is the branch's output times its LayerScale"

-- A tower: `name` in front of sites that another tower has, too; `config` the field with its config, `type` the
-- model_type of that if it names none, or `row` a row of its own.
local function two_towers(vision, text)
  return { { name = "vision_model", config = "vision_config", type = vision },
    { name = "text_model", config = "text_config", type = text } }
end

return {
  family(LN, { types = { "bert", "roberta" }, sections = behind("attention.output.LayerNorm", "output.LayerNorm") }),
  family(LN, { types = { "distilbert" }, width = { "dim", "hidden_size" }, eps = 1e-12,
    sections = behind("sa_layer_norm", "output_layer_norm") }),
  { types = { "t5" }, towers = {
    { name = "encoder", row = family(T5, { sections = before("block", "final_layer_norm", "layer.0.layer_norm",
      "layer.1.layer_norm") }) },
    { name = "decoder", row = family(T5, { sections = before("block", "final_layer_norm", "layer.0.layer_norm",
      "layer.1.layer_norm", "layer.2.layer_norm") }) },
  } },
  { types = { "whisper" }, towers = {
    { name = "encoder", row = family(WHISPER, { sections = before("layers", "layer_norm", "self_attn_layer_norm",
      "final_layer_norm") }) },
    { name = "decoder", row = family(WHISPER, { sections = before("layers", "layer_norm", "self_attn_layer_norm",
      "encoder_attn_layer_norm", "final_layer_norm") }) },
  } },
  family(LN, { types = { "vit" }, sections = before("layer", "layernorm", "layernorm_before", "layernorm_after") }),
  family(LN, { types = { "dinov2" }, sections = {
    layers("layer", { read "norm1", branch(SCALED), read "norm2", branch(SCALED) }), { last "layernorm" } } }),
  family(LN, { types = { "clip_text_model" }, sections = TEXT }),
  family(LN, { types = { "siglip_text_model" }, left_out_nested = { layer_norm_eps = 1e-6 }, sections = TEXT }),
  family(LN, { types = { "clip_vision_model" }, sections = clip_vision }),
  family(LN, { types = { "siglip_vision_model" }, left_out_nested = { layer_norm_eps = 1e-6 }, sections = siglip_vision }),
  family(LN, { types = { "llama4_vision_model" }, eps = 1e-5, sections = llama4_vision }),
  { types = { "clip" }, towers = two_towers("clip_vision_model", "clip_text_model") },
  { types = { "siglip" }, towers = two_towers("siglip_vision_model", "siglip_text_model") },
  { types = { "gemma3" }, towers = {
    { name = "vision_tower", config = "vision_config", type = "siglip_vision_model" },
    { name = "multi_modal_projector", config = "vision_config", row = { norm = "rmsnorm", width = "hidden_size",
      eps = "layer_norm_eps", offset = 1, left_out_nested = { layer_norm_eps = 1e-6 },
      sections = { { inside("mm_soft_emb_norm", { note = "norm of the pooled image tokens" }) } } } },
    { name = "language_model", config = "text_config", type = "gemma3_text" },
  } },
  { types = { "gemma4" }, towers = {
    { name = "audio_tower", config = "audio_config", type = "gemma4_audio" },
    { name = "vision_tower", config = "vision_config", type = "gemma4_vision" },
    { name = "language_model", config = "text_config", type = "gemma4_text" },
  } },
  { types = { "llama4" }, towers = {
    { name = "vision_model", config = "vision_config", type = "llama4_vision_model" },
    { name = "language_model", config = "text_config", type = "llama4_text" },
  } },
}
