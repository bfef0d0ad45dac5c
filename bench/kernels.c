/* One emitted registry as the bench program sees it. BENCH_HEADER is its header, BENCH_PREFIX its prefix. */
#include "bench.h"

#include BENCH_HEADER

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define PREFIXED(name) JOIN(BENCH_PREFIX, name)
#define STRING2(a) #a
#define STRING(a) STRING2(a)

static cell_signature signature_of(const PREFIXED(kernel) * k)
{
    cell_signature s = {k->spec, k->h, k->arg_count, {{NULL, NULL, NULL, NULL}}};
    if (s.count > CELL_ARGUMENTS) cell_die("a kernel has too many arguments");
    for (size_t i = 0; i < s.count; i++)
        s.arguments[i] = (cell_argument){k->args[i].name, k->args[i].dtype, k->args[i].shape, k->args[i].io};
    return s;
}

bench_registry PREFIXED(bench);

void PREFIXED(bench)(bench_visit *visit, void *context)
{
    size_t count;
    const PREFIXED(kernel) *kernels = PREFIXED(registry)(&count);
    for (size_t i = 0; i < count; i++) {
        const PREFIXED(kernel) *k = &kernels[i];
        const bench_kernel kernel = {
            STRING(BENCH_PREFIX), k->name,        k->target,          k->schedule, signature_of(k),
            k->read_bytes,        k->write_bytes, k->parameter_bytes, k->invoke};
        if (k->runs_here()) visit(&kernel, context);
    }
}
