#!/bin/sh
# The same sets of kernels for aarch64, in a build directory of its own, run by qemu: bits against the reference, and digests
# against tests/digests.txt, with which the native suite compares its own.
#   tests/foreign.sh BUILD_DIR
set -eu
build=$1/foreign
cd "$(dirname "$0")/.."
. tests/support/shell.sh

have aarch64-linux-gnu-gcc || skip "no aarch64-linux-gnu-gcc"
have qemu-aarch64 || skip "no qemu-aarch64"

[ -f "$build/build.ninja" ] || quietly meson setup "$build" --cross-file cross/aarch64.ini
quietly meson compile -C "$build" -j 2
quietly meson test -C "$build" --print-errorlogs
grep -h '^verified:\|^vocabulary\|^digests' "$build/meson-logs/testlog.txt"
