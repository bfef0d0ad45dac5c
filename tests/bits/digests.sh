#!/bin/sh
# The digests of the reference set's outputs are those of tests/digests.txt, on every architecture.
#   tests/bits/digests.sh VERIFY [--update | --some]     VERIFY: the verifier of the reference set, or of some of its kernels
set -eu
verify=$(realpath "$1")
cd "$(dirname "$0")/../.."
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
known=tests/digests.txt
if [ "${2:-}" = --some ]; then
    grep -Fx -f "$scratch/digests.txt" tests/digests.txt >"$scratch/known.txt" || true
    known=$scratch/known.txt
fi
diff "$scratch/digests.txt" "$known" || fail "other bits than before: a new contract number, or a bug"
echo "digests compared: $(wc -l <"$scratch/digests")"
