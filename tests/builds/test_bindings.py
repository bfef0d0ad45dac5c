"""The arguments that the Python module of emit --bindings python takes and refuses.   test_bindings.py DIR

DIR holds ng_kernels.py and libng_kernels.so for the specs in bindings.sh. With torch, tensors are tested, too.
"""

import sys
import unittest

import numpy

sys.path.insert(0, sys.argv.pop(1))
import ng_kernels  # noqa: E402

try:
    import torch
except ImportError:
    torch = None

KERNELS = ng_kernels.load()
H = 96


def normed(x, gamma, eps):
    wide = x.astype(numpy.float64)
    return wide / numpy.sqrt((wide**2).mean(-1, keepdims=True) + eps) * gamma


class Channels(unittest.TestCase):
    def setUp(self):
        self.random = numpy.random.default_rng(7)

    def normal(self, *shape):
        return self.random.normal(size=shape).astype(numpy.float32)

    def test_groups_of_images(self):
        x, gamma, beta = self.normal(3, 6, 4, 7), self.normal(6), self.normal(6)
        y = KERNELS.groupnorm_fwd_f32_c6_g2_nchw(x, gamma, beta, 1e-5)
        groups = x.astype(numpy.float64).reshape(3, 2, -1)
        expected = (groups - groups.mean(-1, keepdims=True)) / numpy.sqrt(groups.var(-1, keepdims=True) + 1e-5)
        expected = expected.reshape(x.shape) * gamma[:, None, None] + beta[:, None, None]
        numpy.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-5)
        for shape in ((3, 6, 28), (3, 6, 2, 2, 7)):
            numpy.testing.assert_array_equal(KERNELS.groupnorm_fwd_f32_c6_g2_nchw(x.reshape(shape), gamma, beta, 1e-5), y.reshape(shape))
        self.assertEqual(KERNELS.groupnorm_fwd_f32_c6_g2_nchw(x[:, :, 0, 0].copy(), gamma, beta, 1e-5).shape, (3, 6))
        last = numpy.ascontiguousarray(numpy.moveaxis(x, 1, -1))
        of_groups = KERNELS.groupnorm_fwd_f32_c6_g2_nhwc_groupaffine(last, gamma[:2].copy(), beta[:2].copy(), 1e-5)
        expected = (expected - beta[:, None, None]) / gamma[:, None, None]
        expected = expected * numpy.repeat(gamma[:2], 3)[:, None, None] + numpy.repeat(beta[:2], 3)[:, None, None]
        numpy.testing.assert_allclose(numpy.moveaxis(of_groups, -1, 1), expected, rtol=1e-4, atol=1e-5)

    def test_shapes_of_images_are_checked(self):
        for shape in ((3, 5, 4), (6,)):
            with self.assertRaisesRegex(ValueError, r"x must have the shape \(rows, 6, positions\), not"):
                KERNELS.groupnorm_fwd_f32_c6_g2_nchw(self.normal(*shape), self.normal(6), self.normal(6), 1e-5)
        with self.assertRaisesRegex(ValueError, r"gamma must have the shape \(2,\), not \(6,\)"):
            KERNELS.groupnorm_fwd_f32_c6_g2_nhwc_groupaffine(self.normal(3, 4, 6), self.normal(6), self.normal(2), 1e-5)

    def test_running_statistics_are_updated(self):
        x, gamma, beta = self.normal(3, 4, 7, 5), numpy.ones(5, numpy.float32), numpy.zeros(5, numpy.float32)
        running_mean, running_var = numpy.zeros(5, numpy.float32), numpy.ones(5, numpy.float32)
        y, mean, rstd = KERNELS.batchnorm_fwd_f32_c5_nhwc(
            x, gamma, beta, 0.25, 1e-5, running_mean=running_mean, running_var=running_var
        )
        wide = x.astype(numpy.float64).reshape(-1, 5)
        numpy.testing.assert_allclose(mean, wide.mean(0), atol=1e-6)
        numpy.testing.assert_allclose(running_mean, 0.25 * wide.mean(0), atol=1e-6)
        numpy.testing.assert_allclose(running_var, 0.75 + 0.25 * wide.var(0, ddof=1), rtol=1e-5)
        numpy.testing.assert_allclose(y.reshape(-1, 5), (wide - wide.mean(0)) * rstd, rtol=1e-4, atol=1e-5)
        with self.assertRaisesRegex(TypeError, "running_mean must be an array, not NoneType"):
            KERNELS.batchnorm_fwd_f32_c5_nhwc(x, gamma, beta, 0.25, 1e-5)
        running_var.flags.writeable = False
        with self.assertRaisesRegex(ValueError, "running_var is read-only"):
            KERNELS.batchnorm_fwd_f32_c5_nhwc(x, gamma, beta, 0.25, 1e-5, None, None, None, running_mean, running_var)

    def test_chunks_are_made_and_merged(self):
        for rows, positions, chunks in ((70, 9, 2), (3, 130, 1), (2, 5000, 4), (0, 9, 0)):
            x = self.normal(rows, 5, positions)
            parts = KERNELS.batchnorm_stats_f32_c5_nchw(x)
            self.assertEqual([part.shape for part in parts], [(chunks, 5)] * 3)
            if rows == 0:
                continue
            running = numpy.zeros(5, numpy.float32), numpy.ones(5, numpy.float32)
            results = KERNELS.batchnorm_merge_f32_c5_nchw(rows, positions, *parts, 0.25, 1e-5, None, None, None, *running)
            wide = x.astype(numpy.float64)
            numpy.testing.assert_allclose(results[0] + results[1], wide.mean((0, 2)), atol=1e-5)
            numpy.testing.assert_allclose(results[2], 1 / numpy.sqrt(wide.var((0, 2)) + 1e-5), rtol=1e-5)
        with self.assertRaisesRegex(ValueError, r"part_mean must have the shape \(2, 5\), not \(4, 5\)"):
            KERNELS.batchnorm_merge_f32_c5_nchw(70, 9, *[self.normal(4, 5)] * 3, 0.25, 1e-5, None, None, None, *running)
        with self.assertRaisesRegex(TypeError, "rows must be a whole number from 0 on, not 1.5"):
            KERNELS.batchnorm_merge_f32_c5_nchw(1.5, 9, *parts, 0.25, 1e-5, None, None, None, *running)

    def test_rows_follow_from_other_arrays_than_x(self):
        gamma, beta, mean, var = self.normal(2, 5), self.normal(2, 5), self.normal(2, 5), self.normal(2, 5) ** 2
        a, b = KERNELS.batchnorm_foldstats_f32_c5(gamma, beta, mean, var, 1e-5)
        numpy.testing.assert_allclose(a, gamma / numpy.sqrt(var + 1e-5), rtol=1e-5)
        numpy.testing.assert_allclose(b, beta - mean * a, rtol=1e-4, atol=1e-4)
        parts = self.normal(3, 4), self.normal(3, 4), self.normal(3, 4) ** 2
        outputs = KERNELS.layernorm_merge_f32_h96_shards3(*parts, 1e-5)
        self.assertEqual([output.shape for output in outputs], [(4,)] * 3)

    def test_batches_share_modulation(self):
        x, scale, shift = self.normal(6, 96), self.normal(2, 96), self.normal(2, 96)
        y = KERNELS.layernorm_fwd_f32_h96_mod(4, x, scale, shift, 1e-5)
        for row in range(6):
            batch = slice(row // 4, row // 4 + 1)
            alone = KERNELS.layernorm_fwd_f32_h96_mod(1, x[row], scale[batch], shift[batch], 1e-5)
            numpy.testing.assert_array_equal(y[row], alone)

    def test_quantised_rows(self):
        x, gamma = self.normal(6, 96), numpy.ones(96, numpy.float32)
        y, scale = KERNELS.rmsnorm_fwd_f32_ys8_h96_qrow(x, gamma, 1e-5)
        self.assertEqual((y.dtype, scale.shape), (numpy.int8, (6,)))
        numpy.testing.assert_allclose(y * scale[:, None], normed(x, gamma, 1e-5), atol=0.51 * scale.max())

    @unittest.skipIf(torch is None, "no torch")
    def test_operators(self):
        KERNELS.register_torch("channels")
        x, one = torch.randn(3, 4, 5), torch.ones(5)
        running_mean, running_var = torch.zeros(5), torch.ones(5)
        outputs = torch.ops.channels.batchnorm_fwd_f32_c5_nhwc(x, one, one, 0.25, 1e-5, running_mean, running_var)
        self.assertEqual([tuple(output.shape) for output in outputs], [(3, 4, 5), (5,), (5,)])
        torch.testing.assert_close(running_mean, 0.25 * x.mean((0, 1)))


class Arrays(unittest.TestCase):
    def setUp(self):
        random = numpy.random.default_rng(5)
        self.x = random.normal(size=(6, H)).astype(numpy.float32)
        self.residual = random.normal(size=(6, H)).astype(numpy.float32)
        self.gamma = random.normal(size=H).astype(numpy.float32)

    def plain(self, **named):
        values = dict(zip(("x", "gamma", "eps", "y"), (self.x, self.gamma, 1e-5, None)), **named)
        return KERNELS.rmsnorm_fwd_f32_h96(*values.values())

    def refuses(self, error, text, call, *arguments, **named):
        with self.assertRaises(error) as caught:
            call(*arguments, **named)
        self.assertIn(text, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_outputs_are_made_or_filled(self):
        expected = normed(self.x, self.gamma, 1e-5)
        y = self.plain()
        self.assertEqual(y.dtype, numpy.float32)
        numpy.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)
        given = numpy.zeros_like(self.x)
        self.assertIs(self.plain(y=given), given)
        numpy.testing.assert_array_equal(given, y)

    def test_leading_axes_are_rows(self):
        y = self.plain()
        for shape in ((2, 3, H), (6, 1, H), (1, 6, H)):
            numpy.testing.assert_array_equal(self.plain(x=self.x.reshape(shape)), y.reshape(shape))
        numpy.testing.assert_array_equal(self.plain(x=self.x[2]), y[2])
        self.assertEqual(self.plain(x=self.x[:0]).shape, (0, H))

    def test_several_outputs_are_a_tuple(self):
        y, total, mean, rstd = KERNELS.layernorm_fwd_f32_h96_addout_nobeta_stats(self.x, self.residual, self.gamma, 1e-5)
        numpy.testing.assert_array_equal(total, self.x + self.residual)
        numpy.testing.assert_allclose(mean, total.astype(numpy.float64).mean(-1), atol=1e-6)
        self.assertEqual((y.shape, mean.shape, rstd.shape), (self.x.shape, (6,), (6,)))

    def test_batches(self):
        scale, shift = (numpy.stack([self.gamma * k for k in (1, 2)]) for _ in range(2))
        y = KERNELS.layernorm_fwd_f32_h96_mod(4, self.x, scale, shift, 1e-5)
        centred = self.x - self.x.astype(numpy.float64).mean(-1, keepdims=True)
        expected = normed(centred, 1, 1e-5)
        batch = numpy.array([0, 0, 0, 0, 1, 1])
        numpy.testing.assert_allclose(y, expected * (1 + scale[batch]) + shift[batch], rtol=1e-4, atol=1e-5)
        self.refuses(ValueError, "scale must have the shape (3, 96)", KERNELS.layernorm_fwd_f32_h96_mod, 2, self.x, scale, shift, 1e-5)
        self.refuses(ValueError, "from 1 on", KERNELS.layernorm_fwd_f32_h96_mod, 0, self.x, scale, shift, 1e-5)

    def test_heads(self):
        x, gamma = self.x.reshape(6, 4, 24), self.gamma.reshape(4, 24)
        expected = normed(x, gamma, 1e-5)
        numpy.testing.assert_allclose(KERNELS.rmsnorm_fwd_f32_h96_heads4_strided(x, gamma, 1e-5), expected, rtol=1e-4, atol=1e-6)
        apart = numpy.ascontiguousarray(x.transpose(1, 0, 2)).transpose(1, 0, 2)
        wide = numpy.zeros((6, 7, 30), numpy.float32)[:, 1:5, 3:27]
        y = KERNELS.rmsnorm_fwd_f32_h96_heads4_strided(apart, gamma, 1e-5, wide)
        numpy.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-6)
        self.refuses(ValueError, "x must have the shape (rows, 4, 24)", KERNELS.rmsnorm_fwd_f32_h96_heads4_strided, self.x, gamma, 1e-5)

    def test_quantised(self):
        y, scale = KERNELS.rmsnorm_fwd_f32_ys8_h96_qrow(self.x, self.gamma, 1e-5)
        self.assertEqual((y.dtype, scale.shape), (numpy.int8, (6,)))
        expected = normed(self.x, self.gamma, 1e-5)
        numpy.testing.assert_allclose(y * scale[:, None], expected, atol=scale.max() * 0.51)

    def test_halves(self):
        x, gamma = self.x.astype(numpy.float16), self.gamma.astype(numpy.float16)
        y = KERNELS.rmsnorm_fwd_f16_h96(x, gamma, 1e-5)
        self.assertEqual(y.dtype, numpy.float16)
        numpy.testing.assert_allclose(y, normed(x, gamma.astype(numpy.float64), 1e-5), rtol=2**-10, atol=1e-6)
        bits = KERNELS.rmsnorm_fwd_f16_h96(x.view(numpy.uint16), gamma.view(numpy.uint16), 1e-5)
        self.assertEqual(bits.dtype, numpy.uint16)
        numpy.testing.assert_array_equal(bits, y.view(numpy.uint16))

    def test_strides_follow_from_arrays(self):
        wide = numpy.arange(6 * 3 * H, dtype=numpy.uint16).reshape(6, 3 * H) // 8 + 0x3F00
        middle, gamma = wide[:, H : 2 * H], wide[0, :H].copy()
        expected = KERNELS.rmsnorm_fwd_bf16_h96_strided(middle.copy(), gamma, 1e-5)
        numpy.testing.assert_array_equal(KERNELS.rmsnorm_fwd_bf16_h96_strided(middle, gamma, 1e-5), expected)
        numpy.testing.assert_array_equal(KERNELS.rmsnorm_fwd_bf16_h96_strided(middle[::-1], gamma, 1e-5), expected[::-1])
        numpy.testing.assert_array_equal(KERNELS.rmsnorm_fwd_bf16_h96_strided(middle[::2], gamma, 1e-5), expected[::2])
        # The output beside the input in one matrix, and in its place.
        outer = wide.copy()
        KERNELS.rmsnorm_fwd_bf16_h96_strided(outer[:, H : 2 * H], gamma, 1e-5, outer[:, 2 * H :])
        numpy.testing.assert_array_equal(outer[:, 2 * H :], expected)
        numpy.testing.assert_array_equal(outer[:, : 2 * H], wide[:, : 2 * H])
        KERNELS.rmsnorm_fwd_bf16_h96_strided(middle, gamma, 1e-5, middle)
        numpy.testing.assert_array_equal(middle, expected)

    def test_strided_arrays_that_do_not_fit(self):
        matrix = numpy.zeros((8, 2 * H), numpy.uint16)
        gamma, kernel = matrix[0, :H].copy(), KERNELS.rmsnorm_fwd_bf16_h96_strided
        self.refuses(ValueError, "adjacent elements", kernel, matrix[:, ::2], gamma, 1e-5)
        cube = numpy.zeros((3, 4, 3 * H), numpy.uint16)[:, :3, :H]
        self.refuses(ValueError, "x must have rows at equal distances", kernel, cube, gamma, 1e-5)
        overlapping = numpy.lib.stride_tricks.as_strided(matrix, (4, H), (2 * (H - 1), 2))
        self.refuses(ValueError, "rows that overlap", kernel, overlapping, gamma, 1e-5)
        self.refuses(ValueError, "y must not overlap x", kernel, matrix[::2, :H], gamma, 1e-5, matrix[:4, :H])
        self.refuses(ValueError, "gamma must be C-contiguous", kernel, matrix[:, :H], matrix[0, ::2], 1e-5)

    def test_kinds(self):
        self.refuses(TypeError, "rmsnorm_fwd_f32_h96: x must be an array, not list", self.plain, x=[1.0] * H)
        self.refuses(TypeError, "gamma must be an array, not NoneType", self.plain, gamma=None)
        self.refuses(TypeError, "must have dtype float32, not <f8 (float64)", self.plain, x=self.x.astype(numpy.float64))
        self.refuses(TypeError, "not >f4", self.plain, x=self.x.astype(">f4"))
        self.refuses(TypeError, "eps must be a number, not str", self.plain, eps="1e-5")
        self.refuses(TypeError, "dtype uint16 or bfloat16", KERNELS.rmsnorm_fwd_bf16_h96_strided, self.x, self.gamma, 1e-5)

    def test_shapes(self):
        self.refuses(ValueError, "rows of 96 elements, not the shape (6, 95)", self.plain, x=self.x[:, :95].copy())
        self.refuses(ValueError, "not the shape ()", self.plain, x=numpy.array(1, numpy.float32))
        self.refuses(ValueError, "gamma must have the shape (96,), not (1, 96)", self.plain, gamma=self.gamma[None])
        self.refuses(ValueError, "y must have the shape (6, 96), not (5, 96)", self.plain, y=self.x[:5].copy())
        statistics = KERNELS.layernorm_fwd_f32_h96_addout_nobeta_stats
        self.refuses(ValueError, "rstd must have the shape (6,), not (5,)", statistics, self.x, self.residual, self.gamma, 1e-5,
            None, None, None, self.gamma[:5].copy())

    def test_memory(self):
        self.refuses(ValueError, "x must be C-contiguous", self.plain, x=numpy.asfortranarray(self.x))
        self.refuses(ValueError, "x must be C-contiguous", self.plain, x=self.x[::2])
        fixed = self.x.copy()
        fixed.flags.writeable = False
        self.plain(x=fixed)
        self.refuses(ValueError, "y is read-only", self.plain, y=fixed)
        shifted = numpy.zeros(4 * H + 1, numpy.uint8)[1:].view(numpy.float32)
        self.refuses(ValueError, "gamma is not aligned", self.plain, gamma=shifted)

    def test_aliases(self):
        expected = self.plain()
        in_place = self.x.copy()
        numpy.testing.assert_array_equal(self.plain(x=in_place, y=in_place), expected)
        buffer = numpy.zeros((7, H), numpy.float32)
        self.refuses(ValueError, "y must not overlap x", self.plain, x=buffer[:6], y=buffer[1:])
        self.refuses(ValueError, "y must not overlap gamma", self.plain, gamma=buffer[0], y=buffer[:6])
        add = KERNELS.rmsnorm_fwd_f32_h96_add
        expected = add(self.x, self.residual, self.gamma, 1e-5)
        residual = self.residual.copy()
        numpy.testing.assert_array_equal(add(self.x, residual, self.gamma, 1e-5, residual), expected)
        addout = KERNELS.layernorm_fwd_f32_h96_addout_nobeta_stats
        expected = addout(self.x, self.residual, self.gamma, 1e-5)
        x, residual = self.x.copy(), self.residual.copy()
        for got, wanted in zip(addout(x, residual, self.gamma, 1e-5, x, residual), expected):
            numpy.testing.assert_array_equal(got, wanted)
        self.refuses(ValueError, "y must not overlap residual", addout, self.x, residual, self.gamma, 1e-5, residual)
        self.refuses(ValueError, "y must not overlap sum", addout, x, self.residual, self.gamma, 1e-5, x, x)

    def test_aliases_of_other_sizes(self):
        memory = numpy.zeros((6, H), numpy.float32)
        narrow = memory.reshape(-1).view(numpy.uint16)[: 6 * H].reshape(6, H)
        self.refuses(ValueError, "y must not overlap x", KERNELS.rmsnorm_fwd_f32_ybf16_h96, memory, self.gamma, 1e-5, narrow)

    def test_library(self):
        KERNELS.selftest()
        self.refuses(RuntimeError, "no kernel of this name", KERNELS._call, "rmsnorm_fwd_f32_h97")
        self.refuses(OSError, "nowhere.so", ng_kernels.load, "nowhere.so")
        self.assertEqual(ng_kernels.SITES["tiny"]["norm"], ("rmsnorm_fwd_f32_h96", 1e-6))


@unittest.skipUnless(torch, "torch is not installed")
class Tensors(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(5)
        self.x, self.gamma = torch.randn(6, H), torch.randn(H)

    def test_tensors_and_arrays_give_the_same_bits(self):
        y = KERNELS.rmsnorm_fwd_f32_h96(self.x, self.gamma, 1e-5)
        self.assertIsInstance(y, torch.Tensor)
        numpy.testing.assert_array_equal(y.numpy(), KERNELS.rmsnorm_fwd_f32_h96(self.x.numpy(), self.gamma.numpy(), 1e-5))

    def test_bfloat16(self):
        x, gamma = self.x.bfloat16(), self.gamma.bfloat16()
        y = KERNELS.rmsnorm_fwd_bf16_h96_strided(x[::2], gamma, 1e-5)
        self.assertEqual(y.dtype, torch.bfloat16)
        torch.testing.assert_close(y, torch.rms_norm(x[::2].float(), (H,), gamma.float(), 1e-5).bfloat16(), rtol=2**-7, atol=0)

    def test_tensors_that_do_not_fit(self):
        kernel = KERNELS.rmsnorm_fwd_f32_h96
        for text, error, x in (
            ("dtype torch.float32, not torch.float64", TypeError, self.x.double()),
            ("plain tensor on the CPU", TypeError, self.x.to("meta")),
            ("plain tensor on the CPU", TypeError, self.x.to_sparse()),
            ("C-contiguous", ValueError, self.x[::2]),
            ("requires a gradient", ValueError, self.x.clone().requires_grad_()),
        ):
            with self.assertRaisesRegex(error, text):
                kernel(x, self.gamma, 1e-5)

    def test_operators(self):
        KERNELS.register_torch("ng_test")
        operator = torch.ops.ng_test.rmsnorm_fwd_f32_h96
        expected = KERNELS.rmsnorm_fwd_f32_h96(self.x, self.gamma, 1e-5)
        torch.testing.assert_close(operator(self.x, self.gamma, 1e-5), expected, rtol=0, atol=0)
        torch.library.opcheck(operator, (self.x, self.gamma, 1e-5))
        torch.library.opcheck(torch.ops.ng_test.layernorm_fwd_f32_h96_addout_nobeta_stats, (self.x, self.x + 1, self.gamma, 1e-5))


if __name__ == "__main__":
    unittest.main()
