#define _DEFAULT_SOURCE
#include "verify_guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

int verify_memory_reserve(verify_memory *memory, size_t size)
{
    const size_t page = page_size();
    memory->size = (size + page - 1) / page * page;
    unsigned char *map =
        mmap(NULL, memory->size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    memory->first = map != MAP_FAILED ? map + page : NULL;
    return map != MAP_FAILED ? 0 : -1;
}

int verify_memory_allow(void *first, size_t size)
{
    const size_t offset = (uintptr_t)first % page_size();
    return mprotect((char *)first - offset, size + offset, PROT_READ | PROT_WRITE);
}

int verify_memory_open(verify_memory *memory, size_t size)
{
    if (verify_memory_reserve(memory, size) != 0) {
        return -1;
    }
    if (verify_memory_allow(memory->first, memory->size) != 0) {
        verify_memory_close(memory);
        return -1;
    }
    return 0;
}

void verify_memory_close(verify_memory *memory)
{
    const size_t page = page_size();
    if (memory->first != NULL) {
        munmap(memory->first - page, memory->size + 2 * page);
        memory->first = NULL;
    }
}

static const struct {
    int number;
    const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGILL, "SIGILL"}, {SIGFPE, "SIGFPE"}};

enum { FAULTS = sizeof faults / sizeof *faults };

static sigjmp_buf before_call;

static void on_fault(int number)
{
    siglongjmp(before_call, number);
}

const char *verify_guarded_call(void (*run)(void *context), void *context)
{
    struct sigaction action = {.sa_handler = on_fault};
    struct sigaction previous[FAULTS];
    const char *volatile fault = NULL;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < FAULTS; i++) {
        sigaction(faults[i].number, &action, &previous[i]);
    }
    const int number = sigsetjmp(before_call, 1);
    if (number == 0) {
        run(context);
    }
    for (int i = 0; i < FAULTS; i++) {
        sigaction(faults[i].number, &previous[i], NULL);
        if (number == faults[i].number) {
            fault = faults[i].name;
        }
    }
    return fault;
}
