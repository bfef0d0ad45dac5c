/* Calls of kernels of generated/ on rows filled with numbers, for tests that need no expected values. */
#ifndef NG_TESTS_KERNEL_CALL_H
#define NG_TESTS_KERNEL_CALL_H

#include "ng_kernels.h"

enum { KERNEL_CALL_POINTERS = 16, KERNEL_CALL_SCALARS = 8, KERNEL_CALL_POSITIONS = 6 };

/* The arguments of one call: a buffer of exactly its size for each pointer, in call order. Inputs are filled, outputs
 * are not. Rows are packed, also those of strided kernels; kernels with positions are called on a few. */
typedef struct kernel_call {
    const ng_kernel *kernel;
    size_t rows, count;
    void *ptr[KERNEL_CALL_POINTERS];
    size_t bytes[KERNEL_CALL_POINTERS];
    size_t size[KERNEL_CALL_POINTERS];      /* of an element */
    size_t row_bytes[KERNEL_CALL_POINTERS]; /* 0 for parameters, also those of a batch */
    int output[KERNEL_CALL_POINTERS];       /* written, and perhaps read */
    const ng_arg *arg[KERNEL_CALL_POINTERS];
    ptrdiff_t stride[KERNEL_CALL_POINTERS];
    double scalar[KERNEL_CALL_SCALARS];
} kernel_call;

/* Ends the program if there is no memory. */
kernel_call kernel_call_new(const ng_kernel *kernel, size_t rows);
void kernel_call_end(kernel_call *c);

/* Calls the kernel for `rows` rows from row `first` on. */
void kernel_call_run(const kernel_call *c, size_t first, size_t rows);

/* May rows be computed in any split? Not where there are statistics of a batch, or of parts. */
int kernel_call_is_by_rows(const ng_kernel *kernel);

/* Overwrites all outputs; what is read, too, is filled again. */
void kernel_call_clear(kernel_call *c);

/* Are all outputs equal, byte for byte? */
int kernel_call_same(const kernel_call *a, const kernel_call *b);

#endif
