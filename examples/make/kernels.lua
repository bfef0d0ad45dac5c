-- The two norms of a small encoder.
return {
  { "layernorm", "f32", h = 96 },
  { "layernorm", "f32", "addout", h = 96 },
}
