/* The dispatcher of generated/: many threads ask for the first time at once and all get the same answer, it is the
 * expected one, and the entries compute what the chosen target's kernels compute.
 *   dispatch [TARGET]    TARGET: what ng_target() must say; by default the last kernel of a name that runs here */
#define _POSIX_C_SOURCE 200809L
#include "ng_kernels.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, ROWS = 5, H = 769 };

static pthread_barrier_t start;

typedef struct answer {
    const char *target;
    float y[ROWS * H];
} answer;

static float x[ROWS * H], gamma_[H];
static const double eps = 1e-5;

static void *first_call(void *memory)
{
    answer *a = memory;
    pthread_barrier_wait(&start);
    ng_rmsnorm_fwd_f32_h769(ROWS, x, gamma_, (float)eps, a->y);
    a->target = ng_target();
    return NULL;
}

static const ng_kernel *find(const char *name, const char *target)
{
    size_t count;
    const ng_kernel *kernels = ng_registry(&count), *found = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(kernels[i].name, name) == 0 && kernels[i].runs_here() &&
            (!target || strcmp(kernels[i].target, target) == 0))
            found = &kernels[i];
    return found;
}

int main(int argc, char **argv)
{
    static answer answers[THREADS];
    static float direct[ROWS * H];
    pthread_t threads[THREADS];
    int failures = 0;
    for (size_t i = 0; i < ROWS * H; i++) x[i] = (float)(i % 37) - 5;
    for (size_t i = 0; i < H; i++) gamma_[i] = 1 + (float)(i % 11) / 8;

    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, first_call, &answers[i]);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);

    const ng_kernel *kernel = find("rmsnorm_fwd_f32_h769", argc > 1 ? argv[1] : NULL);
    if (!kernel) {
        printf("no kernel for target %s runs here\n", argv[1]);
        return 1;
    }
    void *ptr[] = {x, gamma_, direct};
    kernel->invoke(ROWS, ptr, NULL, &eps);
    for (int i = 0; i < THREADS; i++) {
        failures += strcmp(answers[i].target, kernel->target) != 0;
        failures += memcmp(answers[i].y, direct, sizeof direct) != 0;
    }
    printf("threads: %d, target: %s, expected: %s, failures: %d\n", THREADS, answers[0].target, kernel->target,
           failures);
    return failures != 0;
}
