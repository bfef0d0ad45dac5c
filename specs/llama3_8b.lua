-- The norms of llama3_8b (llama), bf16, in the order of the forward pass; the dtype is that of the config. Sites
-- are named as in the reference code; those of a first layer that differs come apart.
-- Made by: normgen model llama3_8b --cast exact

return {
  model = "llama3_8b",
  kernels = {
    -- first layer: x comes from in front of the layers
    { "rmsnorm", "bf16", h = 4096, site = "layers.0.input_layernorm", eps = 1e-5 },
    -- each layer: adds the output of the branch before it and stores the sum
    { "rmsnorm", "bf16", "addout", h = 4096, site = "input_layernorm", eps = 1e-5 },
    -- each layer: adds the output of the branch before it and stores the sum
    { "rmsnorm", "bf16", "addout", h = 4096, site = "post_attention_layernorm", eps = 1e-5 },
    -- adds the output of the last branch
    { "rmsnorm", "bf16", "add", h = 4096, site = "norm", eps = 1e-5 },
  },
}
