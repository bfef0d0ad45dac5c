--- Models with state-space layers: Mamba and its hybrids.

local forward = require "models.forward"

local read, last, inside, branch = forward.read, forward.last, forward.inside, forward.branch
local layers, family = forward.layers, forward.family

-- A norm with a gate: `before_gate` says whether the norm comes first; groups_field has the number of parts, or is nil. `more`
-- has what else differs.
local function gated(site, width_of, groups_field, before_gate, more)
  local function words(config)
    local width, groups = width_of(config), groups_field and config:size(groups_field) or 1
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

local MULTIPLIED = forward.times "residual_multiplier"

-- Granite and Bamba have one gated norm over the whole width, whatever the number of groups.
local function one_group(config)
  return config:number("mamba_n_groups", 1) ~= 1
    and "one group, whatever mamba_n_groups says; transformers has split the row into so many since 5.23" or nil
end

local GRANITE_GATED = gated("mamba.norm", expanded, nil, no, { when = has_mamba_layers, note = one_group })

-- Ranks of time steps that are not given follow from the width.
local function rank(field)
  return function(config)
    if config.fields[field] ~= "auto" then return config:size(field) end
    return math.ceil(config:size "hidden_size" / 16)
  end
end

-- Norms of what a state-space layer makes of its input.
local function inner(prefix, rank_field, state_field, more)
  local function norm(name, width) return inside(prefix .. name, setmetatable({ width = width }, { __index = more })) end
  return norm("dt_layernorm", rank(rank_field)), norm("b_layernorm", state_field), norm("c_layernorm", state_field)
end

-- The sections of an own norm in front of each mixer.
local function mixers(note, ...)
  local steps = { read("norm", { note = note }), ... }
  steps[#steps + 1] = branch()
  return { layers("layers", steps), { last("norm_f", { note = note }) } }
end

local JAMBA_DT, JAMBA_B, JAMBA_C = inner("mamba.", "mamba_dt_rank", "mamba_d_state", { note = "in layers with Mamba" })
local RMS = { norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "rms_norm_eps" }
local MAMBA = { norm = "rmsnorm", cast = "llama", width = "hidden_size", eps = "layer_norm_epsilon", residual = f32_stream }

return {
  family(MAMBA, { types = { "mamba" }, sections = mixers(mamba_note) }),
  family(MAMBA, { types = { "falcon_mamba" }, sections = mixers(mamba_note, inner("mixer.", "time_step_rank", "state_size",
    { affine = "none", eps = "mixer_rms_eps", note = "without weight" })) }),
  family(MAMBA, { types = { "mamba2" }, sections = mixers(mamba_note, gated("mixer.norm", of_heads("num_heads", "head_dim", "expand"),
    "n_groups", no)) }),
  family(MAMBA, { types = { "nemotron_h" }, cast = false, residual = false, sections = mixers(nil, gated("mixer.norm",
    of_heads("mamba_num_heads", "mamba_head_dim"), "n_groups", no, { cast = "llama", when = has_mamba })) }),
  family(RMS, { types = { "falcon_h1" }, sections = { layers("layers", { read "input_layernorm",
    gated("mamba.norm", expanded, "mamba_n_groups", function(config) return config:flag("mamba_norm_before_gate", true) end,
      { cast = false, when = function(config) return config:flag("mamba_rms_norm", false) end }),
    branch "x is the sum of the outputs of the mixer and of attention, each times its multiplier",
    read "pre_ff_layernorm", branch() }), { last "final_layernorm" } } }),
  family(RMS, { types = { "granitemoehybrid" }, sections = { layers("layers", { read "input_layernorm", GRANITE_GATED,
    branch(MULTIPLIED), read "post_attention_layernorm", branch(MULTIPLIED) }), { last "norm" } } }),
  family(RMS, { types = { "bamba" }, sections = { layers("layers", { read "input_layernorm", GRANITE_GATED, branch(),
    read "pre_ff_layernorm", branch() }), { last "final_layernorm" } } }),
  family(RMS, { types = { "jamba" }, sections = { layers("layers", { read "input_layernorm", JAMBA_DT, JAMBA_B, JAMBA_C, branch(),
    read "pre_ff_layernorm", branch() }), { last "final_layernorm" } } }),
  family(RMS, { types = { "recurrent_gemma" }, cast = false, offset = 1, sections = { layers("layers", { read "temporal_pre_norm",
    branch(), read "channel_pre_norm", branch() }), { last "final_norm" } } }),
}
