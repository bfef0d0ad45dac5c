#if ${guard}

static const struct {
    const char *name;
    int (*runs_here)(void);
} ${p}dispatch_targets[] = {
${targets}
};

/* Index of the chosen target plus one; 0: not chosen yet, -1: none fits. */
static int ${p}dispatch_chosen;

static int ${p}dispatch_choose(void)
{
    const int count = (int)(sizeof ${p}dispatch_targets / sizeof ${p}dispatch_targets[0]);
    const char *most = getenv("NORMGEN_MAX_TARGET");
    int last = count, choice = -1;
    for (int i = 0; most && i < count; ++i) {
        if (strcmp(${p}dispatch_targets[i].name, most) == 0)
            last = i + 1;
    }
    for (int i = 0; i < last; ++i) {
        if (${p}dispatch_targets[i].runs_here())
            choice = i + 1;
    }
    __atomic_store_n(&${p}dispatch_chosen, choice, __ATOMIC_RELAXED);
    return choice;
}

static int ${p}dispatch_index(void)
{
    const int known = __atomic_load_n(&${p}dispatch_chosen, __ATOMIC_RELAXED);
    return (known ? known : ${p}dispatch_choose()) - 1;
}

const char *${p}target(void)
{
    const int index = ${p}dispatch_index();
    return index < 0 ? "none" : ${p}dispatch_targets[index].name;
}

${entries}

#endif

