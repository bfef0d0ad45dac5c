# shellcheck shell=sh disable=SC2154 # sourced; $link and $linker are the caller's
# For the shell tests, which run in the root of the source tree: a scratch directory that goes away, and ways to end.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# The test is skipped, and says why.
skip() {
    echo "SKIPPED: $*"
    exit 77
}

have() {
    command -v "$1" >/dev/null
}

# python_with MODULE...: the first Python that has all of the modules: python3, Debian's, that of tools/install-deps.sh.
python_with() {
    modules=$(echo "$*" | tr ' ' ,)
    for python in python3 /usr/bin/python3 "$PWD/out/bench-python/bin/python3"; do
        "$python" -c "import $modules" 2>/dev/null || continue
        echo "$python"
        return
    done
    return 1
}

# quietly COMMAND...: its output is shown only if it fails.
quietly() {
    "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" && fail "$*"; }
}

# copy_command DIRECTORY: copies the command, with all that it reads.
copy_command() {
    cp -r bench bin cli gen host measure models records reference runtime specs targets templates tuner "$1"
}

# The targets of generated/ that this machine's architecture can run.
case $(uname -m) in
    x86_64) targets_here="scalar avx2 avx512" ;;
    aarch64) targets_here="scalar neon" ;;
esac

# The newest versioned clang that is installed, or nothing.
newest_clang() {
    find /usr/bin -name 'clang-[0-9]*' | sort -V | tail -n 1
}

# build_verifier PROGRAM COMPILER FLAG...: the kernels of generated/ for this machine, one file for each target, compiled
# as told and linked by $linker (or cc) with what $link lists.
build_verifier() {
    program=$1
    shift
    objects=
    for target in $targets_here registry dispatch; do
        cat generated/ng_*"$target".c >"$program.$target.c"
        "$@" -I generated -c "$program.$target.c" -o "$program.$target.o" || return 1
        objects="$objects $program.$target.o"
    done
    # shellcheck disable=SC2086
    ${linker:-cc} -o "$program" $objects $link
}
