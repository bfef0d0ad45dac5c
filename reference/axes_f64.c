/* Norms over other axes of f64 data. */
#define REF_F64
#include "axes.h"

const ref_arithmetic ref_axes_f64 = REF_ARITHMETIC;
