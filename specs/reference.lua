-- The reference set: RMSNorm and LayerNorm, in all dtypes, and row lengths that take different ways through the generator.
-- relatives.lua has what is missing here to all norms, all directions and every option.
-- generated/ holds exactly what `meson compile regen` writes (tools/regen.sh).

return {
  -- whole vectors, one block, several blocks
  "rmsnorm f32 h=64",
  "rmsnorm f32 h=4096",
  "rmsnorm bf16 h=4096",
  "layernorm f32 h=768",
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
  -- other dtypes, sums in f64, the pivot of the whole row
  "rmsnorm f16 h=128 strided",
  "layernorm f64 h=100 stats",
  "layernorm f32 h=768 acc=f64",
  "layernorm f32 h=1600 center=full stats strided",
  -- the residual scaled, or added afterwards
  "layernorm f16 residual=f32 h=1024 addout alpha",
  "rmsnorm bf16 h=2304 addafter",
  "layernorm f32 h=896 affine=gamma",
  "layernorm bf16 h=512 affine=none out=f32",
  "layernorm f32 out=bf16 gamma=bf16 h=1280",
}
