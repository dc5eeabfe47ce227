"""Checkpoints of trained models in Python: layers one by one, and examples on the model's own kind of inputs."""
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np

import hardhead as hh

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "attention"))
import models


class Checkpoints(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def load(self, model, **how):
        model.write(self.folder.name, shards=2)
        return hh.load_checkpoint(self.folder.name, **how)

    def test_its_layers_compute_what_the_model_computes(self):
        model = models.Llama("BF16", heads=6, groups=2, biases=True)
        checkpoint = self.load(model)
        self.assertEqual((checkpoint.architecture, checkpoint.layers), ("llama", [0, 1]))
        self.assertEqual(repr(checkpoint), "Checkpoint(architecture='llama', layers=2)")
        for n in checkpoint.layers:
            made = checkpoint.layer(n)
            self.assertEqual((made.heads, made.key_value_heads, made.head_size, made.has_constant_feature), (6, 2, 4, True))
            x = model.norm(np.random.default_rng(n).normal(size=(5, model.d)))
            y = made.layer(np.column_stack([x, np.ones(5)])[None])[0]
            self.assertLess(np.abs(y[:, :-1] - model.attention(n, x)).max(), 1e-13)
            self.assertTrue(np.all(y[:, -1] == 0))

    def test_examples_on_embeddings_outlive_the_checkpoint_and_are_learnt(self):
        model = models.Roberta(d=8, heads=2, groups=2, size=4)
        for kind, rows in (("word", 50), ("position", 40), ("token_type", 1)):
            model.put(f"roberta.embeddings.{kind}_embeddings.weight", rows, model.d)
        checkpoint = self.load(model)
        layer, samples = checkpoint.layer(0).layer, checkpoint.samples(0, tokens=3)
        del checkpoint
        x, y = samples.read(0, 4000)
        np.testing.assert_array_equal(layer(x), y)
        self.assertFalse(np.array_equal(x, hh.load_checkpoint(self.folder.name).samples(0, 3, seed=2).read(0, 4000)[0]))
        self.assertTrue(hh.learn((x, y), "gauss-newton", heads=2).recovered)
        for tokens, said in [(0, "tokens = 0"), (39, r"position_embeddings.weight.* has 38 positions, but 39 tokens")]:
            with self.assertRaisesRegex(hh.InputError, said):
                hh.load_checkpoint(self.folder.name).samples(0, tokens)

    def test_of_several_parts_one_is_chosen_by_its_prefix(self):
        model = models.Whisper(stack="decoder")
        made = self.load(model, prefix="decoder").layer(1)
        x = model.norm(np.random.default_rng(0).normal(size=(5, model.d)))
        y = made.layer(np.column_stack([x, np.ones(5)])[None])[0]
        self.assertLess(np.abs(y[:, :-1] - model.attention(1, x)).max(), 1e-13)
        with self.assertRaisesRegex(hh.InputError, "model.decoder or model.encoder"):
            hh.load_checkpoint(self.folder.name)

    def test_what_it_lacks_is_named(self):
        checkpoint = self.load(models.Timm(), num_heads=3)
        with self.assertRaisesRegex(hh.InputError, "layer 2 is asked for"):
            checkpoint.layer(2)
        with self.assertRaisesRegex(hh.InputError, "timm has no table of tokens"):
            checkpoint.samples(0, 3)
        with self.assertRaisesRegex(hh.InputError, "num_heads|--num-heads"):
            hh.load_checkpoint(self.folder.name).layer(0)
        with self.assertRaisesRegex(hh.InputError, os.path.join(self.folder.name, "missing")):
            hh.load_checkpoint(os.path.join(self.folder.name, "missing"))


if __name__ == "__main__":
    unittest.main()
