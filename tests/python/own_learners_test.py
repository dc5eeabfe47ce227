"""Learners that are Python functions: names, budgets, counts, failures, time limits, journals and ladders."""
import functools
import os
import pathlib
import sys
import tempfile
import time
import unittest

import numpy as np

import hardhead as hh

SOURCE = "nice:d=4,k=2,m=1"


def zero(samples, task):
    return np.zeros_like


def reading(samples, task, first=0, count=10):
    samples.read(first, count)
    return np.zeros_like


def greedy(samples, task):
    samples.read(0, 100_000)
    return np.zeros_like


def raises(samples, task):
    raise ValueError("no luck")


def never_ends(samples, task):
    while True:
        pass


def sleeps(samples, task):
    time.sleep(1000)


def scaled(samples, task, scale=1.0):
    x, y = samples.read(0, 50)
    return lambda new: scale * new * (x * y).mean()


def in_batches(samples, task):
    sizes = [len(x) for x, y in samples.batches(30)]
    assert sizes == [30, 30, 30, 10], sizes
    return np.zeros_like


def dies(samples, task):
    os._exit(7)


class Names(unittest.TestCase):
    def test_a_dict_names_learners(self):
        rows = hh.compare(SOURCE, {"ridge, 1.0": zero, "ridge, 5.0": reading}, examples=50).rows()
        self.assertEqual([row["learner"] for row in rows], ["ridge, 1.0", "ridge, 5.0"])
        run = hh.compare(SOURCE, hh.Learner(zero, name="a name: with = signs, too"), examples=50).runs[0]
        self.assertEqual(run.method, "a name: with = signs, too")

    def test_two_of_one_name_are_an_error_that_says_where_both_are(self):
        for pair in ([zero, hh.Learner(reading, name="zero")], [lambda s, t: 0, lambda s, t: 1], [zero, zero]):
            with self.assertRaisesRegex(hh.InputError, "two learners are named '.*own_learners_test.py, line .* and .*line"):
                hh.compare(SOURCE, pair)
        x, y = np.ones((20, 2, 4)), np.ones((20, 2, 4))
        with self.assertRaisesRegex(hh.InputError, r"two sources are named 'x, y': .*\(20, 2, 4\), and "):
            hh.compare([(x, y), (x, 2 * y)], zero)
        with self.assertRaisesRegex(hh.InputError, "two sources are named 'square'"):
            hh.compare([hh.Teacher(np.square, d=4, k=k, examples=100) for k in (2, 3)], zero)
        named = hh.compare({"one": (x, y), "two": (x, 2 * y)}, zero).rows()
        self.assertEqual([row["source"] for row in named], ["one", "two"])

    def test_a_partial_is_named_by_its_keywords(self):
        rows = hh.compare(SOURCE, [functools.partial(scaled, scale=s) for s in (0.5, 1.0)], examples=50).rows()
        self.assertEqual([row["learner"] for row in rows], ["scaled(scale=0.5)", "scaled(scale=1.0)"])

    def test_names_of_the_library_are_refused(self):
        for name in ("sculpt", "adam:rate=1", "", "two\nlines"):
            with self.assertRaises(hh.InputError):
                hh.Learner(zero, name=name)
        with self.assertRaisesRegex(hh.InputError, "its spec is its name"):
            hh.compare(SOURCE, {"mine": "adam"})


class Budgets(unittest.TestCase):
    def test_examples_are_counted_each_once(self):
        def twice(samples, task):
            samples.read(0, 30)
            samples.read(20, 20)
            samples.block(90, 5)
            samples[40:42], samples[99]
            return np.zeros_like

        runs = hh.compare(SOURCE, [twice, reading, in_batches], examples=100).runs
        self.assertEqual([run.examples_used for run in runs], [48, 10, 100])

    def test_no_more_than_the_budget_is_given(self):
        run = hh.compare(SOURCE, greedy, examples=100).runs[0]
        self.assertEqual((run.outcome, run.failed_phase, run.examples_used), ("not_recovered", "python", 0))
        self.assertRegex(run.message, r"^'greedy' raised .*BudgetError: examples 0 \.\. 99999: the budget is 100 examples\nTraceback")
        sizes = []
        hh.compare(SOURCE, lambda s, t: sizes.append((s.size, len(s), t.examples)) or np.zeros_like, examples=1e2)
        self.assertEqual(sizes, [(100, 100, 100)])
        hh.compare((np.ones((20, 2, 4)), np.ones((20, 2, 4))), lambda s, t: sizes.append(s.size) or np.zeros_like, examples=100)
        self.assertEqual(sizes[1], 18)

    def test_examples_end_with_the_run(self):
        kept = []
        hh.compare(SOURCE, lambda s, t: kept.append(s) or np.zeros_like, examples=10)
        with self.assertRaisesRegex(hh.InputError, "a run that is over"):
            kept[0].read(0, 1)


class Failures(unittest.TestCase):
    def test_an_exception_is_the_outcome_of_its_run_and_the_others_go_on(self):
        table = hh.compare(SOURCE, [raises, "gauss-newton", zero], seeds=2, examples=500)
        failed = [run for run in table.runs if run.method == "raises"]
        self.assertEqual([(run.failed_phase, run.degree, run.test_error) for run in failed], [("python", "nothing", run.null_error) for run in failed])
        self.assertRegex(failed[0].message, r"(?s)^'raises' raised ValueError: no luck\nTraceback.*own_learners_test.py.*in raises")
        self.assertEqual([row["failed"] for row in table.rows()], [2, 0, 0])
        self.assertIn("2 runs failed: 'raises' raised ValueError: no luck", str(table))
        self.assertEqual(hh.learn(SOURCE, raises).failed_phase, "python")

    def test_what_cannot_be_scored_is_an_outcome(self):
        for wrong, said in ((lambda s, t: lambda x: x[0], "predicts the shape"), (lambda s, t: lambda x: np.nan * x, "finite|nan"),
                            (lambda s, t: None, "hands back a NoneType"), (lambda s, t: lambda x: 1 / 0, "ZeroDivisionError"),
                            (lambda s, t: hh.Layer(np.zeros((1, 2, 2)), np.zeros((1, 2, 2))), "d = 2")):
            run = hh.learn(SOURCE, wrong, examples=10)
            self.assertEqual((run.failed_phase, run.test_error), ("python", run.null_error))
            self.assertRegex(run.message, said)

    def test_a_time_limit_ends_what_never_ends(self):
        started = time.monotonic()
        never, after = hh.compare(SOURCE, [never_ends, zero], examples=10, time_limit=0.3).runs
        self.assertEqual((never.outcome, never.degree, after.outcome), ("stopped", "nothing", "not_recovered"))
        self.assertIn("time limit", never.message)

        def predicts_for_ever(samples, task):
            return lambda x: never_ends(samples, task)

        self.assertEqual(hh.learn(SOURCE, predicts_for_ever, examples=10, time_limit=0.3).outcome, "stopped")
        self.assertEqual(hh.learn(SOURCE, lambda s, t: hh.learn("nice:d=8,k=2,m=6", "sculpt").layer, time_limit=0.3).outcome, "stopped")
        self.assertLess(time.monotonic() - started, 60)

    def test_a_process_of_its_own_ends_whatever_it_does(self):
        self.assertEqual(hh.learn(SOURCE, hh.Learner(sleeps, process=True), time_limit=2).outcome, "stopped")
        learners = [hh.Learner(one, process=True) for one in (dies, raises, scaled, in_batches)]
        dead, raised, fine, batches = hh.compare(SOURCE, learners, examples=100).runs
        self.assertIn("ended with exit code 7", dead.message)
        self.assertRegex(raised.message, r"(?s)raised ValueError: no luck.*in raises")
        here = hh.learn(SOURCE, scaled, examples=100)
        self.assertEqual((fine.test_error, fine.examples_used), (here.test_error, 50))
        self.assertEqual(batches.examples_used, 100)
        self.assertIn("cannot be sent to a process of its own", hh.learn(SOURCE, hh.Learner(lambda s, t: 0, process=True)).message)


class Studies(unittest.TestCase):
    def test_a_journal_knows_a_learner_by_its_name(self):
        calls = []

        def counted(samples, task):
            calls.append(task.seed)
            return np.zeros_like

        with tempfile.TemporaryDirectory() as folder:
            journal = pathlib.Path(folder) / "runs.jsonl"
            for name, expected in (("mine, 1", [1, 2]), ("mine, 1", [1, 2]), ("mine, 2", [1, 2, 1, 2])):
                runs = hh.compare(SOURCE, {name: counted}, seeds=[1, 2], examples=20, journal=journal).runs
                self.assertEqual((calls, [run.method for run in runs]), (expected, [name] * 2))

    def test_the_best_shot_of_a_ladder_of_ones_own(self):
        ladder = [{"examples": 100, "scale": 0.0}, [{"examples": 400, "scale": 2.0}, {"examples": 400, "scale": 1.0}]]

        def by_the_library(samples, task, scale):
            layer = hh.learn(samples.read(0, task.examples), "gauss-newton", heads=1).layer
            return hh.Layer(layer.theta, scale * layer.w)

        shots = hh.best(SOURCE, [hh.Learner(by_the_library, "mine", ladder=ladder), hh.Learner(lambda s, t, scale: np.zeros_like, "hopeless", ladder=ladder)],
                        seeds=3)
        mine, hopeless = shots.shots
        self.assertEqual((mine["budget"]["method"], mine["budget"]["examples"], mine["successes"]), ("mine:scale=1.0", 400, 3))
        self.assertEqual((hopeless["budget"], hopeless["ended_by"], len(hopeless["ladder"])), (None, "top", 2))
        self.assertIn("mine:scale=1.0", str(shots))
        for wrong in ([{"scale": 1}], [[{"examples": 1}, {"examples": 2}]]):
            with self.assertRaisesRegex(hh.InputError, "one number of examples is expected"):
                hh.best(SOURCE, hh.Learner(scaled, ladder=wrong))
        with self.assertRaisesRegex(TypeError, "scale = \\[1\\]"):
            hh.best(SOURCE, hh.Learner(scaled, ladder=[{"examples": 1, "scale": [1]}]))

    def test_sweeps_fewest_and_distinguish_take_functions(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "sweep.toml"
            file.write_text('seeds=2\n[[grid]]\nsource="nice:d=4,k=2,m=1"\nmethod=["mine", "mine:scale=0.5", "gauss-newton"]\nexamples=200\nheads=1\n')
            out = pathlib.Path(folder) / "out"
            rows = hh.sweep(file, out, learners={"mine": scaled}).rows()
            self.assertEqual([row["learner"] for row in rows], ["mine", "mine:scale=0.5", "gauss-newton"])
            again = hh.sweep(file, out, learners={"mine": never_ends})
            self.assertEqual([run.to_json() for run in again.runs], [run.to_json() for run in hh.sweep(file, out, learners={"mine": raises}).runs])
            with self.assertRaisesRegex(hh.InputError, "unknown method 'mine'"):
                hh.sweep(file, pathlib.Path(folder) / "other")
        curve = hh.fewest_examples(SOURCE, scaled, seeds=[4, 5], least=50, most=100)
        self.assertEqual([budget["successes"] for budget in curve.budgets], [0, 0])
        told = hh.distinguish("parity:d=6,m=2", lambda s, t: np.zeros_like, examples=10, trials=3)
        self.assertEqual((told.trials, told.method), (3, "lambda"))

    def test_learners_by_values(self):
        def mine(oracle, task):
            x = np.ones((3, oracle.tokens, oracle.d))
            y = oracle(x)
            assert oracle.queries == 3 and oracle.budget in (None, 5)
            if oracle.budget:
                oracle(x)
            return lambda new: np.zeros_like(new) + y.mean()

        learner = hh.Learner(mine, access="values")
        run = hh.learn(SOURCE, learner)
        self.assertEqual((run.access, run.queries_used, run.examples_used), ("values", 3, 0))
        spent = hh.learn(SOURCE, learner, budget=5)
        self.assertEqual((spent.outcome, spent.queries_used, spent.out_of_queries), ("stopped", 3, True))
        self.assertEqual(hh.compare(SOURCE, [learner, "mobius"]).rows()[0]["queries_used"], 3)
        with self.assertRaisesRegex(hh.InputError, "answers no queries"):
            hh.learn((np.ones((20, 2, 4)), np.ones((20, 2, 4))), learner)


class Habits(unittest.TestCase):
    def test_one_string_is_a_list_of_one_and_numbers_are_numbers(self):
        one = hh.compare("nice:d=4,k=2,m=1", "gauss-newton", seeds=np.int64(1), examples=1e3)
        same = hh.compare(["nice:d=4,k=2,m=1"], ["gauss-newton"], seeds=[1], examples=np.float64(1000))
        self.assertEqual([run.test_error for run in one.runs], [run.test_error for run in same.runs])
        with self.assertRaisesRegex(TypeError, "^examples = 0.5 .float.: an integer"):
            hh.compare(SOURCE, "gauss-newton", examples=0.5)

    def test_seeds_can_be_said_one_by_one(self):
        runs = hh.compare(["nice:d=4,k=2,m=1", "nice:d=4,k=2,m=1,seed=20"], "gauss-newton", seeds=[3, 7], examples=100).runs
        self.assertEqual([(run.source, run.seed) for run in runs],
                         [("nice:d=4,k=2,m=1,seed=3", 3), ("nice:d=4,k=2,m=1,seed=7", 7),
                          ("nice:d=4,k=2,m=1,seed=20", 3), ("nice:d=4,k=2,m=1,seed=21", 7)])

    def test_a_layer_is_a_source(self):
        layer = hh.Instance("nice:d=4,k=2,m=1").layer
        row, = hh.compare([layer], "gauss-newton", examples=500).rows()
        self.assertRegex(row["source"], r"^layer [0-9a-f]{8} \(d=4, k=2, m=1\)$")
        self.assertEqual(row["recovered"], 1)
        self.assertEqual(hh.learn(hh.Instance.of(layer, 3, "gaussian"), "gauss-newton", heads=1).k, 3)
        with self.assertRaisesRegex(hh.InputError, "form of a hard one"):
            hh.compare([hh.Instance("parity:d=6,m=2").layer], "gauss-newton")

    def test_a_table_is_printed(self):
        table = hh.compare([SOURCE], ["gauss-newton", zero], examples=100)
        lines = str(table).splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[0], "^instance +learner +learnt +recovered +advantage")
        self.assertEqual(repr(table), str(table))
        self.assertIn("probability 0.5: ", str(hh.fewest_examples(SOURCE, "gauss-newton", seeds=2, least=50, most=50)))

    def test_how_hard_a_spec_is(self):
        said = hh.hardness("parity:d=12,m=3")
        self.assertGreater(said.bounds[0]["at_least"], 1)
        self.assertIn("verdict: ", str(said))
        self.assertTrue(said.attack["name"])


if __name__ == "__main__":
    unittest.main()
