#!/bin/sh
# examples/threads: POSIX threads, OpenMP and std::thread, however they split the rows, give the bits of a single call.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

copy threads
"$root/bin/normgen" emit 'layernorm f32 h=100' --target scalar,avx2,neon --format single -o .
quietly cc -O1 -Wall -Wextra -Werror pthreads.c -pthread -o pthreads
prints "pthreads: the same bits from 1 to 8 threads" ./pthreads
echo 'int main(void) { return 0; }' >empty.c
if cc -fopenmp empty.c -o empty 2>"$scratch/log"; then
    quietly cc -O1 -Wall -Wextra -Werror -fopenmp openmp.c -o openmp
    prints "OpenMP: the same bits from 1 to 8 threads" ./openmp
else
    echo "not installed: OpenMP for cc"
fi
if have c++; then
    quietly c++ -std=c++17 -O1 -Wall -Wextra -Werror std_thread.cpp -pthread -o std_thread
    prints "std::thread: the same bits from 1 to 8 threads" ./std_thread
else
    echo "not installed: c++"
fi

# A comparison that could not fail would prove nothing: a split that leaves out the last row is found.
sed 's/return (size_t)part \* ROWS/return (size_t)part * (ROWS - 1)/' rows.h >"$scratch/rows.h"
cp "$scratch/rows.h" rows.h
quietly cc -O1 pthreads.c -pthread -o pthreads
! ./pthreads >"$scratch/log" || fail "a missing row was not noticed"
