#include "verify_data.h"

uint64_t verify_random_bits(verify_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

verify_random verify_random_for(uint64_t seed, uint64_t index)
{
    verify_random random = {seed};
    random.state = verify_random_bits(&random) + index;
    return random;
}

uint32_t verify_random_below(verify_random *random, uint32_t n)
{
    return (uint32_t)((verify_random_bits(random) >> 32) * n >> 32);
}
