"""Layers and examples as arrays: the same numbers as NumPy's, and no copies where none are promised."""
import os
import pickle
import tempfile
import types
import unittest

import numpy as np

import hardhead as hh

try:
    import torch
except ImportError:
    torch = None


def forward(theta, w, x):
    logits = np.einsum("nra,iab,njb->inrj", x, theta, x, optimize=True)
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return np.einsum("inrj,nja,iab->nrb", p, x, w, optimize=True)


class Layers(unittest.TestCase):
    def setUp(self):
        numbers = np.random.default_rng(1)
        self.theta, self.w = numbers.normal(size=(2, 3, 5, 5)) / 5
        self.x = numbers.normal(size=(200, 4, 5))
        self.layer = hh.Layer(self.theta, self.w)

    def test_a_network_behind_the_heads_is_applied_and_pickled(self):
        numbers = np.random.default_rng(2)
        a, b = numbers.normal(size=(7, 5)), numbers.normal(size=(5, 7))
        bias, out_bias = numbers.normal(size=7), numbers.normal(size=5)
        for residual in (False, True):
            block = hh.Layer(self.theta, self.w, (a, bias, b, out_bias, residual))
            u = forward(self.theta, self.w, self.x) + residual * self.x
            expected = residual * u + np.maximum(u @ a.T + bias, 0) @ b.T + out_bias
            np.testing.assert_allclose(block(self.x), expected, atol=1e-12)
            again = pickle.loads(pickle.dumps(block))
            self.assertEqual(again.digest, block.digest)
            self.assertNotEqual(again.digest, self.layer.digest)
        self.assertIsNone(self.layer.network)
        with self.assertRaisesRegex(hh.InputError, "network: in_bias is 3 x 1"):
            hh.Layer(self.theta, self.w, (a, bias[:3], b, out_bias, True))
        with self.assertRaisesRegex(hh.InputError, "a tuple"):
            hh.Layer(self.theta, self.w, 3)

    def test_arrays_come_back(self):
        self.assertEqual((self.layer.m, self.layer.d, repr(self.layer)), (3, 5, "Layer(m=3, d=5)"))
        np.testing.assert_array_equal(self.layer.theta, self.theta)
        np.testing.assert_array_equal(self.layer.heads[2].w, self.w[2])

    def test_heads_are_seen_where_they_lie_and_outlive_their_layer(self):
        one, other = self.layer.heads[0].theta, self.layer.heads[0].theta
        self.assertTrue(np.shares_memory(one, other))
        self.assertFalse(one.flags.writeable)
        del self.layer
        np.testing.assert_array_equal(one, self.theta[0])

    def test_the_forward_pass_is_numpys(self):
        y = self.layer(self.x)
        self.assertLess(np.abs(y - forward(self.theta, self.w, self.x)).max(), 1e-13)
        np.testing.assert_array_equal(self.layer(np.asfortranarray(self.x)), y)
        np.testing.assert_array_equal(self.layer(self.x[50:150:3]), y[50:150:3])

    def test_what_is_no_layer_is_refused_by_shape_or_entry(self):
        with self.assertRaisesRegex(hh.InputError, r"theta has shape \(3, 5\)"):
            hh.Layer(self.theta[0][:3], self.w)
        with self.assertRaisesRegex(hh.InputError, r"w has shape \(2, 5, 5\)"):
            hh.Layer(self.theta, self.w[:2])
        self.w[1, 2, 3] = np.nan
        with self.assertRaisesRegex(hh.InputError, r"head 1: w\[2,3\] is nan"):
            hh.Layer(self.theta, self.w)
        with self.assertRaisesRegex(hh.InputError, "d = 5"):
            self.layer(self.x[:, :, :4])

    def test_a_layer_is_saved_and_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layer.safetensors")
            self.layer.save(path, tokens=4, inputs="gaussian")
            self.assertEqual(hh.Layer.load(path).digest, self.layer.digest)
            self.assertEqual(hh.certify(path).k, 4)
        with self.assertRaises(hh.InputError):
            hh.Layer.load(path)


class Tensor:
    """Behaves as a torch tensor that is detached, moved to the CPU and converted."""

    def __init__(self, array):
        self.array = array

    def numpy(self):
        return self.array

    detach = cpu = double = lambda self: self


def a_module(numbers, d, heads):
    """Has the attributes of a torch.nn.MultiheadAttention with biases."""
    out_proj = types.SimpleNamespace(weight=Tensor(numbers.normal(size=(d, d))), bias=Tensor(numbers.normal(size=d)))
    return types.SimpleNamespace(in_proj_weight=Tensor(numbers.normal(size=(3 * d, d)) / 2), in_proj_bias=Tensor(numbers.normal(size=3 * d)),
                                 out_proj=out_proj, bias_k=None, bias_v=None, add_zero_attn=False, num_heads=heads, embed_dim=d, kdim=d, vdim=d)


class MultiheadAttention(unittest.TestCase):
    def test_weights_multiply_out_as_defined(self):
        numbers = np.random.default_rng(2)
        d, m = 6, 3
        in_proj, out_proj = numbers.normal(size=(3 * d, d)), numbers.normal(size=(d, d))
        layer = hh.Layer.from_multihead_attention(in_proj, out_proj, m)
        q, k, v = in_proj.reshape(3, m, d // m, d)
        for i in range(m):
            np.testing.assert_allclose(layer.theta[i], q[i].T @ k[i] / np.sqrt(d // m), rtol=0, atol=1e-14)
            np.testing.assert_allclose(layer.w[i], v[i].T @ out_proj[:, 2 * i : 2 * i + 2].T, rtol=0, atol=1e-14)

    def test_biases_are_a_constant_feature(self):
        module = a_module(np.random.default_rng(4), d=6, heads=3)
        layer = hh.Layer.from_torch(module)
        self.assertEqual((layer.d, layer.m), (7, 3))
        arrays = [tensor.array for tensor in (module.in_proj_weight, module.out_proj.weight, module.in_proj_bias, module.out_proj.bias)]
        again = hh.Layer.from_multihead_attention(arrays[0], arrays[1], 3, arrays[2], arrays[3])
        self.assertEqual(layer.digest, again.digest)
        x = np.random.default_rng(5).normal(size=(20, 4, 6))
        q, k, v = ((x @ w.T + b).reshape(20, 4, 3, 2) for w, b in zip(np.split(arrays[0], 3), np.split(arrays[2], 3)))
        p = np.exp(np.einsum("nrhl,njhl->nhrj", q, k) / np.sqrt(2))
        p /= p.sum(axis=-1, keepdims=True)
        y = np.einsum("nhrj,njhl->nrhl", p, v).reshape(20, 4, 6) @ arrays[1].T + arrays[3]
        found = layer(np.concatenate([x, np.ones((20, 4, 1))], axis=2))
        self.assertLess(np.abs(found[..., :6] - y).max(), 1e-12)
        self.assertEqual(np.abs(found[..., 6]).max(), 0)
        self.assertEqual(layer.canonical_form(3, inputs="gaussian+1").m, 3)

    def test_a_module_with_biases_is_learnt_from_its_examples(self):
        layer = hh.Layer.from_torch(a_module(np.random.default_rng(6), d=4, heads=2))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "layer.safetensors")
            layer.save(path, tokens=3, inputs="gaussian+1")
            result = hh.learn(path, "gauss-newton", heads=2, examples=3000)
        self.assertTrue(result.recovered)
        self.assertLess(result.test_error, 1e-20)
        self.assertLess(max(result.parameter_error.theta_error + result.parameter_error.w_error), 1e-8)
        match = hh.match_heads(layer, result.layer, 3, inputs="gaussian+1")
        self.assertEqual(match.theta_error, result.parameter_error.theta_error)

    def test_what_a_layer_of_heads_has_no_place_for_is_refused_by_name(self):
        for change, said in [(dict(bias_k=1), "bias_k"), (dict(add_zero_attn=True), "add_zero_attn"),
                             (dict(in_proj_weight=None, kdim=4, vdim=6), "kdim = 4, vdim = 6")]:
            module = a_module(np.random.default_rng(4), d=6, heads=3)
            vars(module).update(change)
            with self.assertRaisesRegex(hh.InputError, said):
                hh.Layer.from_torch(module)
        with self.assertRaisesRegex(hh.InputError, "a dict is no torch.nn.MultiheadAttention"):
            hh.Layer.from_torch({})

    @unittest.skipIf(torch is None, "PyTorch is missing")
    def test_pytorch_with_biases_computes_the_same(self):
        torch.manual_seed(3)
        attention = torch.nn.MultiheadAttention(12, 3, batch_first=True).double()
        for bias in (attention.in_proj_bias, attention.out_proj.bias):
            torch.nn.init.normal_(bias)
        x = torch.randn(50, 4, 12, dtype=torch.float64)
        y = attention(x, x, x, need_weights=False)[0].detach().numpy()
        found = hh.Layer.from_torch(attention)(np.concatenate([x.numpy(), np.ones((50, 4, 1))], axis=2))
        self.assertLess(np.abs(found[..., :12] - y).max(), 1e-12)
        for dtype in (torch.float32, torch.bfloat16):
            self.assertEqual(hh.Layer.from_torch(attention.to(dtype)).d, 13)

    @unittest.skipIf(torch is None, "PyTorch is missing")
    def test_tensors_are_taken_as_they_are(self):
        attention = torch.nn.MultiheadAttention(8, 2)  # single precision, with gradients
        weights = attention.in_proj_weight, attention.out_proj.weight, 2, attention.in_proj_bias, attention.out_proj.bias
        layer = hh.Layer.from_multihead_attention(*weights)
        self.assertEqual(layer.digest, hh.Layer.from_torch(attention).digest)
        theta = torch.randn(2, 5, 5, dtype=torch.bfloat16, requires_grad=True)
        made = hh.Layer(theta, theta)
        np.testing.assert_array_equal(made.theta, theta.detach().double().numpy())
        x = torch.randn(3, 4, 5, dtype=torch.float16, requires_grad=True)
        np.testing.assert_array_equal(made(x), made(x.detach().double().numpy()))

    def test_what_speaks_dlpack_is_an_array(self):
        class Elsewhere:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **_):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        theta = np.random.default_rng(3).normal(size=(2, 5, 5))
        self.assertEqual(hh.Layer(Elsewhere(theta), theta).digest, hh.Layer(theta, theta).digest)

    def test_what_is_no_array_is_said_in_plain_words(self):
        with self.assertRaisesRegex(hh.InputError, "^theta is a str: an array of numbers is expected$"):
            hh.Layer("theta", np.ones((1, 2, 2)))
        with self.assertRaisesRegex(hh.InputError, "^in_proj_weight is a dict: an array of numbers is expected$"):
            hh.Layer.from_multihead_attention({}, np.ones((2, 2)), 1)

    def test_shapes_that_do_not_fit_are_named(self):
        good = np.ones((12, 4)), np.ones((4, 4)), 2
        for wrong, said in [((good[0][:8], good[1], 2), "in_proj_weight is 8 x 4"), ((good[0], good[0], 2), "out_proj_weight is 12 x 4"),
                            ((good[0], good[1], 3), "3 heads"), ((good[0], good[1], 0), "0 heads"), ((good[0] * np.inf, good[1], 2), "nan|inf")]:
            with self.assertRaisesRegex(hh.InputError, said):
                hh.Layer.from_multihead_attention(*wrong)

    @unittest.skipIf(torch is None, "PyTorch is missing")
    def test_pytorch_computes_the_same(self):
        torch.manual_seed(3)
        attention = torch.nn.MultiheadAttention(12, 3, bias=False, batch_first=True).double()
        x = torch.randn(50, 4, 12, dtype=torch.float64)
        y = attention(x, x, x, need_weights=False)[0].detach().numpy()
        layer = hh.Layer.from_multihead_attention(attention.in_proj_weight.detach(), attention.out_proj.weight.detach(), 3)
        self.assertLess(np.abs(layer(x) - y).max(), 1e-13)


class Samples(unittest.TestCase):
    def test_an_instances_examples_are_its_layers(self):
        instance = hh.Instance("nice:d=8,k=3,m=2,inputs=gaussian")
        samples = instance.samples(seed=4)
        x, y = samples.read(0, 1000)
        self.assertTrue(x.flags.c_contiguous)
        self.assertEqual(x.shape, (1000, 3, 8))
        np.testing.assert_array_equal(instance.layer(x), y)
        for again, whole in zip(samples.read(500, 7), (x, y)):
            np.testing.assert_array_equal(again, whole[500:507])

    def test_a_block_is_the_same_numbers_without_a_copy(self):
        samples = hh.Instance("nice:d=8,k=3").samples()
        (x, y), (block_x, block_y) = samples.read(10, 300), samples.block(10, 300)
        np.testing.assert_array_equal(block_x, x)
        np.testing.assert_array_equal(block_y, y)
        self.assertEqual(block_x.strides, (8, 8 * 300, 8 * 300 * 3))
        self.assertIsNotNone(block_x.base)

    def test_arrays_are_read_where_they_lie_whatever_their_strides(self):
        x, y = hh.Instance("nice:d=8,k=3").samples().read(0, 400)
        for other_x, other_y in [(x[::-2], y[::-2]), (np.asfortranarray(x), y), (x.astype(np.int8), y)]:
            samples = hh.Samples(other_x, other_y)
            self.assertEqual((samples.size, samples.inputs), (len(other_x), "boolean"))
            back_x, back_y = samples.read(0, samples.size)
            np.testing.assert_array_equal(back_x, other_x)
            np.testing.assert_array_equal(back_y, other_y)
        y[7] = 0  # the source sees it: it made no copy
        np.testing.assert_array_equal(hh.Samples(x, y).read(7, 1)[1], np.zeros((1, 3, 8)))

    def test_changes_are_seen_by_a_source_that_is_there(self):
        x, y = hh.Instance("nice:d=8,k=3").samples().read(0, 10)
        samples = hh.Samples(x, y)
        y[3, 2, 1] = 17
        self.assertEqual(samples.read(3, 1)[1][0, 2, 1], 17)

    def test_arrays_that_do_not_fit_are_refused_by_place(self):
        x, y = hh.Instance("nice:d=8,k=3").samples().read(0, 10)
        with self.assertRaisesRegex(hh.InputError, r"x is \[9, 3, 8\] and y is \[10, 3, 8\]"):
            hh.Samples(x[:9], y)
        with self.assertRaisesRegex(hh.InputError, r"y has shape \(3, 8\)"):
            hh.Samples(x, y[0])
        with self.assertRaisesRegex(hh.InputError, r"x\[0,0,0\] is 2, but Boolean inputs are \+-1"):
            hh.Samples(2 * np.abs(x), y, inputs="boolean")
        y[4, 2, 1] = np.inf
        with self.assertRaisesRegex(hh.InputError, r"y\[4,2,1\] is inf"):
            hh.Samples(x, y)
        with self.assertRaisesRegex(hh.InputError, "extent of 0"):
            hh.Samples(x[:0], y[:0])

    def test_what_is_no_array_of_numbers_is_refused(self):
        for wrong in [np.array([[["a"]]]), "x", object()]:
            with self.assertRaisesRegex(hh.InputError, f"^x is a {type(wrong).__name__}: an array of numbers is expected$"):
                hh.Samples(wrong, np.zeros((1, 1, 1)))

    def test_ranges_are_checked(self):
        x, y = hh.Instance("nice:d=8,k=3").samples().read(0, 10)
        for first, count in [(0, 11), (10, 1), (-1, 2), (0, 0), (2**62, 2**62)]:
            with self.assertRaises(hh.InputError):
                hh.Samples(x, y).read(first, count)

    def test_a_file_of_examples_is_written_and_read(self):
        samples = hh.Instance("nice:d=8,k=3").samples()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.safetensors")
            samples.save(path, 100)
            for stored, made in zip(hh.Samples.load(path).read(0, 100), samples.read(0, 100)):
                np.testing.assert_array_equal(stored, made)


if __name__ == "__main__":
    unittest.main()
