-- The LayerNorm kernels of GPT-2: hidden size 768, f32, eps 1e-5.

return {
  model = "gpt2",
  kernels = {
    { "layernorm", "f32", h = 768, site = "transformer.h.0.ln_1", eps = 1e-5 },
    { "layernorm", "f32", "addout", h = 768, site = "transformer.h.*.ln_2", eps = 1e-5 },
  },
}
