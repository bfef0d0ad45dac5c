#!/bin/sh
# Threads that share the rows of a call, and threads that ask the dispatcher at once, under ThreadSanitizer. So that silence
# means something, rows that overlap by mistake must be reported.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh

flags="-std=c11 -O1 -g -fsanitize=thread -I generated"
echo 'int main(void) { return 0; }' >"$scratch/empty.c"
# shellcheck disable=SC2086 # flags are lists of words
cc $flags "$scratch/empty.c" -o "$scratch/empty" 2>/dev/null || skip "no ThreadSanitizer"

link="$flags tests/audit/threads.c tests/support/kernel_call.c -pthread"
# shellcheck disable=SC2086
build_verifier "$scratch/threads" cc $flags
# shellcheck disable=SC2086
cc $flags tests/audit/dispatch.c $objects -pthread -o "$scratch/dispatch"

"$scratch/dispatch"
"$scratch/threads"
TSAN_OPTIONS="exitcode=0 suppress_equal_addresses=0 symbolize=0" "$scratch/threads" overlap 2>"$scratch/log"
echo "reports of ThreadSanitizer on overlapping rows: $(grep -c 'WARNING: ThreadSanitizer: data race' "$scratch/log")"
