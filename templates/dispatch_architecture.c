#if ${guard}

static const struct {
    const char *name;
    int (*runs_here)(void);
} targets[] = {
${targets}
};

/* Index of the chosen target plus one; 0: not chosen yet, -1: none fits. */
static int chosen;

static int choose(void)
{
    const int count = (int)(sizeof targets / sizeof targets[0]);
    const char *most = getenv("NORMGEN_MAX_TARGET");
    int last = count, choice = -1;
    for (int i = 0; most && i < count; ++i) {
        if (strcmp(targets[i].name, most) == 0)
            last = i + 1;
    }
    for (int i = 0; i < last; ++i) {
        if (targets[i].runs_here())
            choice = i + 1;
    }
    __atomic_store_n(&chosen, choice, __ATOMIC_RELAXED);
    return choice;
}

static int target_index(void)
{
    const int known = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
    return (known ? known : choose()) - 1;
}

const char *${p}target(void)
{
    const int index = target_index();
    return index < 0 ? "none" : targets[index].name;
}

${entries}

#endif

