#!/bin/sh
# Measures a table of docs/performance.md for one target and writes it there: kernels of rows in 15 minutes, or kernels of
# channels in 2, on a quiet machine.
#   bench/table.sh TARGET [channels] [OPTION OF normgen bench...]
set -eu
[ $# -gt 0 ] || { echo "usage: $0 TARGET [channels] [OPTION of normgen bench...]" >&2 && exit 2; }
cd "$(dirname "$0")/.."
target=$1
shift
if [ "${1-}" = channels ]; then
    shift
    set -- bench/channels.lua --table channels --rows 2x320,4x64,4x2048,2x96 \
        --positions 4096x320,256x320,64x320,3136x64,4096x64,49x2048,3136x96 "$@"
else
    cells=1x64,1x768,1x896,1x2048,1x4096,1x8192,32x4096,512x768,4096x64,4096x128,512x4096,4096x4096
    set -- bench/table.lua --rows $cells "$@"
fi
exec bin/normgen bench --target "$target" --rivals all --rounds 301 --format md --into docs/performance.md "$@"
