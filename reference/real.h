/* The types of one arithmetic, for files that are compiled once for each: define REF_F64 for f64, REF_ACC_F64 for
 * acc=f64, nothing for f32, then include this. */
#ifndef NG_REFERENCE_REAL_H
#define NG_REFERENCE_REAL_H

#include "contract.h"

#ifdef REF_F64
typedef double real; /* an element */
typedef uint64_t real_bits;
enum { REAL_FRACTION_BITS = 52, REAL_BIAS = 1023 };
#else
typedef float real;
typedef uint32_t real_bits;
enum { REAL_FRACTION_BITS = 23, REAL_BIAS = 127 };
#endif

#if defined(REF_F64) || defined(REF_ACC_F64)
typedef double acc; /* a sum, a row scalar */
#else
typedef float acc;
#endif

/* "L = 64 for f32 accumulators, 32 for f64 (256 bytes)." */
enum { LANES = 256 / sizeof(acc) };

static inline real real_of_bits(real_bits bits)
{
    real value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* a * b + c, rounded once. */
static inline real real_fma(real a, real b, real c)
{
#ifdef REF_F64
    return ref_fma_f64(a, b, c);
#else
    return ref_fma(a, b, c);
#endif
}

static inline acc acc_fma(acc a, acc b, acc c)
{
#if defined(REF_F64) || defined(REF_ACC_F64)
    return ref_fma_f64(a, b, c);
#else
    return ref_fma(a, b, c);
#endif
}

#endif
