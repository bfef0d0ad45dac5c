#if ${guard}
static int @runs_${name}(void)
{
    return ${condition};
}
#endif
