/* Calls of a kernel in memory where every forbidden access shows: its arguments, their data and their places. */
#ifndef NG_REFERENCE_VERIFY_CALL_H
#define NG_REFERENCE_VERIFY_CALL_H

#include <stddef.h>
#include <stdint.h>

#include "arguments.h"
#include "ng_kernels.h"
#include "verify_data.h"
#include "verify_guard.h"

/* Which input buffer an output may share: rows of the contract's alias table. */
typedef struct verify_alias {
    const char *name;
    ref_argument y, sum; /* the input that y and sum share, or REF_ARGUMENTS */
} verify_alias;

enum { VERIFY_ALIASES = 6 };
extern const verify_alias verify_no_alias;

/* Where buffers lie: right after a forbidden page, up to one, or 1 to 15 elements off, each buffer by itself. */
typedef enum verify_placement { PLACE_FIRST, PLACE_LAST, PLACE_SHIFTED, PLACEMENTS } verify_placement;

/* One array of a kernel: rows of neighbouring elements; heads with strides of their own are rows, too. */
typedef struct verify_argument {
    ref_argument id;
    const ref_dtype *dtype;  /* NULL: the kernel has no such argument */
    size_t rows, columns;    /* as the case has them */
    unsigned char *initial;  /* of what is read: the rows, packed, as before the call */
    unsigned char *expected; /* and as they must be after it; for inputs the same memory */
    size_t heads;            /* so many rows have a place in each row of the call */
    verify_memory memory;
    unsigned char *placed;         /* where the kernel finds it */
    ptrdiff_t stride, head_stride; /* elements from one row of the call to the next, and from head to head */
    int shares;                    /* an output that lies in an input's buffer */
} verify_argument;

/* One kernel name under test: its arguments and the alias forms that it allows. */
typedef struct verify_subject {
    ref_spec spec;
    verify_argument arguments[REF_ARGUMENTS];
    const verify_alias *aliases[VERIFY_ALIASES];
    size_t alias_count;
    const verify_kind *kinds;
    double *row; /* reals to make data in */
} verify_subject;

/* One call to try. */
typedef struct verify_case {
    size_t index;
    ref_scalars scalars;
    const verify_kind *kind;
    const verify_alias *alias;
    verify_placement place;
    uint64_t seed;
} verify_case;

/* Prepares a kernel name for cases with these scalars. Returns NULL, or what is wrong: the spec is not understood, the
 * kernel's descriptor has other arguments than the contract says, there is no memory. Close it in both cases. */
const char *verify_open(verify_subject *s, const ng_kernel *kernel, const ref_scalars *cases, size_t count);
void verify_close(verify_subject *s);

/* Gives the arguments the sizes of a case: what the following functions need first. */
void verify_begin(verify_subject *s, const verify_case *c);

/* The elements of an argument, 0 if there is no such array. */
size_t verify_elements(const verify_argument *a);

/* Row `row` of an argument as placed. */
unsigned char *verify_row_at(const verify_argument *a, size_t row);

/* Begins a case and makes its input bytes. */
void verify_make_inputs(verify_subject *s, const verify_case *c);

/* Lets the reference write the expected outputs. */
void verify_make_outputs(verify_subject *s, const verify_case *c, const char *spec);

/* Lays out the arguments for one call: inputs copied, with NaNs between their rows, outputs that have a buffer of their
 * own filled with a pattern. */
void verify_lay_out(verify_subject *s, const verify_case *c);

/* Lays out the arguments of a strided kernel with more than 2^31 elements from one row to the next; far[i] is the
 * memory of argument i, to be closed by the caller. Returns 0, or -1 if there is not enough address space. */
int verify_lay_out_far(verify_subject *s, const verify_case *c, verify_memory far[REF_ARGUMENTS]);

/* Calls the kernel on the arguments as laid out; with no rows, all pointers are NULL. Returns NULL or the name of a
 * signal. */
const char *verify_call(const verify_subject *s, const ng_kernel *kernel, const verify_case *c);

/* Has the call written to the bytes around an argument? Between its rows? */
int verify_touched_around(const verify_argument *a);
int verify_touched_between(const verify_argument *a);

#endif
