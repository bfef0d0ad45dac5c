#!/bin/sh
# Kernels under valgrind, on buffers of exactly their size.
#   tests/audit/memcheck.sh KERNELS      KERNELS: the library of the reference set
set -eu
kernels=$(realpath "$1")
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

have valgrind || skip "no valgrind"
cc -std=c11 -O1 -g -I generated tests/audit/memcheck.c tests/support/kernel_call.c "$kernels" -o "$scratch/memcheck"
valgrind --log-file="$scratch/log" --error-limit=no "$scratch/memcheck" || { head -n 40 "$scratch/log" && fail "memcheck"; }
