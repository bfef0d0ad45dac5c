/* One emitted registry as the bench program sees it. BENCH_HEADER is its header, BENCH_PREFIX its prefix. */
#include "bench.h"

#include BENCH_HEADER

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define PREFIXED(name) JOIN(BENCH_PREFIX, name)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

bench_registry PREFIXED(bench);

void PREFIXED(bench)(bench_visit *visit, void *context)
{
    size_t count;
    const PREFIXED(kernel) *kernels = PREFIXED(registry)(&count);
    for (size_t i = 0; i < count; i++) {
        const PREFIXED(kernel) *k = &kernels[i];
        const bench_kernel kernel = {STRING(BENCH_PREFIX), k->name,       k->target,      k->spec,
                                     k->schedule,          k->read_bytes, k->write_bytes, k->call_read_bytes,
                                     k->call_write_bytes,  k->invoke};
        if (k->runs_here()) visit(&kernel, context);
    }
}
