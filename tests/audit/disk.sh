#!/bin/sh
# A disk that is full, or a place that cannot be written: exit code 1, one line that names it, no temporary and no half of a file.
#   tests/audit/disk.sh [mounts]     mounts: the part that mounts file systems; the script calls itself for it
# shellcheck disable=SC2086 # commands are kept as lists of words
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

part=${1:-all}
one='rmsnorm f32 h=64'
many='specs/reference.lua --target scalar'
any_file='ng_[a-z0-9_]*\.[ch]'
refusals=0

# refused TO PATTERN COMMAND...: writes to the file TO; exits with 1 and one line that matches, from both interpreters.
refused() {
    to=$1
    pattern=$2
    shift 2
    for lua in luajit lua5.4; do
        status=0
        NORMGEN_LUA=$lua "$@" >"$to" 2>"$scratch/log" || status=$?
        if [ $status != 1 ] || [ "$(wc -l <"$scratch/log")" != 1 ] || ! grep -qx "normgen: $pattern" "$scratch/log"; then
            fail "$lua $*: code $status, expected: $pattern, said: $(cat "$scratch/log")"
        fi
        refusals=$((refusals + 1))
    done
}

# contents DIR: all that the directory holds, with hashes.
contents() {
    (cd "$1" && find . -type f -exec sha256sum {} + | LC_ALL=C sort)
}

# unchanged CONTENTS: the small disk still holds this.
unchanged() {
    [ "$(contents "$disk")" = "$1" ] || fail "the disk holds $(contents "$disk") instead of '$1'"
}

# A file system of its own, 64 KiB large, then read-only. The mounts are this process's own.
on_small_disks() {
    disk=$scratch/disk
    mkdir "$disk"
    mount -t tmpfs -o size=64k none "$disk"
    trap 'umount "$disk"; rm -rf "$scratch"' EXIT
    file="$disk/$any_file"
    full="No space left on device"
    read_only="Read-only file system"

    refused "$scratch/out" "cannot write '$file': $full" bin/normgen emit $many -o "$disk"
    unchanged ""
    refused "$scratch/out" "cannot write '$disk/ng_kernels_single\.h': $full" bin/normgen emit $many --format single -o "$disk"
    unchanged ""
    TMPDIR=$disk refused "$scratch/out" "cannot write '$disk/tmp\.[^']*': $full" bin/normgen check $many
    unchanged ""

    # What lies there stays as it is.
    bin/normgen emit "$one" --target scalar -o "$disk"
    before=$(contents "$disk")
    refused "$scratch/out" "cannot write '$file': $full" bin/normgen emit $many -o "$disk"
    unchanged "$before"
    mount -o remount,ro none "$disk"
    refused "$scratch/out" "cannot write '$file': $read_only" bin/normgen emit $many -o "$disk"
    refused "$scratch/out" "cannot make directory '$disk/new': $read_only" bin/normgen emit $many -o "$disk/new"
    unchanged "$before"
    echo "refusals on small and read-only disks: $refusals"
}

if [ "$part" = mounts ]; then
    on_small_disks
    exit
fi

# Standard output on a full disk.
lost="cannot write the output: No space left on device"
for words in --version --help "emit --help" "check --help" "list norms" "list options" "doctor --help"; do
    refused /dev/full "$lost" bin/normgen $words
done
refused /dev/full "$lost" bin/normgen emit "$one" --target scalar
refused /dev/full "$lost" bin/normgen emit "$one" --target scalar --format single
refused /dev/full "$lost" bin/normgen describe "$one"
refused /dev/full "$lost" bin/normgen describe "$one" --json
refused /dev/full "$lost" bin/normgen list "$one" --target all
for stage in problem plan schedule code text; do
    refused /dev/full "$lost" bin/normgen explain --stage=$stage "$one" --target avx2
done
refused /dev/full "$lost" bin/normgen doctor

# A directory without permission. Root may write everywhere, so it becomes somebody else for this.
mkdir "$scratch/closed"
chmod 755 "$scratch"
chmod 555 "$scratch/closed"
other=
[ "$(id -u)" != 0 ] || other="setpriv --reuid 65534 --regid 65534 --clear-groups"
denied="cannot write '$scratch/closed/$any_file': Permission denied"
if $other bin/normgen --version >/dev/null 2>&1; then
    refused "$scratch/out" "$denied" $other bin/normgen emit "$one" --target scalar -o "$scratch/closed"
    refused "$scratch/out" "cannot make directory '$scratch/closed/new': Permission denied" \
        $other bin/normgen emit "$one" --target scalar -o "$scratch/closed/new"
else
    echo "SKIPPED: a directory without permission: no other user can read this tree"
fi
echo "refusals: $refusals"

for how in -m -rm; do
    if unshare $how mount -t tmpfs none "$scratch" 2>/dev/null; then
        unshare $how tests/audit/disk.sh mounts
        exit
    fi
done
skip "small and read-only disks: mount is not permitted"
