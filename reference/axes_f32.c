/* Norms over other axes of f32, bf16 and f16 data. */
#include "axes.h"

const ref_arithmetic ref_axes_f32 = REF_ARITHMETIC;
