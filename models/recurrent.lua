--- Models with state-space layers: Mamba and its hybrids.

local forward = require "models.forward"

local read, last, inside, branch = forward.read, forward.last, forward.inside, forward.branch
local layers = forward.layers

-- A norm with a gate: `before_gate` says whether the norm comes first. `more` has what else differs.
local function gated(site, width_of, groups_field, before_gate, more)
  local function words(config)
    local width, groups = width_of(config), config:optional_size(groups_field) or 1
    if width % groups ~= 0 then config:contradict("%d elements do not split into %s %d", width, groups_field, groups) end
    return ("zgate=%s groups=%d"):format(before_gate(config) and "after" or "before", groups)
  end
  return inside(site, setmetatable({ width = width_of, words = words }, { __index = more }))
end

local function no() return false end

-- The width of a mixer: heads times their dimension, which must fit the expansion if both are there.
local function of_heads(heads_field, dim_field, expand_field)
  return function(config)
    local heads, dim = config:size(heads_field), config:size(dim_field)
    local width = config:computed(heads * dim, heads_field .. " * " .. dim_field)
    local expand = expand_field and config:optional_size(expand_field)
    if expand and expand * config:size "hidden_size" ~= width then
      config:contradict("%s * %s is %d, but %s * hidden_size is %d", heads_field, dim_field, width, expand_field,
        expand * config:size "hidden_size")
    end
    return width
  end
end

local function expanded(config)
  return config:optional_size "mamba_d_ssm"
    or config:computed(config:size "mamba_expand" * config:size "hidden_size", "mamba_expand * hidden_size")
end

local function f32_stream(config) return config:flag("residual_in_fp32", true) and "f32" end

local function mamba_note(_, types)
  return types.wide ~= types.own and "the reference rounds the stream to the dtype of gamma before the norm reads it" or nil
end

-- Whether a field that lists the types of layers has a state-space layer; it bears one of two names.
local function lists_mamba(config, field) return config:lists(field, "mamba") or config:lists(field, "linear_attention") end

local function has_mamba(config)
  local pattern = config:text "hybrid_override_pattern"
  if pattern then return pattern:find("M", 1, true) ~= nil end
  return lists_mamba(config, "layers_block_type")
end

local function has_mamba_layers(config) return lists_mamba(config, "layer_types") end

local function multiplied(config)
  local factor = config:has "residual_multiplier" and config.fields.residual_multiplier or 1
  return factor ~= 1 and "x is the branch's output times residual_multiplier" or nil
end

return {
  { types = { "mamba" }, norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "layer_norm_epsilon",
    residual = f32_stream, sections = { layers("layers", { read("norm", { note = mamba_note }), branch() }),
      { last("norm_f", { note = mamba_note }) } } },
  { types = { "mamba2" }, norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "layer_norm_epsilon",
    residual = f32_stream, sections = { layers("layers", { read("norm", { note = mamba_note }),
      gated("mixer.norm", of_heads("num_heads", "head_dim", "expand"), "n_groups", no), branch() }),
      { last("norm_f", { note = mamba_note }) } } },
  { types = { "nemotron_h" }, norm = "rmsnorm", width = "hidden_size", eps = "layer_norm_epsilon",
    sections = { layers("layers", { read "norm", gated("mixer.norm", of_heads("mamba_num_heads", "mamba_head_dim"), "n_groups", no,
      { when = has_mamba }), branch() }), { last "norm_f" } } },
  { types = { "falcon_h1" }, norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "rms_norm_eps",
    sections = { layers("layers", { read "input_layernorm",
      gated("mamba.norm", expanded, "mamba_n_groups", function(config) return config:flag("mamba_norm_before_gate", true) end,
        { cast = false, when = function(config) return config:flag("mamba_rms_norm", false) end }),
      branch "x is the sum of the outputs of the mixer and of attention, each times its multiplier",
      read "pre_ff_layernorm", branch() }), { last "final_layernorm" } } },
  { types = { "granitemoehybrid" }, norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "rms_norm_eps",
    sections = { layers("layers", { read "input_layernorm",
      gated("mamba.norm", expanded, "mamba_n_groups", no, { when = has_mamba_layers }),
      branch(multiplied), read "post_attention_layernorm", branch(multiplied) }), { last "norm" } } },
}
