"""Streams of examples: batches, slices, and PyTorch's data sets (with a stand-in where PyTorch is missing)."""
import itertools
import sys
import types
import unittest
from unittest import mock

import numpy as np

import hardhead as hh

SPECS = ("nice:d=16,k=3,m=2", "nice:d=7,k=2,m=1", "nice:d=6,k=2,m=2,inputs=gaussian", "parity:d=8,m=2", "lpn:n=4,rate=0.25")


class Batches(unittest.TestCase):
    def test_they_are_the_examples_one_after_the_other(self):
        for spec in SPECS:
            samples = hh.Instance(spec).samples(seed=5)
            x, y = samples.read(0, 1000)
            for dtype in ("float64", "float32", np.float32, np.dtype("float64")):
                got = list(samples.batches(300, examples=1000, dtype=dtype))
                self.assertEqual([len(xs) for xs, _ in got], [300, 300, 300, 100])
                self.assertEqual(got[0][0].dtype, got[0][1].dtype)
                xs, ys = (np.concatenate(part) for part in zip(*got))
                np.testing.assert_array_equal(xs, x.astype(got[0][0].dtype))
                if got[0][1].dtype == np.float64:
                    np.testing.assert_array_equal(ys, y)
                else:
                    largest = np.linalg.norm(y, axis=-1).max()
                    self.assertLess(np.abs(ys - y).max(), 64 * 2**-24 * largest, spec)

    def test_exact_labels_stay_exact(self):
        samples = hh.Instance("parity:d=8,m=2").samples()
        y = np.concatenate([y for _, y in samples.batches(100, examples=1000)])
        np.testing.assert_array_equal(y, samples.read(0, 1000)[1].astype("f4"))

    def test_a_stream_has_no_end_unless_its_samples_have(self):
        samples = hh.Instance("nice:d=4,k=2,m=1").samples()
        for n, (x, _) in enumerate(itertools.islice(samples.batches(10**4), 30)):
            self.assertEqual(len(x), 10**4)
        np.testing.assert_array_equal(x, samples.read(29 * 10**4, 10**4)[0])
        few = hh.Samples(*samples.read(0, 25))
        self.assertEqual([len(x) for x, _ in few.batches(10)], [10, 10, 5])
        np.testing.assert_array_equal(next(few.batches(10, first=20))[0], samples.read(20, 5)[0])
        with self.assertRaisesRegex(hh.InputError, "examples 0 .. 0 .. 30|there are 25"):
            list(few.batches(10, examples=30))

    def test_a_batch_that_is_kept_does_not_change(self):
        samples = hh.Instance("nice:d=4,k=2,m=1").samples()
        kept, views = [], []
        for n, (x, y) in enumerate(samples.batches(1000, examples=10**6)):
            if n % 37 == 0:
                kept.append((n, x, y))
            elif n % 37 == 1:
                views.append((n, y[::2, 1:]))
        for n, x, y in kept:
            np.testing.assert_array_equal(x, samples.read(1000 * n, 1000)[0])
        for n, y in views:
            np.testing.assert_allclose(y, samples.read(1000 * n, 1000)[1][::2, 1:], atol=1e-5)

    def test_slices(self):
        endless = hh.Instance("nice:d=4,k=2,m=1").samples()
        few = hh.Samples(*endless.read(0, 25))
        self.assertEqual(len(few), 25)
        for samples, index, first, count in ((endless, slice(3, 8), 3, 5), (endless, slice(None, 2), 0, 2), (few, slice(-5, None), 20, 5),
                                             (few, slice(20, 90), 20, 5)):
            for got, expected in zip(samples[index], endless.read(first, count)):
                np.testing.assert_array_equal(got, expected)
        self.assertEqual(few[9:3][0].shape, (0, 2, 4))
        np.testing.assert_array_equal(few[-1][1], endless.read(24, 1)[1][0])
        self.assertEqual(len(list(few)), 25)
        with self.assertRaisesRegex(TypeError, "without end"):
            len(endless)
        for wrong in (slice(0, 9, 2), slice(5, None), slice(0, -1)):
            with self.assertRaises(hh.InputError):
                endless[wrong]

    def test_what_is_no_type_or_size_is_refused_in_one_line(self):
        samples = hh.Instance("nice:d=4,k=2,m=1").samples()
        for wrong in ({"dtype": "int8"}, {"size": 0}, {"first": -1}, {"examples": -1}):
            with self.assertRaises(hh.InputError):
                samples.batches(**wrong)


class Worker:
    def __init__(self, number, workers):
        self.id, self.num_workers = number, workers


def stand_in():
    """As much of PyTorch as hardhead.torch takes."""
    torch, utils, data = types.ModuleType("torch"), types.ModuleType("torch.utils"), types.ModuleType("torch.utils.data")
    data.IterableDataset, data.get_worker_info = object, lambda: None
    torch.from_numpy = lambda array: types.SimpleNamespace(array=array, to=lambda device: types.SimpleNamespace(array=array, device=device))
    torch.utils, utils.data = utils, data
    return {"torch": torch, "torch.utils": utils, "torch.utils.data": data}


class Torch(unittest.TestCase):
    def setUp(self):
        try:
            import torch  # noqa: F401
            self.skipTest("PyTorch is there: Real tests it")
        except ImportError:
            pass
        patch = mock.patch.dict(sys.modules, stand_in())
        patch.start()
        self.addCleanup(patch.stop)

    def test_workers_share_the_examples(self):
        dataset = hh.torch.Dataset("nice:d=4,k=2,m=1", size=8, examples=60, seed=3)
        alone = [x.array for x, _ in dataset]
        together = []
        for number in range(3):
            with mock.patch("hardhead.torch.get_worker_info", lambda: Worker(number, 3)):
                together.append([x.array for x, _ in dataset])
        dealt = [x for row in itertools.zip_longest(*together) for x in row if x is not None]
        self.assertEqual([len(x) for x in dealt], [8] * 7 + [4])
        np.testing.assert_array_equal(np.concatenate(dealt), np.concatenate(alone))
        np.testing.assert_array_equal(np.concatenate(alone), hh.Instance("nice:d=4,k=2,m=1").samples(seed=3).read(0, 60)[0].astype("f4"))

    def test_a_device_makes_tensors(self):
        x, y = next(hh.Instance("nice:d=4,k=2,m=1").samples().batches(4, device="cpu"))
        self.assertEqual((x.device, y.array.shape), ("cpu", (4, 2, 4)))


class Missing(unittest.TestCase):
    def test_only_who_asks_for_tensors_needs_pytorch(self):
        with mock.patch.dict(sys.modules, {"torch": None, "hardhead.torch": None}):
            samples = hh.Instance("nice:d=4,k=2,m=1").samples()
            with self.assertRaisesRegex(ImportError, "PyTorch"):
                samples.batches(4, device="cpu")


class Real(unittest.TestCase):
    def test_a_loader_with_workers(self):
        try:
            import torch
            import torch.utils.data
        except ImportError:
            self.skipTest("PyTorch is missing (Debian: python3-torch)")
        loader = torch.utils.data.DataLoader(hh.torch.Dataset("nice:d=4,k=2,m=1", size=8, examples=60), batch_size=None, num_workers=2)
        x = torch.cat([x for x, _ in loader])
        self.assertEqual(sorted(map(tuple, x.reshape(60, -1).tolist())),
                         sorted(map(tuple, hh.Instance("nice:d=4,k=2,m=1").samples().read(0, 60)[0].reshape(60, -1).tolist())))


if __name__ == "__main__":
    unittest.main()
