#!/bin/sh
# What `normgen model` says of each family, against the models of transformers (tests/models/peers.py).
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

python=$(python_with torch transformers) || skip "no Python with torch and transformers"
"$python" tests/models/peers.py
