#!/bin/sh
# examples/meson and examples/cmake, built on x86-64 for aarch64 and run by qemu. The generator starts no program and reads
# nothing about the machine it runs on.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

have aarch64-linux-gnu-gcc || skip "no aarch64-linux-gnu-gcc"
have qemu-aarch64 || skip "no qemu-aarch64"

# An interpreter in which every way to ask the machine is an error.
script blind-lua <<'END'
#!/bin/sh
exec luajit -e '
local open = io.open
function io.open(path, ...)
  if path:find "^/proc" or path:find "^/sys" then error("asks the machine: " .. path) end
  return open(path, ...)
end
io.popen, os.execute, os.getenv = nil, nil, nil
jit.arch, jit.os = nil, nil' "$@"
END
export NORMGEN_LUA="$scratch/blind-lua"
! bin/normgen emit 'rmsnorm f32 h=4' --target native >"$scratch/log" 2>&1 || fail "--target native does not ask the machine"

install_normgen
copy meson
PATH=$prefix/bin:$PATH quietly meson setup build --cross-file "$root/cross/aarch64.ini"
quietly ninja -C build
prints "0.542969 3
0.835938" qemu-aarch64 build/norms
quietly meson test -C build
builds=1

if have cmake; then
    copy cmake
    quietly cmake -B build -DCMAKE_TOOLCHAIN_FILE="$root/cross/aarch64.cmake" -DNormGen_DIR="$prefix/share/normgen/cmake"
    quietly cmake --build build
    prints "1.053483 3
1.603567
1.341635" qemu-aarch64 build/norms
    builds=2
else
    echo "not installed: cmake"
fi
echo "builds: $builds"
