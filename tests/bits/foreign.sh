#!/bin/sh
# Sets of kernels for other architectures, each in a build directory of its own, run by qemu: bits against the reference, and
# digests against tests/digests.txt, with which the native suite compares its own.
#   tests/bits/foreign.sh DIR ARCH [TEST...]     all tests of the build for cross/ARCH.ini below DIR, or only those named
set -eu
build=$1/$2
arch=$2
shift 2
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

have "$arch-linux-gnu-gcc" || skip "no $arch-linux-gnu-gcc"
have "qemu-$arch" || skip "no qemu-$arch"

[ -f "$build/build.ninja" ] || quietly meson setup "$build" --cross-file "cross/$arch.ini"
[ $# -gt 0 ] || quietly meson compile -C "$build" -j 2
quietly meson test -C "$build" --print-errorlogs "$@"
grep -h '^verified:\|^vocabulary\|^digests' "$build/meson-logs/testlog.txt"
