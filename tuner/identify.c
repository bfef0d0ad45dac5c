/* Which CPU this is. The same text comes from host/cpu.lua, which reads what the kernel says of CPUID or MIDR. */
#include "measure.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__)

#include <cpuid.h>

void tuner_identify(void)
{
    unsigned a, b, c, d;
    char vendor[13] = {0};
    __cpuid(0, a, b, c, d);
    memcpy(vendor, &b, 4);
    memcpy(vendor + 4, &d, 4);
    memcpy(vendor + 8, &c, 4);
    __cpuid(1, a, b, c, d);
    const unsigned base = a >> 8 & 15, family = base == 15 ? base + (a >> 20 & 255) : base;
    const unsigned model = (a >> 4 & 15) | (base == 15 || base == 6 ? a >> 12 & 0xf0 : 0);
    printf("{\"cpu\":\"%s-%u-%u-%u\"}\n", vendor, family, model, a & 15);
}

#elif defined(__aarch64__) && defined(__linux__)

#include <sys/auxv.h>

void tuner_identify(void)
{
    unsigned long long midr = 0;
    if (getauxval(AT_HWCAP) >> 11 & 1) /* HWCAP_CPUID: the kernel answers for the register */
        __asm__("mrs %0, midr_el1" : "=r"(midr));
    printf("{\"cpu\":\"arm-%llx-%llx-%llu-%llu\"}\n", midr >> 24 & 255, midr >> 4 & 0xfff, midr >> 20 & 15, midr & 15);
}

#else

void tuner_identify(void)
{
    puts("{\"cpu\":\"unknown\"}");
}

#endif
