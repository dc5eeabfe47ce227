"""What is no number, no path or no seed is refused in one line, and what is one is taken, whatever type it has."""
import copy
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
from fractions import Fraction

import numpy as np

import hardhead as hh

X = np.random.default_rng(0).standard_normal((400, 2, 4))
LAYER = hh.Layer(np.eye(4)[None], np.eye(4)[None])
Y = LAYER(X)


def learn(**given):
    return hh.learn((X, Y), "gauss-newton", **{"heads": 1, **given})


class OneLine(unittest.TestCase):
    def check(self, expected, call):
        with self.assertRaises((TypeError, ValueError)) as raised:
            call()
        text = str(raised.exception)
        self.assertRegex(text, expected)
        self.assertNotIn("\n", text)
        self.assertNotIn("incompatible function arguments", text)


class Arrays(OneLine):
    def test_other_kinds_of_numbers_are_refused(self):
        for wrong, said in ((X + 5j * X, "complex128"), (X.astype("i8").astype("M8[s]"), r"datetime64\[s\]"),
                            (X.astype("i8").astype("m8[s]"), "timedelta64"), (X > 0, "bool"), (X.astype("U5"), "an array of numbers"),
                            (X.astype("S5"), "an array of numbers"), (X.astype(object), "an array of numbers"), (None, "NoneType"),
                            ([[1, 2], [3]], "list"), (np.full((400, 2, 4), 2**53 + 1), "2\\^53"),
                            (np.full((400, 2, 4), 2**64 - 1, np.uint64), "2\\^53"), ([[["1"]]], "list"), ([[[1j]]], "complex")):
            for call in (lambda: hh.Samples(wrong, Y), lambda: LAYER(wrong), lambda: hh.learn((wrong, Y), "gauss-newton", heads=1),
                         lambda: hh.Samples(X, wrong)):
                self.check(said, call)

    def test_masked_entries_are_refused_wherever_they_are(self):
        masked = np.ma.masked_array(X, mask=np.zeros(X.shape, bool))
        self.assertEqual(hh.Samples(masked, Y).size, 400)
        masked[3, 1, 2] = np.ma.masked
        for given in (masked, list(masked), [masked[0], masked[3]], (masked[3],)):
            self.check("masked", lambda: LAYER(given))
        self.check("theta has 4 masked entries", lambda: hh.Layer(np.ma.masked_greater(np.full((1, 2, 2), 9.0), 5), np.ones((1, 2, 2))))

    def test_numbers_of_other_widths_are_taken(self):
        signs = np.where(X > 0, 1, -1)
        for kind in ("f2", "f4", ">f8", "g", "i1", "i4", ">i8", "u1", "u8"):
            given = np.abs(signs).astype(kind) if kind[0] == "u" else signs.astype(kind)
            np.testing.assert_array_equal(LAYER(given), LAYER(given.astype(float)))
        np.testing.assert_array_equal(LAYER(X[::-1]), LAYER(X)[::-1])
        np.testing.assert_array_equal(LAYER(X.tolist()), LAYER(X))
        self.assertEqual(LAYER.digest, hh.Layer([[[1 if a == b else 0 for a in range(4)] for b in range(4)]], np.eye(4)[None]).digest)

    def test_a_learner_and_a_teacher_that_say_complex_numbers_are_refused(self):
        self.check("complex", lambda: hh.Teacher(lambda x: x + 1j, 4, 2, examples=50).samples())
        self.check("complex", lambda: hh.judge((X, Y), lambda x: x + 1j))


class Numbers(OneLine):
    def test_integers_are_integers_of_their_range(self):
        for name in ("heads", "examples", "budget", "seed", "examples_seed"):
            for wrong in (1.5, "1", True, 1j, np.float64(3.5), float("nan"), np.datetime64(3, "s"), np.array([1]), [1], b"1"):
                self.check(name, lambda: learn(**{name: wrong}))
            for wrong in (-1, 2**63, 2**64, np.uint64(2**64 - 1), np.int8(-1)):
                self.check(f"{name} = ", lambda: learn(**{name: wrong}))
        self.check("seeds = 0 *: an integer in 1 .. 100000 is expected", lambda: hh.compare(["nice:d=4"], ["phase1"], seeds=0))
        self.check("seeds = -1", lambda: hh.compare(["nice:d=4"], ["phase1"], seeds=-1))
        self.check("seed = -1: an integer in 0 .. 9223372036854775807 is expected", lambda: learn(seed=-1))
        self.check("tokens = -1", lambda: hh.certify(LAYER, -1))
        self.check("jobs = 0", lambda: hh.compare(["nice:d=4"], ["phase1"], jobs=0))
        self.check("threads = 0", lambda: hh.set_threads(0))
        self.check("count = 2.5", lambda: hh.Samples(X, Y).read(0, 2.5))
        self.assertEqual(len(hh.Samples(X, Y).read(0.0, np.float32(2))[0]), 2)
        self.check("examples = inf", lambda: learn(examples=np.inf))

    def test_numpy_integers_are_integers(self):
        for kind in (np.int8, np.uint8, np.int32, np.uint64, np.int64):
            run = learn(seed=kind(3), heads=kind(1), examples=np.uint64(300))
            self.assertEqual(run.to_json().split('"seconds"')[0], learn(seed=3, examples=300).to_json().split('"seconds"')[0])
            self.assertEqual(hh.certify(LAYER, kind(2)).k, 2)
            self.assertEqual(hh.Samples(X, Y).read(kind(1), kind(2))[0].shape, (2, 2, 4))
        self.assertEqual(learn(seed=2**63 - 1).seed, 2**63 - 1)

    def test_reals_are_finite_and_in_their_range(self):
        for name in ("recovery", "time_limit", "memory_limit", "holdout", "tolerance"):
            for wrong in (float("nan"), np.float32("nan"), -1, -np.inf, "1", 1j, np.complex64(1), True, np.array([0.5]), np.datetime64(1, "s")):
                self.check(name, lambda: learn(**{name: wrong}))
        self.check("recovery = 0", lambda: learn(recovery=0))
        self.check("recovery = inf", lambda: learn(recovery=np.inf))
        self.check("holdout = 1", lambda: learn(holdout=1))
        self.check("probability = 2", lambda: hh.fewest_examples("nice:d=4", "phase1", 2))
        self.check("ratio = 1", lambda: hh.fewest_examples("nice:d=4", "phase1", ratio=1))
        self.check("time_limit", lambda: hh.lwe.attack(hh.lwe.generate("lwe:n=4,q=31,samples=20"), "exhaustive", float("nan")))
        for right in (1e-10, Fraction(1, 10**10), np.float32(1e-10), np.float64(1e-10), 1):
            self.assertEqual(learn(recovery=right, time_limit=np.inf).outcome, "recovered")

    def test_exact_numbers_take_every_kind_and_no_other(self):
        for right in (0.1, "1/10", Fraction(1, 10), np.float64(0.1)):
            self.assertEqual(hh.sq.parity_query_bound(12, 3, right), hh.sq.parity_query_bound(12, 3, "1/10"))
        for wrong in (1j, True, None, float("nan"), [1]):
            self.check("exact number", lambda: hh.sq.parity_query_bound(12, 3, wrong))


class Names(OneLine):
    def test_what_is_no_source_and_no_spec_is_said(self):
        self.check(r"source = 3 \(int\): a spec", lambda: hh.learn(3))
        self.check("source = ", lambda: hh.learn((X, Y, X)))
        self.check("a spec is expected", lambda: hh.learn("nice", 3))
        self.check("a spec is expected", lambda: hh.Instance(b"nice"))
        self.check("policy = 3", lambda: learn(policy=3))
        self.check("path = 3", lambda: hh.Layer.load(3))
        self.check("truth = ", lambda: learn(truth=X))

    def test_a_path_is_taken_everywhere(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            LAYER.save(folder / "layer", tokens=2)
            self.assertEqual(hh.Layer.load(folder / "layer").digest, LAYER.digest)
            hh.Samples(X, Y).save(folder / "data")
            self.assertEqual(hh.Samples.load(folder / "data").size, 400)
            self.assertEqual(hh.learn(folder / "data", "gauss-newton", heads=1).outcome, "recovered")
            self.assertEqual(hh.certify(folder / "layer").k, 2)
            self.assertEqual(len(hh.compare([folder / "data"], ["phase1"], journal=folder / "journal").runs), 1)
            self.assertTrue((folder / "journal").exists())
            (folder / "s.toml").write_text("[[grid]]\nsource='nice:d=4,k=2,m=1'\nmethod='phase1'\nexamples=99\n")
            self.assertEqual(len(hh.sweep(folder / "s.toml", folder / "out").runs), 1)
            self.assertEqual(hh.report(folder / "out"), str(folder / "out" / "report.html"))
            challenge = hh.lwe.generate("lwe:n=4,q=31,samples=20")
            challenge.save(folder / "c.json")
            self.assertEqual(hh.lwe.Challenge.load(folder / "c.json").digest, challenge.digest)
            hh.draw(folder, "falls", {"error": ([1, 10], np.array([1, 0.1]))}, title="", x="", y="", levels={"l": np.float32(0.5)})
            with self.assertRaises(hh.InputError):
                hh.load_checkpoint(folder / "none")
            here = os.getcwd()
            os.chdir(folder)
            try:  # a name that could be a spec's
                self.assertEqual(hh.learn(pathlib.Path("data"), "gauss-newton", heads=1).outcome, "recovered")
            finally:
                os.chdir(here)


class Pickles(unittest.TestCase):
    def same(self, value):
        back = pickle.loads(pickle.dumps(value))
        self.assertIs(type(back), type(value))
        for name in getattr(type(value), "__match_args__", ()):
            np.testing.assert_equal(repr(getattr(back, name)), repr(getattr(value, name)), name)
        self.assertEqual(repr(copy.deepcopy(value)), repr(value))
        return back

    def test_every_result_is_what_it_was(self):
        certificate = self.same(hh.certify("nice:d=6,k=2,m=1", tokens=2))
        self.assertEqual(len(certificate.worst()), len(hh.certify("nice:d=6,k=2,m=1", tokens=2).worst()))
        self.same(certificate.conditions[0])
        challenge = hh.lwe.generate("lwe:n=4,q=31,sigma=1,samples=20")
        self.assertEqual(self.same(challenge).digest, challenge.digest)
        report = hh.lwe.attack(challenge, "exhaustive")
        np.testing.assert_array_equal(self.same(report).secret, report.secret)
        self.same(report.verification)
        self.same(hh.lwe.estimate("lwe:n=4,q=31,samples=20")[0])
        self.same(hh.sq.dimension("parities:n=6"))
        self.same(hh.sq.play("parity:d=8,m=2"))
        run = self.same(learn())
        self.same(run.phases[0])
        self.same(run.parameter_error) if run.parameter_error else None
        self.same(hh.match_heads(LAYER, LAYER))
        self.assertEqual(self.same(LAYER).digest, LAYER.digest)
        np.testing.assert_array_equal(self.same(LAYER.heads[0]).theta, LAYER.heads[0].theta)
        self.same(hh.compare(["nice:d=4"], ["phase1"], examples=99))

    def test_what_lists_hold_is_found_again(self):
        for value in (hh.families()[0], hh.families()[0].parameters[0], hh.methods()[0], hh.methods()[0].parameters[0], hh.suites()[0],
                      hh.lwe.attacks()[0], hh.sq.classes()[0], hh.niceness_constants()[0]):
            self.same(value)


def run_python(text, **more):
    return subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=60, **more)


class Processes(OneLine):
    def test_objects_that_were_made_by_new_alone_are_refused(self):
        for kind, use in ((hh.Samples, "size"), (hh.Layer, "d"), (hh.Instance, "spec"), (hh.Spec, "name"), (hh.lwe.Challenge, "n"),
                          (hh.Certificate, "nice"), (hh.RunResult, "outcome"), (hh.Checkpoint, "layers")):
            empty = kind.__new__(kind)
            self.check("__new__", lambda: getattr(empty, use))
            self.check("__new__", lambda: repr(empty))
            del empty
        self.check("__new__", lambda: hh.learn(hh.Samples.__new__(hh.Samples)))

    def test_a_file_that_was_cut_or_written_to_is_an_exception(self):
        for change in ("os.truncate('data', os.path.getsize('data') // 2)", "open('data', 'r+b').write(b'x')",
                       "hh.Samples(x[:30], y[:30]).save('new'); open('data', 'wb').write(open('new', 'rb').read())"):
            with tempfile.TemporaryDirectory() as folder:
                done = run_python(f"""
                    import os, numpy as np, hardhead as hh
                    x = np.random.default_rng(0).standard_normal((4000, 2, 4))
                    y = hh.Layer(np.eye(4)[None], np.eye(4)[None])(x)
                    hh.Samples(x, y).save('data')
                    samples = hh.Samples.load('data')
                    {change}
                    for call in (lambda: samples.read(0, 4000), lambda: samples.block(0, 4000), lambda: hh.learn(samples, 'gauss-newton', heads=1)):
                        try:
                            call()
                        except hh.InputError as error:
                            print(error)
                    """, cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(len(done.stdout.splitlines()), 3, done.stdout)
                self.assertRegex(done.stdout, "'data': it (became shorter|was changed) while it was read")

    def test_a_file_that_was_replaced_stays_what_it_was(self):
        with tempfile.TemporaryDirectory() as folder:
            path, other = os.path.join(folder, "data"), os.path.join(folder, "other")
            hh.Samples(X, Y).save(path)
            samples = hh.Samples.load(path)
            hh.Samples(X[:9], Y[:9]).save(other)
            os.replace(other, path)
            np.testing.assert_array_equal(samples.read(0, 400)[0], X)

    def test_a_memory_map_whose_file_was_cut_is_an_exception(self):
        for kind in ("f8", "f4"):
            with tempfile.TemporaryDirectory() as folder:
                done = run_python(f"""
                    import os, numpy as np, hardhead as hh
                    x = np.random.default_rng(0).standard_normal((40000, 2, 4))
                    layer = hh.Layer(np.eye(4)[None], np.eye(4)[None])
                    y = layer(x)
                    x.astype('{kind}').tofile('x')
                    mapped = np.memmap('x', '{kind}', 'r', shape=x.shape)
                    samples = hh.Samples(mapped, y)
                    os.truncate('x', 100)
                    for call in (lambda: samples.read(0, 40000), lambda: layer(mapped), lambda: hh.Samples(mapped[::2], y[::2])):
                        try:
                            call()
                            print("taken")
                        except hh.InputError as error:
                            print(error)
                    """, cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                lines = done.stdout.splitlines()
                self.assertEqual(lines[0] == "taken", kind == "f4", "a copy is as it was")
                for line in lines[1:] if kind == "f4" else lines:
                    self.assertIn("became shorter", line)

    def test_the_interpreter_ends_during_a_run(self):
        for body in ("hh.learn('nice:d=24,k=3,m=2', 'adam', time_limit=20)",
                     "hh.Instance('nice:d=8,k=3').samples().read(0, 3000000)",
                     "hh.Layer(np.ones((2, 64, 64)), np.ones((2, 64, 64)))(np.ones((200000, 2, 64)))"):
            done = run_python(f"""
                import threading, time, numpy as np, hardhead as hh
                threading.Thread(target=lambda: {body}, daemon=True).start()
                time.sleep(0.3)
                """)
            self.assertEqual((done.returncode, done.stderr), (0, ""), body)

    def test_ctrl_c_ends_every_long_call(self):
        big = hh.Layer(np.random.default_rng(0).standard_normal((2, 64, 64)), np.ones((2, 64, 64)))
        x = np.random.default_rng(0).standard_normal((40000, 8, 64))
        samples = hh.Instance("nice:d=64,k=16,m=8").samples()
        for name, call in (("layer(x)", lambda: big(x)), ("block", lambda: samples.block(0, 200000)),
                           ("generate", lambda: hh.lwe.generate("lwe:n=1000,q=12289,sigma=3.2,samples=400000"))):
            timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            begun = time.monotonic()
            try:
                call()
            except KeyboardInterrupt:
                self.assertLess(time.monotonic() - begun, 5, name)
            else:  # it was done before
                timer.join()
                try:
                    time.sleep(1)
                except KeyboardInterrupt:
                    pass


if __name__ == "__main__":
    unittest.main()
