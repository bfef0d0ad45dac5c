#!/bin/sh
# Every kernel of the test sets, as gcc compiles it with -O3 -march=native -ffp-contract=fast: gcc fuses no product with a sum, and the
# bits are those of the reference.
#   tests/audit/contraction.sh LIBREFERENCE DIRECTORY SET...     DIRECTORY has what tests/support/kernelset.lua wrote
set -eu
reference=$(realpath "$1")
sources=$(realpath "$2")
shift 2
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

flags="-O3 -march=native -ffp-contract=fast -w"
fused='"fused multiply-adds inserted"'

# What gcc's statistics say of a product and a quotient that meet sums: that it fused them. Else they would tell nothing.
cat >"$scratch/open.c" <<'END'
float product(float a, float b, float c) { return a * b + c; }
float quotient(float a, float b) { return a / 8 + b; }
END
have gcc || skip "gcc is not installed"
# shellcheck disable=SC2086 # flags are a list of words
gcc $flags -fdump-statistics=stdout -c "$scratch/open.c" -o "$scratch/open.o" >"$scratch/log"
[ "$(grep -c "$fused" "$scratch/log")" = 2 ] || skip "this gcc fuses nothing here, or does not tell"

# compiled FILE...: two at a time; what gcc fused joins the log.
compiled() {
    printf '%s\n' "$@" | xargs -P 2 -I '{}' sh -c \
        "gcc $flags -I generated -fdump-statistics=stdout -c '{}' -o '$scratch/'\$(basename '{}' .c).o >'$scratch/'\$(basename '{}').log" ||
        fail "does not compile: $*"
    for file; do
        grep -h "$fused" "$scratch/$(basename "$file").log" >>"$scratch/fused" || true
        rm "$scratch/$(basename "$file").log"
    done
}

: >"$scratch/fused"
cc -O2 -I generated -c reference/verify_main.c -o "$scratch/verify_main.o"
for set in "$@"; do
    compiled "$sources/$set"_*.c
    [ ! -s "$scratch/fused" ] || { cat "$scratch/fused" && fail "gcc fuses products with sums in the set $set"; }
    cc -o "$scratch/verify" "$scratch/verify_main.o" "$scratch/$set"_*.o "$reference" -lm
    case $set in laws) what=--laws ;; *) what= ;; esac
    # shellcheck disable=SC2086 # one word or none
    "$scratch/verify" $what --quick >"$scratch/log" || { cat "$scratch/log" && fail "other bits: $set, $flags"; }
    printf '%-12s %s\n' "$set" "$(tail -n 1 "$scratch/log")"
    rm "$scratch/$set"_*.o
done
compiled reference/*.c
[ ! -s "$scratch/fused" ] || { cat "$scratch/fused" && fail "gcc fuses products with sums in the reference"; }
echo "sets without a fused product: $#"
