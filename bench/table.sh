#!/bin/sh
# Measures the tables of docs/performance.md for one target and writes them there; 15 minutes on a quiet machine.
#   bench/table.sh TARGET [OPTION OF normgen bench...]
set -eu
[ $# -gt 0 ] || { echo "usage: $0 TARGET [OPTION of normgen bench...]" >&2 && exit 2; }
cd "$(dirname "$0")/.."
target=$1
shift
cells=1x64,1x768,1x896,1x2048,1x4096,1x8192,32x4096,512x768,4096x64,4096x128,512x4096,4096x4096
exec bin/normgen bench bench/table.lua --target "$target" --rows $cells --rivals all --rounds 301 --format md \
    --into docs/performance.md "$@"
