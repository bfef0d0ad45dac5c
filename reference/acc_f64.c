/* Kernels of f32, bf16 and f16 data, with sums and row scalars in f64. */
#define REF_ACC_F64
#include "kernel.h"

const ref_arithmetic ref_acc_f64 = REF_ARITHMETIC;
