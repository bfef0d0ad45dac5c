#!/bin/sh
# Writes the kernels into the source tree, to be committed there. What builds them later needs no normgen and no Lua.
#   ./vendor.sh            writes them
#   ./vendor.sh --check    tells whether they are up to date, and writes nothing
set -eu
cd "$(dirname "$0")"

"${NORMGEN:-normgen}" emit 'rmsnorm f32 h=32' --target scalar,avx2,neon -o dir "$@"
"${NORMGEN:-normgen}" emit 'layernorm f32 h=33 stats' --target scalar,avx2,neon --format single -o single "$@"
