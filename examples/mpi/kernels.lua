-- The kernels of the two programs beside this file.
return {
  -- BatchNorm of a batch that ranks share: three steps, and the same in one, to compare with
  "batchnorm stats f32 c=32 layout=nchw",
  "batchnorm merge f32 c=32 layout=nchw",
  "batchnorm apply f32 c=32 layout=nchw",
  "batchnorm fwd f32 c=32 layout=nchw",
  -- RMSNorm of rows whose elements ranks share, in 12 shards
  "rmsnorm stats f32 h=768 shards=12",
  "rmsnorm merge f32 h=768 shards=12",
  "rmsnorm apply f32 h=768 shards=12",
}
