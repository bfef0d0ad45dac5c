#!/bin/sh
# meson install: what lies where, the installed tool, its man page and the completion of shells.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

# Into a staging directory; the tree works from there, too.
prefix=/opt/normgen
quietly meson setup -Dtests=false --prefix $prefix "$scratch/install"
DESTDIR=$scratch/stage quietly meson install -C "$scratch/install"
stage=$scratch/stage$prefix
[ "$(ls "$scratch/stage")" = opt ] || fail "files outside of the prefix"
for file in bin/normgen share/man/man1/normgen.1 share/pkgconfig/normgen.pc share/normgen/cmake/NormGenConfig.cmake \
    share/normgen/cmake/NormGenConfigVersion.cmake share/bash-completion/completions/normgen share/zsh/site-functions/_normgen; do
    [ -s "$stage/$file" ] || fail "$file is not installed"
done
! grep -rIl "$scratch\|$root" "$stage" || fail "installed files name the directory they were built in"

# The installed tool writes the same bytes, and proves its kernels with the installed reference.
for normgen in bin/normgen "$stage/bin/normgen"; do
    "$normgen" emit specs/gpt2.lua --target scalar,avx2 -o "$scratch/out-$(echo "$normgen" | cksum | cut -d ' ' -f 1)"
done
set -- "$scratch"/out-*
[ $# -eq 2 ] || fail "not two directories"
diff -r "$1" "$2" || fail "the installed tool writes other files"
(cd / && quietly "$stage/bin/normgen" check 'rmsnorm f32 h=8' --target scalar)

# Every command and option is in the man page, which roff takes without a warning.
page=$stage/share/man/man1/normgen.1
commands=$("$stage/bin/normgen" --help | sed -n '/^Commands:/,/^$/s/^   \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 7 ] || fail "commands: $commands"
for command in $commands; do
    grep -qx "\.SS $command" "$page" || fail "the man page has no $command"
    for option in $("$stage/bin/normgen" "$command" --help | grep -o -- '--[a-z-]*' | sort -u); do
        [ "$option" = --help ] || sed 's/\\-/-/g' "$page" | grep -qF -- "$option" || fail "the man page has no $option"
    done
done
if have man; then
    [ -z "$(man --warnings -l "$page" 2>&1 >/dev/null)" ] || fail "the man page: $(man --warnings -l "$page" 2>&1 >/dev/null)"
else
    echo "not installed: man"
fi

# completed WORD...: what bash offers for the last word.
completed() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _normgen; echo "${COMPREPLY[*]}"' bash \
        "$stage/share/bash-completion/completions/normgen" "$@"
}
prints emit completed normgen em
prints "--depfile" completed normgen emit --dep
prints "dir single" completed normgen emit --format ""
prints "text json files make cmake" completed normgen list --format ""
if have zsh; then
    quietly zsh -n "$stage/share/zsh/site-functions/_normgen"
else
    echo "not installed: zsh"
fi
