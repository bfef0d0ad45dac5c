#!/bin/sh
# Fuzzes specs (tests/fuzz/fuzz.lua) in chunks, each in a process of its own that may not hang, and adds up what they
# print. The first cases run under both interpreters, which must agree.
#   tests/fuzz/fuzz.sh COUNT [SEED [FIRST]]
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

count=$1 seed=${2:-1} first=${3:-1}
last=$((first + count - 1))
chunk=5000 both=300

# fuzz LUA FIRST COUNT [nocompile]: one chunk, within limits of memory and of the processor's time: a chunk takes minutes of it.
fuzz() {
    (
        # shellcheck disable=SC3045 # dash and bash have them
        ulimit -v 8000000 && ulimit -t 7200
        lua=$1
        shift
        "$lua" tests/fuzz/fuzz.lua "$seed" "$1" "$2" "$scratch" "${3:-}"
    ) >"$scratch/out" || fail "seed $seed, case $(cat "$scratch/case"): status $?"
}

for lua in luajit lua5.4; do
    fuzz $lua "$first" $both nocompile
    grep digest "$scratch/out" >"$scratch/$lua"
done
cmp -s "$scratch/luajit" "$scratch/lua5.4" || fail "the interpreters disagree"

while [ "$first" -le "$last" ]; do
    left=$((last - first + 1))
    fuzz luajit "$first" $((left < chunk ? left : chunk))
    cat "$scratch/out" >>"$scratch/all"
    first=$((first + chunk))
done

grep '^not installed' "$scratch/all" | sort -u || true
awk '/^ *[0-9]+ / && !/digest/ {
    n = $1; sub(/^ *[0-9]+ /, ""); if (!($0 in sum)) order[++lines] = $0; sum[$0] += n
} END { for (i = 1; i <= lines; ++i) printf "%8d %s\n", sum[order[i]], order[i] }' "$scratch/all" | tee "$scratch/sum"
# Neither may crowd out the other.
awk '$2 == "specs" && NF == 2 { specs = $1 } $2 == "valid" { valid = $1 } $2 == "refused" { refused = $1 }
END { exit !(valid > specs / 3 && refused > specs / 10) }' "$scratch/sum" || fail "too few legal or too few illegal specs"
