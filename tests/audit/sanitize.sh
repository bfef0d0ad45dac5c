#!/bin/sh
# The kernels of generated/ that run here, the reference and the verifier under AddressSanitizer and
# UndefinedBehaviorSanitizer. For valgrind see memcheck.sh.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
link="-O1 $sanitizers -I generated $(echo reference/*.c) -lm"
# shellcheck disable=SC2086
build_verifier "$scratch/verify" cc -std=c11 -O1 -g $sanitizers
"$scratch/verify" --quick
