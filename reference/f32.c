/* Kernels of f32, bf16 and f16 data, with sums and row scalars in f32. */
#include "kernel.h"

const ref_arithmetic ref_f32 = REF_ARITHMETIC;
