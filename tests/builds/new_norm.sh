#!/bin/sh
# The list "A norm" of CONTRIBUTING.md, followed word for word in a copy of the tree, is all that a norm takes: its kernels give
# the bits of the reference, the tests meet it, and no more than six files outside of gen/norms were touched.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

most=6
tree=$scratch/tree
mkdir "$tree"
copy_command "$tree"
cp -r docs tests tools ./*.md "$tree"
luajit tests/support/checklist.lua "A norm" "$tree" >"$scratch/touched"
cat "$scratch/touched"
norm=$(sed -n 's,^gen/norms/\(.*\)\.lua$,\1,p' "$scratch/touched")
others=$(grep -v '^gen/norms/' "$scratch/touched" | sort -u | wc -l)
[ "$others" -le $most ] || fail "$others files outside of gen/norms, more than $most"
cd "$tree"

for document in docs/numerics.md docs/gallery.md; do
    grep -q "\`$norm\`" $document || fail "$document does not know $norm"
done

# specs SET: a spec file of the kernels of the norm that are in a set of the tests.
specs() {
    luajit - "$1" "$norm" <<'END'
package.path = "./?.lua;" .. package.path
print "return {"
for _, request in ipairs(require("tests.support.sets").requests(arg[1], "scalar")) do
  if request.spec:find("^" .. arg[2] .. " ") then print(("%q,"):format(request.spec)) end
end
print "}"
END
}
specs reference >"$scratch/reference.lua"
grep -q "$norm" "$scratch/reference.lua" || fail "no digest of $norm is kept"
specs relatives >"$scratch/relatives.lua"
count=$(grep -c "$norm" "$scratch/relatives.lua") || fail "the sets of the tests have no $norm"
echo "kernels of $norm in the sets of the tests: $count"

bin/normgen check "$scratch/relatives.lua" "$norm f32 h=1" "$norm bf16 h=4097 addout" --target scalar,native >"$scratch/verdict" ||
    fail "kernels of $norm"
cat "$scratch/verdict"
grep -q ' outputs=[1-9][0-9]* mismatches=0 ' "$scratch/verdict" || fail "nothing was compared"

bin/normgen emit "$norm f32 h=100" "$norm bf16 h=70 addout" --target scalar,native -o "$scratch/kernels"
cat >"$scratch/main.c" <<'END'
#include "ng_kernels.h"
int main(void)
{
    return ng_selftest();
}
END
cc -o "$scratch/selftest" -I "$scratch/kernels" "$scratch/main.c" "$scratch"/kernels/*.c
"$scratch/selftest" || fail "the self-test of the kernels"

# shellcheck disable=SC2046 # flags are words
cc -O1 -o "$scratch/oracle" -I reference $(find reference -name '*.c' -not -name 'verify*') \
    tests/oracle/test_oracle.c tests/oracle/oracle.c tests/oracle/call.c tests/oracle/data.c tests/oracle/exact.c tests/oracle/functions.c \
    $(pkg-config --cflags --libs check mpfr) -lm
"$scratch/oracle" "$norm" >"$scratch/judged" || { cat "$scratch/judged" && fail "the reference of $norm"; }
cat "$scratch/judged"
grep -q "^oracle $norm" "$scratch/judged" || fail "the oracle judges no $norm"
