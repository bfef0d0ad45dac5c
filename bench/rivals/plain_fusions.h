/* One norm of plain.c for one dtype in its three fusions, and the choice among them. */
#define FUSION
#include "plain_loop.h"
#undef FUSION
#define FUSION _add
#define SUM_ROW y_row
#include "plain_loop.h"
#undef FUSION
#undef SUM_ROW
#define FUSION _addout
#define SUM_ROW sum_row
#include "plain_loop.h"
#undef FUSION
#undef SUM_ROW

static void JOIN(NORM, _, DTYPE, )(const bench_call *c)
{
    static void (*const loops[])(size_t, size_t, const ELEMENT *restrict, const ELEMENT *restrict,
                                 const ELEMENT *restrict, const ELEMENT *restrict, float, ELEMENT *restrict,
                                 ELEMENT *restrict) = {JOIN(loop_, NORM, DTYPE, ), JOIN(loop_, NORM, DTYPE, _add),
                                                       JOIN(loop_, NORM, DTYPE, _addout)};
    loops[c->fusion](c->rows, c->h, c->x, c->residual, c->gamma, c->beta, c->eps, c->y, c->sum);
}
