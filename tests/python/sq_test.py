"""Dimensions, bounds and games: exact numbers as fractions, the same as the program's."""
import json
import os
import subprocess
import unittest
from fractions import Fraction

import hardhead as hh

PROGRAM = os.environ["HARDHEAD_PROGRAM"]


def said(*arguments):
    return json.loads(subprocess.run([PROGRAM, "sq", *arguments, "--json"], check=True, capture_output=True, text=True).stdout)


class Dimensions(unittest.TestCase):
    def test_they_are_the_programs(self):
        for definition in ["pairwise", "average", "separation"]:
            found = hh.sq.dimension("parity:d=8,m=2", definition)
            document = said("dimension", "parity:d=8,m=2", "--definition", definition)
            self.assertEqual((found.definition, found.exact), (definition, document["exact"]))
            self.assertEqual(found.lower, Fraction(document["lower"]))
            self.assertEqual(found.bound_queries, Fraction(document["bound_queries"]))

    def test_unknown_definitions_and_classes_are_refused(self):
        with self.assertRaisesRegex(hh.InputError, "did you mean 'pairwise'"):
            hh.sq.dimension("parity:d=8,m=2", "pairwize")
        with self.assertRaises(hh.InputError):
            hh.sq.dimension("nonsense")

    def test_classes_are_listed(self):
        self.assertIn("parity", [c.name for c in hh.sq.classes()])


class Games(unittest.TestCase):
    def test_a_game_is_the_programs(self):
        game = hh.sq.play("parity:d=8,m=2", learner="combination")
        document = said("play", "parity:d=8,m=2", "--learner", "combination")
        for field in ["queries_used", "members_total", "members_left", "left_after", "learner_won", "violations", "gave_in", "theorem"]:
            self.assertEqual(getattr(game, field), document[field], field)
        self.assertGreaterEqual(game.queries_used, game.bound_queries)
        self.assertEqual(game.violations, 0)

    def test_oracles_of_examples_are_honest(self):
        game = hh.sq.play("parity:d=6,m=2", oracle="honest", tolerance="1/4")
        self.assertIsNone(game.bound_queries)
        self.assertTrue(game.learner_won)
        with self.assertRaisesRegex(hh.InputError, "honest"):
            hh.sq.play("parity:d=6,m=2", oracle="one-stat", policy="adversarial")


if __name__ == "__main__":
    unittest.main()
