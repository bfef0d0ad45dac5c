#!/bin/sh
# examples/placements: a block for each placement of norms, with the kernels of its spec file, beside the same step by step.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

copy placements
# All kernels as one set: the spec files say the same kernels.
cat >all.lua <<END
return { "layernorm f32 h=512", "rmsnorm f32 h=512" }
END
specs=all.lua
for placement in post_ln pre_ln sandwich parallel deepnorm normformer; do
    specs="$specs $root/specs/$placement.lua"
done
# shellcheck disable=SC2086 # paths of the copy, without blanks
"$root/bin/normgen" emit $specs --target scalar,avx2,neon -o .
quietly "${CC:-cc}" -std=c11 -O2 -ffp-contract=off -Wall -Wextra -Werror ./*.c -o blocks -lm
prints "post_ln: the same bits as step by step
pre_ln: the same bits as step by step
sandwich: the same bits as step by step
parallel: the same bits as step by step
deepnorm: the same bits as step by step
normformer: the same bits as step by step" ./blocks
echo "placements: 6"
