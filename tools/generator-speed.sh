#!/bin/sh
# How fast the generator is: kernels per second for 1,000 and for 2,000 kernels (the time should double).
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# spec_file COUNT: a spec file with that many kernels, every size from 1 on, both norms, both dtypes.
spec_file() {
    cat <<END
local kernels = {}
for i = 0, $1 - 1 do
  local norm, dtype = i % 2 == 0 and "rmsnorm" or "layernorm", i % 4 < 2 and "f32" or "bf16"
  kernels[i + 1] = string.format("%s fwd %s h=%d", norm, dtype, 1 + (i - i % 4) * 2)
end
return kernels
END
}

for count in 1000 2000; do
    spec_file "$count" >"$scratch/specs.lua"
    start=$(date +%s%N)
    bin/normgen emit "$scratch/specs.lua" --target avx2 -o "$scratch/$count"
    end=$(date +%s%N)
    milliseconds=$(((end - start) / 1000000))
    echo "$count kernels: $milliseconds ms, $((count * 1000 / milliseconds)) kernels per second"
done
