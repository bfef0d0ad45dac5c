/* What the processes that time candidates share. */
#ifndef TUNER_MEASURE_H
#define TUNER_MEASURE_H

#include "cell.h"

/* A kernel's call for a number of rows, and of positions if it has some. */
typedef struct tuner_cell {
    const char *spec;
    size_t rows, positions;
} tuner_cell;

/* The generated table of a run. */
extern const tuner_cell tuner_cells[];

/* Prints which CPU this is, as a line of JSON: what CPUID or MIDR say, never the name of a model. */
void tuner_identify(void);

/* Checks candidates, unless they were checked before, and times them against each other; the first one is the
 * yardstick. Prints lines of JSON:
 *     {"begin":N}               candidate N is about to be run for the first time
 *     {"wrong":N}               its bits are not those of the reference, and it is not timed
 *     {"sample":N,"ns":[...],"yard":[...]}   by round, a call's nanoseconds, and those of the yardstick beside it
 *     {"copy":NS,"bytes":B}     the fastest of copies that fill the outputs, and the bytes that each reads and writes
 *     {"end":true}
 * Rounds are in random order, each candidate gets a slot of so many nanoseconds, or one call. After an eighth of the
 * rounds only the fastest `keep` candidates go on, the yardstick among them. */
void tuner_run(size_t cell, size_t rounds, unsigned seed, double slot, size_t keep, int check, const int *numbers,
               cell_invoke *const *invokes, size_t count);

#endif
