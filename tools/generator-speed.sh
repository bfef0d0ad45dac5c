#!/bin/sh
# How fast the generator is: kernels per second, and the most memory, for 1,000 and for 10,000 kernels of the same mix; the same
# for 200 with each Lua; and the time of an emission of one kernel. A kernel that is written leaves about 20 kB behind, which
# header and registry need.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# spec_file COUNT: a spec file with that many kernels, a multiple of 40: both norms, all dtypes, some options, h up to 2048.
spec_file() {
    cat <<END
local kernels = {}
local sizes = $1 / 40
for size = 1, sizes do
  for _, norm in ipairs { "rmsnorm", "layernorm" } do
    for _, dtype in ipairs { "f32", "bf16", "f16", "f64" } do
      for _, words in ipairs { "", "add", "addout", "affine=none", "stats strided" } do
        local h = math.floor(2048 * size / sizes)
        kernels[#kernels + 1] = string.format("%s fwd %s h=%d %s", norm, dtype, h, words)
      end
    end
  end
end
return kernels
END
}

# measured COMMAND...: runs it; prints milliseconds and the kilobytes that it had at most.
measured() {
    python3 - "$@" <<'END'
import resource, subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], check=True)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(round((time.monotonic() - start) * 1000), most)
END
}

# many LUA COUNT
many() {
    spec_file "$2" >"$scratch/specs.lua"
    result=$(NORMGEN_LUA=$1 measured bin/normgen emit "$scratch/specs.lua" --target avx2 -o "$scratch/$1-$2")
    echo "$1, $2 kernels: ${result% *} ms, $(($2 * 1000 / ${result% *})) kernels per second, $((${result#* } / 1024)) MiB"
}

for lua in luajit lua5.4; do
    many "$lua" 200
    result=$(NORMGEN_LUA=$lua measured bin/normgen emit 'rmsnorm bf16 h=4096 addout' --target avx2 -o "$scratch/one")
    echo "$lua, one kernel: ${result% *} ms"
done
many luajit 1000
many luajit 10000
