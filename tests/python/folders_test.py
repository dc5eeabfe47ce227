"""Sweeps, claims, pages, suites and distinguishing in Python: what the program does, and its files."""
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import hardhead as hh

PROGRAM = os.environ["HARDHEAD_PROGRAM"]
STUDY = "seeds = 2\n[[grid]]\nsource = 'nice:k=2,m=1'\nparameters = { d = [4, 6] }\nmethod = 'gauss-newton'\nheads = 'told'\nexamples = 500\n"


class Folders(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "study.toml").write_text(STUDY)

    def test_a_sweep_goes_on_where_it_was_stopped(self):
        heard = []

        def stop(run, fraction):
            heard.append(run)
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            hh.sweep(self.folder / "study.toml", self.folder / "out", progress=stop)
        self.assertEqual(len(heard), 1)
        result = hh.sweep(self.folder / "study.toml", self.folder / "out")
        self.assertEqual([(row["source"], row["runs"], row["recovered"]) for row in result.rows()],
                         [("nice:k=2,m=1,d=4", 2, 2), ("nice:k=2,m=1,d=6", 2, 2)])
        # The program finds nothing left to do.
        done = subprocess.run([PROGRAM, "sweep", "study.toml", "--out", "out", "--json", "--quiet"], cwd=self.folder, check=True,
                              capture_output=True)
        self.assertEqual(json.loads(done.stdout)["from_journal"], 4)
        page = hh.report(self.folder / "out")
        self.assertIn("nice:k=2,m=1,d=4", pathlib.Path(page).read_text())
        self.assertEqual(page, str(self.folder / "out/report.html"))

    def test_a_claim_is_tested(self):
        done = hh.reproduce(["R5"], self.folder / "claims", quick=True)
        self.assertEqual(done.performed, 1)
        finding, = done.findings
        self.assertEqual((finding.id, finding.setting), ("R5", "quick"))
        verdicts = json.loads((self.folder / "claims/verdicts.json").read_text())
        self.assertEqual(finding.verdict, verdicts[0]["verdict"])
        self.assertEqual(pickle.loads(pickle.dumps(done)).rows(), done.rows())
        self.assertEqual(hh.reproduce(["R5"], self.folder / "claims", quick=True).performed, 0)
        self.assertIn("R5", done._repr_html_())
        with self.assertRaises(hh.InputError):
            hh.reproduce(["R99"], self.folder / "claims")

    def test_labels_are_told_apart(self):
        result = hh.distinguish("lwr:n=3", "exhaustive", trials=5)
        self.assertEqual((result.right, result.advantage), (5, 1))
        self.assertEqual(result.interval[0], 2 * hh.binomial_interval(5, 5)[0] - 1)
        self.assertEqual(repr(pickle.loads(pickle.dumps(result))), repr(result))
        with self.assertRaises(hh.InputError):
            hh.distinguish("nice", "exhaustive")

    def test_suites(self):
        self.assertIn("nice-v1", [suite.name for suite in hh.suites()])
        suite = hh.suite("nice-v1")
        self.assertEqual(suite.verify(), [])
        spec, digest = suite.entries[0]
        self.assertEqual(hh.Instance(spec).digest, digest)
        with self.assertRaisesRegex(hh.InputError, "did you mean"):
            hh.suite("nice-v0")


if __name__ == "__main__":
    unittest.main()
