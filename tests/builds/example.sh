#!/bin/sh
# An example builds and runs in a clean copy of the sources.   example.sh NAME [ggml|MODULE...]
# Without the sources of ggml, or a Python with the modules, the test is skipped.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

name=$1
shift
if [ "$*" = ggml ]; then
    export GGML_DIR="$PWD/out/ggml"
    [ -d "$GGML_DIR" ] || skip "no sources of ggml (tools/install-deps.sh peers)"
    have cmake || skip "no cmake"
elif [ $# -gt 0 ]; then
    PYTHON=$(python_with "$@") || skip "no Python with $* (tools/install-deps.sh peers)"
    export PYTHON
fi
mkdir "$scratch/examples"
copy_command "$scratch"
cp -r "examples/$name" "$scratch/examples"
rm -rf "$scratch/examples/$name/out"
cd "$scratch"
"examples/$name/run.sh"
