-- NormFormer (Shleifer et al. 2021): Pre-LN with a norm behind attention, one inside of the MLP, and a factor for each head.

return {
  model = "normformer",
  kernels = {
    { "layernorm", "f32", h = 512, site = "layers.0.attention_norm", eps = 1e-5 },
    -- each layer: the factors of the heads go into the weights of the output projection, once
    { "fold", "f32", h = 512, affine = "gamma", site = "head_scale" },
    -- each layer: norm behind attention, then norm in front of the MLP
    { "layernorm", "f32", "sandwich", h = 512, site = "mlp_norm", eps = 1e-5 },
    -- each layer: between the layers of the MLP, behind the activation
    { "layernorm", "f32", h = 2048, site = "inner_norm", eps = 1e-5 },
    { "layernorm", "f32", "addout", h = 512, site = "attention_norm", eps = 1e-5 },
    { "layernorm", "f32", "add", h = 512, site = "final_norm", eps = 1e-5 },
  },
}
