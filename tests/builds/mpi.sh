#!/bin/sh
# examples/mpi: a batch, and the elements of rows, shared by 1 to 4 ranks, give the bits of one process.
set -eu
cd "$(dirname "$0")/../.."
. tests/support/shell.sh
. tests/support/examples.sh

have mpicc || skip "mpicc is not installed"
have mpirun || skip "mpirun is not installed"

# Ranks may be more than cores, on one machine, without a network.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl=self,vader OMPI_MCA_plm=isolated
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# ranks NUMBER COMMAND...
ranks() {
    count=$1
    shift
    mpirun -n "$count" "$@" 2>"$scratch/log"
}

copy mpi
"$root/bin/normgen" emit kernels.lua --target scalar,avx2,neon --format single -o .
for program in sync_batchnorm sharded_rmsnorm; do
    quietly mpicc -O1 -Wall -Wextra -Werror "$program.c" -o "$program"
done
for count in 1 2 3 4; do
    prints "SyncBatchNorm: the bits of one process from $count ranks" ranks "$count" ./sync_batchnorm
    prints "RMSNorm: the bits of one process from $count ranks" ranks "$count" ./sharded_rmsnorm
done

# A comparison that could not fail would prove nothing.
# differs FILE EDIT PROGRAM: with this mistake in the file, two ranks must say so.
differs() {
    sed "$2" "$root/examples/mpi/$1" >"$1"
    ! cmp -s "$1" "$root/examples/mpi/$1" || fail "$1 was not changed"
    quietly mpicc -O1 "$3.c" -o "$3"
    ! ranks 2 "./$3" >"$scratch/printed" || fail "$3: not noticed: $2"
    grep -q "other bits from 2 ranks" "$scratch/printed" || fail "$3: ended, but not by the comparison: $2"
    cp "$root/examples/mpi/$1" "$1"
}
differs sync_batchnorm.c 's/return 64 \/ stripes/return 64 \/ stripes - 1/' sync_batchnorm # not the contract's chunks
for program in sync_batchnorm sharded_rmsnorm; do
    differs share.h 's/starts\[rank\] = .*;/starts[rank] = 0;/' "$program" # statistics of one rank over those of another
done
