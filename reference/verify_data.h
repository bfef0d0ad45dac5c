/* The data of the verifier. Made with integers, exact steps and explicit fma, so that every host makes the same bits.
 */
#ifndef NG_REFERENCE_VERIFY_DATA_H
#define NG_REFERENCE_VERIFY_DATA_H

#include <stddef.h>
#include <stdint.h>

/* A generator of random bits (splitmix64). */
typedef struct verify_random {
    uint64_t state;
} verify_random;

/* A generator for one case of one seed. */
verify_random verify_random_for(uint64_t seed, uint64_t index);

/* A number from 0 to n - 1. */
uint32_t verify_random_below(verify_random *random, uint32_t n);

/* What a row of random data is for. */
typedef enum verify_role { VERIFY_X_ALONE, VERIFY_X_BESIDE_RESIDUAL, VERIFY_RESIDUAL } verify_role;

/* A kind of data: how the rows of x and residual and how gamma and beta are filled. */
typedef struct verify_kind {
    const char *name;
    void (*fill_row)(verify_random *random, float *row, size_t h, verify_role role);
    void (*fill_parameter)(verify_random *random, float *parameter, size_t h);
    double eps; /* the eps that this kind needs, or -1 */
} verify_kind;

/* Strongest first: where there is time for a few kinds only, the first are taken. 13 is prime, so that with the index
 * of a case all combinations of kind, alias form, placement and eps come by. */
enum { VERIFY_KINDS = 13 };
extern const verify_kind verify_kinds[VERIFY_KINDS];

#endif
