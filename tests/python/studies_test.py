"""Comparisons and success curves in Python, also of learners and teachers that are Python functions."""
import concurrent.futures
import json
import multiprocessing
import os
import pickle
import re
import subprocess
import unittest
from fractions import Fraction

import numpy as np

import hardhead as hh

PROGRAM = os.environ["HARDHEAD_PROGRAM"]


def affine(samples, task):
    """Least squares on the tokens: what phase 1 of the algorithm does, as a user would write it."""
    x, y = samples.read(0, task.examples)
    flat = x.reshape(len(x), -1)
    design = np.hstack([flat, np.ones((len(x), 1))])
    coefficients = np.linalg.lstsq(design, y.reshape(len(x), -1), rcond=None)[0]
    return lambda new: (np.hstack([new.reshape(len(new), -1), np.ones((len(new), 1))]) @ coefficients).reshape(new.shape)


def by_the_library(samples, task):
    """Hands back the layer that a learner of the library finds on the same examples."""
    return hh.learn(samples.read(0, 500), "gauss-newton", heads=task.heads).layer


def zero(samples, task):
    return np.zeros_like


class Studies(unittest.TestCase):
    def test_a_learner_of_ones_own_beside_one_of_the_library(self):
        heard = []
        result = hh.compare(["nice:d=6,k=2,m=1", "parity:d=6,m=2"], [affine, "gauss-newton"], seeds=2, heads=1, examples=2000,
                            progress=lambda run, fraction: heard.append((run, fraction)))
        rows = {(row["source"], row["learner"]): row for row in result.rows()}
        self.assertEqual(len(result.runs), 8)
        ours, theirs = rows["nice:d=6,k=2,m=1", "affine"], rows["nice:d=6,k=2,m=1", "gauss-newton"]
        self.assertEqual((ours["recovered"], theirs["recovered"]), (0, 2))
        self.assertEqual((theirs["low"], theirs["high"]), hh.binomial_interval(2, 2))
        self.assertEqual((ours["heads"], ours["examples"]), (1, 2000))
        # The null predictor of nice layers is the best affine one, which this learner estimates.
        self.assertLess(abs(ours["advantage"]), 0.1)
        self.assertTrue(ours["advantage_low"] <= ours["advantage"] <= ours["advantage_high"])
        self.assertLess(rows["parity:d=6,m=2", "affine"]["advantage"], 0.1)
        self.assertTrue(any("affine" in run for run, _ in heard))

    def test_the_rows_are_the_programs(self):
        words = ["nice:d=6,k=2,m=1", "--method", "gauss-newton", "--seeds", "2", "--examples", "500"]
        said = json.loads(subprocess.run([PROGRAM, "compare", *words, "--json", "--quiet"], check=True, capture_output=True).stdout)
        ours, = hh.compare(["nice:d=6,k=2,m=1"], ["gauss-newton"], seeds=2, examples=500).rows()
        theirs, = said["rows"]
        self.assertEqual([ours[name] for name in ("runs", "recovered", "test_error", "null_error", "advantage", "low", "high")],
                         [*[theirs[name] for name in ("runs", "recovered", "test_error", "null_error")],
                          theirs["advantage"]["median"], *theirs["recovery_interval"]])

    def test_a_function_is_scored_as_the_library_is(self):
        options = {"heads": 1, "examples": 500}
        ours, theirs = hh.compare(["nice:d=4,k=2,m=1"], [by_the_library, "gauss-newton"], **options).runs
        self.assertEqual((ours.degree, theirs.degree), ("recovered", "recovered"))
        self.assertEqual(ours.null_error, theirs.null_error)
        self.assertLess(max(ours.parameter_error.theta_error), 1e-6)
        # A layer, and what it predicts, have one score.
        layer = hh.Instance("nice:d=6,k=2,m=1,seed=2").layer
        near = hh.Layer(1.1 * layer.theta, layer.w)
        as_layer, as_function = hh.judge("nice:d=6,k=2,m=1,seed=2", near), hh.judge("nice:d=6,k=2,m=1,seed=2", near.__call__)
        self.assertAlmostEqual(as_layer.test_error, as_function.test_error, places=14)
        np.testing.assert_allclose(as_layer.advantage_interval, as_function.advantage_interval, rtol=1e-9)
        self.assertEqual((as_layer.heads_found, as_function.heads_found), (1, None))

    def test_an_interval_decides_what_learnt_partly_is(self):
        nothing, partly = hh.compare(["nice:d=6,k=2,m=1"], [zero, "phase1"], examples=2000).runs
        self.assertEqual((nothing.degree, nothing.test_error), ("nothing", 1))
        self.assertLess(nothing.advantage_interval[1], 0)
        shrunk = hh.judge("nice:d=6,k=2,m=1", lambda x: 0.8 * hh.Instance("nice:d=6,k=2,m=1").layer(x))
        self.assertEqual(shrunk.degree, "partly")
        self.assertAlmostEqual(shrunk.test_error, 0.04)

    def test_results_can_be_pickled_and_shown(self):
        result = hh.compare(["nice:d=6,k=2,m=1"], ["gauss-newton", affine], heads=1, examples=500)
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual([run.to_json() for run in again.runs], [run.to_json() for run in result.runs])
        self.assertEqual(again.rows(), result.rows())
        self.assertIn("gauss-newton", result._repr_html_())
        run = hh.learn("nice:d=6,k=2,m=2", "gauss-newton", heads=2)
        copy = pickle.loads(pickle.dumps(run))
        self.assertEqual(copy.layer.digest, run.layer.digest)
        self.assertEqual(copy.parameter_error.partner, run.parameter_error.partner)
        self.assertIn("<th>test_error</th>", copy._repr_html_())
        judged = hh.judge("nice:d=4,k=2,m=1", np.zeros_like, name="mine")
        self.assertEqual([phase.name for phase in judged.phases], ["python"])

    def test_values_can_be_pickled(self):
        instance = hh.Instance("nice:d=4,k=2,m=2,seed=3")
        self.assertEqual(pickle.loads(pickle.dumps(instance)).digest, instance.digest)
        self.assertEqual(pickle.loads(pickle.dumps(instance.layer)).digest, instance.layer.digest)
        self.assertEqual(pickle.loads(pickle.dumps(hh.Spec("parity:d=6,m=2"))), hh.Spec("parity:d=6,m=2"))
        few = hh.Samples(*instance.samples().read(0, 7))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(few)).read(0, 7)[1], few.read(0, 7)[1])
        with self.assertRaisesRegex(pickle.PicklingError, "without end"):
            pickle.dumps(instance.samples())

    def test_other_processes_can_run(self):
        specs = [f"nice:d=4,k=2,m=1,seed={seed}" for seed in (1, 2)]
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            there = list(pool.map(hh.learn, specs, ["gauss-newton"] * 2))
        self.assertEqual([run.layer.digest for run in there], [hh.learn(spec, "gauss-newton").layer.digest for spec in specs])

    def test_joblib_can_run(self):
        try:
            import joblib
        except ImportError:
            self.skipTest("joblib is missing (Debian: python3-joblib)")
        run, other = joblib.Parallel(n_jobs=2)(joblib.delayed(hh.compare)([f"nice:d=4,k=2,m={m}"], [affine], examples=200) for m in (1, 2))
        self.assertEqual((run.runs[0].m, other.runs[0].m), (1, 2))

    def test_noisy_labels_have_a_ceiling_for_functions_too(self):
        instance = hh.Instance("lpn:n=4,rate=0.25,seed=1")
        self.assertGreater(instance.ceiling_error, 0)
        run = hh.compare(["lpn:n=4,rate=0.25"], [zero], examples=100).runs[0]
        self.assertEqual(run.test_error, 1)
        ceiling, null = float(instance.ceiling_error), float(instance.null_error())
        self.assertAlmostEqual(run.advantage, (null - 1) / (null - ceiling))

    def test_every_family_has_a_null_error(self):
        exact = hh.Instance("parity:d=6,m=2,seed=3").null_error()
        self.assertIsInstance(exact, Fraction)
        self.assertEqual(hh.null_error("parity:d=6,m=2,seed=3"), float(exact))
        nice = hh.Instance("nice:d=6,k=2,m=1,seed=3").null_error()
        self.assertTrue(0 < nice < 1)
        self.assertEqual(nice, hh.null_error("nice:d=6,k=2,m=1,seed=3"))
        self.assertEqual(nice, hh.learn("nice:d=6,k=2,m=1,seed=3", "gauss-newton", heads=1, examples=500).null_error)
        for family in hh.families():
            if family.name in ("lwr", "lwe", "staircase"):
                continue  # large by default
            small = f"{family.name}:d=6" if "d" in [p.name for p in family.parameters] else family.name
            try:
                instance = hh.Instance(small)
            except hh.InputError:
                continue  # its default m needs more
            self.assertTrue(0 < float(instance.null_error()) <= 1, small)

    def test_the_success_curve_of_a_learner(self):
        curve = hh.fewest_examples("nice:d=6,k=2,m=1", "gauss-newton", seeds=10, least=8, most=10_000, heads=1)
        self.assertTrue(curve.low is None or curve.low < curve.examples <= curve.high)
        self.assertEqual(curve.budgets[-1]["examples"], curve.high)
        fitted = [budget["fitted"] for budget in curve.budgets]
        self.assertEqual(fitted, sorted(fitted))
        self.assertEqual(pickle.loads(pickle.dumps(curve)), curve)
        words = "nice:d=6,k=2,m=1 --method gauss-newton --seeds 10 --least 8 --most 10000 --heads 1 --json --quiet".split()
        said = json.loads(subprocess.run([PROGRAM, "fewest", *words], check=True, capture_output=True).stdout)["curves"][0]
        self.assertEqual([(b["examples"], b["successes"]) for b in said["budgets"]],
                         [(b["examples"], b["successes"]) for b in curve.budgets])
        never = hh.fewest_examples("nice:d=6,k=2,m=1", affine, seeds=3, least=50, most=100)
        self.assertIsNone(never.examples)
        self.assertEqual([budget["successes"] for budget in never.budgets], [0, 0])

    def test_what_cannot_be_is_refused(self):
        for wrong in ({"probability": 1}, {"least": 10, "most": 5}, {"ratio": 1}):
            with self.assertRaises(ValueError):
                hh.fewest_examples("nice:d=6,k=2,m=1", affine, **wrong)
        source = "nice:d=6,k=2,m=1"
        with self.assertRaisesRegex(ValueError, "shape"):
            hh.judge(source, lambda x: x[0])
        with self.assertRaisesRegex(ValueError, "not finite|nan"):
            hh.judge(source, lambda x: np.nan * x)
        with self.assertRaisesRegex(TypeError, "NoneType"):
            hh.judge(source, None)
        with self.assertRaisesRegex(hh.InputError, "d = 2"):
            hh.judge(source, hh.Layer(np.zeros((1, 2, 2)), np.zeros((1, 2, 2))))
        sculpt = lambda samples, task: np.zeros_like
        sculpt.__name__ = "sculpt"
        with self.assertRaisesRegex(hh.InputError, "of the library has that name"):
            hh.compare([source], [sculpt])
        with self.assertRaises(hh.InputError):
            hh.compare(["no-such-family"], [zero])
        with self.assertRaises(hh.InputError):
            hh.binomial_interval(3, 2)

    def test_what_a_learner_raises_comes_through(self):
        def fails(samples, task):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            hh.fewest_examples("nice:d=6,k=2,m=1", fails, seeds=1)

        def stop(run, fraction):
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            hh.compare(["nice:d=6,k=2,m=1"], ["gauss-newton"], progress=stop)


class Teachers(unittest.TestCase):
    def test_a_function_can_teach(self):
        layer = hh.Instance("nice:d=6,k=2,m=1").layer
        teacher = hh.Teacher(lambda x: layer(x), d=6, k=2, examples=3000)
        result = hh.compare([teacher], ["gauss-newton", affine], seeds=2, heads=1, examples=2000)
        theirs, ours = result.rows()
        self.assertEqual((theirs["source"], theirs["recovered"], ours["recovered"]), ("lambda", 2, 0))
        self.assertEqual({run.test_examples for run in result.runs}, {300})
        self.assertLess(hh.test_error(hh.learn(teacher, "gauss-newton", heads=1).layer, teacher.samples(seed=5), 100), 1e-20)
        x, _ = teacher.samples(seed=1).read(0, 10)
        self.assertFalse(np.array_equal(x, teacher.samples(seed=2).read(0, 10)[0]))

    def test_what_is_no_layer_can_teach_too(self):
        square = hh.compare([hh.Teacher(np.square, d=4, k=2, inputs="sphere", examples=2000)], ["gauss-newton"], heads=1)
        self.assertNotEqual(square.runs[0].degree, "recovered")
        with self.assertRaisesRegex(hh.InputError, "answers no queries"):
            hh.learn(hh.Teacher(np.square, d=4, k=2, examples=100).samples(), "mobius")
        with self.assertRaises(hh.InputError):
            hh.Teacher(np.square, d=4, k=2, inputs="cauchy").samples()

    def test_modules_can_teach_and_predict(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is missing (Debian: python3-torch)")
        torch.manual_seed(3)
        module = torch.nn.MultiheadAttention(4, 2, bias=False, batch_first=True)
        teacher = hh.Teacher(module, d=4, k=3, examples=500)
        x, y = teacher.samples().read(0, 500)
        np.testing.assert_allclose(y, hh.Layer.from_torch(module)(x), atol=1e-5)
        judged = hh.judge(teacher, module)
        self.assertLess(judged.test_error, 1e-12)
        linear = torch.nn.Linear(4, 4).double()
        self.assertEqual(hh.judge(hh.Teacher(linear, d=4, k=2, examples=100), linear).degree, "recovered")


class Figures(unittest.TestCase):
    def setUp(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("Matplotlib is missing (Debian: python3-matplotlib)")
        matplotlib.use("agg")

    def test_a_comparison_is_drawn_against_what_varies(self):
        layers = [f"nice:d=4,k=2,m={m}" for m in (1, 2)]
        costs = hh.compare(layers, ["gauss-newton"], seeds=2, examples=500)
        ax = costs.plot("seconds", against="m")
        self.assertEqual(ax.get_yscale(), "log")
        seconds = [row["seconds"] for row in costs.rows()]
        line = next(line for line in ax.get_lines() if len(line.get_xdata()) == 2 and list(line.get_xdata()) == [1, 2])
        np.testing.assert_allclose(line.get_ydata(), seconds)
        self.assertIs(costs.plot(ax=ax), ax)
        self.assertEqual(line.get_color(), "#0072B2", "the first of the library's categories")
        with self.assertRaisesRegex(ValueError, "seconds-m"):
            costs.plot("seconds", against="d")
        with self.assertRaisesRegex(ValueError, "a number that varies"):
            hh.compare(layers[:1], ["gauss-newton"], examples=500).plot()

    def test_colour_is_m_from_dark_to_light_as_in_the_librarys_figures(self):
        runs = hh.compare([f"nice:d={d},k=2,m={m}" for d in (4, 5) for m in (1, 2, 3)], ["gauss-newton"], examples=500, heads=1)
        lines = [line for line in runs.plot("error", against="d").get_lines() if list(line.get_xdata()) == [4, 5]]
        measured = [line.get_color() for line in lines if line.get_linestyle() == "-"]
        self.assertEqual(measured, ["#3B528B", "#21918C", "#5EC962"])
        nulls = [line.get_color() for line in lines if line.get_linestyle() == ":"]
        self.assertEqual(nulls, measured, "a null error has the colour of its m")

    def test_a_success_curve_is_drawn(self):
        curve = hh.fewest_examples("nice:d=4,k=2,m=1", "gauss-newton", seeds=4, least=4, most=64, heads=1)
        ax = curve.plot()
        shares = [budget["successes"] / budget["runs"] for budget in curve.budgets]
        drawn = [list(line.get_ydata()) for line in ax.get_lines()]
        self.assertIn(shares, drawn)
        self.assertIn([budget["fitted"] for budget in curve.budgets], drawn)


if __name__ == "__main__":
    unittest.main()
