/* The norms of channels of plain.c for one dtype: DTYPE, ELEMENT. PASS is a part of their names; with ONE_PASS the
   variance is E[x^2] - E[x]^2. Each channel's mean and variance become a scale and a shift. */
#define WIDEN JOIN(widen_, DTYPE, , )
#define NARROW JOIN(narrow_, DTYPE, , )
#define MAP_NCHW JOIN(map_nchw, PASS, _, DTYPE)
#define MAP_NHWC JOIN(map_nhwc, PASS, _, DTYPE)
#define SCALE JOIN(scale, PASS, _, DTYPE)
#define MOMENTS JOIN(moments, PASS, _, DTYPE)
#define COLUMN_MOMENTS JOIN(column_moments, PASS, _, DTYPE)

static void MAP_NCHW(size_t channels, size_t positions, const ELEMENT *restrict x, const float *restrict scale,
                     const float *restrict shift, ELEMENT *restrict y)
{
    for (size_t k = 0; k < channels; k++)
        for (size_t p = 0; p < positions; p++)
            y[k * positions + p] = NARROW(WIDEN(x[k * positions + p]) * scale[k] + shift[k]);
}

static void MAP_NHWC(size_t positions, size_t channels, const ELEMENT *restrict x, const float *restrict scale,
                     const float *restrict shift, ELEMENT *restrict y)
{
    for (size_t p = 0; p < positions; p++)
        for (size_t k = 0; k < channels; k++)
            y[p * channels + k] = NARROW(WIDEN(x[p * channels + k]) * scale[k] + shift[k]);
}

static void SCALE(const bench_call *c, size_t channel, float mean, float variance, float *scale, float *shift)
{
    *scale = WIDEN(((const ELEMENT *)c->gamma)[channel]) / sqrtf(variance + c->eps);
    *shift = WIDEN(((const ELEMENT *)c->beta)[channel]) - mean * *scale;
}

/* Of values in segments, which begin `distance` apart. */
static void MOMENTS(size_t segments, size_t distance, size_t length, const ELEMENT *x, float *mean, float *variance)
{
    const accumulator count = (accumulator)(segments * length);
    accumulator total = 0, squares = 0;
    for (size_t s = 0; s < segments; s++)
        for (size_t i = 0; i < length; i++) {
            const float v = WIDEN(x[s * distance + i]);
            total += v;
#ifdef ONE_PASS
            squares += v * v;
#endif
        }
    const float m = (float)(total / count);
#ifdef ONE_PASS
    *variance = (float)(squares / count) - m * m;
#else
    for (size_t s = 0; s < segments; s++)
        for (size_t i = 0; i < length; i++) {
            const float d = WIDEN(x[s * distance + i]) - m;
            squares += d * d;
        }
    *variance = (float)(squares / count);
#endif
    *mean = m;
}

/* Of columns, `width` of which belong together. */
static void COLUMN_MOMENTS(size_t rows, size_t columns, size_t width, const ELEMENT *restrict x, float *restrict mean,
                           float *restrict variance)
{
    accumulator total[MAX_CHANNELS], squares[MAX_CHANNELS];
    for (size_t k = 0; k < columns; k++) total[k] = squares[k] = 0;
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < columns; k++) {
            const float v = WIDEN(x[r * columns + k]);
            total[k] += v;
#ifdef ONE_PASS
            squares[k] += v * v;
#endif
        }
    mean_of_groups(rows, columns, width, total, mean);
#ifdef ONE_PASS
    mean_of_groups(rows, columns, width, squares, variance);
    for (size_t k = 0; k < columns; k++) variance[k] -= mean[k] * mean[k];
#else
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < columns; k++) {
            const float d = WIDEN(x[r * columns + k]) - mean[k];
            squares[k] += d * d;
        }
    mean_of_groups(rows, columns, width, squares, variance);
#endif
}

static void JOIN(groupnorm, PASS, _, DTYPE)(const bench_call *c)
{
    const size_t channels = c->channels, positions = c->positions, width = channels / c->groups;
    float mean[MAX_CHANNELS], variance[MAX_CHANNELS], scale[MAX_CHANNELS], shift[MAX_CHANNELS];
    for (size_t r = 0; r < c->rows; r++) {
        const ELEMENT *x = (const ELEMENT *)c->x + r * channels * positions;
        ELEMENT *y = (ELEMENT *)c->y + r * channels * positions;
        if (c->layout == BENCH_NHWC) {
            COLUMN_MOMENTS(positions, channels, width, x, mean, variance);
            for (size_t k = 0; k < channels; k++) SCALE(c, k, mean[k], variance[k], &scale[k], &shift[k]);
            MAP_NHWC(positions, channels, x, scale, shift, y);
            continue;
        }
        for (size_t first = 0; first < channels; first += width) {
            const size_t at = first * positions;
            MOMENTS(1, 0, width * positions, x + at, mean, variance);
            for (size_t k = 0; k < width; k++) SCALE(c, first + k, *mean, *variance, &scale[k], &shift[k]);
            MAP_NCHW(width, positions, x + at, scale, shift, y + at);
        }
    }
}

static void JOIN(batchnorm, PASS, _, DTYPE)(const bench_call *c)
{
    const size_t rows = c->rows, channels = c->channels, positions = c->positions, distance = channels * positions;
    float mean[MAX_CHANNELS], variance[MAX_CHANNELS], scale[MAX_CHANNELS], shift[MAX_CHANNELS];
    const ELEMENT *x = c->x;
    ELEMENT *y = c->y;
    if (c->layout == BENCH_NHWC) COLUMN_MOMENTS(rows * positions, channels, 1, x, mean, variance);
    for (size_t k = 0; k < channels; k++) {
        const size_t at = k * positions;
        if (c->layout == BENCH_NCHW) MOMENTS(rows, distance, positions, x + at, &mean[k], &variance[k]);
        SCALE(c, k, mean[k], variance[k], &scale[k], &shift[k]);
        keep_statistics(c, k, mean[k], variance[k]);
        for (size_t r = 0; c->layout == BENCH_NCHW && r < rows; r++)
            MAP_NCHW(1, positions, x + r * distance + at, &scale[k], &shift[k], y + r * distance + at);
    }
    if (c->layout == BENCH_NHWC) MAP_NHWC(rows * positions, channels, x, scale, shift, y);
}

/* A tile of positions at a time. */
static void JOIN(layernorm_nchw, PASS, _, DTYPE)(const bench_call *c)
{
    const size_t channels = c->channels, positions = c->positions;
    for (size_t r = 0; r < c->rows; r++)
        for (size_t first = 0; first < positions; first += TILE) {
            const size_t count = positions - first < TILE ? positions - first : TILE;
            const ELEMENT *restrict x = (const ELEMENT *)c->x + r * channels * positions + first;
            ELEMENT *restrict y = (ELEMENT *)c->y + r * channels * positions + first;
            accumulator total[TILE] = {0}, squares[TILE] = {0};
            float mean[TILE], rstd[TILE];
            for (size_t k = 0; k < channels; k++)
                for (size_t p = 0; p < count; p++) {
                    const float v = WIDEN(x[k * positions + p]);
                    total[p] += v;
#ifdef ONE_PASS
                    squares[p] += v * v;
#endif
                }
            for (size_t p = 0; p < count; p++) mean[p] = (float)(total[p] / (accumulator)channels);
#ifndef ONE_PASS
            for (size_t k = 0; k < channels; k++)
                for (size_t p = 0; p < count; p++) {
                    const float d = WIDEN(x[k * positions + p]) - mean[p];
                    squares[p] += d * d;
                }
#endif
            for (size_t p = 0; p < count; p++) {
                float variance = (float)(squares[p] / (accumulator)channels);
#ifdef ONE_PASS
                variance -= mean[p] * mean[p];
#endif
                rstd[p] = 1 / sqrtf(variance + c->eps);
            }
            for (size_t k = 0; k < channels; k++) {
                const float gamma = WIDEN(((const ELEMENT *)c->gamma)[k]), beta = WIDEN(((const ELEMENT *)c->beta)[k]);
                for (size_t p = 0; p < count; p++)
                    y[k * positions + p] = NARROW((WIDEN(x[k * positions + p]) - mean[p]) * rstd[p] * gamma + beta);
            }
        }
}

#ifndef ONE_PASS
static void JOIN(batchnorm_infer, PASS, _, DTYPE)(const bench_call *c)
{
    const size_t rows = c->rows, channels = c->channels, positions = c->positions;
    float scale[MAX_CHANNELS], shift[MAX_CHANNELS];
    for (size_t k = 0; k < channels; k++) SCALE(c, k, c->mean[k], c->var[k], &scale[k], &shift[k]);
    if (c->layout == BENCH_NHWC) MAP_NHWC(rows * positions, channels, c->x, scale, shift, c->y);
    for (size_t r = 0; c->layout == BENCH_NCHW && r < rows; r++) {
        const size_t at = r * channels * positions;
        MAP_NCHW(channels, positions, (const ELEMENT *)c->x + at, scale, shift, (ELEMENT *)c->y + at);
    }
}
#endif

#undef WIDEN
#undef NARROW
#undef MAP_NCHW
#undef MAP_NHWC
#undef SCALE
#undef MOMENTS
#undef COLUMN_MOMENTS
