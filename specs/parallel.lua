-- Parallel branches (GPT-NeoX, Falcon-40B): attention and MLP read one sum, each through a norm of its own.

return {
  model = "parallel",
  kernels = {
    { "layernorm", "f32", "twin", h = 512, site = "layers.0.norms", eps = 1e-5 },
    -- each layer: x is the sum of the outputs of both branches
    { "layernorm", "f32", "addout", "twin", h = 512, site = "norms", eps = 1e-5 },
    { "layernorm", "f32", "add", h = 512, site = "final_norm", eps = 1e-5 },
  },
}
