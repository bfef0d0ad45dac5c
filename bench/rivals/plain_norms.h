/* The norms of plain.c for one dtype: DTYPE, ELEMENT. Each norm and fusion is a loop of its own. */
#define PASS
#ifndef PLAIN_H
#include "plain_channels.h"
#endif
#undef PASS
#define NORM rmsnorm
#include "plain_fusions.h"
#undef NORM
#define NORM layernorm
#define CENTERED
#include "plain_fusions.h"
#undef NORM
#ifndef PLAIN_DOUBLE
#define ONE_PASS
#define PASS _onepass
#ifndef PLAIN_H
#include "plain_channels.h"
#endif
#undef PASS
#define NORM onepass
#include "plain_fusions.h"
#undef NORM
#undef ONE_PASS
#endif
#undef CENTERED
