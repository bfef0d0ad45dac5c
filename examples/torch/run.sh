#!/bin/sh
# The norms of five models as operators of torch, in f32 and bf16, compared with torch's own.   run.sh [DIR FOR WHAT IS MADE]
# PYTHON is a Python with torch.
set -eu
here=$(dirname "$0")
out=${1:-$here/out}
normgen=${NORMGEN:-$here/../../bin/normgen}
python=${PYTHON:-python3}

for dtype in f32 bf16; do
    mkdir -p "$out/$dtype"
    for model in gpt2 bert_base whisper_large llama3_8b qwen3_0_6b; do
        "$normgen" model $model --dtype $dtype --cast exact >"$out/$dtype/$model.lua"
    done
    "$normgen" emit "$out/$dtype"/*.lua --target all --bindings python -o "$out/$dtype/kernels"
    ${CC:-cc} -O2 -shared -fPIC -o "$out/$dtype/kernels/libng_kernels.so" "$out/$dtype"/kernels/*.c
    PYTHONPATH="$out/$dtype/kernels" "$python" "$here/compare.py" $dtype
done
