/* One loop over rows. SUM_ROW, if defined, is where the row of x + residual goes. */
static void JOIN(loop_, NORM, DTYPE, FUSION)(size_t rows, size_t h, const ELEMENT *restrict x,
                                             const ELEMENT *restrict residual, const ELEMENT *restrict gamma,
                                             const ELEMENT *restrict beta, float eps, ELEMENT *restrict y,
                                             ELEMENT *restrict sum)
{
#define WIDEN JOIN(widen_, DTYPE, , )
#define NARROW JOIN(narrow_, DTYPE, , )
#ifdef PLAIN_H
    h = PLAIN_H;
#endif
    for (size_t r = 0; r < rows; r++) {
        const ELEMENT *x_row = x + r * h;
        ELEMENT *y_row = y + r * h;
        accumulator total = 0, squares = 0;
#ifdef SUM_ROW
        const ELEMENT *residual_row = residual + r * h;
        ELEMENT *sum_row = sum + r * h;
        const ELEMENT *row = SUM_ROW;
#else
        const ELEMENT *row = x_row;
#endif
        for (size_t i = 0; i < h; i++) {
#ifdef SUM_ROW
            SUM_ROW[i] = NARROW(WIDEN(x_row[i]) + WIDEN(residual_row[i]));
#endif
            const float v = WIDEN(row[i]);
#ifdef CENTERED
            total += v;
#endif
#if !defined CENTERED || defined ONE_PASS
            squares += v * v;
#endif
        }
#ifdef CENTERED
        const float mean = (float)(total / (accumulator)h);
#ifdef ONE_PASS
        const float variance = (float)(squares / (accumulator)h) - mean * mean;
#else
        for (size_t i = 0; i < h; i++) {
            const float d = WIDEN(row[i]) - mean;
            squares += d * d;
        }
        const float variance = (float)(squares / (accumulator)h);
#endif
        const float rstd = 1 / sqrtf(variance + eps);
        for (size_t i = 0; i < h; i++)
            y_row[i] = NARROW((WIDEN(row[i]) - mean) * rstd * WIDEN(gamma[i]) + WIDEN(beta[i]));
#else
        const float rstd = 1 / sqrtf((float)(squares / (accumulator)h) + eps);
        for (size_t i = 0; i < h; i++) y_row[i] = NARROW(WIDEN(row[i]) * rstd * WIDEN(gamma[i]));
        (void)beta;
        (void)total;
#endif
#ifdef SUM_ROW
        (void)sum_row;
#endif
    }
    (void)residual;
    (void)sum;
#undef WIDEN
#undef NARROW
}
