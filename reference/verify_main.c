/* The program `verify`: compares every kernel of the registry that this machine can run with the reference. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "verify.h"

static const char usage[] =
    "usage: verify [--seed N] [--filter TEXT] [--quick | --full] [--case N] [--digests FILE] [--laws] [--list]\n"
    "  --seed N        seed of the random data (default 1)\n"
    "  --filter TEXT   only kernels whose name_target contains TEXT\n"
    "  --quick         a few hundred thousand elements per kernel, for emulators\n"
    "  --full          every row count with every kind of data\n"
    "  --case N        only the case with this index, as a mismatch prints it\n"
    "  --digests FILE  write one line per name with a digest of its outputs, the same on every target\n"
    "  --laws          only compare kernels with each other: fused with unfused, whole with steps or parts, ...\n"
    "  --list          print the kernels and whether they can run here\n"
    "Exit status: 0 all bits agree, 1 some do not, 2 bad usage or no such kernel.\n";

typedef struct program {
    ng_verify_options options;
    const char *filter;
    const char *digests;
    int laws, list;
} program;

typedef struct digest_line {
    const char *name;
    uint64_t digest;
} digest_line;

/* What is summed up over all kernels. */
typedef struct totals {
    size_t kernels, cases, outputs, mismatches, skipped;
    digest_line *lines;
    size_t line_count;
} totals;

/* Options with a value: returns 1 if `name` is one and was taken, else 0. */
static int take_value(program *p, const char *name, const char *value)
{
    char *end = NULL;
    if (strcmp(name, "--filter") == 0) {
        p->filter = value;
    } else if (strcmp(name, "--digests") == 0) {
        p->digests = value;
    } else if (strcmp(name, "--seed") == 0) {
        p->options.seed = strtoull(value, &end, 0);
    } else if (strcmp(name, "--case") == 0) {
        p->options.only_case = strtol(value, &end, 0);
    } else {
        return 0;
    }
    return end == NULL || (end != value && *end == '\0');
}

/* Options without a value: returns 1 if `name` is one. */
static int take_flag(program *p, const char *name)
{
    if (strcmp(name, "--quick") == 0) {
        p->options.effort = &ng_verify_quick;
    } else if (strcmp(name, "--full") == 0) {
        p->options.effort = &ng_verify_full;
    } else if (strcmp(name, "--laws") == 0) {
        p->laws = 1;
    } else if (strcmp(name, "--list") == 0) {
        p->list = 1;
    } else {
        return 0;
    }
    return 1;
}

/* Reads the command line. Returns -1 to go on, or an exit status. */
static int parse_arguments(program *p, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        }
        if (take_flag(p, argv[i])) {
            continue;
        }
        if (i + 1 >= argc || !take_value(p, argv[i], argv[i + 1])) {
            fprintf(stderr, "verify: bad option or value: %s\n%s", argv[i], usage);
            return 2;
        }
        i++;
    }
    return -1;
}

static int is_selected(const program *p, const ng_kernel *kernel)
{
    char name[512];
    snprintf(name, sizeof name, "%s_%s", kernel->name, kernel->target);
    return strstr(name, p->filter) != NULL;
}

/* Copies the selected kernels; returns their number. */
static size_t select_kernels(const program *p, const ng_kernel *all, size_t count, ng_kernel *selected)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        if (is_selected(p, &all[i])) {
            selected[n++] = all[i];
        }
    }
    return n;
}

/* Says once for each target that cannot run here how many kernels are left out; returns how many in all. */
static size_t print_skipped(const ng_kernel *kernels, size_t count)
{
    size_t skipped = 0;
    for (size_t i = 0; i < count; i++) {
        size_t before = 0, same = 0;
        for (size_t j = 0; !kernels[i].runs_here() && j < count; j++) {
            const int equal = strcmp(kernels[i].target, kernels[j].target) == 0;
            same += (size_t)equal;
            before += (size_t)(equal && j < i);
        }
        if (same > 0 && before == 0) {
            printf("skipped: target %s cannot run here, %zu kernels\n", kernels[i].target, same);
            skipped += same;
        }
    }
    return skipped;
}

/* Takes the digests of one name; targets that disagree are a mismatch. */
static void add_digests(const ng_kernel *kernels, size_t count, totals *t)
{
    digest_line *line = NULL;
    for (size_t i = 0; i < count; i++) {
        uint64_t digest;
        if (!kernels[i].runs_here()) {
            continue;
        }
        const int failed = ng_verify_digest(&kernels[i], &digest) != 0;
        if (failed || (line != NULL && line->digest != digest)) {
            printf("mismatch: ng_%s_%s: its digest %s\n", kernels[i].name, kernels[i].target,
                   failed ? "cannot be taken" : "differs from that of another target");
            t->mismatches++;
        }
        if (line == NULL) {
            line = &t->lines[t->line_count++];
            *line = (digest_line){kernels[i].name, digest};
        }
    }
}

/* A kernel whose outputs are mostly infinite or NaN has not really been tested. */
static void require_finite(const program *p, const ng_kernel *kernel, const ng_verify_counts *counts, totals *t)
{
    if (p->options.only_case < 0 && counts->finite * 2 < counts->outputs) {
        printf("mismatch: ng_%s_%s: only %zu of %zu outputs are finite, the test says too little\n", kernel->name,
               kernel->target, counts->finite, counts->outputs);
        t->mismatches++;
    }
}

/* Verifies all kernels of one name. */
static int verify_name(const program *p, const ng_kernel *kernels, size_t count, totals *t)
{
    ng_verify_counts *counts = calloc(count, sizeof *counts);
    int result = counts == NULL ? -1 : ng_verify(kernels, count, &p->options, counts);
    for (size_t i = 0; i < count && result == 0; i++) {
        t->kernels += kernels[i].runs_here() != 0;
        t->cases += counts[i].cases;
        t->outputs += counts[i].outputs;
        t->mismatches += counts[i].mismatches;
        require_finite(p, &kernels[i], &counts[i], t);
    }
    if (result == 0 && p->digests != NULL) {
        add_digests(kernels, count, t);
    }
    free(counts);
    return result;
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(((const digest_line *)a)->name, ((const digest_line *)b)->name);
}

static int write_digests(const program *p, totals *t)
{
    FILE *file = fopen(p->digests, "w");
    if (file == NULL) {
        fprintf(stderr, "verify: cannot write %s\n", p->digests);
        return -1;
    }
    qsort(t->lines, t->line_count, sizeof *t->lines, compare_lines);
    for (size_t i = 0; i < t->line_count; i++) {
        fprintf(file, "%s %016" PRIx64 "\n", t->lines[i].name, t->lines[i].digest);
    }
    return fclose(file);
}

/* Verifies the selected kernels, name by name, and prints the verdict. Returns the exit status. */
static int verify_all(const program *p, const ng_kernel *kernels, size_t count)
{
    totals t = {0};
    int failures = 0;
    t.lines = calloc(count, sizeof *t.lines);
    t.skipped = print_skipped(kernels, count);
    for (size_t i = 0, n; i < count && t.lines != NULL; i += n) {
        for (n = 1; i + n < count && strcmp(kernels[i].name, kernels[i + n].name) == 0;) {
            n++;
        }
        failures += verify_name(p, &kernels[i], n, &t) != 0;
    }
    failures += t.lines == NULL || (p->digests != NULL && write_digests(p, &t) != 0);
    free(t.lines);
    printf("verified: kernels=%zu cases=%zu outputs=%zu mismatches=%zu skipped=%zu\n", t.kernels, t.cases, t.outputs,
           t.mismatches, t.skipped);
    return failures != 0 || t.mismatches != 0;
}

/* Tries the laws on the selected kernels and prints the verdict. Returns the exit status; that no law speaks of any
 * kernel is a failure. */
static int verify_laws(const program *p, const ng_kernel *kernels, size_t count)
{
    ng_verify_laws_counts counts;
    const int failed = ng_verify_laws(kernels, count, &p->options, &counts) != 0;
    printf("laws: kernels=%zu comparisons=%zu mismatches=%zu\n", counts.kernels, counts.comparisons, counts.mismatches);
    return failed || counts.mismatches != 0 || counts.comparisons == 0;
}

static int list(const ng_kernel *kernels, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("ng_%s_%s  %s  %s\n", kernels[i].name, kernels[i].target, kernels[i].spec,
               kernels[i].runs_here() ? "runs here" : "cannot run here");
    }
    return 0;
}

int main(int argc, char **argv)
{
    program p = {{1, &ng_verify_default, -1, stdout}, "", NULL, 0, 0};
    const int status = parse_arguments(&p, argc, argv);
    if (status >= 0) {
        return status;
    }
    size_t all;
    const ng_kernel *registry = ng_registry(&all);
    ng_kernel *kernels = calloc(all + 1, sizeof *kernels);
    if (kernels == NULL) {
        fputs("verify: out of memory\n", stderr);
        return 1;
    }
    const size_t count = select_kernels(&p, registry, all, kernels);
    int result = 2;
    if (count == 0) {
        fprintf(stderr, "verify: no kernel matches '%s'\n", p.filter);
    } else {
        result = p.list   ? list(kernels, count)
                 : p.laws ? verify_laws(&p, kernels, count)
                          : verify_all(&p, kernels, count);
    }
    free(kernels);
    return result;
}
