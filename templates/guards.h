#if !defined(NORMGEN_ALLOW_FAST_MATH)
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    defined(__NO_SIGNED_ZEROS__)
#error "these options change results; define NORMGEN_ALLOW_FAST_MATH to accept that"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ != 0
#error "-ffinite-math-only changes results; define NORMGEN_ALLOW_FAST_MATH to accept that"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "float arithmetic with excess precision changes results; define NORMGEN_ALLOW_FAST_MATH to accept that"
#endif
#endif
