-- Two norms of a small decoder, with a header for the model: ng_tiny.h.
return {
  model = "tiny",
  kernels = {
    { "rmsnorm", "f32", "addout", h = 64, site = "input_layernorm", eps = 1e-6 },
    { "rmsnorm", "f32", h = 16, site = "self_attn.q_norm", eps = 1e-6 },
  },
}
