-- The reference set: generated/ holds exactly what `normgen emit specs/reference.lua --target all` writes.
-- Both norms, both dtypes, every option, and row lengths that take different ways through the generator.

return {
  -- whole vectors, one block, several blocks
  "rmsnorm f32 h=64",
  "rmsnorm f32 h=1024",
  "rmsnorm f32 h=4096",
  "rmsnorm bf16 h=4096",
  "layernorm f32 h=768",
  "layernorm f32 h=4096",
  "layernorm bf16 h=1024",
  -- tails: less than a vector, less than a stripe, one more than a stripe, four blocks
  "rmsnorm f32 h=1",
  "rmsnorm bf16 h=80",
  "rmsnorm f32 h=769",
  "layernorm f32 h=7",
  "layernorm bf16 h=100",
  "layernorm bf16 h=2880",
  "rmsnorm bf16 h=14848",
  -- residual added on the way in
  "rmsnorm bf16 h=4096 add",
  "rmsnorm bf16 h=4096 addout",
  "layernorm f32 h=768 addout",
  "rmsnorm bf16 residual=f32 h=2048 addout",
  -- parameters
  "rmsnorm bf16 gamma=f32 h=1152 offset=1",
  "rmsnorm bf16 h=2048 cast=llama",
  "rmsnorm f32 h=96 affine=none",
  "rmsnorm f32 h=128 affine=gamma+beta",
  "layernorm f32 h=896 affine=gamma",
  "layernorm bf16 h=512 affine=none out=f32",
  "layernorm f32 out=bf16 gamma=bf16 h=1280",
}
