#!/bin/sh
# The Python module of a set: which arguments it takes and refuses.   bindings.sh MODULE...
# The modules are those that Python must have: numpy, and torch where tensors are to be tested.
set -eu
cd "$(dirname "$0")/.."
. tests/support/shell.sh

python=$(python_with "$@") || skip "no Python with $*"
cat >"$scratch/tiny.lua" <<'END'
return { model = "tiny", kernels = { { "rmsnorm", "f32", h = 96, site = "norm", eps = 1e-6 } } }
END
bin/normgen emit "$scratch/tiny.lua" 'rmsnorm f32 h=96 add' 'rmsnorm f32 out=bf16 h=96' 'rmsnorm f16 h=96' 'rmsnorm bf16 h=96 strided' \
    'layernorm f32 h=96 addout affine=gamma stats' 'layernorm f32 h=96 mod' 'rmsnorm f32 h=96 heads=4 strided' \
    'rmsnorm f32 h=96 out=s8 quant=row' --target all --bindings python -o "$scratch/kernels"
cc -O1 -shared -fPIC -o "$scratch/kernels/libng_kernels.so" "$scratch"/kernels/*.c
"$python" tests/test_bindings.py "$scratch/kernels"
