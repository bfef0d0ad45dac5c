/* The kernels of the registry that run here (valgrind has no AVX-512), on buffers of exactly their size: memcheck must
 * report nothing, and all outputs must be defined. So that silence means something, each buffer is then cut by a byte,
 * and the end of each input left undefined: memcheck must report each of these calls. To be run by valgrind. */
#include "../support/kernel_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <valgrind/memcheck.h>

/* Calls the kernel and returns how many errors that adds, counting outputs that are not defined. */
static unsigned long errors_of(const kernel_call *c)
{
    const unsigned long before = VALGRIND_COUNT_ERRORS;
    kernel_call_run(c, 0, c->rows);
    for (size_t i = 0; i < c->count; i++)
        if (c->output[i]) VALGRIND_CHECK_MEM_IS_DEFINED(c->ptr[i], c->bytes[i]);
    return VALGRIND_COUNT_ERRORS - before;
}

static void plant_cut(kernel_call *c, size_t i)
{
    c->ptr[i] = realloc(c->ptr[i], --c->bytes[i]);
}

static void plant_undefined(kernel_call *c, size_t i)
{
    VALGRIND_MAKE_MEM_UNDEFINED((char *)c->ptr[i] + c->bytes[i] - 2, 2);
}

typedef struct totals {
    size_t kernels, calls, planted;
    int failures;
} totals;

static void call_clean(const ng_kernel *kernel, size_t rows, totals *t)
{
    kernel_call c = kernel_call_new(kernel, rows);
    t->calls++;
    if (errors_of(&c) != 0) {
        printf("%s_%s: errors with %zu rows\n", kernel->name, kernel->target, rows);
        t->failures++;
    }
    kernel_call_end(&c);
}

/* Plants a fault into each pointer argument that `plant` changes. */
static void call_faulty(const ng_kernel *kernel, void (*plant)(kernel_call *c, size_t i), const char *what, totals *t)
{
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        kernel_call c = kernel_call_new(kernel, 1);
        count = c.count;
        if (plant != plant_undefined || !c.output[i]) {
            plant(&c, i);
            t->planted++;
            if (errors_of(&c) == 0) {
                printf("%s_%s: pointer %zu %s, and nothing is reported\n", kernel->name, kernel->target, i, what);
                t->failures++;
            }
        }
        kernel_call_end(&c);
    }
}

int main(void)
{
    size_t count;
    totals t = {0};
    const ng_kernel *kernels = ng_registry(&count);
    if (!RUNNING_ON_VALGRIND) {
        fputs("memcheck: not run by valgrind\n", stderr);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (!kernels[i].runs_here()) continue;
        call_clean(&kernels[i], 1, &t);
        call_clean(&kernels[i], 9, &t); /* a block of rows, and one more */
        call_faulty(&kernels[i], plant_cut, "is cut", &t);
        call_faulty(&kernels[i], plant_undefined, "has an undefined end", &t);
        t.kernels++;
    }
    printf("memcheck: kernels: %zu, calls: %zu, planted faults: %zu, failures: %d\n", t.kernels, t.calls, t.planted,
           t.failures);
    return t.failures != 0 || t.kernels == 0;
}
