# shellcheck shell=sh disable=SC2154 # sourced behind shell.sh, in the root of the source tree
# For the tests of examples/: a normgen that is installed in the scratch directory, a compiler and an interpreter that write
# down what they are asked to do, and builds of copies of the examples.
root=$PWD
prefix=$scratch/prefix
compiled=$scratch/compiled
emitted=$scratch/emitted

install_normgen() {
    quietly meson setup -Dtests=false --prefix "$prefix" "$scratch/install"
    quietly meson install -C "$scratch/install"
}

# script NAME: an executable file of this name; its text is standard input.
script() {
    cat >"$scratch/$1"
    chmod +x "$scratch/$1"
}

# From here on, sources that are compiled are written to $compiled and calls of `normgen emit` to $emitted.
watch_builds() {
    script cc <<END
#!/bin/sh
for word in "\$@"; do
    case \$word in */ng_*.c | ng_*.c | */main.c | main.c) [ "\$1" = -E ] || basename "\$word" >>"$compiled" ;; esac
done
exec ${CC:-cc} "\$@"
END
    script lua <<END
#!/bin/sh
[ "\$2" != emit ] || echo "\$*" >>"$emitted"
exec luajit "\$@"
END
    export CC="$scratch/cc" NORMGEN_LUA="$scratch/lua"
}

# copy NAME: enters a clean copy of an example.
copy() {
    cp -r "$root/examples/$1" "$scratch/$1"
    cd "$scratch/$1" || exit
}

# build COMMAND...: builds, and leaves what was compiled and emitted in $compiled and $emitted.
build() {
    : >"$compiled"
    : >"$emitted"
    quietly "$@"
}

# expect EMISSIONS COMPILATIONS WHEN: what the last build did.
expect() {
    [ "$(wc -l <"$emitted")" -eq "$1" ] || { cat "$emitted" && fail "$3: not $1 runs of normgen emit"; }
    [ "$(wc -l <"$compiled")" -eq "$2" ] || { cat "$compiled" && fail "$3: not $2 files compiled"; }
}

# prints TEXT COMMAND...: the command prints this.
prints() {
    text=$1
    shift
    printed=$("$@") || fail "$* fails"
    [ "$printed" = "$text" ] || fail "$* prints '$printed'"
}

# steps EMISSIONS FILES SPECS COMMAND...: builds from nothing, then again: after nothing, after a change of one module of
# normgen, and after a kernel more in a spec file. The first build runs `normgen emit` so many times and compiles so many files.
steps() {
    emissions=$1 files=$2 specs=$3
    shift 3
    build "$@"
    expect "$emissions" "$files" "first build"
    build "$@"
    expect 0 0 "second build"
    touch "$prefix/share/normgen/gen/plan/plan.lua"
    build "$@"
    expect "$emissions" 0 "a module of normgen was touched"
    build "$@"
    expect 0 0 "build after that"
    sed -i 's/^\( *\){ "rmsnorm"/\1"rmsnorm f32 h=5",\n&/; s/^\( *\){ "layernorm"/\1"rmsnorm f32 h=5",\n&/' "$specs"
    grep -q h=5 "$specs" || fail "$specs was not changed"
    build "$@"
    [ "$(wc -l <"$emitted")" -ge 1 ] || fail "a spec file was changed: nothing emitted"
    # Three targets of the new kernel, registry, dispatcher and the program: no old kernel is compiled.
    [ "$(sort -u "$compiled" | grep -c h5_)" -eq 3 ] || fail "a spec file was changed: the new kernels are not compiled"
    ! grep 'ng_.*norm' "$compiled" | grep -v h5_ || fail "a spec file was changed: an old kernel was compiled"
    build "$@"
    expect 0 0 "build after that"
}
