/* The elementary functions of all targets against the reference, bit for bit.
 *
 *   elementary STEP [FUNCTION]    every STEP-th float; 1 for all 2^32
 *
 * Prints `elementary <function> <target>: inputs=N mismatches=N`. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract.h"
#include "elementary.h"
#include "piecewise.h"
#include "spec.h"

enum { ROW = 1024 };

typedef void kernel(size_t rows, const float *x, float *y);

// clang-format off
/* TARGETS is a list like `AT(scalar) AT(avx2)`, FUNCTIONS one like `OF(exp, scalar)` for a target. */
#define FUNCTIONS(target) OF(exp, target) OF(sigmoid, target) OF(tanh, target) OF(silu, target) OF(gelu, target) OF(gelutanh, target) \
    OF(relu, target) OF(relu6, target) OF(hardswish, target) OF(softplus, target) OF(mish, target)
#define OF(name, target) kernel elementary_##name##_##target;
#define AT(target) int elementary_##target##_runs_here(void); FUNCTIONS(target)
TARGETS
#undef OF
#undef AT
// clang-format on

static const struct subject {
    const char *name, *target;
    kernel *theirs;
    ref_function *ours;
    int (*runs_here)(void);
} subjects[] = {
// clang-format off
#define OF(name, target) {#name, #target, elementary_##name##_##target, ref_##name, elementary_##target##_runs_here},
#define AT(target) FUNCTIONS(target)
    TARGETS
    // clang-format on
};
#undef AT
#define AT(target) +1
enum { SUBJECTS = sizeof subjects / sizeof *subjects, ON_TARGETS = 0 TARGETS };
/* exp is the function that is no activation. */
_Static_assert(SUBJECTS == ON_TARGETS * REF_ACTIVATIONS, "FUNCTIONS lacks an activation");

static int differ(float a, float b)
{
    return ref_bits_of_f32(a) != ref_bits_of_f32(b) && (a == a || b == b);
}

/* Compares a row of inputs for all targets of a function. */
static void compare(const float *x, ref_function *function, size_t *mismatches)
{
    float expected[ROW], y[ROW];
    for (int i = 0; i < ROW; i++) expected[i] = function(x[i]);
    for (int s = 0; s < SUBJECTS; s++) {
        if (subjects[s].ours != function || !subjects[s].runs_here()) continue;
        subjects[s].theirs(1, x, y);
        if (memcmp(y, expected, sizeof y) == 0) continue;
        for (int i = 0; i < ROW; i++) {
            if (differ(y[i], expected[i]) && mismatches[s]++ == 0) {
                fprintf(stderr, "%s %s(%a) is %a, not %a\n", subjects[s].target, subjects[s].name, (double)x[i],
                        (double)y[i], (double)expected[i]);
            }
        }
    }
}

/* Tries a function with every step-th input; returns how many there were. */
static uint64_t try_function(ref_function *function, uint64_t step, size_t *mismatches)
{
    uint64_t bits = 0, inputs = 0;
    while (bits <= UINT32_MAX) {
        float x[ROW];
        for (int i = 0; i < ROW; i++, bits += step) x[i] = ref_f32_of_bits((uint32_t)bits);
        compare(x, function, mismatches);
        inputs += ROW;
    }
    return inputs;
}

int main(int argc, char **argv)
{
    const uint64_t step = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    size_t mismatches[SUBJECTS] = {0}, wrong = 0, compared = 0;
    if (step == 0) {
        fputs("usage: elementary STEP [FUNCTION]\n", stderr);
        return 2;
    }
    for (int s = 0; s < SUBJECTS; s++) {
        if (strcmp(subjects[s].target, "scalar") != 0 || (argc > 2 && strcmp(argv[2], subjects[s].name) != 0)) continue;
        const uint64_t inputs = try_function(subjects[s].ours, step, mismatches);
        for (int t = 0; t < SUBJECTS; t++) {
            if (subjects[t].ours != subjects[s].ours || !subjects[t].runs_here()) continue;
            printf("elementary %s %s: inputs=%" PRIu64 " mismatches=%zu\n", subjects[t].name, subjects[t].target,
                   inputs, mismatches[t]);
            wrong += mismatches[t];
            compared++;
        }
    }
    return wrong > 0 || compared == 0;
}
