/* The norms of plain.c for one dtype: DTYPE, ELEMENT. Each norm and fusion is a loop of its own. */
#define NORM rmsnorm
#include "plain_fusions.h"
#undef NORM
#define NORM layernorm
#define CENTERED
#include "plain_fusions.h"
#undef NORM
#ifndef PLAIN_DOUBLE
#define NORM onepass
#define ONE_PASS
#include "plain_fusions.h"
#undef NORM
#undef ONE_PASS
#endif
#undef CENTERED
