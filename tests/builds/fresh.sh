#!/bin/sh
# generated/ is exactly what tools/regen.sh writes, and no more than people can look through.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

tools/regen.sh "$scratch/generated"
diff -r "$scratch/generated" generated || fail "generated/ is stale: meson compile -C build regen"
for directory in generated generated/relatives; do
    count=$(find "$directory" -maxdepth 1 -type f | wc -l)
    [ "$count" -le 120 ] || fail "$directory holds $count files, more than 120"
    echo "files compared in $directory: $count"
done
