/* Times the kernels of a registry that run on this CPU beside a plain C loop, built with -O3 and with
   -O3 -march=native -ffast-math. All rivals of a line take turns within each round; a number is the median of the
   rounds. */
#define _POSIX_C_SOURCE 200809L
#include "ng_kernels.h"
#include "plain.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 101, MAX_RIVALS = 8, MAX_POINTERS = 8 };

typedef struct rival {
    const char *label;
    const ng_kernel *kernel; /* NULL for a plain loop */
    const plain_loop *loop;
    size_t calls; /* per round, so that a round can be timed */
    double nanoseconds[ROUNDS];
} rival;

static const double eps = 1e-5;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double time_calls(const rival *r, size_t calls, size_t rows, void *const *ptr)
{
    double start = now();
    for (size_t i = 0; i < calls; i++) {
        if (r->kernel)
            r->kernel->invoke(rows, ptr, NULL, &eps);
        else
            r->loop->run(rows, ptr, (float)eps);
    }
    return (now() - start) / (double)calls;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values)
{
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, ascending);
    return sorted[ROUNDS / 2];
}

/* The paired ratio: the median over the rounds of a's time in a round over b's time in the same round. */
static double speedup(const rival *a, const rival *b)
{
    double ratio[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) ratio[i] = a->nanoseconds[i] / b->nanoseconds[i];
    return median(ratio);
}

/* Every pointer argument gets a buffer of its own, filled with small numbers of its dtype. */
static void allocate(const ng_kernel *kernel, size_t rows, void **ptr)
{
    size_t count = 0;
    for (size_t a = 0; a < kernel->arg_count; a++) {
        if (strcmp(kernel->args[a].shape, "scalar") == 0) continue;
        size_t n = strcmp(kernel->args[a].shape, "h") == 0 ? kernel->h : rows * kernel->h;
        void *buffer = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
        if (!buffer) exit(1);
        for (size_t i = 0; i < n; i++) {
            float value = (float)((int)(i * 37 % 101) - 50) / 16;
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            if (strcmp(kernel->args[a].dtype, "bf16") == 0)
                ((uint16_t *)buffer)[i] = (uint16_t)(bits >> 16);
            else
                ((float *)buffer)[i] = value;
        }
        ptr[count++] = buffer;
    }
}

static void measure(rival *rivals, size_t count, size_t rows, void *const *ptr)
{
    for (size_t i = 0; i < count; i++) {
        time_calls(&rivals[i], 10, rows, ptr);
        rivals[i].calls = 1 + (size_t)(50000 / time_calls(&rivals[i], 10, rows, ptr));
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < count; i++)
            rivals[i].nanoseconds[round] = time_calls(&rivals[i], rivals[i].calls, rows, ptr);
}

/* One line of the table: the kernel of this name, on every target that runs here, beside the two plain loops. */
static void line(const ng_kernel *kernels, size_t kernel_count, size_t which, size_t rows)
{
    rival rivals[MAX_RIVALS] = {{.label = "-O3", .loop = &plain_o3[which]},
                                {.label = "fast-math", .loop = &plain_fast[which]}};
    size_t count = 2, best = 2;
    for (size_t k = 0; k < kernel_count && count < MAX_RIVALS; k++)
        if (strcmp(kernels[k].name, plain_o3[which].name) == 0 && kernels[k].runs_here())
            rivals[count++] = (rival){.label = kernels[k].target, .kernel = &kernels[k]};
    if (count == 2) return;

    void *ptr[MAX_POINTERS] = {0};
    allocate(rivals[2].kernel, rows, ptr);
    measure(rivals, count, rows, ptr);
    for (size_t i = 2; i < count; i++)
        if (median(rivals[i].nanoseconds) < median(rivals[best].nanoseconds)) best = i;

    printf("%-30s %4zu", plain_o3[which].name, rows);
    for (size_t i = 0; i < count; i++) printf(" %9.0f", median(rivals[i].nanoseconds) / (double)rows);
    printf("   %-7s %6.1fx %9.1fx\n", rivals[best].label, speedup(&rivals[0], &rivals[best]),
           speedup(&rivals[1], &rivals[best]));
    for (size_t i = 0; i < MAX_POINTERS; i++) free(ptr[i]);
}

int main(void)
{
    size_t count;
    const ng_kernel *kernels = ng_registry(&count);
    printf("%-30s %4s %9s %9s", "nanoseconds per row", "rows", "plain", "plain");
    for (size_t k = 0; k < count; k++)
        if (strcmp(kernels[k].name, kernels[0].name) == 0 && kernels[k].runs_here()) printf(" %9s", kernels[k].target);
    printf("   fastest   against   against\n%-30s %4s %9s %9s\n", "", "", "-O3", "fast-math");
    for (size_t which = 0; plain_o3[which].name; which++) {
        line(kernels, count, which, 1);
        line(kernels, count, which, 32);
    }
    return 0;
}
