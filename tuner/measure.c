/* Times candidates: the same for a process that loads them and for one that has them linked in. */
#define _GNU_SOURCE
#include "measure.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GROUP = 6 /* candidates between two looks at the yardstick */ };

static const double mean = 0.25;

/* One who is timed. */
typedef struct contestant {
    int number;
    cell_invoke *invoke; /* NULL: the plain copy */
    size_t calls;        /* in a slot */
    double *ns, *yard;   /* by round */
    size_t rounds;       /* so far */
} contestant;

/* Nanoseconds that this thread has run: a process that takes the CPU away for a while does not count. */
static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *allocate(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) cell_die("out of memory");
    return p;
}

/* Copies into every output, from the largest input in front of it. Returns the bytes read and written. */
static size_t copy(const cell *c)
{
    const cell_array *from = NULL;
    size_t bytes = 0;
    for (size_t i = 0; i < c->arrays; i++) {
        const cell_array *a = &c->array[i];
        const size_t size = a->rows * a->bytes, have = from ? from->rows * from->bytes : 0;
        if (!a->expected) {
            if (size >= have) from = a;
        } else if (from) {
            memcpy(a->data, from->data, size < have ? size : have);
            bytes += 2 * (size < have ? size : have);
        }
    }
    return bytes;
}

static void call(const cell *c, const contestant *who)
{
    if (who->invoke)
        who->invoke(c->rows, c->ptr, c->stride, c->scalar);
    else
        copy(c);
}

static double time_calls(const cell *c, const contestant *who, size_t calls)
{
    const double start = used();
    for (size_t i = 0; i < calls; i++) call(c, who);
    return (used() - start) / (double)calls;
}

/* So many calls that they fill a slot. */
static void calibrate(const cell *c, contestant *who, double slot)
{
    size_t calls = 1;
    double ns = time_calls(c, who, calls);
    while (ns * (double)calls < slot / 2) {
        calls *= 2;
        ns = time_calls(c, who, calls);
    }
    who->calls = (size_t)fmax(1, slot / ns);
}

/* One slot. If it has several calls, one goes ahead, which finds the caches as others left them. */
static double slot_of(const cell *c, const contestant *who)
{
    if (who->calls > 1) call(c, who);
    return time_calls(c, who, who->calls);
}

static int is_right(cell *c, const contestant *who)
{
    printf("{\"begin\":%d}\n", who->number);
    fflush(stdout);
    cell_spoil(c);
    call(c, who);
    if (cell_is_right(c, NULL, NULL)) return 1;
    printf("{\"wrong\":%d}\n", who->number);
    return 0;
}

static size_t below(uint64_t *state, size_t n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(*state >> 33) % n;
}

static void shuffle(contestant **order, size_t n, uint64_t *state)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = below(state, i);
        contestant *last = order[i - 1];
        order[i - 1] = order[k];
        order[k] = last;
    }
}

/* Every contestant once. The yardstick is timed before and after each group; its mean counts for the group. */
static void time_round(const cell *c, const contestant *yardstick, contestant *const *order, size_t count)
{
    double before = slot_of(c, yardstick);
    for (size_t first = 0; first < count; first += GROUP) {
        const size_t end = first + GROUP < count ? first + GROUP : count;
        for (size_t i = first; i < end; i++) order[i]->ns[order[i]->rounds] = slot_of(c, order[i]);
        const double after = slot_of(c, yardstick);
        for (size_t i = first; i < end; i++) order[i]->yard[order[i]->rounds++] = (before + after) / 2;
        before = after;
    }
}

static double least(const double *values, size_t count)
{
    double best = values[0];
    for (size_t i = 1; i < count; i++) best = values[i] < best ? values[i] : best;
    return best;
}

/* The copy and the yardstick, whose number is the first one, stay; the others by their best time. */
static double merit(const contestant *who, int yardstick)
{
    return !who->invoke || who->number == yardstick ? 0 : least(who->ns, who->rounds);
}

static void sort_by_merit(contestant **order, size_t count, int yardstick)
{
    for (size_t i = 1; i < count; i++) {
        contestant *const who = order[i];
        size_t k = i;
        for (; k > 0 && merit(order[k - 1], yardstick) > merit(who, yardstick); k--) order[k] = order[k - 1];
        order[k] = who;
    }
}

static void print_list(const char *name, const double *values, size_t count)
{
    printf("\"%s\":[", name);
    for (size_t i = 0; i < count; i++) printf(i > 0 ? ",%.6g" : "%.6g", values[i]);
    putchar(']');
}

static void print_samples(const cell *c, const contestant *who)
{
    if (!who->invoke) {
        printf("{\"copy\":%.6g,\"bytes\":%zu}\n", least(who->ns, who->rounds), copy(c));
        return;
    }
    printf("{\"sample\":%d,", who->number);
    print_list("ns", who->ns, who->rounds);
    putchar(',');
    print_list("yard", who->yard, who->rounds);
    puts("}");
}

/* Those whose bits are right, if that is to be checked, then the copy. Returns how many there are; 0 if the yardstick
 * is wrong. */
static size_t line_up(cell *c, int check, contestant *list, const int *numbers, cell_invoke *const *invokes,
                      size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        list[kept] = (contestant){.number = numbers[i], .invoke = invokes[i]};
        if (!check || is_right(c, &list[kept])) kept++;
    }
    if (kept == 0 || list[0].number != numbers[0]) return 0;
    list[kept] = (contestant){.invoke = NULL};
    return kept + 1;
}

void tuner_run(size_t number, size_t rounds, unsigned seed, double slot, size_t keep, int check, const int *numbers,
               cell_invoke *const *invokes, size_t count)
{
    cell c;
    cell_pin();
    const tuner_cell *timed = &tuner_cells[number];
    cell_open(&c, timed->spec, timed->rows, timed->positions, mean);
    contestant *list = allocate(count + 1, sizeof *list), **order = allocate(count + 1, sizeof *order);
    const size_t lined_up = line_up(&c, check, list, numbers, invokes, count);
    for (size_t i = 0; i < lined_up; i++) {
        order[i] = &list[i];
        calibrate(&c, &list[i], slot);
        list[i].ns = allocate(rounds, sizeof *list[i].ns);
        list[i].yard = allocate(rounds, sizeof *list[i].yard);
    }
    uint64_t state = seed;
    size_t left = lined_up;
    for (size_t round = 0; round < rounds && left > 0; round++) {
        if (round > 0 && round == rounds / 8 && keep + 1 < left) {
            sort_by_merit(order, left, numbers[0]);
            left = keep + 1; /* and the copy */
        }
        shuffle(order, left, &state);
        time_round(&c, &list[0], order, left);
    }
    for (size_t i = 0; i < lined_up; i++) {
        print_samples(&c, &list[i]);
        free(list[i].ns);
        free(list[i].yard);
    }
    puts("{\"end\":true}");
    fflush(stdout);
    free(list);
    free(order);
    cell_close(&c);
}
