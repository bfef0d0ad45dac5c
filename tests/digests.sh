#!/bin/sh
# The digests of the reference set's outputs are those of tests/digests.txt, on every architecture.
#   tests/digests.sh VERIFY [--update]     VERIFY: the verifier of the reference set
set -eu
verify=$(realpath "$1")
cd "$(dirname "$0")/.."
. tests/support/shell.sh

# shellcheck disable=SC2086 # the wrapper is a command line
${MESON_EXE_WRAPPER:-} "$verify" --quick --digests "$scratch/digests"
{
    bin/normgen --version | grep contract
    cat "$scratch/digests"
} >"$scratch/digests.txt"
if [ "${2:-}" = --update ]; then
    cp "$scratch/digests.txt" tests/digests.txt
fi
diff "$scratch/digests.txt" tests/digests.txt || fail "other bits than before: a new contract number, or a bug"
echo "digests compared: $(wc -l <"$scratch/digests")"
