"""Comparisons and success curves in Python, also of learners that are Python functions."""
import pickle
import unittest

import numpy as np

import hardhead as hh


def affine(samples, task):
    """Least squares on the tokens: what phase 1 of the algorithm does, as a user would write it."""
    x, y = samples.read(0, task.examples)
    flat = x.reshape(len(x), -1)
    design = np.hstack([flat, np.ones((len(x), 1))])
    coefficients = np.linalg.lstsq(design, y.reshape(len(x), -1), rcond=None)[0]
    return lambda new: (np.hstack([new.reshape(len(new), -1), np.ones((len(new), 1))]) @ coefficients).reshape(new.shape)


class Studies(unittest.TestCase):
    def test_a_learner_of_ones_own_beside_one_of_the_library(self):
        result = hh.compare(["nice:d=6,k=2,m=1", "parity:d=6,m=2"], [affine, "gauss-newton"], seeds=2, heads=1, examples=2000)
        rows = {(row["source"], row["learner"]): row for row in result.rows()}
        self.assertEqual(len(result.runs), 8)
        ours, theirs = rows["nice:d=6,k=2,m=1", "affine"], rows["nice:d=6,k=2,m=1", "gauss-newton"]
        self.assertEqual((ours["recovered"], theirs["recovered"]), (0, 2))
        self.assertEqual((theirs["low"], theirs["high"]), hh.binomial_interval(2, 2))
        # The null predictor of nice layers is the best affine one, which this learner estimates.
        self.assertLess(abs(ours["advantage"]), 0.1)
        self.assertLess(rows["parity:d=6,m=2", "affine"]["advantage"], 0.1)

    def test_results_can_be_pickled_and_shown(self):
        result = hh.compare(["nice:d=6,k=2,m=1"], ["gauss-newton"], heads=1, examples=500)
        self.assertEqual(pickle.loads(pickle.dumps(result)), result)
        self.assertIn("gauss-newton", result._repr_html_())
        self.assertNotIn("<script>", hh.Comparison([hh.Run("<script>", "f", 1, 1, 1, 0, "nothing", 0)])._repr_html_())

    def test_noisy_labels_have_a_ceiling_for_functions_too(self):
        instance = hh.Instance("lpn:n=4,rate=0.25,seed=1")
        self.assertGreater(instance.ceiling_error, 0)
        zero = lambda samples, task: lambda x: np.zeros_like(x)
        run = hh.compare(["lpn:n=4,rate=0.25"], [zero], examples=100).runs[0]
        self.assertEqual(run.test_error, 1)
        ceiling, null = float(instance.ceiling_error), float(instance.null_error)
        self.assertAlmostEqual(run.advantage, (null - 1) / (null - ceiling))

    def test_every_family_has_a_null_error(self):
        self.assertEqual(hh.null_error("parity:d=6,m=2,seed=3"), float(hh.Instance("parity:d=6,m=2,seed=3").null_error))
        nice = hh.null_error("nice:d=6,k=2,m=1,seed=3")
        self.assertTrue(0 < nice < 1)
        self.assertEqual(nice, hh.learn("nice:d=6,k=2,m=1,seed=3", "gauss-newton", heads=1, examples=500).null_error)

    def test_the_success_curve_of_a_learner(self):
        curve = hh.fewest_examples("nice:d=6,k=2,m=1", "gauss-newton", seeds=10, least=8, most=10_000, heads=1)
        self.assertTrue(curve.low is None or curve.low < curve.examples <= curve.high)
        self.assertEqual(curve.budgets[-1]["examples"], curve.high)
        fitted = [budget["fitted"] for budget in curve.budgets]
        self.assertEqual(fitted, sorted(fitted))
        self.assertEqual(pickle.loads(pickle.dumps(curve)), curve)
        never = hh.fewest_examples("nice:d=6,k=2,m=1", affine, seeds=3, least=50, most=100)
        self.assertIsNone(never.examples)
        self.assertEqual([budget["successes"] for budget in never.budgets], [0, 0])

    def test_what_cannot_be_is_refused(self):
        for wrong in ({"probability": 1}, {"least": 10, "most": 5}, {"ratio": 1}):
            with self.assertRaises(ValueError):
                hh.fewest_examples("nice:d=6,k=2,m=1", affine, **wrong)
        with self.assertRaisesRegex(ValueError, "shape"):
            hh.compare(["nice:d=6,k=2,m=1"], [lambda samples, task: lambda x: x[0]])
        with self.assertRaises(hh.InputError):
            hh.binomial_interval(3, 2)


if __name__ == "__main__":
    unittest.main()
