--- Convolutional and windowed image models, and diffusion models.

local forward = require "models.forward"
local usage = require "gen.errors.usage"

local read, last, post, after, inside = forward.read, forward.last, forward.post, forward.after, forward.inside
local branch, settle = forward.branch, forward.settle
local layers, family = forward.layers, forward.family

local function stage_name(format, index) return format:format(index - 1) end

local PIXELS = "rows are pixels, channels last"

local function check_stages(config, name, list)
  local depths = config:sizes "depths"
  if #depths ~= #list then config:contradict("depths has %d entries, but %s has %d", #depths, name, #list) end
  return depths
end

-- Norms of stem and downsampling read images as convolutions make them; those of blocks read them with channels last.
local function convnext(config)
  local widths = config:sizes "hidden_sizes"
  check_stages(config, "hidden_sizes", widths)
  local steps = { inside("embeddings.layernorm", { width = widths[1], eps = 1e-6, layout = "nchw" }) }
  for i, width in ipairs(widths) do
    if i > 1 then
      steps[#steps + 1] = inside(stage_name("stages.%d.downsampling_layer.0", i),
        { width = widths[i - 1], eps = 1e-6, layout = "nchw" })
    end
    steps[#steps + 1] = inside(stage_name("stages.%d.layers.*.layernorm", i),
      { width = width, eps = 1e-6, each = true, note = PIXELS })
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

-- A class of its own has no other kind of norm; Transformer2DModel has some, and another one where the field is missing.
local function dit(config)
  local is_own = config:text "_class_name" == "DiTTransformer2DModel"
  if not config:text("norm_type", { "ada_norm_zero" }) and not is_own then config:refuse("norm_type", "ada_norm_zero") end
  return { layers("transformer_blocks", { read("norm1.norm", { mod = true }), branch(nil, true),
    read("norm3", { eps = config:has "norm_eps" and "norm_eps" or 1e-5, mod = true }), branch(nil, true) }),
    { last("norm_out", { mod = true }) } }
end

-- Norms of queries and keys, with the order of casts of the library that the model uses for them.
local function heads(cast)
  return { width = "attention_head_dim", norm = "rmsnorm", affine = "gamma", cast = cast, note = PER_HEAD }
end

-- A stream of a joint transformer: norms of the stream around attention and MLP, and of its queries and keys; qk is an array of
-- the names of these.
local function joint(cast, first, qk, second)
  local steps = { read(first, { mod = true }) }
  for _, name in ipairs(qk) do steps[#steps + 1] = inside(name, heads(cast)) end
  for _, at in ipairs { branch(nil, true), read(second, { mod = true }), branch(nil, true) } do steps[#steps + 1] = at end
  return layers("transformer_blocks", steps)
end

local FINAL = { last("norm_out.norm", { mod = true }) }

-- Norms of queries and keys of Stable Diffusion 3, where the config asks for some: `names`, and those of a second attention
-- that the layers of dual_attention_layers have.
local function sd3_qk(config, names, second_names)
  local list = {}
  if not config:text("qk_norm", { "rms_norm" }) then return list end
  for _, name in ipairs(names) do list[#list + 1] = name end
  for _, name in ipairs(config:is_empty "dual_attention_layers" and {} or second_names) do list[#list + 1] = name end
  return list
end

local function sd3_context(config)
  return { joint("llama", "norm1_context.norm", sd3_qk(config, { "attn.norm_added_q", "attn.norm_added_k" }, {}), "norm2_context") }
end

local function sd3_image(config)
  local names = sd3_qk(config, { "attn.norm_q", "attn.norm_k" }, { "attn2.norm_q", "attn2.norm_k" })
  return { joint("llama", "norm1.norm", names, "norm2"), FINAL }
end

local FLUX_CONTEXT = family(ADAPTIVE, { sections = { joint(nil, "norm1_context.norm", { "attn.norm_added_q", "attn.norm_added_k" },
  "norm2_context") } })

local FLUX = family(ADAPTIVE, { sections = { joint(nil, "norm1.norm", { "attn.norm_q", "attn.norm_k" }, "norm2") } })

local FLUX_SINGLE = family(ADAPTIVE, { sections = {
  layers("single_transformer_blocks", { read("norm.norm", { mod = true }), inside("attn.norm_q", heads()),
    inside("attn.norm_k", heads()), branch(nil, true) }), FINAL } })

-- A norm of channels in images, channels first. more: silu = followed by SiLU, eps, note, each = one in each block.
local function group_norm(config, site, channels, more)
  local groups = config:size "norm_num_groups"
  if channels % groups ~= 0 then config:contradict("%d channels do not split into norm_num_groups %d", channels, groups) end
  return inside(site, { norm = "groupnorm", affine = "gamma+beta", channels = channels, groups = groups, layout = "nchw",
    act = more.silu and "silu", eps = more.eps, each = more.each, note = more.note })
end

-- A level of residual blocks: norm1 reads what comes in, channel counts by block; norm2 the channels of the level.
-- more: eps, plain = something stands between norm2 and SiLU.
local function resnets(steps, config, name, incoming, channels, more)
  local is_even = true
  for _, count in ipairs(incoming) do is_even = is_even and count == incoming[1] end
  for i, count in ipairs(is_even and { incoming[1] } or incoming) do
    local block = is_even and "*" or tostring(i - 1)
    steps[#steps + 1] = group_norm(config, ("%s.resnets.%s.norm1"):format(name, block), count,
      { silu = true, eps = more.eps, each = is_even })
  end
  steps[#steps + 1] = group_norm(config, name .. ".resnets.*.norm2", channels,
    { silu = not more.plain, eps = more.eps, each = true, note = more.plain })
end

-- The transformers of a level, and the group norm in front of each.
local function attentions(steps, config, name, channels)
  steps[#steps + 1] = group_norm(config, name .. ".attentions.*.norm", channels, { eps = 1e-6, each = true })
  local function add(norm, kind)
    steps[#steps + 1] = kind(("%s.attentions.*.transformer_blocks.*.%s"):format(name, norm), { width = channels, each = true })
    steps[#steps + 1] = branch()
  end
  add("norm1", inside)
  add("norm2", read)
  add("norm3", read)
  steps[#steps + 1] = settle()
end

-- Checks a list of block types, one for each level, and gives what `known` has for each.
local function block_types(config, field, known, levels)
  local list, result = config.fields[field], {}
  if type(list) ~= "table" or #list == 0 then config:refuse(field, "a list of block types") end
  if #list ~= levels then config:contradict("%s has %d entries, but block_out_channels has %d", field, #list, levels) end
  for i, name in ipairs(list) do
    result[i] = known[name]
    if result[i] == nil then config:contradict("%s has %s, whose norms are not known", field, usage.quote(tostring(name))) end
  end
  return result
end

-- How many blocks each level has: layers_per_block is a number or a list.
local function layers_of(config, levels)
  if type(config.fields.layers_per_block) == "table" and config:has "layers_per_block" then
    local list = config:sizes "layers_per_block"
    if #list ~= levels then
      config:contradict("layers_per_block has %d entries, but block_out_channels has %d", #list, levels)
    end
    return list
  end
  local list = {}
  for i = 1, levels do list[i] = config:size "layers_per_block" end
  return list
end

local function reversed(list)
  local result = {}
  for i, item in ipairs(list) do result[#list + 1 - i] = item end
  return result
end

-- Channels that come into the blocks of a level without skip connections: those of the level before, then its own.
local function chain(before, channels, count)
  local list = { before }
  for i = 2, count do list[i] = channels end
  return list
end

-- The same with skip connections: `below` are the channels of the level that the last one comes from.
local function chain_with_skips(before, channels, below, count)
  local list = {}
  for i, own in ipairs(chain(before, channels, count)) do list[i] = own + (i == count and below or channels) end
  return list
end

local SILU = { "silu", "swish" }
local SCALED = "then x * (1 + scale) + shift and SiLU, which are steps of their own"

local function unet(config)
  config:text("act_fn", SILU)
  -- null means that there is none.
  local has_middle = config:text("mid_block_type", { "UNetMidBlock2DCrossAttn" }) or config.fields.mid_block_type == nil
  local is_scaled = config:text("resnet_time_scale_shift", { "default", "scale_shift" }) == "scale_shift"
  local widths, steps, more = config:sizes "block_out_channels", {}, { eps = "norm_eps", plain = is_scaled and SCALED }
  local levels = #widths
  local counts = layers_of(config, levels)
  local has_attention = block_types(config, "down_block_types", { CrossAttnDownBlock2D = true, DownBlock2D = false }, levels)
  for i, channels in ipairs(widths) do
    local name = stage_name("down_blocks.%d", i)
    resnets(steps, config, name, chain(widths[math.max(i - 1, 1)], channels, counts[i]), channels, more)
    if has_attention[i] then attentions(steps, config, name, channels) end
  end
  if has_middle then
    resnets(steps, config, "mid_block", { widths[levels] }, widths[levels], more)
    attentions(steps, config, "mid_block", widths[levels])
  end
  has_attention = block_types(config, "up_block_types", { CrossAttnUpBlock2D = true, UpBlock2D = false }, levels)
  widths, counts = reversed(widths), reversed(counts)
  for i, channels in ipairs(widths) do
    local name, before, last_skip = stage_name("up_blocks.%d", i), widths[math.max(i - 1, 1)], widths[math.min(i + 1, levels)]
    resnets(steps, config, name, chain_with_skips(before, channels, last_skip, counts[i] + 1), channels, more)
    if has_attention[i] then attentions(steps, config, name, channels) end
  end
  steps[#steps + 1] = group_norm(config, "conv_norm_out", widths[levels], { silu = true, eps = "norm_eps" })
  return { steps }
end

-- The middle of an autoencoder's half.
local function middle(steps, config, name, channels)
  resnets(steps, config, name .. ".mid_block", { channels }, channels, {})
  if config:flag("mid_block_add_attention", true) then
    steps[#steps + 1] = group_norm(config, name .. ".mid_block.attentions.0.group_norm", channels, {})
  end
end

local function vae(config)
  config:text("act_fn", SILU)
  local widths, steps = config:sizes "block_out_channels", {}
  local levels = #widths
  local counts = layers_of(config, 1)
  block_types(config, "down_block_types", { DownEncoderBlock2D = true }, levels)
  block_types(config, "up_block_types", { UpDecoderBlock2D = true }, levels)
  for i, channels in ipairs(widths) do
    resnets(steps, config, stage_name("encoder.down_blocks.%d", i), chain(widths[math.max(i - 1, 1)], channels, counts[1]), channels, {})
  end
  middle(steps, config, "encoder", widths[levels])
  steps[#steps + 1] = group_norm(config, "encoder.conv_norm_out", widths[levels], { silu = true })
  middle(steps, config, "decoder", widths[levels])
  widths = reversed(widths)
  for i, channels in ipairs(widths) do
    resnets(steps, config, stage_name("decoder.up_blocks.%d", i), chain(widths[math.max(i - 1, 1)], channels, counts[1] + 1),
      channels, {})
  end
  steps[#steps + 1] = group_norm(config, "decoder.conv_norm_out", widths[levels], { silu = true })
  return { steps }
end

-- No word of a spec says that ReLU comes after the residual: act= stands in front of addafter.
local RELU = "then ReLU, which is a step of its own"

-- A batch norm for inference. more: act, note, each, kind = kind of step.
local function batch_norm(site, channels, more)
  return (more.kind or inside)(site, { norm = "batchnorm", direction = "infer", channels = channels, layout = "nchw", eps = 1e-5,
    act = more.act, each = more.each, note = more.note })
end

-- The factor by which the inner convolutions of a bottleneck are narrower.
local REDUCTION = 4

local function resnet(config)
  config:text("hidden_act", { "relu" })
  local is_basic = config:text("layer_type", { "basic", "bottleneck" }) == "basic"
  local widths, before = config:sizes "hidden_sizes", config:size "embedding_size"
  check_stages(config, "hidden_sizes", widths)
  local steps = { batch_norm("embedder.embedder.normalization", before, { act = "relu" }) }
  for i, width in ipairs(widths) do
    local is_shorter = i > 1 or config:flag("downsample_in_first_stage", false)
    if not is_basic and width % REDUCTION ~= 0 then
      config:contradict("%d channels of a bottleneck are not a multiple of %d", width, REDUCTION)
    end
    if before ~= width or is_shorter then
      steps[#steps + 1] = batch_norm(stage_name("encoder.stages.%d.layers.0.shortcut.normalization", i), width, {})
    end
    local inner = is_basic and { width } or { width / REDUCTION, width / REDUCTION }
    local block = stage_name("encoder.stages.%d.layers.*.layer.", i) .. "%d.normalization"
    for at, channels in ipairs(inner) do
      steps[#steps + 1] = batch_norm(block:format(at - 1), channels, { each = true, act = "relu" })
    end
    steps[#steps + 1] = batch_norm(block:format(#inner), width, { each = true, kind = after, note = RELU })
    before = width
  end
  return { steps }
end

return {
  { types = { "convnext" }, norm = "layernorm", eps = "layer_norm_eps", sections = convnext },
  { types = { "swin" }, norm = "layernorm", eps = "layer_norm_eps", sections = swin },
  family(ADAPTIVE, { types = { "dit", "DiTTransformer2DModel", "Transformer2DModel" }, sections = dit }),
  { types = { "SD3Transformer2DModel" }, towers = {
    { name = "context", row = family(ADAPTIVE, { sections = sd3_context }) },
    { name = "image", row = family(ADAPTIVE, { sections = sd3_image }) } } },
  { types = { "FluxTransformer2DModel" }, towers = {
    { name = "context", row = FLUX_CONTEXT }, { name = "transformer_blocks", row = FLUX },
    { name = "single_transformer_blocks", row = FLUX_SINGLE } } },
  { types = { "UNet2DConditionModel" }, norm = "layernorm", eps = 1e-5, sections = unet },
  { types = { "AutoencoderKL" }, norm = "groupnorm", eps = 1e-6, sections = vae },
  { types = { "resnet" }, norm = "batchnorm", eps = 1e-5, left_out = { embedding_size = 64 }, sections = resnet },
}
