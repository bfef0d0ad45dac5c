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

static void fill(const ng_arg *arg, void *memory, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t hash = (uint32_t)i * 2654435761U, bits;
        float value = -5 + 37 * ((float)(hash >> 8) / (1 << 24) - 0.5F);
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

/* The product of the axes of a shape but for rows, and for batches, of which there is one. */
static size_t width_of(const ng_kernel *kernel, const char *shape)
{
    size_t width = 1;
    for (const char *axis = shape; axis != NULL; axis = strchr(axis, ',') != NULL ? strchr(axis, ',') + 1 : NULL)
        width *= *axis == 'h' ? kernel->h : *axis == 'r' || *axis == 'b' ? 1 : strtoul(axis, NULL, 10);
    return width;
}

static void add_pointer(kernel_call *c, const ng_arg *arg)
{
    const size_t row_bytes = width_of(c->kernel, arg->shape) * size_of(arg), i = c->count++;
    c->row_bytes[i] = strncmp(arg->shape, "rows", 4) == 0 ? row_bytes : 0;
    c->bytes[i] = c->row_bytes[i] != 0 ? c->rows * row_bytes : row_bytes;
    c->output[i] = strcmp(arg->io, "out") == 0;
    c->ptr[i] = malloc(c->bytes[i]);
    if (c->ptr[i] == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    if (!c->output[i]) fill(arg, c->ptr[i], c->bytes[i] / size_of(arg));
}

/* The stride of a matrix of this shape: of its rows, or of its heads. */
static ptrdiff_t stride_of(const ng_kernel *kernel, const char *name, const char *shape)
{
    const char *const last = strrchr(shape, ',');
    return (ptrdiff_t)(strstr(name, "_head_stride") != NULL ? strtoul(last + 1, NULL, 10) : kernel->h);
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
        } else if (strcmp(arg->dtype, "size_t") == 0) {
            c.scalar[scalars++] = (double)(rows > 0 ? rows : 1); /* one batch */
            scalars -= strcmp(arg->name, "rows") == 0;
        } else {
            c.scalar[scalars++] = strcmp(arg->name, "eps") == 0 ? 1e-5 : 0.81;
        }
    }
    return c;
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
        if (c->output[i]) memset(c->ptr[i], 0xa5, c->bytes[i]);
}

int kernel_call_same(const kernel_call *a, const kernel_call *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (a->output[i] && memcmp(a->ptr[i], b->ptr[i], a->bytes[i]) != 0) return 0;
    return 1;
}
