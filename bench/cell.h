/* A cell: a kernel's arguments for a number of rows and positions, filled with data, and what the reference computes
   from it. Shared by the bench and the tuner. */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <stddef.h>

#include "arguments.h"

typedef void cell_invoke(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar);

/* An array argument. */
typedef struct cell_array {
    ref_argument id;
    const ref_dtype *dtype;
    size_t rows, bytes;      /* of a row; what all rows share is a single row */
    size_t period;           /* after so many rows they repeat */
    unsigned char *data;     /* what a call is given */
    unsigned char *initial;  /* of what is read and written: a period as it is before a call; else NULL */
    unsigned char *expected; /* of what is written: a period as it must be after a call; else NULL */
} cell_array;

typedef struct cell {
    ref_spec spec;
    size_t rows, positions, period, arrays; /* 1 position where the kernel has none */
    double mean;                            /* of x */
    cell_array array[REF_ARGUMENTS];
    void *ptr[REF_ARGUMENTS]; /* data in call order, without gaps */
    ptrdiff_t stride[REF_ARGUMENTS];
    double scalar[REF_ARGUMENTS]; /* in call order, without gaps */
    void *arena;
    size_t arena_bytes;
} cell;

/* The values of eps and momentum in every cell. */
extern const double cell_eps, cell_momentum;

/* Fills a cell; ends the program if that is not possible. Kernels without positions ignore how many there are. */
void cell_open(cell *c, const char *spec, size_t rows, size_t positions, double mean);
void cell_close(cell *c);

/* An array of the cell, or NULL. */
const cell_array *cell_find(const cell *c, ref_argument id);

/* Brings all outputs into the state that they have before a call. */
void cell_spoil(cell *c);

/* Whether two rows of n elements are as good as equal although their bits differ. */
typedef int cell_close_enough(const void *context, const ref_dtype *dtype, const void *row, const void *expected,
                              size_t n);

/* Does every row hold what it must? Bit for bit, if there is no other judge. */
int cell_is_right(const cell *c, cell_close_enough *judge, const void *context);

/* Nanoseconds of a clock that never goes back. */
double cell_now(void);

/* Keeps the process on the last CPU that it may use. */
void cell_pin(void);

/* Ends the program with a message. */
void cell_die(const char *message);

#endif
