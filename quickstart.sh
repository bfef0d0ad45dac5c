#!/bin/sh
# From nothing to proved and timed kernels: Llama 3.1 8B's RMSNorm and GPT-2's LayerNorm, for four targets.
#   ./quickstart.sh [--no-install]
set -eu
cd "$(dirname "$0")"
out=out/quickstart

tools/install-deps.sh "$@" use
rm -rf $out
mkdir -p $out

echo "Emitting the kernels of specs/llama3_8b.lua and specs/gpt2.lua into $out/kernels"
bin/normgen emit specs/llama3_8b.lua specs/gpt2.lua --target scalar,avx2,avx512,neon -o $out/kernels

# verify LABEL RUNNER OPTIONS COMPILER...: builds the kernels of the compiler's architecture with the C reference; RUNNER starts
# the verifier with OPTIONS.
verify() {
    label=$1 runner=$2 options=$3
    shift 3
    echo "Compiling with $1 -O2, comparing with the C reference ($label)"
    "$@" -O2 -I $out/kernels -o "$out/verify-$label" $out/kernels/*.c reference/*.c -lm
    # shellcheck disable=SC2086 # lists of words
    $runner "$out/verify-$label" $options >"$out/$label.log" || { cat "$out/$label.log" && exit 1; }
    grep '^skipped' "$out/$label.log" || true
}

verify native "" "" cc
if [ "$(uname -m)" = x86_64 ] && command -v qemu-aarch64 >/dev/null && command -v aarch64-linux-gnu-gcc >/dev/null; then
    verify neon qemu-aarch64 "--filter _neon --quick" aarch64-linux-gnu-gcc -static
else
    echo "skipped: neon needs aarch64-linux-gnu-gcc and qemu-aarch64"
fi

echo "Timing the kernels of this machine's best target beside plain C loops"
bin/normgen bench specs/llama3_8b.lua specs/gpt2.lua --target native --rivals plain --rows 1,32 --rounds 31 --format md
echo
awk '/^verified/ {
    for (i = 2; i <= NF; i++) { split($i, part, "="); sum[part[1]] += part[2] }
} END {
    printf "Proved: %d kernels gave the same bits as the C reference on %d outputs, %d mismatches", sum["kernels"], sum["outputs"],
        sum["mismatches"]
    print sum["skipped"] ? "; not run here: " sum["skipped"] : ""
}' $out/*.log
