"""Errors, specs, exact numbers; what Ctrl-C and other threads see of a long call."""
import os
import signal
import threading
import time
import unittest
from fractions import Fraction

import hardhead as hh

LONG = dict(source="nice:d=32,k=3,m=3", method="sculpt")  # minutes


class Errors(unittest.TestCase):
    def test_a_wrong_call_is_an_input_error_and_a_value_error(self):
        with self.assertRaisesRegex(hh.InputError, "did you mean 'nice'"):
            hh.Instance("nise:d=8")
        with self.assertRaises(ValueError):
            hh.learn("nice", "sculpt:rows=none")
        self.assertTrue(issubclass(hh.InputError, hh.Error))

    def test_a_run_over_its_budget_is_refused_by_name(self):
        with self.assertRaisesRegex(hh.BudgetError, "memory"):
            hh.learn("nice:d=16,k=3,m=2", "gauss-newton", memory_limit=1000)

    def test_arguments_of_another_type_are_type_errors(self):
        with self.assertRaises(TypeError):
            hh.learn(3)


class Specs(unittest.TestCase):
    def test_a_spec_is_read_and_compared(self):
        spec = hh.Spec("nice:d=8,m=2")
        self.assertEqual((spec.name, spec.values, str(spec)), ("nice", {"d": "8", "m": "2"}, "nice:d=8,m=2"))
        self.assertEqual(spec, hh.Spec(str(spec)))
        self.assertEqual(len({spec, hh.Spec(str(spec))}), 1)
        self.assertEqual(hh.Instance(spec).spec.values["seed"], "1")

    def test_tables_give_names_defaults_and_ranges(self):
        nice = {family.name: family for family in hh.families()}["nice"]
        d = {parameter.name: parameter for parameter in nice.parameters}["d"]
        self.assertEqual((d.kind, d.default), ("integer", "16"))
        self.assertRegex(repr(d), r"^Parameter\(name='d', kind='integer', default='16', range='")


class ExactNumbers(unittest.TestCase):
    def test_fractions_go_both_ways(self):
        for tolerance in [Fraction(1, 10), "1/10", 0.1]:
            self.assertEqual(hh.sq.parity_query_bound(12, 3, tolerance), Fraction(164, 25))

    def test_a_float_is_its_shortest_decimal_however_its_class_prints_it(self):
        class Float64(float):  # prints as np.float64 does since NumPy 2
            def __repr__(self):
                return f"np.float64({float(self)})"

        self.assertEqual(hh.sq.parity_query_bound(12, 3, Float64(0.1)), Fraction(164, 25))

    def test_other_text_is_refused(self):
        with self.assertRaisesRegex(hh.InputError, "tenth"):
            hh.sq.parity_query_bound(12, 3, "a tenth")


class LongCalls(unittest.TestCase):
    def test_ctrl_c_ends_a_run_within_a_second_or_two(self):
        def interrupt():
            os.kill(os.getpid(), signal.SIGINT)
            self.sent = time.monotonic()

        threading.Timer(0.5, interrupt).start()
        with self.assertRaises(KeyboardInterrupt):
            hh.learn(**LONG)
        self.assertLess(time.monotonic() - self.sent, 3)

    def test_other_threads_run_meanwhile(self):
        counted = []
        done = threading.Event()

        def count():
            while not done.wait(0.01):
                counted.append(time.monotonic())

        thread = threading.Thread(target=count)
        thread.start()
        result = hh.learn(**LONG, time_limit=1)
        done.set()
        thread.join()
        self.assertEqual(result.outcome, "stopped")
        self.assertGreater(len(counted), 20)

    def test_progress_is_told_and_what_it_raises_ends_the_run(self):
        class Enough(Exception):
            pass

        def progress(phase, done):
            self.assertTrue(phase)
            self.assertTrue(0 <= done <= 1)
            raise Enough

        with self.assertRaises(Enough):
            hh.learn(**LONG, progress=progress)


if __name__ == "__main__":
    unittest.main()
