"""Challenges from Python: make, learn from, attack, answer in each form, check."""
import tempfile
import unittest
from pathlib import Path

import hardhead
import numpy


class Challenges(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_parity_is_made_attacked_and_answered(self):
        for spec in ("parity:d=12,m=3", "block-parity:d=12,m=3"):
            file, keep = self.folder / "c.safetensors", self.folder / "secret.json"
            made = hardhead.challenge.make(spec, file, examples=200, keep=keep)
            self.assertEqual((made.file, made.examples, made.secret), (str(file), 200, str(keep)))
            self.assertTrue(hardhead.challenge.verify(file, keep).right)
            equations = hardhead.challenge.equations(file)
            self.assertEqual((equations.problem, equations.n, equations.q), ("lpn", 11, 2))
            solved = hardhead.lwe.attack(equations, "elimination")
            self.assertTrue(hardhead.challenge.verify(file, solved.secret).right)
            verdict = hardhead.challenge.verify(file, numpy.roll(solved.secret, 1))
            self.assertFalse(verdict.right)
            self.assertIn("label", verdict.reason)

    def test_predicted_labels_and_a_layer_are_answers(self):
        file = self.folder / "nice.safetensors"
        self.assertIsNone(hardhead.challenge.make("nice:d=6,k=2,m=1", file, examples=400).secret)
        examples = hardhead.challenge.training(file)
        self.assertEqual(len(examples), 400)
        run = hardhead.learn(examples, "gauss-newton", heads=1)
        tests = hardhead.challenge.test_inputs(file)
        self.assertEqual(tests.shape[1:], (2, 6))
        self.assertTrue(hardhead.challenge.verify(file, run.layer).right)
        self.assertTrue(hardhead.challenge.verify(file, run.layer(tests)).right)
        self.assertFalse(hardhead.challenge.verify(file, 0 * tests).right)
        with self.assertRaisesRegex(hardhead.InputError, r"shape \(3,\)"):
            hardhead.challenge.verify(file, [1, 2, 3])

    def test_samples_and_a_folder(self):
        file, keep = self.folder / "s.json", self.folder / "key.json"
        hardhead.challenge.make("lwe:n=6,q=97,sigma=1,samples=40", file, keep=keep)
        self.assertTrue(hardhead.challenge.verify(file, keep).right)
        with self.assertRaisesRegex(hardhead.InputError, "plain samples"):
            hardhead.challenge.verify(file, [0] * 6)
        keep.unlink()
        (rung,) = hardhead.challenge.ladder(self.folder)
        self.assertEqual((rung.challenge, rung.examples, rung.answers, rung.problem), ("s.json", 40, [], None))
        self.assertGreater(rung.log2_secrets, 39)

    def test_wrong_calls_leave_nothing(self):
        for spec, file, more in (("parity", "c.json", {"examples": 9}), ("parity", "c.safetensors", {}),
                                 ("junta", "c.safetensors", {"examples": 9}), ("parity:seed=1", "c.safetensors", {"examples": 9})):
            with self.assertRaises(hardhead.InputError):
                hardhead.challenge.make(spec, self.folder / file, **more)
        self.assertEqual(list(self.folder.iterdir()), [])


class Maps(unittest.TestCase):
    def test_an_own_learner_on_an_own_family(self):
        def ridge(samples, task):
            x, y = samples.read(0, 200)
            ones = numpy.concatenate([x, x.mean(1, keepdims=True).repeat(x.shape[1], 1)], 2).reshape(-1, 2 * x.shape[2])
            fitted = numpy.linalg.lstsq(ones, y.reshape(-1, y.shape[2]), rcond=None)[0]

            def predict(x):
                means = x.mean(1, keepdims=True).repeat(x.shape[1], 1)
                return numpy.concatenate([x, means], 2) @ fitted

            return predict

        def halves(seed, d, k, m):
            w = numpy.random.default_rng(seed).normal(size=(m, d, d))
            return hardhead.Layer(numpy.zeros((m, d, d)), w)

        hardhead.family("halves", halves, d=4, k=2, m=1)
        with tempfile.TemporaryDirectory() as folder:
            drawn = hardhead.atlas(folder, ["halves", "parity:d=6,m=2"], {"ridge": ridge}, quick=True)
            self.assertEqual([row["instance"] for row in drawn.rows()], ["halves", "parity:d=6,m=2"])
            self.assertIn(drawn.cells[0]["degree"], ("learnt", "recovered"))
            self.assertEqual(drawn.cells[1]["degree"], "nothing")
            self.assertEqual(drawn.seeds, 3)
            self.assertIn("halves", Path(folder, "atlas.html").read_text())
            self.assertEqual(hardhead.atlas(folder, ["halves", "parity:d=6,m=2"], {"ridge": ridge}, quick=True).cells, drawn.cells)
            with self.assertRaisesRegex(hardhead.InputError, "one at a time"):
                hardhead.atlas(folder, "halves", ridge, jobs=2)


if __name__ == "__main__":
    unittest.main()
