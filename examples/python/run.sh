#!/bin/sh
# Emits two kernels with their module for Python, builds the library, runs example.py.   run.sh [DIR FOR WHAT IS MADE]
set -eu
here=$(dirname "$0")
out=${1:-$here/out}

"${NORMGEN:-$here/../../bin/normgen}" emit 'layernorm f32 h=768' 'rmsnorm bf16 h=128 strided' --target all --bindings python -o "$out"
${CC:-cc} -O2 -shared -fPIC -o "$out/libng_kernels.so" "$out"/*.c
PYTHONPATH="$out" "${PYTHON:-python3}" "$here/example.py"
