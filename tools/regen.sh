#!/bin/sh
# Writes what generated/ shows: the kernels that are compiled and linked by tests, and in relatives/ those that are there to be read.
#   tools/regen.sh DIRECTORY
set -eu
directory=$(realpath -m "$1")
cd "$(dirname "$0")/.."

bin/normgen emit specs/reference.lua --target scalar,avx2,avx512,neon -o "$directory"
bin/normgen emit specs/relatives.lua --target scalar,sse2,avx512bf16 -o "$directory/relatives"
