#!/bin/sh
# Linters: luacheck for Lua, shellcheck for shell, clang-format for C. A linter that is not installed is skipped, and says so.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

ran=0
# lint PROGRAM ARGUMENT...
lint() {
    if have "$1"; then "$@" && ran=$((ran + 1)); else echo "not installed: $1"; fi
}
c_files=$(find bench examples reference targets tests tuner -name '*.[ch]' -o -name '*.cpp')

lint luacheck -q cli gen host measure models targets templates specs tests bench examples install tools tuner
# shellcheck disable=SC2046
lint shellcheck -x $(find . -name '*.sh' -not -path './build*' -not -path './out/*') bin/normgen .ci/run
# shellcheck disable=SC2086
lint clang-format --dry-run --Werror $c_files
[ $ran -gt 0 ] || skip "no linter is installed"
echo "linters run: $ran"
