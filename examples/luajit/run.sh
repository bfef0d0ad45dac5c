#!/bin/sh
# Emits two kernels with their module for LuaJIT, builds the library, runs example.lua.   run.sh [DIR FOR WHAT IS MADE]
set -eu
here=$(dirname "$0")
out=${1:-$here/out}

"${NORMGEN:-$here/../../bin/normgen}" emit 'layernorm f32 h=768' 'rmsnorm bf16 h=128 strided' --target all --bindings luajit -o "$out"
${CC:-cc} -O2 -shared -fPIC -o "$out/libng_kernels.so" "$out"/*.c
luajit "$here/example.lua" "$out"
