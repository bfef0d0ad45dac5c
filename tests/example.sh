#!/bin/sh
# An example builds and runs in a clean copy of the sources.   example.sh NAME [PYTHON]
# An example that needs what is not installed says so and exits with 77.
set -eu
cd "$(dirname "$0")/.."
. tests/support/shell.sh

name=$1
PYTHON=${2:-python3}
export PYTHON
mkdir "$scratch/examples"
cp -r bin gen runtime specs targets templates "$scratch"
cp -r "examples/$name" "$scratch/examples"
cd "$scratch"
status=0
"examples/$name/run.sh" || status=$?
exit $status
