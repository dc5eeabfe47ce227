"""Learners and certificates: the same results as the program's, on specs and on arrays."""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import hardhead as hh

PROGRAM = os.environ["HARDHEAD_PROGRAM"]


def timeless(document):
    if isinstance(document, dict):
        return {key: timeless(value) for key, value in document.items() if key not in ("seconds", "threads")}
    return [timeless(value) for value in document] if isinstance(document, list) else document


def said(*arguments):
    return subprocess.run([PROGRAM, *arguments, "--json", "--quiet"], check=True, capture_output=True, text=True).stdout


class Learning(unittest.TestCase):
    SPEC = "nice:d=8,k=2,m=2,seed=7"

    def test_a_run_is_the_programs_bit_for_bit(self):
        result = hh.learn(self.SPEC, "gauss-newton", heads=2)
        self.assertEqual(timeless(json.loads(result.to_json())),
                         timeless(json.loads(said("learn", self.SPEC, "--method", "gauss-newton", "--heads", "2"))))
        self.assertTrue(result.recovered)
        self.assertEqual(result.degree, "recovered")
        low, high = result.advantage_interval
        self.assertTrue(low <= result.advantage <= high)
        self.assertLess(max(result.parameter_error.theta_error), 1e-10)
        self.assertEqual(result.layer.m, 2)

    def test_arrays_are_learnt_from_as_files_are(self):
        instance = hh.Instance(self.SPEC)
        x, y = instance.samples().read(0, 1000)
        by_tuple = hh.learn((x, y), "gauss-newton", heads=2, truth=instance.layer)
        by_stride = hh.learn(hh.Samples(np.asfortranarray(x), y), "gauss-newton", heads=2, truth=instance.layer)
        self.assertTrue(by_tuple.recovered)
        self.assertEqual(by_tuple.layer.digest, by_stride.layer.digest)
        self.assertLess(hh.test_error(by_tuple.layer, instance.samples(seed=9), 500), 1e-20)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "data.safetensors")
            hh.Samples(x, y).save(path)
            by_file = hh.learn(path, "gauss-newton", heads=2)
        self.assertEqual(by_file.layer.digest, by_tuple.layer.digest)

    def test_threads_change_nothing(self):
        digests = set()
        for threads in [1, 2]:
            hh.set_threads(threads)
            digests.add(hh.learn(self.SPEC, "gauss-newton", heads=2).layer.digest)
        self.assertEqual(len(digests), 1)

    def test_reports_are_objects_with_fields_and_a_repr(self):
        result = hh.learn(self.SPEC, "phase1")
        self.assertEqual(result.outcome, "not_recovered")
        self.assertEqual(result.layer.m, 1)
        self.assertEqual(result.phases[0].name, "w_sum")
        self.assertIsInstance(result.phases[0].measures, dict)
        self.assertRegex(repr(result), r"^RunResult\(spec='nice:.*', source='nice:d=8,k=2,m=2,seed=7', .*, outcome='not_recovered', ")
        with self.assertRaises(AttributeError):
            result.outcome = "recovered"

    def test_what_cannot_be_learnt_from_is_refused(self):
        x, y = hh.Instance(self.SPEC).samples().read(0, 10)
        with self.assertRaisesRegex(hh.InputError, "'x, y': 9 examples .* too few"):
            hh.learn((x, y), "gauss-newton", heads=2)
        with self.assertRaisesRegex(hh.InputError, "without end"):
            hh.learn(hh.Instance(self.SPEC).samples())
        with self.assertRaisesRegex(hh.InputError, "brings its own layer"):
            hh.learn(self.SPEC, truth=hh.Instance(self.SPEC).layer)

    def test_numbers_out_of_range_are_refused(self):
        with self.assertRaisesRegex(hh.InputError, "k = 0"):
            hh.counting_bound(8, 0, 2)
        with self.assertRaisesRegex(hh.InputError, "time_limit"):
            hh.learn("nice:d=4,k=2,m=1", "phase1", time_limit=-1)
        with self.assertRaisesRegex(hh.InputError, "examples = 2"):
            hh.learn("nice:d=4,k=4,m=1", "phase1", examples=2)

    def test_a_program_of_the_users_is_a_learner(self):
        self.assertEqual(hh.learn("nice:d=4,k=2,m=1", "exec:exit 3, please").failed_phase, "exec")

    def test_heads_are_matched_whatever_their_order(self):
        layer = hh.Instance(self.SPEC).layer
        turned = hh.Layer(layer.theta[::-1], layer.w[::-1])
        self.assertEqual(hh.match_heads(layer, turned).partner, [1, 0])

    def test_heads_that_are_turned_are_right_for_two_tokens(self):
        layer = hh.Layer([[[0.0, 2.0], [1.0, 0.0]]], [[[1.0, 2.0], [3.0, 4.0]]])
        turned = hh.Layer([-layer.theta[0], 0 * layer.theta[0]], [-layer.w[0], 2 * layer.w[0]])
        self.assertEqual(hh.match_heads(layer, turned, tokens=2).theta_error, [0])
        self.assertEqual(hh.match_heads(layer, turned).theta_error, [1])
        self.assertEqual(turned.canonical_form(tokens=2).digest, layer.canonical_form(tokens=2).digest)


class Certificates(unittest.TestCase):
    def test_a_certificate_is_the_programs(self):
        certificate = hh.certify("transformer:d=64,m=8", constants={"theta_norm": 2})
        document = json.loads(said("certify", "transformer:d=64,m=8", "--constant", "theta_norm=2"))
        self.assertEqual(certificate.nice, document["nice"])
        self.assertEqual(len(certificate.conditions), len(document["conditions"]))
        for condition, other in zip(certificate.conditions, document["conditions"]):
            self.assertEqual((condition.name, condition.subject), (other["name"], other["subject"]))
            self.assertEqual(condition.verdict, {True: "pass", False: "fail", None: "not_applicable"}[other["pass"]])
            if other["value"] is not None:
                self.assertEqual(condition.value, other["value"])

    def test_layers_and_instances_are_judged_too(self):
        instance = hh.Instance("nice:d=16,k=2,m=1")
        by_layer = hh.certify(instance.layer, 2)
        self.assertEqual(by_layer.k, 2)
        np.testing.assert_array_equal([c.value for c in by_layer.worst()], [c.value for c in hh.certify(instance).worst()])
        self.assertIsNone(hh.certify(instance.layer).k)
        two_heads = hh.certify("nice:d=8,k=2,m=2").conditions
        self.assertEqual({tuple(c.heads) for c in two_heads}, {(), (0,), (1,), (0, 1)})
        with self.assertRaisesRegex(hh.InputError, "^source is a ndarray: a Layer, an Instance, a spec or the path"):
            hh.certify(np.zeros((2, 2)))

    def test_a_constant_that_is_none_is_refused(self):
        with self.assertRaisesRegex(hh.InputError, "did you mean 'theta_norm'"):
            hh.certify("nice", constants={"theta_nrm": 2})

    def test_a_certificate_counts_what_is_met_and_is_a_data_frame(self):
        certificate = hh.certify("nice:d=80,k=2,m=2")
        self.assertEqual((certificate.met, certificate.failed), (11, 0))
        worst = hh.certify("nice:d=16,k=3,m=2").worst()
        failing = [condition for condition in worst if condition.verdict == "fail"]
        self.assertTrue(failing and all(condition.margin < 1 for condition in failing))
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing")
        frame = certificate.to_dataframe()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.name), [condition.name for condition in certificate.conditions])
        self.assertGreaterEqual(frame.margin.min(), 1)


class Queries(unittest.TestCase):
    def test_a_run_is_that_of_the_command_line(self):
        result = hh.learn("nice:d=8,k=2,m=2", "mobius", tolerance=1e-9, policy="worst")
        self.assertEqual(timeless(json.loads(result.to_json())),
                         timeless(json.loads(said("learn", "nice:d=8,k=2,m=2", "--method", "mobius", "--tolerance", "1e-9", "--policy", "worst"))))
        self.assertEqual((result.access, result.degree), ("values", "recovered"))
        self.assertEqual(result.tokens_used, 2 * result.queries_used)

    def test_what_is_hidden_is_read(self):
        result = hh.learn("parity:d=12,m=3", "flip")
        self.assertEqual((result.queries_used, result.hidden_right, len(result.hidden)), (11, True, 3))
        self.assertIsNone(hh.learn("nice:d=4,k=2,m=1", "gauss-newton").queries_used)

    def test_what_cannot_be_asked_is_refused(self):
        for source, learner, message in (("nice:d=8,k=3", "mobius", "2 tokens"),
                                         ((np.zeros((9, 2, 3)), np.ones((9, 2, 3))), "mobius", "answers no queries")):
            with self.assertRaisesRegex(hh.InputError, message):
                hh.learn(source, learner)
        with self.assertRaisesRegex(hh.InputError, "budget: sculpt learns from examples"):
            hh.learn("nice", "sculpt", budget=10)
        with self.assertRaisesRegex(hh.InputError, "examples = 10: mobius asks for values"):
            hh.learn("nice", "mobius", examples=10)
        with self.assertRaisesRegex(TypeError, "heads = 'two'"):
            hh.learn("nice", heads="two")


class Figures(unittest.TestCase):
    def test_curves_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            hh.draw(folder, "falls", {"error": ([1, 10, 100], [1, 0.1, 0.01])}, title="It falls", x="examples", y="error",
                    log_x=True, log_y=True, levels={"null": 0.5})
            with open(os.path.join(folder, "falls.svg")) as file:
                self.assertIn("It falls", file.read())
        with self.assertRaisesRegex(hh.InputError, "1 x and 2 y"):
            hh.draw(".", "uneven", {"error": ([1], [1, 2])}, title="", x="", y="")


if __name__ == "__main__":
    unittest.main()
