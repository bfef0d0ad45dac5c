#if defined(__aarch64__)
#if defined(__linux__)
#include <sys/auxv.h>
#endif

/* Bit of the hardware capabilities that Linux reports; elsewhere what ARMv8.0 guarantees: floating point and SIMD. */
static inline int @hwcap_bit(int bit)
{
#if defined(__linux__)
    return (int)((getauxval(16 /* AT_HWCAP */) >> bit) & 1u);
#else
    return bit <= 1;
#endif
}
#endif
