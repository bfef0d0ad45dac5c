/* The bytes that descriptors name, counted once more by what kernels do: an element is written if it changes, whatever
 * was there before, and read if some other number in its place changes a result. Of each kernel of
 * the registry the last one that runs here, called on a few rows, so that there is one batch and one chunk. */
#include "../support/kernel_call.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bytes {
    size_t read, written;
} bytes;

/* Memory as it was after a call; the caller frees what is in it. */
typedef struct image {
    unsigned char *data[KERNEL_CALL_POINTERS];
} image;

static image image_of(const kernel_call *c)
{
    image m = {{NULL}};
    for (size_t i = 0; i < c->count; i++) {
        m.data[i] = malloc(c->bytes[i]);
        if (m.data[i] == NULL) exit(1);
        memcpy(m.data[i], c->ptr[i], c->bytes[i]);
    }
    return m;
}

static void image_end(const kernel_call *c, image *m)
{
    for (size_t i = 0; i < c->count; i++) free(m->data[i]);
}

/* Is an array one that a kernel reads, and of which it then writes all elements? */
static int is_updated(const kernel_call *c, size_t i)
{
    return strcmp(c->arg[i]->io, "inout") == 0;
}

/* Calls the kernel with outputs that held this byte before. */
static image call(const kernel_call *c, const image *inputs, int before)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->output[i] && !is_updated(c, i))
            memset(c->ptr[i], before, c->bytes[i]);
        else
            memcpy(c->ptr[i], inputs->data[i], c->bytes[i]);
    }
    kernel_call_run(c, 0, c->rows);
    return image_of(c);
}

/* Bytes of the elements of an output that a call has changed. */
static size_t written(const kernel_call *c, size_t i, const image *inputs)
{
    size_t count = 0;
    const size_t size = c->size[i];
    image a = call(c, inputs, 0x55), b = call(c, inputs, 0xaa);
    for (size_t at = 0; at < c->bytes[i]; at += size) {
        const int changed = is_updated(c, i) ? memcmp(a.data[i] + at, inputs->data[i] + at, size) != 0
                                             : memcmp(a.data[i] + at, b.data[i] + at, size) == 0;
        count += changed ? size : 0;
    }
    image_end(c, &a);
    image_end(c, &b);
    return count;
}

/* Does any output differ? */
static int differs(const kernel_call *c, const image *a)
{
    int differ = 0;
    for (size_t i = 0; i < c->count; i++)
        differ = differ || (c->output[i] && memcmp(a->data[i], c->ptr[i], c->bytes[i]) != 0);
    return differ;
}

/* Does NaN, a large number or the same below zero change a result, in the place of the element at `at`? */
static int matters(const kernel_call *c, size_t i, size_t at, const image *inputs, const image *results)
{
    static const int others[] = {0xff, 0x7b, 0xfb};
    int found = 0;
    for (size_t k = 0; k < sizeof others / sizeof *others && !found; k++) {
        for (size_t j = 0; j < c->count; j++)
            if (is_updated(c, j)) memcpy(c->ptr[j], inputs->data[j], c->bytes[j]);
        memset((unsigned char *)c->ptr[i] + at, others[k], c->size[i]);
        kernel_call_run(c, 0, c->rows);
        found = differs(c, results);
        memcpy((unsigned char *)c->ptr[i] + at, inputs->data[i] + at, c->size[i]);
    }
    return found;
}

static size_t read_from(const kernel_call *c, size_t i, const image *inputs, const image *results)
{
    size_t count = 0;
    for (size_t at = 0; at < c->bytes[i]; at += c->size[i])
        count += matters(c, i, at, inputs, results) ? c->size[i] : 0;
    return count;
}

static bytes count_bytes(const ng_kernel *kernel, size_t rows)
{
    bytes n = {0, 0};
    kernel_call c = kernel_call_new(kernel, rows);
    image inputs = image_of(&c), results = call(&c, &inputs, 0x55);
    for (size_t i = 0; i < c.count; i++) {
        if (!c.output[i] || is_updated(&c, i)) n.read += read_from(&c, i, &inputs, &results);
    }
    for (size_t i = 0; i < c.count; i++)
        if (c.output[i]) n.written += written(&c, i, &inputs);
    image_end(&c, &inputs);
    image_end(&c, &results);
    kernel_call_end(&c);
    return n;
}

/* How often a call of so many rows moves what a descriptor names for each of them. */
static size_t units(const ng_kernel *kernel, size_t rows)
{
    size_t positions = 1;
    for (size_t a = 0; a < kernel->arg_count; a++)
        if (strcmp(kernel->args[a].name, "positions") == 0) positions = KERNEL_CALL_POSITIONS;
    return rows * positions;
}

static int check(const ng_kernel *kernel, size_t rows)
{
    const size_t n = units(kernel, rows);
    const bytes named = {kernel->read_bytes * n + kernel->call_read_bytes,
                         kernel->write_bytes * n + kernel->call_write_bytes};
    const bytes found = count_bytes(kernel, rows);
    const int right = named.read == found.read && named.written == found.written;
    if (!right)
        printf("%s, %zu rows: reads %zu and writes %zu bytes, named are %zu and %zu\n", kernel->name, rows, found.read,
               found.written, named.read, named.written);
    return right;
}

int main(void)
{
    size_t count, checked = 0, wrong = 0;
    const char *last = "";
    const ng_kernel *kernels = ng_registry(&count);
    for (size_t i = count; i-- > 0;) {
        if (!kernels[i].runs_here() || strcmp(kernels[i].name, last) == 0) continue;
        last = kernels[i].name;
        /* Two calls tell what is for each row from what is for the call. */
        for (size_t rows = 3; rows <= 4; rows++) wrong += (size_t)!check(&kernels[i], rows);
        checked++;
    }
    printf("traffic: kernels: %zu, wrong: %zu\n", checked, wrong);
    return wrong != 0 || checked == 0;
}
