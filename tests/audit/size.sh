#!/bin/sh
# The code of one kernel is at most 8 KiB (16 where fma is emulated), and longer rows make it longer by no more than the tree
# over more blocks takes.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

limit=8192
emulated_limit=16384
tree=320
mkdir "$scratch/sources" "$scratch/objects"

# compiled PREFIX HEADER TARGET...: objects of all sources of the targets. Intrinsics are parsed once, which is most of the work.
compiled() {
    compiler=$1gcc
    have "$compiler" || { echo "not installed: $compiler" && return 0; }
    echo "#include <$2>" >"$scratch/$2"
    "$compiler" -O2 -x c-header "$scratch/$2" -o "$scratch/$2.gch"
    for target in $3; do
        for source in "$scratch/sources/size_$target"_*.c; do
            object=$scratch/objects/$(basename "$source" .c).o
            "$compiler" -O2 -include "$scratch/$2" -c "$source" -o "$object" || fail "does not compile: $source"
            # The kernel is the only symbol that others see.
            echo "$("$1size" -A "$object" | awk '/^\.text/ { sum += $2 } END { print sum }')" \
                "$("$1nm" -g --defined-only "$object" | awk '{ print $3 }')" >>"$scratch/sizes"
        done
    done
}

targets="sse2,avx2,avx512,avx512bf16,neon"
kernels=$(luajit tests/support/kernelset.lua size $targets 1 "$scratch" | sed 's/.*generated: \([0-9]*\),.*/\1/')
# One kernel in each file.
luajit tests/support/kernelset.lua size $targets $((kernels / 5)) "$scratch/sources"
[ "$(uname -m)" != x86_64 ] || compiled "" immintrin.h "sse2 avx2 avx512 avx512bf16"
case $(uname -m) in
    aarch64) compiled "" arm_neon.h neon ;;
    *) compiled aarch64-linux-gnu- arm_neon.h neon ;;
esac
[ -s "$scratch/sizes" ] || skip "no compiler for any target"

sort -rn "$scratch/sizes" >"$scratch/sorted"
echo "kernels weighed: $(wc -l <"$scratch/sorted"); the largest, in bytes of code:"
head -n 5 "$scratch/sorted"
awk -v limit=$limit -v emulated_limit=$emulated_limit -v tree=$tree '
    { size[$2] = $1; most = $2 ~ /_sse2$/ ? emulated_limit : limit }
    $1 > most { print "larger than " most ": " $0; wrong++ }
    END {
        for (name in size) {
            shorter = name
            if (sub(/_h16384/, "_h4096", shorter)) {
                pairs++
                if (size[name] > size[shorter] + tree) {
                    print "larger than with h=4096: " size[name] " " name ", " size[shorter]
                    wrong++
                }
            }
        }
        print "pairs of h=16384 and h=4096: " pairs + 0
        exit wrong > 0 || pairs == 0
    }' "$scratch/sorted" || fail "kernels are too large"
