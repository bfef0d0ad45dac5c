-- The relatives of the norms in reference.lua, and norms over other axes: digests of what they give are kept with those of
-- the reference set.

return {
  -- the relatives: lengths, weights, parameters of a batch, parts of rows, two norms, two outputs, quantised results
  "l2norm f32 h=128",
  "scalenorm f32 h=512",
  "lpnorm f32 h=100",
  "weightnorm f32 h=256",
  "fold f32 h=300",
  "layernorm bf16 h=1152 addout gate mod",
  "rmsnorm bf16 h=1024 groups=8",
  "layernorm bf16 h=640 heads=10 affine=gamma strided",
  "layernorm bf16 h=512 twin",
  "rmsnorm bf16 h=640 sandwich",
  "rmsnorm bf16 h=1024 addout out=s8 quant=row",
  "rmsnorm bf16 h=512 out=e4m3 quant=static side",
  "layernorm f32 h=128 out=u8 quant=row",
  -- over other axes: groups, positions, the batch, its steps, shards of a row
  "groupnorm bf16 c=320 g=32 layout=nchw act=silu",
  "groupnorm f32 c=40 g=8 layout=nhwc",
  "layernorm f32 h=96 layout=nchw",
  "batchnorm infer f32 c=64 layout=nchw",
  "batchnorm infer bf16 c=64 layout=nhwc add",
  "batchnorm fwd f32 c=64 layout=nhwc",
  "batchnorm fwd bf16 c=20 layout=nchw",
  "batchnorm stats f32 c=64 layout=rows",
  "batchnorm merge f32 c=64 layout=rows",
  "rmsnorm stats bf16 h=4096 shards=4",
  "layernorm merge f32 h=768 shards=12",
}
