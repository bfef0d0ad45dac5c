/* Faults that other systems had, tried on the kernels of generated/ that run here. docs/known-faults.md lists them all.
 */
#define _GNU_SOURCE
#include "../support/kernel_call.h"
#include "../support/suite.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Runs `test` for every kernel that this machine can run; says how many those were. */
static void for_each_kernel(const char *name, void (*test)(const ng_kernel *kernel))
{
    size_t count, ran = 0;
    const ng_kernel *kernels = ng_registry(&count);
    for (size_t i = 0; i < count; i++) {
        if (!kernels[i].runs_here()) continue;
        test(&kernels[i]);
        ran++;
    }
    ck_assert_uint_gt(ran, 0);
    printf("%s: %zu kernels\n", name, ran);
}

/* A row's bits depend neither on the batch that it is in nor on its place there. */
static void batch_invariant(const ng_kernel *kernel)
{
    if (!kernel_call_is_by_rows(kernel)) return;
    static const size_t batches[] = {1, 2, 3, 7, 8, 255, 256};
    const size_t rows = 257;
    kernel_call whole = kernel_call_new(kernel, rows), parts = kernel_call_new(kernel, rows);
    kernel_call_run(&whole, 0, rows);
    for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
        kernel_call_clear(&parts);
        for (size_t first = 0, n; first < rows; first += n) {
            n = rows - first < batches[b] ? rows - first : batches[b];
            kernel_call_run(&parts, first, n);
        }
        ck_assert_msg(kernel_call_same(&whole, &parts), "%s_%s: batches of %zu", kernel->name, kernel->target,
                      batches[b]);
    }
    kernel_call_end(&whole);
    kernel_call_end(&parts);
}

START_TEST(D1_batch_invariance)
{
    for_each_kernel("D1", batch_invariant);
}
END_TEST

static const ng_arg *find_arg(const ng_kernel *kernel, const char *name)
{
    for (size_t a = 0; a < kernel->arg_count; a++)
        if (strcmp(kernel->args[a].name, name) == 0) return &kernel->args[a];
    return NULL;
}

/* No rows, or no positions: nothing is read or written, not even through a null pointer. */
static void without_rows(const ng_kernel *kernel)
{
    void *ptr[KERNEL_CALL_POINTERS] = {0};
    const ptrdiff_t stride[KERNEL_CALL_POINTERS] = {0};
    const double none[KERNEL_CALL_SCALARS] = {0}, five[KERNEL_CALL_SCALARS] = {5};
    kernel->invoke(0, ptr, stride, none);
    kernel->invoke(0, ptr, stride, five);
    if (find_arg(kernel, "positions")) kernel->invoke(3, ptr, stride, none);
}

START_TEST(E13_no_rows)
{
    for_each_kernel("E13", without_rows);
}
END_TEST

static int has_word(const ng_kernel *kernel, const char *word)
{
    const char *at = strstr(kernel->spec, word);
    return at != NULL && at[-1] == ' ' && (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* Is it one of the steps of a norm, whose word stands behind that of the norm? */
static int is_step(const ng_kernel *kernel, const char *step)
{
    const char *direction = strchr(kernel->spec, ' ') + 1;
    return strncmp(direction, step, strlen(step)) == 0 && direction[strlen(step)] == ' ';
}

/* Kernels that have no eps: they divide by no root, or by one of a sum that may not be 0. */
static int is_without_eps(const ng_kernel *kernel)
{
    static const char *const norms[] = {"lpnorm ", "weightnorm ", "fold ", "dyt "};
    for (size_t i = 0; i < sizeof norms / sizeof *norms; i++)
        if (strncmp(kernel->spec, norms[i], strlen(norms[i])) == 0) return 1;
    return is_step(kernel, "stats") || is_step(kernel, "apply") || has_word(kernel, "folded");
}

/* A variant without parameters has no such arguments; every kernel that has an eps takes it from its caller. */
static void arguments(const ng_kernel *kernel)
{
    const ng_arg *eps_arg = find_arg(kernel, "eps");
    ck_assert_msg((eps_arg == NULL) == is_without_eps(kernel), "%s", kernel->spec);
    ck_assert(eps_arg == NULL || strcmp(eps_arg->shape, "scalar") == 0);
    static const char *const defaults_to_none[] = {"l2norm", "scalenorm", "lpnorm", "weightnorm", "mvn"};
    for (size_t i = 0; i < sizeof defaults_to_none / sizeof *defaults_to_none; i++)
        if (strncmp(kernel->spec, defaults_to_none[i], strlen(defaults_to_none[i])) == 0) return;
    if (has_word(kernel, "mod")) return;
    int no_gamma = has_word(kernel, "affine=none") || has_word(kernel, "folded") || is_step(kernel, "stats") ||
                   is_step(kernel, "merge");
    ck_assert_msg(no_gamma == (find_arg(kernel, "gamma") == NULL), "%s", kernel->spec);
    int adds = strstr(kernel->spec, " add") != NULL || strstr(kernel->spec, " sandwich") != NULL;
    ck_assert_msg(adds == (find_arg(kernel, "residual") != NULL), "%s", kernel->spec);
}

START_TEST(C3_E14_arguments)
{
    for_each_kernel("C3 E14", arguments);
}
END_TEST

/* The number of the argument among the pointers. */
static size_t pointer_of(const ng_kernel *kernel, const char *name)
{
    size_t pointer = 0;
    for (size_t a = 0; strcmp(kernel->args[a].name, name) != 0; a++)
        pointer += strcmp(kernel->args[a].shape, "scalar") != 0;
    return pointer;
}

/* The sum goes to a buffer of its own or over the residual, with the same bits. */
static void both_forms(const ng_kernel *kernel)
{
    if (!find_arg(kernel, "sum") || strcmp(find_arg(kernel, "residual")->dtype, find_arg(kernel, "sum")->dtype) != 0)
        return;
    kernel_call apart = kernel_call_new(kernel, 9), in_place = kernel_call_new(kernel, 9);
    const size_t sum = pointer_of(kernel, "sum");
    kernel_call_run(&apart, 0, 9);
    void *const own = in_place.ptr[sum];
    in_place.ptr[sum] = in_place.ptr[pointer_of(kernel, "residual")];
    kernel_call_run(&in_place, 0, 9);
    ck_assert_msg(kernel_call_same(&apart, &in_place), "%s_%s", kernel->name, kernel->target);
    in_place.ptr[sum] = own;
    kernel_call_end(&in_place);
    kernel_call_end(&apart);
}

START_TEST(E17_separate_and_in_place_sum)
{
    for_each_kernel("E17", both_forms);
}
END_TEST

#ifdef __x86_64__
#include <immintrin.h>

/* Kernels leave the rounding mode and the flush modes alone, and do not need them off to be safe. */
static void control_word(const ng_kernel *kernel)
{
    kernel_call c = kernel_call_new(kernel, 3);
    const unsigned modes = 0xffc0, before = _mm_getcsr();
    kernel_call_run(&c, 0, 3);
    ck_assert_uint_eq(_mm_getcsr() & modes, before & modes);
    kernel_call_end(&c);
}

START_TEST(C10_control_word)
{
    for_each_kernel("C10", control_word);
}
END_TEST
#endif

/* `tiles` times the same tile of memory, one after the other, then one tile of its own. Returns the address space. */
static char *tiled(size_t tile, size_t tiles)
{
    int fd = memfd_create("tiles", 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, (off_t)(2 * tile)), 0);
    char *base = mmap(NULL, tile * (tiles + 1), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(base, MAP_FAILED);
    for (size_t i = 0; i <= tiles; i++) {
        char *at = mmap(base + i * tile, tile, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
                        i < tiles ? 0 : (off_t)tile);
        ck_assert_ptr_ne(at, MAP_FAILED);
    }
    close(fd);
    return base;
}

/* More than 2^31 elements in one call: the last rows are still where they belong. */
START_TEST(E10_more_than_2_to_the_31_elements)
{
    size_t count, ran = 0;
    const ng_kernel *kernels = ng_registry(&count);
    for (size_t i = 0; i < count; i++) {
        const ng_kernel *kernel = &kernels[i];
        if (strcmp(kernel->name, "rmsnorm_fwd_bf16_h4096") != 0 || strcmp(kernel->target, "scalar") == 0 ||
            !kernel->runs_here())
            continue;
        const size_t row = kernel->h * 2, tile = row << 7, tiles = (size_t)4097;
        const size_t rows = (tile * (tiles + 1)) / row;
        ck_assert_uint_gt(rows * kernel->h, (size_t)1 << 31);
        char *x = tiled(tile, tiles), *y = tiled(tile, tiles);
        kernel_call c = kernel_call_new(kernel, 128);
        for (size_t e = 0; e < tile / 2; e++) ((uint16_t *)x)[e] = 0x3f80;
        memcpy(x + tiles * tile, c.ptr[0], tile);
        void *ptr[] = {x, c.ptr[1], y};
        kernel->invoke(rows, ptr, NULL, c.scalar);
        kernel_call_run(&c, 0, 128);
        ck_assert_int_eq(memcmp(y + tiles * tile, c.ptr[2], tile), 0);
        ck_assert_int_ne(memcmp(y, c.ptr[2], tile), 0);
        munmap(x, tile * (tiles + 1));
        munmap(y, tile * (tiles + 1));
        kernel_call_end(&c);
        ran++;
    }
    printf("E10: %zu kernels\n", ran);
}
END_TEST

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    Suite *suite = suite_create("known faults");
    TCase *group = add_case(suite, "known faults");
    tcase_add_test(group, D1_batch_invariance);
    tcase_add_test(group, E13_no_rows);
    tcase_add_test(group, C3_E14_arguments);
    tcase_add_test(group, E17_separate_and_in_place_sum);
    tcase_add_test(group, E10_more_than_2_to_the_31_elements);
#ifdef __x86_64__
    tcase_add_test(group, C10_control_word);
#endif
    return run_suite(suite);
}
