#if defined(__x86_64__)
#include <cpuid.h>

/* Bit of register 0..3 (eax, ebx, ecx, edx) of a CPUID leaf, 0 where the leaf does not exist. */
static inline int @cpuid_bit(unsigned leaf, unsigned subleaf, int reg, int bit)
{
    unsigned r[4] = { 0, 0, 0, 0 };
    if (!__get_cpuid_count(leaf, subleaf, &r[0], &r[1], &r[2], &r[3]))
        return 0;
    return (int)((r[reg] >> bit) & 1u);
}

/* Whether the operating system saves these register states (bits of XCR0). */
static inline int @os_saves(unsigned states)
{
    unsigned low, high;
    if (!@cpuid_bit(1, 0, 2, 27))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    (void)high;
    return (low & states) == states;
}
#endif
