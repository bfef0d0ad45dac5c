-- The RMSNorm kernels of Llama 3.1 8B: hidden size 4096, bf16, eps 1e-5.
-- Between the halves of a decoder layer the residual is added and the sum kept for the next add; the last norm of the
-- model needs the sum no more.

return {
  model = "llama3_8b",
  kernels = {
    { "rmsnorm", "bf16", h = 4096, site = "model.layers.0.input_layernorm", eps = 1e-5 },
    { "rmsnorm", "bf16", "addout", h = 4096, site = "model.layers.*.post_attention_layernorm", eps = 1e-5 },
    { "rmsnorm", "bf16", "add", h = 4096, site = "model.norm", eps = 1e-5 },
  },
}
