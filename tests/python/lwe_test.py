"""Samples as arrays, attacks with verified witnesses."""
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import hardhead as hh
from hardhead import lwe

SPEC = "lwe:n=4,q=31,sigma=1,samples=40,seed=3"


class Challenges(unittest.TestCase):
    def test_samples_are_their_equation(self):
        challenge, secret = lwe.generate(SPEC), lwe.secret(SPEC)
        self.assertEqual((challenge.problem, challenge.n, challenge.q), ("lwe", 4, 31))
        errors = (challenge.b.astype(int) - challenge.a.astype(int) @ secret.astype(int) + 15) % 31 - 15
        self.assertLess(np.abs(errors).max(), 8)
        self.assertTrue(0.4 < errors.std() < 2)

    def test_arrays_are_seen_where_they_lie(self):
        challenge = lwe.generate(SPEC)
        self.assertTrue(np.shares_memory(challenge.a, challenge.a))
        self.assertFalse(challenge.a.flags.writeable)

    def test_arrays_make_the_same_challenge(self):
        challenge = lwe.generate(SPEC)
        self.assertEqual(lwe.Challenge(SPEC, challenge.a, challenge.b).digest, challenge.digest)
        with self.assertRaisesRegex(hh.InputError, r"\(N, 4\)"):
            lwe.Challenge(SPEC, challenge.a[:, :3], challenge.b)
        with self.assertRaises(hh.InputError):
            lwe.Challenge(SPEC, challenge.a + 31, challenge.b)

    def test_numbers_that_are_no_residues_are_refused_not_wrapped(self):
        challenge = lwe.generate(SPEC)
        for wrong in [challenge.a.astype(np.int64) - 31, challenge.a.astype(np.int64) + 2**32]:
            with self.assertRaisesRegex(hh.InputError, "not a residue"):
                lwe.Challenge(SPEC, wrong, challenge.b)
        with self.assertRaises(TypeError):
            lwe.Challenge(SPEC, challenge.a + 0.5, challenge.b)

    def test_files_keep_it(self):
        challenge = lwe.generate(SPEC)
        with tempfile.TemporaryDirectory() as folder:
            for name in ["challenge.json", "challenge.txt"]:
                path = os.path.join(folder, name)
                challenge.save(path)
                np.testing.assert_array_equal(lwe.Challenge.load(path).a, challenge.a)
            with self.assertRaisesRegex(hh.InputError, "ending"):
                challenge.save(os.path.join(folder, "challenge.npz"))


class Attacks(unittest.TestCase):
    def test_attacks_are_the_programs(self):
        for spec, method in [(SPEC, "exhaustive"), ("lpn:n=12,rate=0.1,samples=200,seed=5", "exhaustive"),
                             ("lwe:n=8,q=97,sigma=0,samples=20,seed=2", "elimination"),
                             ("lwe:n=8,q=97,sigma=0,samples=5,seed=2", "elimination"),
                             ("lwr:n=3,q=32,p=8,samples=80,seed=4", "bkw")]:
            run = subprocess.run([os.environ["HARDHEAD_PROGRAM"], "lwe", "attack", spec, "--method", method, "--json",
                                  "--quiet"], capture_output=True, text=True)
            document = json.loads(run.stdout)
            report = lwe.attack(lwe.generate(spec), method)
            self.assertEqual(run.returncode, 3 if document["outcome"] == "refused" else 0)
            self.assertEqual(report.solved, document["verified"], spec)
            self.assertEqual(None if report.secret is None else report.secret.tolist(), document["secret"], spec)

    def test_the_secret_is_found_and_verified(self):
        challenge = lwe.generate(SPEC)
        report = lwe.attack(challenge, "exhaustive")
        self.assertTrue(report.solved)
        np.testing.assert_array_equal(report.secret, lwe.secret(SPEC))
        self.assertTrue(lwe.verify(challenge, report.secret).verified)
        wrong = (report.secret + 1) % 31
        self.assertFalse(lwe.verify(challenge, wrong).verified)

    def test_cheap_ones_are_tried_first(self):
        attempts = lwe.attack_auto(lwe.generate(SPEC))
        self.assertTrue(attempts[-1].solved)
        self.assertRegex(repr(attempts[-1]), "^AttackReport\\(method='")

    def test_an_attack_of_ones_own_is_verified(self):
        challenge = lwe.generate(SPEC)
        secret = lwe.secret(SPEC)

        def knows(given):
            self.assertEqual(given.digest, challenge.digest)
            return secret.astype(np.int64) - 31 * (secret > 15)  # the least residues

        report = lwe.attack(challenge, knows)
        self.assertEqual((report.method, report.outcome), ("knows", "solved"))
        np.testing.assert_array_equal(report.secret, secret)
        self.assertIsNone(report.predicted_seconds)
        for wrong, why in ((lambda given: (secret + 1) % 31, "returned a secret"), (lambda given: None, "found no secret"),
                           (lambda given: secret[:-1], ""), (lambda given: [40] * given.n, "what <lambda> returned")):
            report = lwe.attack(challenge, wrong)
            self.assertEqual((report.outcome, report.secret), ("not_solved", None))
            self.assertIn(why, report.message)
        with self.assertRaises(ZeroDivisionError):
            lwe.attack(challenge, lambda given: 1 // 0)

        def never(given):
            while True:
                pass

        self.assertEqual(lwe.attack(challenge, never, time_limit=0.2).outcome, "stopped")

    def test_an_attack_that_cannot_work_says_why(self):
        report = lwe.attack(lwe.generate(SPEC), "low-bits")
        self.assertEqual((report.outcome, report.secret), ("refused", None))
        self.assertTrue(report.message)
        reasons = {e.method: e.not_applicable for e in lwe.estimate(SPEC)}
        self.assertIsNotNone(reasons["low-bits"])
        self.assertIsNone(reasons["exhaustive"])
        self.assertEqual(set(reasons), {a.name for a in lwe.attacks()})
        with self.assertRaisesRegex(hh.InputError, "did you mean 'exhaustive'"):
            lwe.attack(lwe.generate(SPEC), "exhaustiv")


if __name__ == "__main__":
    unittest.main()
