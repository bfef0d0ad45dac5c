-- Sandwich (Ding et al. 2021; Gemma 2 and 3, GLM-4): norms in front of each branch and behind it. What stands between two
-- branches is one call: the norm of the output, the addition, the norm of the sum.

return {
  model = "sandwich",
  kernels = {
    { "rmsnorm", "f32", h = 512, site = "layers.0.attention_norm", eps = 1e-6 },
    -- each layer: norm behind attention, then norm in front of the MLP
    { "rmsnorm", "f32", "sandwich", h = 512, site = "mlp_norm", eps = 1e-6 },
    -- each layer: norm behind the MLP, then that in front of the next attention, or the last one
    { "rmsnorm", "f32", "sandwich", h = 512, site = "attention_norm", eps = 1e-6 },
  },
}
