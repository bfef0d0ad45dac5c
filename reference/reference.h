/* The C reference: what every generated kernel must compute, bit for bit. */
#ifndef NG_REFERENCE_REFERENCE_H
#define NG_REFERENCE_REFERENCE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the kernel that `spec` describes, e.g. "rmsnorm fwd bf16 h=4096 addout", for `rows` rows.
 *   ptr     the pointer arguments in call order: x, [residual], [z], [gamma], [beta], y, [sum], [mean], [rstd]
 *   stride  for strided specs the row strides of x, [residual], y, [sum], in elements; else unused, may be NULL
 *   scalar  the scalar arguments in call order, without rows: [alpha], eps; whole numbers among them, too
 * Aliases that the contract allows (y = x, sum = residual, sum = x, y = residual where no sum is stored) are allowed
 * here. Returns 0, or -1 if the spec is not understood; then, and for rows = 0, nothing is touched. */
int ng_reference(const char *spec, size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar);

#ifdef __cplusplus
}
#endif

#endif
