#!/bin/sh
# generated/ is exactly what `normgen emit` writes for specs/reference.lua, for every target.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

bin/normgen emit specs/reference.lua --target scalar,avx2,avx512,neon -o "$scratch/generated"
diff -r "$scratch/generated" generated || fail "generated/ is stale: meson compile -C build regen"
count=$(find generated -type f | wc -l)
[ "$count" -le 120 ] || fail "generated/ holds $count files, more than 120"
echo "files compared: $count"
