/* What both programs share: how parts are dealt out to ranks, and how each rank gets the statistics of all. */
#ifndef SHARE_H
#define SHARE_H

#define NG_STATIC
#define NG_IMPLEMENTATION
#include "ng_kernels_single.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64 };

static int rank_of(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static int size_of(MPI_Comm comm)
{
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

/* The first of `parts` parts that a rank has; its last is the one before the first of the next rank. Any split into
 * runs of whole parts gives the same bits. */
static size_t first_part(size_t parts, int rank, MPI_Comm comm)
{
    return parts * (size_t)rank / (size_t)size_of(comm);
}

/* Gives every rank the statistics of all parts, `width` numbers for each, in the order of parts. */
static void gather_parts(MPI_Comm comm, const float *own, float *all, size_t parts, size_t width)
{
    int counts[MOST_RANKS], starts[MOST_RANKS];
    for (int rank = 0; rank < size_of(comm); ++rank) {
        starts[rank] = (int)(first_part(parts, rank, comm) * width);
        counts[rank] = (int)(first_part(parts, rank + 1, comm) * width) - starts[rank];
    }
    MPI_Allgatherv(own, counts[rank_of(comm)], MPI_FLOAT, all, counts, starts, MPI_FLOAT, comm);
}

static float *new_floats(size_t n)
{
    float *floats = (float *)calloc(n + 1, sizeof *floats);
    if (floats == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    return floats;
}

/* Says, on one rank, whether `same` holds on all. Returns the exit status. */
static int report(const char *name, int same)
{
    int all;
    MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank_of(MPI_COMM_WORLD) == 0)
        printf("%s: %s from %d ranks\n", name, all ? "the bits of one process" : "other bits", size_of(MPI_COMM_WORLD));
    return all ? 0 : 1;
}

#endif
