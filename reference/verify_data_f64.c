/* Data for kernels that compute in double. */
#define REF_F64
#include "verify_kinds.h"

const verify_kind verify_kinds_f64[VERIFY_KINDS] = VERIFY_KIND_TABLE;
