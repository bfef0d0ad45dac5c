/* RMSNorm in tensor parallelism: each rank has some of the elements of every row. They are cut into SHARDS shards
 * whatever the number of ranks, and so the bits do not depend on it. Built and run by: normgen emit kernels.lua
 * --target all --format single -o . mpicc -O2 sharded_rmsnorm.c -o sharded_rmsnorm && mpirun -n 4 ./sharded_rmsnorm */
#include "share.h"

enum { ROWS = 33, HIDDEN = 768, SHARDS = 12, WIDTH = HIDDEN / SHARDS, SHARD = ROWS * WIDTH };
static const float eps = 1e-6f;

/* Normalises the shards of this rank, one matrix of ROWS rows of WIDTH elements behind the other. */
static void sharded_rmsnorm(MPI_Comm comm, const float *x, const float *gamma, float *y)
{
    const int rank = rank_of(comm);
    const size_t own = first_part(SHARDS, rank + 1, comm) - first_part(SHARDS, rank, comm);
    float part[SHARDS * ROWS], parts[SHARDS * ROWS], rstd[ROWS];
    for (size_t i = 0; i < own; ++i) ng_rmsnorm_stats_f32_h768_shards12(ROWS, x + i * SHARD, part + i * ROWS);
    gather_parts(comm, part, parts, SHARDS, ROWS);
    ng_rmsnorm_merge_f32_h768_shards12(ROWS, parts, eps, rstd);
    for (size_t i = 0; i < own; ++i)
        ng_rmsnorm_apply_f32_h768_shards12(ROWS, x + i * SHARD, gamma + i * WIDTH, rstd, y + i * SHARD);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int rank = rank_of(MPI_COMM_WORLD);
    const size_t n = (size_t)SHARDS * SHARD, first = first_part(SHARDS, rank, MPI_COMM_WORLD),
                 own = first_part(SHARDS, rank + 1, MPI_COMM_WORLD) - first;
    float *x = new_floats(n), *y = new_floats(n), *expected = new_floats(n), gamma[HIDDEN];
    for (size_t i = 0; i < n; ++i) x[i] = (float)(i * 7919 % 2003) / 64.0f - 15.0f;
    for (size_t i = 0; i < HIDDEN; ++i) gamma[i] = 1.0f + (float)i / 1024.0f;

    sharded_rmsnorm(MPI_COMM_WORLD, x + first * SHARD, gamma + first * WIDTH, y);

    sharded_rmsnorm(MPI_COMM_SELF, x, gamma, expected); /* one process with all shards */
    const int status = report("RMSNorm", memcmp(y, expected + first * SHARD, own * SHARD * sizeof *y) == 0);
    free(x);
    free(y);
    free(expected);
    MPI_Finalize();
    return status;
}
