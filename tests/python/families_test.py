"""Families that are Python functions, named by specs wherever Python takes one."""
import pathlib
import pickle
import tempfile
import unittest
from fractions import Fraction

import numpy as np

import hardhead as hh

CALLS = []


def near(seed, d, m, rho):
    """Heads that are rho parts the same matrix."""
    CALLS.append((seed, rho))
    draw = np.random.default_rng(seed).normal(0, d**-0.5, (m + 1, d, d))
    return hh.Layer(rho * draw[0] + (1 - rho) * draw[1:], np.random.default_rng(seed).normal(0, d**-0.5, (m, d, d)))


def gate(seed, d, k, strength):
    direction = np.random.default_rng(seed).normal(0, 1, d)
    return hh.Teacher(lambda x: strength * x * np.tanh(x @ direction)[..., None], d=d, k=k, examples=2000)


def zero(samples, task):
    return np.zeros_like


hh.family("near", near, d=4, k=3, m=2, rho=0.5)
hh.family("gate", gate, d=4, strength=1.0)


class Layers(unittest.TestCase):
    def test_a_spec_names_a_member(self):
        instance = hh.Instance("near:rho=0.25,seed=3")
        self.assertEqual(instance.layer.digest, near(3, 4, 2, 0.25).digest)
        self.assertEqual((instance.d, instance.k, instance.inputs), (4, 3, "boolean"))
        self.assertEqual(str(instance.spec), "near:d=4,k=3,m=2,rho=0.25,inputs=boolean,seed=3")
        self.assertNotEqual(instance.digest, hh.Instance("near:rho=0.25,seed=4").digest)
        self.assertEqual(pickle.loads(pickle.dumps(instance)).digest, instance.digest)
        self.assertEqual(hh.certify("near:seed=3").m, 2)
        self.assertEqual(hh.Instance("near:inputs=gaussian").inputs, "gaussian")

    def test_it_stands_wherever_a_spec_does(self):
        rows = hh.compare(["near:rho=0.1", "near:rho=0.9", "nice:d=4,k=3,m=2"], ["gauss-newton", zero], seeds=3, examples=1000, heads=2).rows()
        self.assertEqual([row["source"] for row in rows[::2]], ["near:rho=0.1", "near:rho=0.9", "nice:d=4,k=3,m=2"])
        self.assertEqual([row["runs"] for row in rows], [3] * 6)
        self.assertEqual(rows[0]["recovered"], 3)
        self.assertTrue(0 < rows[0]["null_error"] < 1, "the best affine function")
        shot, = hh.best("near:rho=0.1", "gauss-newton", seeds=2).shots
        self.assertEqual((shot["degree"], shot["successes"]), ("recovered", 2))
        self.assertTrue(hh.fewest_examples("near:rho=0.1", "gauss-newton", seeds=2, least=500, most=500, heads=2).budgets[0]["successes"])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "sweep.toml"
            file.write_text('[[grid]]\nsource="near"\nparameters={rho=[0.1, 0.9]}\nmethod="gauss-newton"\nheads="told"\nexamples=1000\n')
            table = hh.sweep(file, pathlib.Path(folder) / "out")
            self.assertEqual([run.m for run in table.runs], [2, 2])
        self.assertEqual(hh.learn("near:rho=0.1,m=1", "gauss-newton", heads=1).degree, "recovered")

    def test_it_is_listed_once_and_pickled_by_its_name(self):
        hh.family("near", near, d=4, k=3, m=2, rho=0.5)
        listed = [one for one in hh.families() if one.name == "near"]
        self.assertEqual([[parameter.name for parameter in one.parameters] for one in listed],
                         [["d", "k", "m", "rho", "inputs", "seed"]])
        self.assertEqual(pickle.loads(pickle.dumps(listed[0])).name, "near")

    def test_its_null_predictor_may_be_its_own(self):
        hh.family("told", near, d=4, m=1, rho=0.0, null=lambda rho: Fraction(1, 2) + 0 * int(rho))
        self.assertEqual(hh.Instance("told").null_error(), Fraction(1, 2))
        self.assertEqual(hh.compare("told", zero, examples=10).runs[0].advantage, -1)
        hh.family("told", near, d=4, m=1, rho=0.0, null=0.25)
        self.assertEqual(hh.null_error("told:seed=2"), 0.25)

    def test_what_cannot_be_is_refused(self):
        for spec, said in (("near:sigma=1", "sigma"), ("near:rho=big", "rho"), ("near:d=0", "d=0|d = 0|'0'"), ("nearr", "nearr")):
            with self.assertRaisesRegex(hh.InputError, said):
                hh.Instance(spec)
        with self.assertRaisesRegex(hh.InputError, "a family of the library has that name"):
            hh.family("nice", near, d=4, m=2, rho=0.5)
        with self.assertRaisesRegex(hh.InputError, "d, the features of a token"):
            hh.family("mine", near, m=2, rho=0.5)
        with self.assertRaisesRegex(hh.InputError, "the function takes no sigma"):
            hh.family("mine", near, d=4, m=2, rho=0.5, sigma=1)
        hh.family("wrong", lambda seed: near(seed, 5, 2, 0.5), d=4, m=2)
        with self.assertRaisesRegex(hh.InputError, "the function made d = 5, the spec says 4"):
            hh.Instance("wrong")
        hh.family("wrong", lambda seed: 1 // 0, d=4, m=2)
        with self.assertRaisesRegex(hh.InputError, "spec 'wrong:.*': ZeroDivisionError"):
            hh.compare("wrong", zero, examples=10)
        hh.family("wrong", lambda seed: 3, d=4, m=2)
        with self.assertRaisesRegex(hh.InputError, "returned a int: a Layer or a Teacher"):
            hh.Instance("wrong")
        hh.family("wrong", lambda seed: hh.Instance("parity:d=6,m=2").layer, d=6, m=3)
        with self.assertRaisesRegex(hh.InputError, "the function made m = |form of a hard one"):
            hh.Instance("wrong")


class Teachers(unittest.TestCase):
    def test_a_member_may_have_labels_alone(self):
        rows = hh.compare(["gate:strength=1", "gate:strength=2"], [zero, "phase1"], seeds=2, examples=500).rows()
        self.assertEqual([(row["source"], row["runs"]) for row in rows[::2]], [("gate:strength=1", 2), ("gate:strength=2", 2)])
        self.assertEqual(rows[0]["test_error"], 1)
        again = hh.compare("gate:strength=1,seed=2", zero, examples=500).runs[0]
        self.assertEqual(again.test_examples, 200)
        with self.assertRaisesRegex(hh.InputError, "labels and no layer"):
            hh.Instance("gate")
        with self.assertRaisesRegex(hh.InputError, "labels and no layer"):
            hh.certify("gate")


if __name__ == "__main__":
    unittest.main()
