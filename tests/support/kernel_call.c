#include "kernel_call.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t size_of(const ng_arg *arg)
{
    static const struct {
        const char *dtype;
        size_t size;
    } sizes[] = {{"f64", 8}, {"f32", 4}, {"bf16", 2}, {"f16", 2}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(arg->dtype, sizes[i].dtype) == 0) return sizes[i].size;
    return 1; /* quantised */
}

/* Is it a statistic that is never negative? */
static int is_square(const ng_arg *arg)
{
    static const char *const names[] = {"var", "rstd", "square", "part_m2", "running_var", "running_square"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) found = found || strcmp(arg->name, names[i]) == 0;
    return found;
}

static void fill(const ng_arg *arg, void *memory, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t hash = (uint32_t)i * 2654435761U, bits;
        float value = -5 + 37 * ((float)(hash >> 8) / (1 << 24) - 0.5F);
        value = is_square(arg) && value < 0 ? -value : value;
        memcpy(&bits, &value, sizeof bits);
        if (strcmp(arg->dtype, "f64") == 0)
            ((double *)memory)[i] = value;
        else if (strcmp(arg->dtype, "f32") == 0)
            ((float *)memory)[i] = value;
        else if (strcmp(arg->dtype, "bf16") == 0)
            ((uint16_t *)memory)[i] = (uint16_t)(bits >> 16);
        else /* f16 between 1 and 2 */
            ((uint16_t *)memory)[i] = (uint16_t)(0x3c00 | hash >> 22);
    }
}

/* The number behind a key of a spec, 1 if it has none. */
static size_t number_in(const char *spec, const char *key)
{
    const char *at = strstr(spec, key);
    return at != NULL ? strtoul(at + strlen(key), NULL, 10) : 1;
}

/* The chunks of a batch. In the layout nchw few positions are one stripe of 64, and 64 stripes a chunk. */
static size_t chunks_of(const ng_kernel *kernel, size_t rows)
{
    const int is_nchw = strstr(kernel->spec, "layout=nchw") != NULL,
              has_positions = strstr(kernel->spec, "layout=n") != NULL;
    return is_nchw ? (rows + 63) / 64 : (rows * (has_positions ? KERNEL_CALL_POSITIONS : 1) + 4095) / 4096;
}

/* The size of an axis, whose name ends at a comma or at the end. */
static size_t extent(const ng_kernel *kernel, const char *axis, size_t rows)
{
    const struct {
        const char *name;
        size_t size;
    } axes[] = {
        {"rows", rows},
        {"batch", 1},
        {"h", kernel->h},
        {"c", number_in(kernel->spec, " c=")},
        {"g", number_in(kernel->spec, " g=")},
        {"h/shards", kernel->h / number_in(kernel->spec, " shards=")},
        {"shards", number_in(kernel->spec, " shards=")},
        {"positions", KERNEL_CALL_POSITIONS},
        {"chunks", chunks_of(kernel, rows)},
    };
    const size_t length = strcspn(axis, ",");
    for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
        if (strlen(axes[i].name) == length && memcmp(axes[i].name, axis, length) == 0) return axes[i].size;
    return strtoul(axis, NULL, 10);
}

static size_t elements_of(const ng_kernel *kernel, const char *shape, size_t rows)
{
    size_t elements = 1;
    for (const char *axis = shape; axis != NULL; axis = strchr(axis, ',') != NULL ? strchr(axis, ',') + 1 : NULL)
        elements *= extent(kernel, axis, rows);
    return elements;
}

static void add_pointer(kernel_call *c, const ng_arg *arg)
{
    const size_t i = c->count++, size = size_of(arg);
    const int has_rows = strncmp(arg->shape, "rows", 4) == 0;
    c->arg[i] = arg;
    c->row_bytes[i] = has_rows ? elements_of(c->kernel, arg->shape, 1) * size : 0;
    c->bytes[i] = elements_of(c->kernel, arg->shape, c->rows) * size;
    c->size[i] = size;
    c->output[i] = strcmp(arg->io, "in") != 0;
    c->ptr[i] = malloc(c->bytes[i]);
    if (c->ptr[i] == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    if (strcmp(arg->io, "out") != 0) fill(arg, c->ptr[i], c->bytes[i] / size);
}

/* The stride of a matrix of this shape: of its rows, or of its heads. */
static ptrdiff_t stride_of(const ng_kernel *kernel, const char *name, const char *shape)
{
    const char *const last = strrchr(shape, ',');
    return (ptrdiff_t)(strstr(name, "_head_stride") != NULL ? strtoul(last + 1, NULL, 10) : kernel->h);
}

/* The value of a number; all rows are one batch. */
static double number_of(const char *name, size_t rows)
{
    static const struct {
        const char *name;
        double value;
    } numbers[] = {{"positions", KERNEL_CALL_POSITIONS}, {"momentum", 0.1}, {"eps", 1e-5}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].name) == 0) return numbers[i].value;
    return strcmp(name, "rows_per_batch") == 0 ? (double)(rows > 0 ? rows : 1) : 0.81;
}

kernel_call kernel_call_new(const ng_kernel *kernel, size_t rows)
{
    kernel_call c = {.kernel = kernel, .rows = rows};
    const char *shape = "";
    size_t scalars = 0, strides = 0;
    for (size_t a = 0; a < kernel->arg_count; a++) {
        const ng_arg *arg = &kernel->args[a];
        if (strcmp(arg->shape, "scalar") != 0) {
            add_pointer(&c, arg);
            shape = arg->shape;
        } else if (strcmp(arg->dtype, "ptrdiff_t") == 0) {
            c.stride[strides++] = stride_of(kernel, arg->name, shape);
        } else if (strcmp(arg->name, "rows") != 0) {
            c.scalar[scalars++] = number_of(arg->name, rows);
        }
    }
    return c;
}

int kernel_call_is_by_rows(const ng_kernel *kernel)
{
    int by_rows = strncmp(kernel->spec, "mvn", 3) != 0;
    for (size_t a = 0; a < kernel->arg_count; a++) {
        const ng_arg *arg = &kernel->args[a];
        const int has_rows = strncmp(arg->shape, "rows", 4) == 0, is_part = strchr(arg->shape, ',') != NULL;
        by_rows = by_rows && (has_rows || (strcmp(arg->io, "in") == 0 && !is_part));
    }
    return by_rows;
}

void kernel_call_end(kernel_call *c)
{
    for (size_t i = 0; i < c->count; i++) free(c->ptr[i]);
}

void kernel_call_run(const kernel_call *c, size_t first, size_t rows)
{
    void *ptr[KERNEL_CALL_POINTERS];
    for (size_t i = 0; i < c->count; i++) ptr[i] = (char *)c->ptr[i] + first * c->row_bytes[i];
    c->kernel->invoke(rows, ptr, c->stride, c->scalar);
}

void kernel_call_clear(kernel_call *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->arg[i]->io, "inout") == 0)
            fill(c->arg[i], c->ptr[i], c->bytes[i] / size_of(c->arg[i]));
        else if (c->output[i])
            memset(c->ptr[i], 0xa5, c->bytes[i]);
}

int kernel_call_same(const kernel_call *a, const kernel_call *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->output[i] && memcmp(a->ptr[i], b->ptr[i], a->bytes[i]) != 0) return 0;
    return 1;
}
