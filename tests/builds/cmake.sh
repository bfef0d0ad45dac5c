#!/bin/sh
# examples/cmake, with Ninja and with Makefiles: an installed package, FetchContent and add_subdirectory.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

have cmake || skip "no cmake"
answer="1.053483 3
1.603567
1.341635"
install_normgen
watch_builds

for generator in Ninja 'Unix Makefiles'; do
    copy cmake
    quietly cmake -G "$generator" -B build -DCMAKE_PREFIX_PATH="$prefix"
    grep -q "^NormGen_DIR:PATH=$prefix/share/normgen/cmake" build/CMakeCache.txt || fail "another package was found"
    steps 2 9 decoder.lua cmake --build build -j 8
    prints "$answer" build/norms
    cd .. && rm -r cmake
done

# Sources in place of a package.
copy cmake
quietly cmake -G 'Unix Makefiles' -B build -DNORMGEN_SOURCE="$root" -DCMAKE_DISABLE_FIND_PACKAGE_NormGen=ON
build cmake --build build
expect 2 9 FetchContent
prints "$answer" build/norms

# The same by add_subdirectory; and an interpreter that is named by the variable.
script other-lua <<END
#!/bin/sh
echo "\$*" >>"$scratch/other"
exec luajit "\$@"
END
# shellcheck disable=SC2016 # CMake expands it
sed -i '/^find_package/,/^endif/d; s|^normgen_add_library(decoder|add_subdirectory("${NORMGEN_SOURCE}" normgen)\n&|' CMakeLists.txt
quietly cmake -G Ninja -B other -DNORMGEN_SOURCE="$root" -DNORMGEN_LUA="$scratch/other-lua"
build cmake --build other
expect 0 9 add_subdirectory
[ "$(grep -c ' emit ' "$scratch/other")" -eq 2 ] || fail "NORMGEN_LUA was not used"
prints "$answer" other/norms

# What the package refuses.
# refused MESSAGE TEXT...: a project with this text is not configured.
refused() {
    message=$1
    shift
    printf '%s\n' 'cmake_minimum_required(VERSION 3.20)' 'project(refused LANGUAGES NONE)' "$@" >"$scratch/refused/CMakeLists.txt"
    ! cmake -S "$scratch/refused" -B "$scratch/refused/build" -DNormGen_DIR="$prefix/share/normgen/cmake" >"$scratch/log" 2>&1 ||
        fail "configured: $*"
    tr -s ' \n' ' ' <"$scratch/log" | grep -qF "$message" || { cat "$scratch/log" && fail "no message '$message'"; }
}
mkdir "$scratch/refused"
refused 'requested version "0.2"' 'find_package(NormGen 0.2 CONFIG REQUIRED)'
refused 'requested version "1.0"' 'find_package(NormGen 1.0 CONFIG REQUIRED)'
refused 'SPEC and TARGETS are needed' 'find_package(NormGen CONFIG REQUIRED)' 'normgen_add_library(a SPEC "rmsnorm f32 h=4")'
refused "unknown target 'avx3'" 'find_package(NormGen CONFIG REQUIRED)' 'normgen_add_library(a SPEC "rmsnorm f32 h=4" TARGETS avx3)'
echo "builds: 14"
