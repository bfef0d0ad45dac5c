#!/bin/sh
# What the build generates is generated again after a change of any file of the generator, as ninja sees it.
#   tests/builds/rebuild.sh BUILD_DIR
set -eu
build=$(realpath "$1")
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

find gen runtime specs targets templates tests/support -name '*.*' -type f | LC_ALL=C sort >"$scratch/files"
count=0
for output in $(ninja -C "$build" -t deps | sed -n 's/^\([^ ]*\.c\): #deps.*(VALID)$/\1/p'); do
    ninja -C "$build" -t deps "$output" | sed -n "s|^ *$PWD/||p" | LC_ALL=C sort >"$scratch/deps"
    missing=$(LC_ALL=C comm -23 "$scratch/files" "$scratch/deps")
    [ -z "$missing" ] || fail "$output does not depend on $missing"
    count=$((count + 1))
done
[ $count -gt 0 ] || fail "the build generates nothing"
echo "generated sources: $count, each depends on $(wc -l <"$scratch/files") files"
