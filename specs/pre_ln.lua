-- Pre-LN (Xiong et al. 2020): the norm stands in front of the branch; the stream is the sum that is stored.

return {
  model = "pre_ln",
  kernels = {
    { "layernorm", "f32", h = 512, site = "layers.0.attention_norm", eps = 1e-5 },
    -- each layer: adds the output of the branch before it and stores the sum
    { "layernorm", "f32", "addout", h = 512, site = "attention_norm", eps = 1e-5 },
    { "layernorm", "f32", "addout", h = 512, site = "mlp_norm", eps = 1e-5 },
    { "layernorm", "f32", "add", h = 512, site = "final_norm", eps = 1e-5 },
  },
}
