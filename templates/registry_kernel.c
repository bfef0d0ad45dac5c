static void invoke_${symbol}(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    (void)stride;
    ${symbol}(${call});
}

