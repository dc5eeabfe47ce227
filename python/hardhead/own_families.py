"""Families of instances that are Python functions."""
import functools
import inspect

from . import _core
from .teachers import Teacher


def _accepted(function, parameters):
    """Those of these names that a function takes as keywords."""
    taken = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in taken):
        return set(parameters)
    return {one.name for one in taken if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)} & set(parameters)


def family(name, function, *, summary="a family of the caller's", inputs="boolean", null=None, **parameters):
    """Names a family of your own for the rest of the process: wherever Python takes a spec, it takes one of this family.

    After ``hardhead.family("mine", f, d=16, k=2, m=2, rho=0.5)`` the spec "mine:rho=0.7,seed=3" is the instance
    f(3, d=16, k=2, m=2, rho=0.7), in `compare`, `best`, `fewest_examples`, `sweep`, `certify` and `learn`. A name that is
    given again has the new function.

    Parameters
    ----------
    name : str
        A word of a spec, which no family of the library has.
    function : callable
        f(seed, \\*\\*parameters) returns a Layer, which is labelled by its forward pass, or a Teacher, which has labels and
        no layer. It is told those of the parameters (and `inputs`) that it takes; equal seeds and parameters must give the
        same. Digests are of the layer's numbers, or of the examples.
    summary : str
        One line.
    inputs : str
        Distribution of the tokens, as in `Layer.save`; a spec may give another.
    null : float, Fraction or callable, optional
        The relative squared error of the best predictor that does not know what is hidden, or a function of the
        parameters that says it. By default the null predictor is the best affine function, fitted on examples; a family of
        Teachers always has that one.
    \\*\\*parameters
        The parameters of a spec with their defaults: integers, real numbers or texts. `d`, features, must be among them;
        `k`, tokens, is 2 by default; `m`, heads, is needed for layers.

    Raises
    ------
    InputError
        For a name that the library has, and for parameters that a spec cannot have.
    """
    if "d" not in parameters:
        raise _core.InputError(f"family '{name}': d, the features of a token, is expected among the parameters")
    parameters = {"d": parameters.pop("d"), "k": parameters.pop("k", 2), **parameters}
    known = _accepted(function, [*parameters, "inputs"])
    if unknown := set(parameters) - known - {"d", "k", "m"}:
        raise _core.InputError(f"family '{name}': the function takes no {', '.join(sorted(unknown))}")

    @functools.lru_cache(maxsize=4)
    def made(seed, items):
        made_by = function(seed, **{key: value for key, value in items if key in known})
        if isinstance(made_by, Teacher):
            return made_by.samples(seed)
        if not isinstance(made_by, _core.Layer):
            raise TypeError(f"the function returned a {type(made_by).__name__}: a Layer or a Teacher is expected")
        return made_by

    def null_error(values):
        if not callable(null):
            return null
        return null(**{key: value for key, value in values.items() if key in _accepted(null, values)})

    _core._add_family(name, summary, parameters, inputs, lambda values: made(values["seed"], tuple(values.items())), null_error)
