#!/bin/sh
# Link-time optimisation, which sees kernels, registry, reference and verifier as one program, changes no bit and no digest.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

verified=0

# verified_with COMPILER FLAG...
verified_with() {
    have "$1" || { echo "not installed: $1" && return 0; }
    echo 'int main(void) { return 0; }' >"$scratch/empty.c"
    "$@" "$scratch/empty.c" -o "$scratch/empty" 2>/dev/null || { echo "SKIPPED: $1 cannot link with $2" && return 0; }
    linker="$*"
    link="-std=c11 -ffp-contract=off -I generated $(echo reference/*.c) -lm"
    build_verifier "$scratch/verify" "$@" -std=c11
    for object in $objects; do
        # Nothing would have been tested if an object held machine code.
        [ "$(objdump -d "$object" 2>/dev/null | grep -cw ret)" = 0 ] || fail "$* makes ordinary objects"
    done
    tests/bits/digests.sh "$scratch/verify" --some >"$scratch/log" || { cat "$scratch/log" && fail "other bits: $*"; }
    printf '%-76s %s\n' "$*" "$(grep verified: "$scratch/log")"
    verified=$((verified + 1))
}

verified_with gcc -flto -flto-partition=one -O2
verified_with gcc -flto -flto-partition=one -O3 -march=native -ffp-contract=fast
verified_with clang -flto -O2
[ $verified -gt 0 ] || skip "no compiler can link with -flto"
echo "verified with link-time optimisation: $verified"
