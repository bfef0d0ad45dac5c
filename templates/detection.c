#if ${guard}
static int runs_${target}(void)
{
    return ${condition};
}
#endif
