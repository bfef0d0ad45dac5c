-- Post-LN (Vaswani et al. 2017): the norm stands behind the addition, and its output is the stream.

return {
  model = "post_ln",
  kernels = {
    -- each layer: x is the output of the branch
    { "layernorm", "f32", "add", h = 512, site = "attention_norm", eps = 1e-5 },
    { "layernorm", "f32", "add", h = 512, site = "mlp_norm", eps = 1e-5 },
  },
}
