${linkage}void ${p}invoke_${name}_${target}(size_t rows, void *const *ptr, const ptrdiff_t *stride, const double *scalar)
{
    (void)stride, (void)scalar;
    ${symbol}(${call});
}

