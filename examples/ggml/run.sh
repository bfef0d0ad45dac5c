#!/bin/sh
# Kernels as custom operators in a graph of ggml, compared with ggml's own norms.   run.sh [DIR FOR WHAT IS MADE]
# GGML_DIR is the directory of ggml's sources, with its CMakeLists.txt.
set -eu
here=$(dirname "$0")
out=${1:-$here/out}

: "${GGML_DIR:?names the directory of the sources of ggml}"
mkdir -p "$out"
out=$(cd "$out" && pwd)
"${NORMGEN:-$here/../../bin/normgen}" emit 'rmsnorm f32 h=4096 strided' 'layernorm f32 h=768 strided' --target all -o "$out/kernels"
cmake -S "$here" -B "$out/build" -DCMAKE_BUILD_TYPE=Release -DGGML_DIR="$GGML_DIR" -DKERNELS_DIR="$out/kernels"
cmake --build "$out/build"
"$out/build/example"
