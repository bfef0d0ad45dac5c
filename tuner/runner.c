/* Times candidates that are linked in: one static program, for interpreters without FFI and for other machines.
 *
 *     runner CELL ROUNDS SEED SLOT KEEP CHECK NUMBER...     candidates by their numbers, the yardstick first
 */
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

/* The generated table of candidates, by number. */
extern cell_invoke *const tuner_candidates[];
extern const size_t tuner_candidate_count;

int main(int argc, char **argv)
{
    if (argc < 8) cell_die("usage: runner CELL ROUNDS SEED SLOT KEEP CHECK NUMBER...");
    const size_t count = (size_t)argc - 7;
    int *numbers = malloc(count * sizeof *numbers);
    cell_invoke **invokes = malloc(count * sizeof *invokes);
    if (!numbers || !invokes) cell_die("out of memory");
    for (size_t i = 0; i < count; i++) {
        numbers[i] = atoi(argv[7 + i]);
        if (numbers[i] < 0 || (size_t)numbers[i] >= tuner_candidate_count || !tuner_candidates[numbers[i]])
            cell_die("no such candidate");
        invokes[i] = tuner_candidates[numbers[i]];
    }
    tuner_identify();
    tuner_run(strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10),
              atof(argv[4]), strtoul(argv[5], NULL, 10), atoi(argv[6]), numbers, invokes, count);
    free(numbers);
    free(invokes);
    return 0;
}
