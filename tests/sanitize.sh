#!/bin/sh
# The kernels of generated/ that run here, the reference and the verifier under AddressSanitizer and
# UndefinedBehaviorSanitizer; ordinary kernels under valgrind.
#   tests/sanitize.sh VERIFY      VERIFY: the verifier of the reference set
set -eu
verify=$(realpath "$1")
cd "$(dirname "$0")/.."
. tests/support/shell.sh

sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
link="-O1 $sanitizers -I generated $(echo reference/*.c) -lm"
# shellcheck disable=SC2086
build_verifier "$scratch/verify" cc -std=c11 -O1 -g $sanitizers
"$scratch/verify" --quick

if have valgrind; then
    valgrind -q --error-exitcode=9 "$verify" --quick
else
    echo "not installed: valgrind"
fi
