/* The elementary functions of the contract, in f32. docs/numerics.md, "Elementary functions", says what each computes
 * step by step; this is that text, by hand. */
#ifndef NG_REFERENCE_ELEMENTARY_H
#define NG_REFERENCE_ELEMENTARY_H

typedef float ref_function(float x);

ref_function ref_exp, ref_sigmoid, ref_tanh, ref_silu, ref_gelu, ref_gelutanh, ref_softplus, ref_mish;

#endif
