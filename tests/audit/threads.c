/* Several threads share the rows of one call, split in different ways: the bits are those of one thread. Built with
 * ThreadSanitizer, which says whether they touch anything in common.
 *   threads            every kernel that runs here, and entries of the dispatcher, whose first call is made by all at
 * once threads overlap    neighbours share a row, by mistake: every kernel must be reported */
#define _POSIX_C_SOURCE 200809L
#include "../support/kernel_call.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 4, ROWS = 23 };

/* Which thread a row belongs to. */
static size_t even(size_t row)
{
    return row * THREADS / ROWS;
}

static size_t uneven(size_t row)
{
    return row < 1 ? 0 : row < 3 ? 1 : row < 10 ? 2 : 3;
}

static size_t interleaved(size_t row)
{
    return row % THREADS;
}

static size_t (*const splits[])(size_t row) = {even, uneven, interleaved};

typedef struct job {
    const kernel_call *call;
    size_t (*owner)(size_t row);
    size_t thread, overlap;
} job;

static pthread_barrier_t start;

/* Calls the kernel once for each run of rows that belong to the thread; with overlap, for one row more. */
static void *run_own_rows(void *memory)
{
    const job *j = memory;
    pthread_barrier_wait(&start);
    for (size_t first = 0, last; first < ROWS; first = last) {
        for (last = first; last < ROWS && j->owner(last) == j->thread;) last++;
        if (last > first) kernel_call_run(j->call, first, last - first + (last < ROWS ? j->overlap : 0));
        if (last == first) last++;
    }
    return NULL;
}

static void run_in_threads(const kernel_call *call, size_t (*owner)(size_t row), size_t overlap)
{
    pthread_t threads[THREADS];
    job jobs[THREADS];
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t t = 0; t < THREADS; t++) {
        jobs[t] = (job){call, owner, t, overlap};
        pthread_create(&threads[t], NULL, run_own_rows, &jobs[t]);
    }
    for (size_t t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    pthread_barrier_destroy(&start);
}

/* Returns the number of splits that give other bits than one call. */
static int split_differs(const ng_kernel *kernel)
{
    kernel_call parts = kernel_call_new(kernel, ROWS), whole = kernel_call_new(kernel, ROWS);
    int failures = 0;
    for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
        kernel_call_clear(&parts);
        run_in_threads(&parts, splits[s], 0);
        if (s == 0) kernel_call_run(&whole, 0, ROWS);
        if (!kernel_call_same(&parts, &whole)) {
            printf("%s_%s: split %zu gives other bits\n", kernel->name, kernel->target, s);
            failures++;
        }
    }
    kernel_call_end(&parts);
    kernel_call_end(&whole);
    return failures;
}

/* ThreadSanitizer calls this for every report. */
void __tsan_on_report(void *report);

static int reports;

void __tsan_on_report(void *report)
{
    (void)report;
    __atomic_fetch_add(&reports, 1, __ATOMIC_RELAXED);
}

static int overlap_is_missed(const ng_kernel *kernel)
{
    kernel_call call = kernel_call_new(kernel, ROWS);
    const int before = __atomic_load_n(&reports, __ATOMIC_RELAXED);
    run_in_threads(&call, even, 1);
    const int missed = __atomic_load_n(&reports, __ATOMIC_RELAXED) == before;
    if (missed) printf("%s_%s: the overlap was not reported\n", kernel->name, kernel->target);
    kernel_call_end(&call);
    return missed;
}

/* Entries of the dispatcher, called as the registry calls kernels. */
static void entry_f32(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    (void)stride;
    ng_rmsnorm_fwd_f32_h769(rows, ptr[0], ptr[1], (float)scalar[0], ptr[2]);
}

static void entry_bf16_addout(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    (void)stride;
    ng_rmsnorm_fwd_bf16_h4096_addout(rows, ptr[0], ptr[1], ptr[2], (float)scalar[0], ptr[3], ptr[4]);
}

static void entry_strided_stats(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    ng_layernorm_fwd_f32_h1600_full_stats_strided(rows, ptr[0], stride[0], ptr[1], ptr[2], (float)scalar[0], ptr[3],
                                                  stride[1], ptr[4], ptr[5]);
}

static void entry_f64_stats(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    (void)stride;
    ng_layernorm_fwd_f64_h100_stats(rows, ptr[0], ptr[1], ptr[2], scalar[0], ptr[3], ptr[4], ptr[5]);
}

static const struct {
    const char *name;
    void (*invoke)(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar);
} entries[] = {
    {"rmsnorm_fwd_f32_h769", entry_f32},
    {"rmsnorm_fwd_bf16_h4096_addout", entry_bf16_addout},
    {"layernorm_fwd_f32_h1600_full_stats_strided", entry_strided_stats},
    {"layernorm_fwd_f64_h100_stats", entry_f64_stats},
};
enum { ENTRIES = sizeof entries / sizeof *entries };

/* The entry as a kernel: any descriptor of its name, with the entry in place of the kernel. */
static ng_kernel kernel_of_entry(size_t entry)
{
    size_t count, i = 0;
    const ng_kernel *kernels = ng_registry(&count);
    while (strcmp(kernels[i].name, entries[entry].name) != 0) i++;
    ng_kernel kernel = kernels[i];
    kernel.target = "dispatched";
    kernel.invoke = entries[entry].invoke;
    return kernel;
}

int main(int argc, char **argv)
{
    const int overlap = argc > 1 && strcmp(argv[1], "overlap") == 0;
    int (*const fails)(const ng_kernel *) = overlap ? overlap_is_missed : split_differs;
    size_t count, ran = 0;
    int failures = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        const ng_kernel kernel = kernel_of_entry(i);
        failures += fails(&kernel);
    }
    const ng_kernel *kernels = ng_registry(&count);
    for (size_t i = 0; i < count; i++) {
        if (!kernels[i].runs_here() || !kernel_call_is_by_rows(&kernels[i])) continue;
        failures += fails(&kernels[i]);
        ran++;
    }
    printf("%s: entries: %d, kernels: %zu, threads: %d, %s: %d\n", overlap ? "overlapping rows" : "split rows", ENTRIES,
           ran, THREADS, overlap ? "missed" : "failures", failures);
    return overlap ? (size_t)failures * 10 > ran : failures != 0;
}
