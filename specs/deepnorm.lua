-- DeepNorm (Wang et al. 2022): Post-LN with a residual that is scaled by alpha; beta is for the weights that are drawn.

return {
  model = "deepnorm",
  kernels = {
    -- each layer: x is the output of the branch
    { "layernorm", "f32", "add", "alpha", h = 512, site = "attention_norm", eps = 1e-5, deepnorm = deepnorm{ decoder = 24 } },
    { "layernorm", "f32", "add", "alpha", h = 512, site = "mlp_norm", eps = 1e-5, deepnorm = deepnorm{ decoder = 24 } },
  },
}
