#!/bin/sh
# examples/meson, with an installed normgen and with one in subprojects/.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

answer="0.542969 3
0.835938"
install_normgen
watch_builds

copy meson
path=$PATH
PATH=$prefix/bin:$PATH
quietly meson setup build
steps 1 9 kernels.lua ninja -C build
prints "$answer" build/norms
quietly meson test -C build
PATH=$path

# As a subproject, in a directory with a blank.
mkdir "$scratch/a b"
cp -r "$root/examples/meson" "$scratch/a b"
cd "$scratch/a b/meson"
ln -s "$root" subprojects/normgen
quietly meson setup build
build ninja -C build
expect 1 9 "subproject, first build"
build ninja -C build
expect 0 0 "subproject, second build"
prints "$answer" build/norms
cat >>meson.build <<'END'
message('by dependency: ' + dependency('normgen').get_variable('normgen'))
END
quietly meson setup --reconfigure build
grep -q "by dependency: .*/subprojects/normgen/bin/normgen" "$scratch/log" || fail "dependency('normgen')"
echo "builds: 8"
