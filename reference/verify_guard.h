/* Memory between two forbidden pages, and calls that survive touching them. */
#ifndef NG_REFERENCE_VERIFY_GUARD_H
#define NG_REFERENCE_VERIFY_GUARD_H

#include <stddef.h>

/* Readable and writable bytes with a page without any access on both sides. */
typedef struct verify_memory {
    unsigned char *first;
    size_t size; /* a multiple of the page size */
} verify_memory;

/* At least `size` bytes between two forbidden pages. Returns 0, or -1 if there is no memory. */
int verify_memory_open(verify_memory *memory, size_t size);
void verify_memory_close(verify_memory *memory);

/* Address space of at least `size` bytes without any access, and access to the pages of some bytes of it. Return 0, or
 * -1 if there is none. */
int verify_memory_reserve(verify_memory *memory, size_t size);
int verify_memory_allow(void *first, size_t size);

/* Calls run(context). Returns NULL, or the name of the signal if it touched forbidden memory or was an illegal
 * instruction. */
const char *verify_guarded_call(void (*run)(void *context), void *context);

#endif
