/* The loops that anyone would write by hand, as rivals of the generated kernels. plain.c is compiled once per set of
   flags; PLAIN(name) gives each copy its own symbols. Pointers in the argument order of the kernel that does the same.
 */
#ifndef BENCH_PLAIN_H
#define BENCH_PLAIN_H

#include <stddef.h>

typedef struct plain_loop {
    const char *name; /* the kernel's name without prefix and target */
    void (*run)(size_t rows, void *const *ptr, float eps);
} plain_loop;

/* Ends with a NULL name. */
extern const plain_loop plain_o3[];
extern const plain_loop plain_fast[];

#endif
