#!/bin/sh
# examples/cpp: the single header with std::span.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

copy cpp
"$root/bin/normgen" emit 'layernorm f32 h=48' --target scalar,avx2,neon --format single -o .
builds=0
for compiler in g++ clang++; do
    have $compiler || { echo "not installed: $compiler" && continue; }
    quietly $compiler -std=c++20 -O1 -Wall -Wextra -Wpedantic -Werror norms.cpp -o norms
    prints "-1.128569 0.972313
layernorm: x and y must hold the same number of whole rows" ./norms
    builds=$((builds + 1))
done
[ $builds -gt 0 ] || skip "no C++ compiler"
echo "builds: $builds"
