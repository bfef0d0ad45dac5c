/* Data for kernels that compute in double. */
#define REF_F64
#define VERIFY_TABLE verify_kinds_f64
#include "verify_kinds.h"
