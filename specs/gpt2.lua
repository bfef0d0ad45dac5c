-- The norms of gpt2 (gpt2), f32, in the order of the forward pass; the config names no dtype, so it is f32. Sites
-- are named as in the reference code; those of a first layer that differs come apart.
-- Made by: normgen model gpt2

return {
  model = "gpt2",
  kernels = {
    -- first layer: x comes from in front of the layers
    { "layernorm", "f32", h = 768, site = "h.0.ln_1", eps = 1e-5 },
    -- each layer: adds the output of the branch before it and stores the sum
    { "layernorm", "f32", "addout", h = 768, site = "ln_1", eps = 1e-5 },
    -- each layer: adds the output of the branch before it and stores the sum
    { "layernorm", "f32", "addout", h = 768, site = "ln_2", eps = 1e-5 },
    -- adds the output of the last branch
    { "layernorm", "f32", "add", h = 768, site = "ln_f", eps = 1e-5 },
  },
}
