#!/bin/sh
# The Python module of a set: which arguments it takes and refuses.   bindings.sh MODULE...
# The modules are those that Python must have: numpy, and torch where tensors are to be tested.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

python=$(python_with "$@") || skip "no Python with $*"
cat >"$scratch/tiny.lua" <<'END'
return { model = "tiny", kernels = { { "rmsnorm", "f32", h = 96, site = "norm", eps = 1e-6 } } }
END
bin/normgen emit "$scratch/tiny.lua" 'rmsnorm f32 h=96 add' 'rmsnorm f32 out=bf16 h=96' 'rmsnorm f16 h=96' 'rmsnorm bf16 h=96 strided' \
    'layernorm f32 h=96 addout affine=gamma stats' 'layernorm f32 h=96 mod' 'rmsnorm f32 h=96 out=s8 quant=row' \
    'rmsnorm f32 h=96 heads=4 strided' \
    'groupnorm f32 c=6 g=2 layout=nchw' 'groupnorm f32 c=6 g=2 layout=nhwc affine=group' 'batchnorm fwd f32 c=5 layout=nhwc' \
    'batchnorm stats f32 c=5 layout=nchw' 'batchnorm merge f32 c=5 layout=nchw' 'batchnorm foldstats f32 c=5' \
    'layernorm merge f32 h=96 shards=3' --target all --bindings python -o "$scratch/kernels"
cc -O1 -shared -fPIC -o "$scratch/kernels/libng_kernels.so" "$scratch"/kernels/*.c
"$python" tests/builds/test_bindings.py "$scratch/kernels"
