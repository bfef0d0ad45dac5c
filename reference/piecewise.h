/* The activations that are straight or quadratic piece by piece, in the type of elements. docs/numerics.md, "Elementary
 * functions", says what each computes. */
#ifndef NG_REFERENCE_PIECEWISE_H
#define NG_REFERENCE_PIECEWISE_H

#include <math.h>

#include "real.h"

/* "clamp0(x), which is x < 0 ? 0 : x, so that NaN and -0 stay" */
static inline real ref_relu(real x)
{
    return x < 0 ? 0 : x;
}

/* "the smaller one of that and 6" */
static inline real ref_relu6(real x)
{
    return x > 6 ? 6 : ref_relu(x);
}

/* "a = max(-|x|, -3), and a sixth rounded to the type of elements" */
static inline real ref_hardswish(real x)
{
    const real sixth = (real)1 / 6;
    const real negative = -(real)fabs((double)x);
    const real a = negative < -3 ? -3 : negative;
    return real_fma((a + 3) * a, sixth, ref_relu(x));
}

#endif
