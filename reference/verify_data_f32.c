/* Data for kernels that compute in float. */
#define VERIFY_TABLE verify_kinds_f32
#include "verify_kinds.h"
