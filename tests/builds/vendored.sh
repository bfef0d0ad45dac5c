#!/bin/sh
# examples/vendored: emitted once, then built by `cc *.c` where there is no Lua and no normgen, as C and as C++.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

copy vendored
NORMGEN=$root/bin/normgen ./vendor.sh
NORMGEN=$root/bin/normgen ./vendor.sh --check
echo >>dir/ng_kernels.h
! NORMGEN=$root/bin/normgen ./vendor.sh --check >"$scratch/stale" 2>&1 || fail "--check accepts a changed file"
grep -qx 'dir/ng_kernels.h: differs' "$scratch/stale" || fail "--check does not name the file"

# A PATH with nothing but what compilers need.
mkdir "$scratch/tools"
for tool in gcc g++ clang clang++ as ld; do
    ! have $tool || ln -s "$(command -v $tool)" "$scratch/tools/$tool"
done
runs=0
for language in 'gcc -std=c11' 'g++ -std=c++17' 'clang -std=c11' 'clang++ -std=c++17 -Wno-deprecated'; do
    have "${language%% *}" || { echo "not installed: ${language%% *}" && continue; }
    for layout in dir single; do
        cd "$scratch/vendored/$layout"
        # shellcheck disable=SC2086
        env PATH="$scratch/tools" $language -O1 -Wall -Wextra -Werror ./*.c -o program || fail "$language ($layout)"
        case $layout in
            dir) prints 3.207134 ./program ;;
            single) prints "0.224736 1.000000 1.224736" ./program ;;
        esac
        runs=$((runs + 1))
    done
done
[ $runs -ge 4 ] || fail "only $runs programs were built"
echo "builds: $runs"
