"""Functions and PyTorch modules as teachers and as predictors."""
import functools
import sys
from dataclasses import dataclass
from typing import Any, Callable

from ._core import Samples, _tokens


def function_of(given):
    """A function of NumPy arrays: the one given, or that of a PyTorch module, without gradients."""
    torch = sys.modules.get("torch")  # who has a module has imported it
    if torch is None or not isinstance(given, torch.nn.Module):
        return given
    like = next(given.parameters(), torch.zeros(0))

    def call(x):
        with torch.no_grad():
            tokens = torch.tensor(x, dtype=like.dtype, device=like.device)
            if isinstance(given, torch.nn.MultiheadAttention):
                swap = (lambda t: t) if given.batch_first else (lambda t: t.transpose(0, 1))
                y = swap(given(*[swap(tokens)] * 3, need_weights=False)[0])
            else:
                y = given(tokens)
            return y.double().cpu().numpy()

    return call


def name_of(function):
    """A name for tables: a word, and of a partial what it was given."""
    if isinstance(function, functools.partial):
        given = [*(f"{value!r:.20}" for value in function.args), *(f"{key}={value!r:.20}" for key, value in function.keywords.items())]
        return " ".join(f"{name_of(function.func)}({', '.join(given)})".split())
    name = getattr(function, "__name__", type(function).__name__)
    return "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name).strip("_") or "function"


@dataclass(frozen=True)
class Teacher:
    """A function of your own that labels random tokens, as a source of examples.

    Nothing is known of it but its labels. So the learners by examples can take it, and learners by value queries
    cannot; the last tenth of the examples is held back for the test; the null predictor is the best affine function,
    fitted on the others; and `recovered` means a test error of at most `recovery`, no more. Labels of another form than
    the layer's, which no learner can recover, are allowed.

    Parameters
    ----------
    function : callable or torch.nn.Module
        From tokens [N, k, d] to labels [N, k, d]. A module gets tensors of its parameters' type, without gradients; call
        its eval() before, if it has dropout.
    d, k : int
        Features of a token, tokens of an example.
    inputs : str
        Distribution of the tokens, as in `Layer.save`.
    examples : int
        How many are labelled, those of the test among them.
    """

    function: Callable[[Any], Any]
    d: int
    k: int
    inputs: str = "gaussian"
    examples: int = 20_000

    @property
    def name(self):
        """What tables call it."""
        return name_of(self.function)

    def samples(self, seed=1):
        """Examples on tokens of this seed.

        Parameters
        ----------
        seed : int

        Returns
        -------
        Samples
        """
        x, _ = _tokens(self.d, self.k, self.inputs, seed).read(0, self.examples)
        return Samples(x, function_of(self.function)(x), self.inputs)
