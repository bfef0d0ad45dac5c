-- The norms of a decoder in bf16: between the layers, and of a head of 64.
return {
  { "rmsnorm", "bf16", "addout", h = 256 },
  { "rmsnorm", "bf16", h = 64 },
}
