#!/bin/sh
# examples/make, with many jobs at a time; the tool is found by pkg-config.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

have make || skip "no make"
have pkg-config || skip "no pkg-config"
install_normgen
watch_builds
export PKG_CONFIG_PATH="$prefix/share/pkgconfig"
prints "$prefix/bin/normgen" pkg-config --variable=normgen normgen
prints "$("$prefix/bin/normgen" --version | sed -n 's/^normgen //p')" pkg-config --modversion normgen

copy make
steps 1 9 kernels.lua make -j 8
prints "-0.984157 1.029682
-1.521163 0.119697 4" build/norms
make clean
build make -j 8
[ "$(wc -l <"$emitted")" -eq 1 ] || fail "make clean, then make: not one run of normgen emit"
[ -z "$(find . -name '*.tmp')" ] || fail "files are left over"
echo "builds: 7"
