/* Rows dealt out by OpenMP. Built by:   cc -fopenmp openmp.c */
#include "rows.h"

static void normalise(int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int part = 0; part < threads; ++part) normalise_part(part, threads);
}

int main(void)
{
    return compare_splits("OpenMP", normalise);
}
