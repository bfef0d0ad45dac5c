/* Data for kernels that compute in float. */
#include "verify_kinds.h"

const verify_kind verify_kinds_f32[VERIFY_KINDS] = VERIFY_KIND_TABLE;
