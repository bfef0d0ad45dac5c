#!/bin/sh
# Every compiler, level and language gives the same bits and no warning; fast-math is refused.
#   tests/audit/compilers.sh LIBREFERENCE
set -eu
reference=$(realpath "$1")
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
c_warnings="$warnings -Wmissing-prototypes"
fast="-O3 -march=native -ffp-contract=fast"
newest=$(newest_clang)
verified=0

cc -O2 -I generated -c reference/verify_main.c -o "$scratch/verify_main.o"
link="$scratch/verify_main.o $reference -lm"

# verified_with COMPILER FLAG...: builds the kernels, which must not warn, and compares their bits.
verified_with() {
    have "$1" || { echo "not installed: $1" && return 0; }
    build_verifier "$scratch/verify" "$@" 2>"$scratch/log" || { head -n 20 "$scratch/log" && fail "does not build: $*"; }
    "$scratch/verify" --quick >"$scratch/log" || { cat "$scratch/log" && fail "other bits: $*"; }
    printf '%-60s %s\n' "$(basename "$1") $2 $3 $4" "$(tail -n 1 "$scratch/log")"
    verified=$((verified + 1))
}

# shellcheck disable=SC2086 # flags are lists of words
for cc in gcc clang ${newest:-clang-newest}; do
    for flags in "-O0 -std=c11 -g0" "-O2 -std=c11 -g0" "$fast -std=c11"; do
        verified_with $cc $flags $c_warnings
    done
done
# shellcheck disable=SC2086
for cxx in g++ clang++; do
    verified_with $cxx -O2 -std=c++17 -g0 -x c++ $warnings
done

# The neon kernels are compiled with the same warnings; the foreign suite runs them.
if have aarch64-linux-gnu-gcc; then
    cat generated/ng_*_neon.c >"$scratch/neon.c"
    # shellcheck disable=SC2086
    for flags in -O0 -O2 "-O3 -ffp-contract=fast"; do
        aarch64-linux-gnu-gcc -std=c11 $flags $c_warnings -I generated -c "$scratch/neon.c" -o "$scratch/neon.o" ||
            fail "aarch64-linux-gnu-gcc $flags"
    done
else
    echo "not installed: aarch64-linux-gnu-gcc"
fi

# refuses COMPILER FLAG...: the flags stop the compiler with a message, and NORMGEN_ALLOW_FAST_MATH overrides that.
refused=0
refuses() {
    for target in $targets_here; do
        file=generated/ng_rmsnorm_fwd_f32_h64_$target.c
        if "$@" -c "$file" -o "$scratch/fast.o" 2>"$scratch/log"; then fail "$* accepts $file"; fi
        grep -q 'define NORMGEN_ALLOW_FAST_MATH' "$scratch/log" || fail "$* fails on $file without saying why"
        "$@" -DNORMGEN_ALLOW_FAST_MATH -c "$file" -o "$scratch/fast.o" || fail "$* cannot be overridden"
        refused=$((refused + 1))
    done
}
for flag in -ffast-math -Ofast -ffinite-math-only; do
    refuses gcc $flag
    refuses clang $flag
    [ -z "$newest" ] || refuses "$newest" $flag
done
# No macro tells of these in clang.
refuses gcc -fassociative-math -fno-signed-zeros -fno-trapping-math
refuses gcc -freciprocal-math
echo "compilers and flags verified: $verified, fast-math refused: $refused"
