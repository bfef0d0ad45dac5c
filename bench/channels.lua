-- The kernels of channels of docs/performance.md, from Stable Diffusion, ResNet-50, ConvNeXt and style transfer.
-- bench/table.sh names the numbers of rows and positions.

return {
  "groupnorm f32 c=320 g=32 layout=nchw",
  "groupnorm f32 c=320 g=32 layout=nhwc",
  "groupnorm bf16 c=320 g=32 layout=nchw",
  "groupnorm bf16 c=320 g=32 layout=nhwc",
  "instancenorm f32 c=64 layout=nchw",
  "batchnorm infer f32 c=64 layout=nchw",
  "batchnorm infer f32 c=64 layout=nhwc",
  "batchnorm infer f32 c=2048 layout=nhwc",
  "batchnorm fwd f32 c=64 layout=nchw",
  "batchnorm fwd f32 c=64 layout=nhwc",
  "layernorm f32 h=96 layout=nchw",
}
