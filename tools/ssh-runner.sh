#!/bin/sh
# Runs a static program on another machine and prints what it prints: for normgen tune --runner 'tools/ssh-runner.sh HOST'.
#   ssh-runner.sh HOST PROGRAM ARGUMENT...
# The program is copied once, to ~/.cache/normgen there, under the name of its content. SSH names another ssh.
set -eu
[ $# -ge 2 ] || { echo "usage: $0 HOST PROGRAM [ARGUMENT...]" >&2 && exit 2; }
host=$1
program=$2
shift 2
ssh=${SSH:-ssh}
name=.cache/normgen/$(sha256sum "$program" | cut -c 1-32)

quoted=
for word in "$@"; do
    quoted="$quoted '$(printf '%s' "$word" | sed "s/'/'\\\\''/g")'"
done
$ssh "$host" "test -x $name" </dev/null ||
    $ssh "$host" "mkdir -p .cache/normgen && cat >$name.tmp && chmod +x $name.tmp && mv $name.tmp $name" <"$program"
exec $ssh "$host" "./$name$quoted" </dev/null
