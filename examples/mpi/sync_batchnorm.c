/* SyncBatchNorm: ranks share a batch, and each normalises its images with the statistics of all. However many ranks
 * there are, the bits are those of one process. Built and run by: normgen emit kernels.lua --target all --format single
 * -o . mpicc -O2 sync_batchnorm.c -o sync_batchnorm && mpirun -n 4 ./sync_batchnorm */
#include "share.h"

enum { ROWS = 101, C = 32, POSITIONS = 14 * 14, ELEMENTS = C * POSITIONS };
static const float momentum = 0.1f, eps = 1e-5f;

/* Statistics are kept in chunks, and a rank must have whole ones: in the layout nchw, up to 4096 positions, a chunk is
 * so many rows. The last one of the batch may have fewer. */
static size_t rows_of_chunk(void)
{
    const size_t stripes = (POSITIONS + 63) / 64;
    return 64 / stripes;
}

static size_t chunks_of(size_t rows)
{
    return (rows + rows_of_chunk() - 1) / rows_of_chunk();
}

/* The first row of a rank. */
static size_t first_row(int rank, MPI_Comm comm)
{
    const size_t row = first_part(chunks_of(ROWS), rank, comm) * rows_of_chunk();
    return row < ROWS ? row : ROWS;
}

/* Normalises the `rows` rows of this rank; all ranks together have ROWS. running_mean and running_var are updated on
 * every rank alike. */
static void sync_batchnorm(MPI_Comm comm, size_t rows, const float *x, const float *gamma, const float *beta, float *y,
                           float *rstd, float *running_mean, float *running_var)
{
    const size_t own = chunks_of(rows) * C, all = chunks_of(ROWS) * C;
    float *part = new_floats(3 * own), *parts = new_floats(3 * all), mean[C], shift[C];
    ng_batchnorm_stats_f32_c32_nchw(rows, POSITIONS, x, part, part + own, part + 2 * own);
    for (size_t i = 0; i < 3; ++i) gather_parts(comm, part + i * own, parts + i * all, chunks_of(ROWS), C);
    ng_batchnorm_merge_f32_c32_nchw(ROWS, POSITIONS, parts, parts + all, parts + 2 * all, momentum, eps, mean, shift,
                                    rstd, running_mean, running_var);
    ng_batchnorm_apply_f32_c32_nchw(rows, POSITIONS, x, gamma, beta, mean, shift, rstd, y);
    free(part);
    free(parts);
}

/* The batch, which every rank makes for itself: channels with large means, and rows that differ. */
static void make_batch(float *x, float *gamma, float *beta)
{
    for (size_t i = 0; i < (size_t)ROWS * ELEMENTS; ++i) {
        const size_t channel = i / POSITIONS % C;
        x[i] = (float)channel * 100.0f + (float)(i * 7919 % 2003) / 64.0f + (float)(i / ELEMENTS % 5);
    }
    for (size_t i = 0; i < C; ++i) {
        gamma[i] = 1.0f + (float)i / 128.0f;
        beta[i] = (float)(i % 3);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const int rank = rank_of(MPI_COMM_WORLD);
    const size_t n = (size_t)ROWS * ELEMENTS, first = first_row(rank, MPI_COMM_WORLD),
                 rows = first_row(rank + 1, MPI_COMM_WORLD) - first;
    float *x = new_floats(n), *y = new_floats(n), *expected = new_floats(n);
    float gamma[C], beta[C], mean[C], rstd[2][C], running_mean[2][C] = {{0}}, running_var[2][C] = {{0}};
    make_batch(x, gamma, beta);

    sync_batchnorm(MPI_COMM_WORLD, rows, x + first * ELEMENTS, gamma, beta, y, rstd[0], running_mean[0],
                   running_var[0]);

    ng_batchnorm_fwd_f32_c32_nchw(ROWS, POSITIONS, x, gamma, beta, momentum, eps, expected, mean, rstd[1],
                                  running_mean[1], running_var[1]);
    const int same = memcmp(y, expected + first * ELEMENTS, rows * ELEMENTS * sizeof *y) == 0 &&
                     memcmp(rstd[0], rstd[1], sizeof rstd[0]) == 0 &&
                     memcmp(running_mean[0], running_mean[1], sizeof running_mean[0]) == 0 &&
                     memcmp(running_var[0], running_var[1], sizeof running_var[0]) == 0;
    const int status = report("SyncBatchNorm", same);
    free(x);
    free(y);
    free(expected);
    MPI_Finalize();
    return status;
}
