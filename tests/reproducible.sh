#!/bin/sh
# One hash, whatever runs the generator: luajit or lua5.4, here or in another directory, 20 times, with a decimal comma.
set -eu
cd "$(dirname "$0")/.."
. tests/support/shell.sh

source=$PWD
specs=specs/reference.lua
runs=0
first=

# emitted LUA [LUA OPTION...]: runs the generator that lies here, and compares the hash of all it writes with the first one.
emitted() {
    rm -rf "$scratch/out"
    "$@" "$PWD/cli/main.lua" emit $specs --target all -o "$scratch/out"
    hash=$(cd "$scratch/out" && find . -type f | LC_ALL=C sort | xargs sha256sum | sha256sum)
    first=${first:-$hash}
    runs=$((runs + 1))
    [ "$hash" = "$first" ] || fail "run $runs ($*) in $PWD wrote other files"
}

# A locale with a decimal comma: of the system if it has one, else a private one.
if ! locale -a | grep -qx de_DE.utf8; then
    localedef -i de_DE -f UTF-8 "$scratch/de_DE.UTF-8"
    export LOCPATH="$scratch"
fi
set_locale='assert(os.setlocale("de_DE.UTF-8"))'

for _ in $(seq 20); do emitted luajit; done
emitted lua5.4
emitted luajit -e "$set_locale"
emitted lua5.4 -e "$set_locale assert((\"%.1f\"):format(0.5) == \"0,5\")"

mkdir "$scratch/elsewhere in the world"
cp -r gen targets templates runtime specs "$scratch/elsewhere in the world"
cd "$scratch/elsewhere in the world"
emitted luajit
emitted lua5.4
cd "$source"
echo "runs of the generator: $runs, one hash: $(echo "$first" | cut -c 1-16)"
