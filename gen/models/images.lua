--- Convolutional and windowed image models, and diffusion models.

local forward = require "gen.models.forward"

local read, last, post, inside, branch, settle = forward.read, forward.last, forward.post, forward.inside, forward.branch,
  forward.settle
local layers, family = forward.layers, forward.family

local function stage_name(format, index) return format:format(index - 1) end

local PIXELS = "rows are pixels, channels last"

local function check_stages(config, name, list)
  local depths = config:sizes "depths"
  if #depths ~= #list then config:contradict("depths has %d entries, but %s has %d", #depths, name, #list) end
  return depths
end

local function convnext(config)
  local widths = config:sizes "hidden_sizes"
  check_stages(config, "hidden_sizes", widths)
  local steps = { inside("embeddings.layernorm", { width = widths[1], eps = 1e-6, note = PIXELS }) }
  for i, width in ipairs(widths) do
    if i > 1 then
      steps[#steps + 1] = inside(stage_name("stages.%d.downsampling_layer.0", i), { width = widths[i - 1], eps = 1e-6, note = PIXELS })
    end
    steps[#steps + 1] = inside(stage_name("stages.%d.layers.*.layernorm", i), { width = width, eps = 1e-6, each = true, note = PIXELS })
  end
  steps[#steps + 1] = inside("layernorm", { width = widths[#widths], note = "of pooled rows, one for each image" })
  return { steps }
end

local function swin(config)
  local width, depths = config:size "embed_dim", config:sizes "depths"
  local sections = { { post("embeddings.norm", { width = width, eps = 1e-5, note = "norm of the embedding" }) } }
  for i, depth in ipairs(depths) do
    width = config:computed(config:size "embed_dim" * 2 ^ (i - 1), "embed_dim * 2^" .. i - 1)
    local name = stage_name("layers.%d", i)
    sections[#sections + 1] = layers(name, { read(name .. ".blocks.*.layernorm_before", { width = width }), branch(),
      read(name .. ".blocks.*.layernorm_after", { width = width }), branch() }, depth)
    if i < #depths then
      sections[#sections + 1] = { settle(), inside(name .. ".downsample.norm", { width = config:computed(4 * width,
        "4 * embed_dim * 2^" .. i - 1), eps = 1e-5, note = "rows of four merged patches" }) }
    end
  end
  sections[#sections + 1] = { last("layernorm", { width = width }) }
  return sections
end

local function inner_width(config)
  if config:has "hidden_size" then return config:size "hidden_size" end
  return config:computed(config:size "num_attention_heads" * config:size "attention_head_dim",
    "num_attention_heads * attention_head_dim")
end

local PER_HEAD = "one row for each head and token"

local ADAPTIVE = { norm = "layernorm", affine = "none", width = inner_width, eps = 1e-6 }

local function dit(config)
  config:text("norm_type", { "ada_norm_zero" })
  return { layers("transformer_blocks", { read("norm1.norm", { mod = true }), branch(nil, true),
    read("norm3", { eps = config:has "norm_eps" and "norm_eps" or 1e-5, mod = true }), branch(nil, true) }),
    { last("norm_out", { mod = true }) } }
end

-- Norms of queries and keys, with the order of casts of the library that the model uses for them.
local function heads(cast)
  return { width = "attention_head_dim", norm = "rmsnorm", affine = "gamma", cast = cast, note = PER_HEAD }
end

-- A stream of a joint transformer: norms of the stream around attention and MLP, and of its queries and keys.
local function joint(cast, first, query, key, second)
  return layers("transformer_blocks", { read(first, { mod = true }), inside(query, heads(cast)), inside(key, heads(cast)),
    branch(nil, true), read(second, { mod = true }), branch(nil, true) })
end

local function context(cast)
  return family(ADAPTIVE, { sections = {
    joint(cast, "norm1_context.norm", "attn.norm_added_q", "attn.norm_added_k", "norm2_context") } })
end

local FINAL = { last("norm_out.norm", { mod = true }) }

local function sd3_image(config)
  config:text("qk_norm", { "rms_norm" })
  return { joint("llama", "norm1.norm", "attn.norm_q", "attn.norm_k", "norm2"), FINAL }
end

local FLUX = family(ADAPTIVE, { sections = { joint(nil, "norm1.norm", "attn.norm_q", "attn.norm_k", "norm2") } })

local FLUX_SINGLE = family(ADAPTIVE, { sections = {
  layers("single_transformer_blocks", { read("norm.norm", { mod = true }), inside("attn.norm_q", heads()),
    inside("attn.norm_k", heads()), branch(nil, true) }), FINAL } })

-- Why a group norm cannot be emitted, with its numbers.
local function group_norm(config, channels, silu)
  local groups = config:size "norm_num_groups"
  if channels % groups ~= 0 then config:contradict("%d channels do not split into norm_num_groups %d", channels, groups) end
  return ("group norm over %d channels in %d groups of %d%s, which no kernel has yet"):format(channels, groups, channels / groups,
    silu and ", then SiLU" or "")
end

-- more: silu = followed by SiLU, eps, note, once = not in each layer.
local function groups(site, channels, config, more)
  return inside(site, { each = not more.once, eps = more.eps, note = more.note,
    blocked = group_norm(config, channels, more.silu) })
end

local function has_attention(config, field, index)
  local types = config.fields[field]
  if type(types) ~= "table" or type(types[index]) ~= "string" then config:refuse(field, "a list of block types") end
  return types[index]:find("CrossAttn", 1, true) ~= nil
end

local FIRST = "the first norm1 of a level has the channels that come in, after a skip connection more"

-- The norms of one level of a U-Net.
local function level(steps, config, name, channels, attention)
  steps[#steps + 1] = groups(name .. ".resnets.norm1", channels, config, { silu = true, eps = "norm_eps", note = FIRST })
  steps[#steps + 1] = groups(name .. ".resnets.norm2", channels, config, { silu = true, eps = "norm_eps" })
  if not attention then return end
  steps[#steps + 1] = groups(name .. ".attentions.norm", channels, config, { eps = 1e-6 })
  for i = 1, 3 do
    steps[#steps + 1] = inside(("%s.attentions.transformer_blocks.norm%d"):format(name, i), { width = channels, each = true })
  end
end

local function unet(config)
  local widths, steps = config:sizes "block_out_channels", {}
  for i, channels in ipairs(widths) do
    level(steps, config, stage_name("down_blocks.%d", i), channels, has_attention(config, "down_block_types", i))
  end
  level(steps, config, "mid_block", widths[#widths], true)
  for i = 1, #widths do
    local channels = widths[#widths + 1 - i]
    level(steps, config, stage_name("up_blocks.%d", i), channels, has_attention(config, "up_block_types", i))
  end
  steps[#steps + 1] = groups("conv_norm_out", widths[1], config, { silu = true, eps = "norm_eps", once = true })
  return { steps }
end

-- One half of an autoencoder: levels of these channels, and the middle in front of or behind them.
local function half(steps, config, name, widths, middle)
  local function add(site, channels, more)
    steps[#steps + 1] = groups(name .. "." .. site, channels, config, more)
  end
  local function add_middle()
    add("mid_block.attentions.group_norm", middle, { once = true })
    add("mid_block.resnets.norm", middle, { silu = true })
  end
  if name == "decoder" then add_middle() end
  for i, channels in ipairs(widths) do
    local blocks = stage_name(name == "encoder" and "down_blocks.%d.resnets.norm" or "up_blocks.%d.resnets.norm", i)
    add(blocks .. "1", channels, { silu = true, note = FIRST })
    add(blocks .. "2", channels, { silu = true })
  end
  if name == "encoder" then add_middle() end
  add("conv_norm_out", name == "encoder" and middle or widths[#widths], { silu = true, once = true })
end

local function vae(config)
  local widths, steps, reversed = config:sizes "block_out_channels", {}, {}
  for i, channels in ipairs(widths) do reversed[#widths + 1 - i] = channels end
  half(steps, config, "encoder", widths, widths[#widths])
  half(steps, config, "decoder", reversed, widths[#widths])
  return { steps }
end

return {
  { types = { "convnext" }, norm = "layernorm", eps = "layer_norm_eps", sections = convnext },
  { types = { "swin" }, norm = "layernorm", eps = "layer_norm_eps", sections = swin },
  family(ADAPTIVE, { types = { "dit", "DiTTransformer2DModel", "Transformer2DModel" }, sections = dit }),
  { types = { "SD3Transformer2DModel" }, towers = {
    { name = "context", row = context "llama" }, { name = "image", row = family(ADAPTIVE, { sections = sd3_image }) } } },
  { types = { "FluxTransformer2DModel" }, towers = {
    { name = "context", row = context() }, { name = "transformer_blocks", row = FLUX },
    { name = "single_transformer_blocks", row = FLUX_SINGLE } } },
  { types = { "UNet2DConditionModel" }, norm = "layernorm", eps = 1e-5, sections = unet },
  { types = { "AutoencoderKL" }, norm = "layernorm", eps = 1e-6, sections = vae },
}
