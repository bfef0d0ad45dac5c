"""Kernels called with NumPy arrays, compared with the formula in NumPy and float64."""

import sys

import numpy
import ng_kernels


def report(name, ours, theirs, bound):
    difference = numpy.abs(ours - theirs).max()
    print(f"{name}: largest difference {difference:.1e}, bound {bound:.1e}")
    if not difference <= bound:
        sys.exit(1)


def to_bf16(values):
    """The upper half of f32, without rounding."""
    return (values.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)


def from_bf16(values):
    return (values.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)


def layernorm(kernels, random):
    x = random.normal(3, 1, (2, 5, 768)).astype(numpy.float32)
    gamma, beta = random.normal(1, 0.1, (2, 768)).astype(numpy.float32)
    y = kernels.layernorm_fwd_f32_h768(x, gamma, beta, 1e-5)

    wide = x.astype(numpy.float64)
    centred = wide - wide.mean(-1, keepdims=True)
    rstd = 1 / numpy.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    report("layernorm f32", y, centred * rstd * gamma + beta, 1e-5)


def rmsnorm(kernels, random):
    # The query's heads lie in rows of a matrix, beside those of key and value.
    heads = to_bf16(random.normal(0, 2, (32, 3 * 128)))
    query, gamma = heads[:, :128], to_bf16(random.uniform(0.5, 1.5, 128))
    y = kernels.rmsnorm_fwd_bf16_h128_strided(query, gamma, 1e-6)
    wide = from_bf16(query)
    expected = wide / numpy.sqrt((wide**2).mean(-1, keepdims=True) + 1e-6) * from_bf16(gamma)
    # Half a unit in the last of 8 bits.
    report("rmsnorm bf16", from_bf16(y), expected, 2**-8 * numpy.abs(expected).max())

    # In place: the query is overwritten, key and value are not.
    kernels.rmsnorm_fwd_bf16_h128_strided(query, gamma, 1e-6, query)
    report("rmsnorm bf16 in place", from_bf16(query), from_bf16(y), 0)


kernels = ng_kernels.load()
kernels.selftest()
random = numpy.random.default_rng(1)
layernorm(kernels, random)
rmsnorm(kernels, random)
