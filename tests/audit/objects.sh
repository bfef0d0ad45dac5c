#!/bin/sh
# What the object files of generated/ hold: no symbol, section or instruction that a user did not ask for.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

count=0

# compiled PREFIX TARGET: every generated file of the target (or registry, dispatch) as an object of its own.
compiled() {
    mkdir -p "$scratch/$2"
    find generated -maxdepth 1 -name "ng_*$2.c" -print0 | xargs -0 -P 2 -I '{}' sh -c \
        "$1gcc -O2 -c -I generated '{}' -o $scratch/$2/\$(basename '{}' .c).o" || fail "$2 does not compile"
}

# Whatever an object defines for others is declared in the header.
documented() {
    for symbol in $("$1nm" -g --defined-only "$2" | awk '{ print $3 }'); do
        grep -q "[ *]$symbol(" generated/ng_kernels.h || fail "$2 defines $symbol, which ng_kernels.h does not declare"
    done
}

# The header declares kernels exactly as they are defined: one changed argument is an error.
declared() {
    cat generated/ng_*"$2".c >"$scratch/$2.c"
    declares="$1gcc -std=c11 -Wall -Wextra -Werror -fsyntax-only -include generated/ng_kernels.h"
    $declares "$scratch/$2.c" || fail "ng_kernels.h declares $2 kernels otherwise"
    sed 's/\(void ng_[a-z0-9_]*\)(size_t rows,/\1(unsigned rows,/' "$scratch/$2.c" >"$scratch/other.c"
    ! $declares "$scratch/other.c" 2>/dev/null || fail "a changed argument of $2 kernels is not seen"
}

# Nothing runs before main, nothing is writable.
without_sections() {
    "$1objdump" -h "$2" | awk '$2 ~ /^\.(init_array|ctors|preinit_array)/ { exit 1 }' || fail "$2 has static initialisers"
    "$1size" "$2" | awk 'NR == 2 && $2 + $3 > 0 { exit 1 }' || fail "$2 has writable data"
}

# undefined_only ALLOWED: no undefined symbol but those that match.
undefined_only() {
    undefined=$("$1nm" -u "$2" | awk '{ print $2 }' | grep -Exv "$3" || true)
    [ -z "$undefined" ] || fail "$2 needs $undefined"
}

# Between the last touch of a ymm or zmm register and a kernel's return there is a vzeroupper. (Code is read as it lies;
# what follows a jump or a return is taken for a new start.)
zeroupper() {
    objdump -d --no-show-raw-insn "$1" | awk '
        /^[0-9a-f]+ <.*>:$/ { kernel = $2 ~ /^<ng_/; dirty = 0; next }
        /[yz]mm[0-9]/ { dirty = 1 }
        /vzeroupper/ { dirty = 0; seen = 1 }
        kernel && /\tret/ && dirty { print $0; exit 1 }
        /\t(ret|jmp)/ { dirty = 0 }
        END { if (!seen) exit 1 }' >"$scratch/log" || fail "$1 returns without vzeroupper $(cat "$scratch/log")"
}

# Baseline code only: no instruction whose name starts with v, no wide register.
baseline() {
    ! objdump -d --no-show-raw-insn "$1" | grep -E '[yz]mm[0-9]|^ *[0-9a-f]+:\s+v[a-z]' >"$scratch/log" ||
        fail "$1 is not baseline code: $(head -n 1 "$scratch/log")"
}

# target PREFIX TARGET ALLOWED: all that holds for the kernels of a target.
target() {
    have "$1gcc" || { echo "not installed: $1gcc" && return 0; }
    compiled "$1" "$2"
    declared "$1" "$2"
    for object in "$scratch/$2"/*.o; do
        [ "$("$1nm" -g --defined-only "$object" | awk '{ print $3 }')" = "$(basename "$object" .o)" ] ||
            fail "$object defines more than its kernel"
        documented "$1" "$object"
        without_sections "$1" "$object"
        undefined_only "$1" "$object" "$3"
        case $2 in avx*) zeroupper "$object" ;; esac
        count=$((count + 1))
    done
}

if [ "$(uname -m)" = x86_64 ]; then
    target "" scalar 'memset|memcpy|memmove'
    target "" avx2 none
    target "" avx512 none
    for part in registry dispatch; do
        compiled "" $part
        documented "" "$scratch/$part/ng_$part.o"
        baseline "$scratch/$part/ng_$part.o"
        count=$((count + 1))
    done
    for object in "$scratch"/scalar/*.o; do baseline "$object"; done
fi
target aarch64-linux-gnu- neon none

# Two prefixes and all targets in one program.
for prefix in one_ two_; do
    bin/normgen emit 'rmsnorm f32 h=96' 'layernorm bf16 h=100 addout' --target all --prefix $prefix -o "$scratch/$prefix"
done
cat >"$scratch/main.c" <<'END'
#include "one_kernels.h"
#include "two_kernels.h"
#include <stdio.h>
int main(void)
{
    size_t one, two;
    one_registry(&one);
    two_registry(&two);
    printf("kernels under two prefixes: %zu and %zu, targets: %s and %s\n", one, two, one_target(), two_target());
    return one != two || one == 0;
}
END
cc -O2 -I "$scratch/one_" -I "$scratch/two_" "$scratch"/main.c "$scratch"/one_/*.c "$scratch"/two_/*.c -o "$scratch/main"
"$scratch/main"
echo "objects inspected: $count"
