/* Kernels of f64 data. */
#define REF_F64
#include "kernel.h"

const ref_arithmetic ref_f64 = REF_ARITHMETIC;
