#!/bin/sh
# The dispatcher chooses by what the CPU can do, obeys NORMGEN_MAX_TARGET, and answers threads that ask at once.
#   tests/audit/dispatch.sh PROGRAM
set -eu
program=$(realpath "$1")
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
choices=0

# chosen TARGET COMMAND...: the command's choice is the target.
chosen() {
    "$@" 2>"$scratch/log" || { cat "$scratch/log" && fail "$*"; }
    choices=$((choices + 1))
}

[ "$(uname -m)" = x86_64 ] || skip "the choices below are those of x86-64"

chosen "$program"
chosen env NORMGEN_MAX_TARGET=nonsense "$program"
for target in scalar avx2; do
    if grep -q "$target" /proc/cpuinfo || [ $target = scalar ]; then
        chosen env NORMGEN_MAX_TARGET=$target "$program" $target
    fi
done

if have qemu-x86_64; then
    # An emulated CPU, and what must be chosen on it: the full set of a target's features counts, not one of them.
    while read -r cpu target; do
        chosen qemu-x86_64 -cpu "$cpu" "$program" "$target"
    done <<END
max avx2
Haswell avx2
Nehalem scalar
max,-avx2 scalar
max,-fma scalar
max,-f16c scalar
max,-xsave scalar
END
else
    echo "not installed: qemu-x86_64"
fi
echo "choices of the dispatcher checked: $choices"
