"""Single runs of learners, and what may be their source."""
import os

from . import _core
from ._core import Instance, Layer, Samples, Spec
from .learners import Learner, learner_of
from .teachers import Teacher


def learn(source, method="sculpt", *, heads=None, examples=None, seed=1, examples_seed=1, holdout=0.1, truth=None,
          tolerance=0.0, policy="uniform", length=None, budget=None, recovery=1e-10, time_limit=None, memory_limit=None,
          progress=None):
    """Runs a learner, and judges what it learnt on examples that it has not seen.

    Parameters
    ----------
    source : str, Spec, Instance, Layer, Samples, Teacher or (x, y)
        A spec, a file, a layer with Boolean inputs of two tokens, or examples. Examples answer no queries: a learner by
        values needs a spec, a layer or an instance.
    method : str, Spec, Learner or callable
        The learner with its options (`methods()` lists them), or a function of your own.
    heads : int, optional
        The number of heads, if the learner is told it.
    examples : int, optional
        The most examples that it may use.
    seed, examples_seed : int
        Of the learner, and of the examples of an instance or a teacher.
    holdout : float
        Fraction of given examples that is held back for the test.
    truth : Layer, optional
        To compare with, where the source does not bring it.
    tolerance : float
        Of a learner by values: how far an answer may be off.
    policy : {'uniform', 'worst', 'grid'}
        What the tolerance is used for.
    length : {'fixed', 'free'}, optional
        Tokens of a query: as many as the source's, or any number. None: as the learner needs.
    budget : int, optional
        The most queries.
    recovery : float
        Test error up to which the layer counts as recovered.
    time_limit, memory_limit : float, optional
        Seconds and bytes. A run is stopped at the first, and refused if it is predicted to need more of the other.
    progress : callable, optional
        progress(phase, fraction) is called now and then.

    Returns
    -------
    RunResult

    Raises
    ------
    InputError
        For a source or an option that cannot be.
    BudgetError
        If the run is predicted to exceed its limit.
    """
    return _core._learn(_source(source, examples_seed), learner_of(method), heads=heads, examples=examples, seed=seed, examples_seed=examples_seed,
                        holdout=holdout, truth=truth, tolerance=tolerance, policy=policy, length=length, budget=budget,
                        recovery=recovery, time_limit=time_limit, memory_limit=memory_limit, progress=progress)


def is_source(given):
    """Whether this is one source, and no list of them. A pair of arrays is a tuple."""
    if isinstance(given, tuple):
        return len(given) == 2 and all(hasattr(part, "shape") for part in given)
    return isinstance(given, (str, Spec, Instance, Layer, Samples, Teacher, os.PathLike))


def _source(given, seed, name=None):
    """The source as the library takes it; `seed` is of the examples of a teacher."""
    if isinstance(given, Teacher):
        name, given = name or given.name, given.samples(seed)
    return _core._source(given, name)


def _has_spec(given):
    """Whether a spec or a file names it."""
    return isinstance(given, (str, Spec, os.PathLike)) or (isinstance(given, Instance) and given.spec.name != "")


def members(source, seeds, name=None):
    """Sources of the runs of these seeds: a list for each series that `source` stands for."""
    if isinstance(source, Teacher):
        return [[_source(source, seed, name) for seed in seeds]]
    if not _has_spec(source):
        return [[_core._source(source, name)] * len(seeds)]
    if isinstance(source, os.PathLike):
        source = _core._source(source, None).name
    return _core._members(source.spec if isinstance(source, Instance) else source, seeds)


def label_of(source):
    """What tables call it: a spec without its seed, a file, or a name for examples."""
    if isinstance(source, Teacher):
        return source.name
    if isinstance(source, (tuple, list, Samples)):
        return "x, y"
    series = members(source, [1])
    return series[0][0].label if len(series) == 1 else str(source)


def sources_of(given):
    """Pairs (source, its name or None) of one source, a list of them, or a dict by names. Two sources without a spec that
    have one name are an InputError that names both."""
    if isinstance(given, dict):
        pairs = [(source, name) for name, source in given.items()]
        for source, name in pairs:
            if _has_spec(source):
                raise _core.InputError(f"{name!r}: '{source}' has a name of its own, its spec or its path")
    else:
        pairs = [(given, None)] if is_source(given) else [(source, None) for source in given]
    known = {}
    for source, name in pairs:
        if not _has_spec(source):
            name = name or label_of(source)
            other = known.setdefault(name, source)
            if other is not source:
                raise _core.InputError(f"two sources are named '{name}': {_said(other)}, and {_said(source)}. Name them: "
                                       "{\"name\": source, ..}")
    return pairs


def _said(source):
    """A source in a few words."""
    if isinstance(source, (tuple, list)):
        return f"a pair of arrays, x of shape {getattr(source[0], 'shape', '?')}"
    return f"{source!r:.60}"


def judge(source, answer, *, name="mine", seed=1, recovery=1e-10):
    """Scores a layer or predictions of your own, as the library's learners are scored.

    Parameters
    ----------
    source : str, Spec, Instance, Layer, Samples, Teacher or (x, y)
        Of given examples the last tenth is the test.
    answer : Layer, callable or torch.nn.Module
        A layer, or a function from tokens [N, k, d] to predictions [N, k, d].
    name : str
        What results call it.
    seed : int
        Of the test examples, and of the instance where its spec has none.
    recovery : float
        Test error up to which it counts as recovered.

    Returns
    -------
    RunResult
    """
    (source,), = members(source, [seed])
    learner = Learner(lambda samples, task: answer, name=name)
    return _core._learn(source, learner._bound(raises=True), heads=None, examples=None, seed=seed, examples_seed=seed, holdout=0.1,
                        truth=None, tolerance=0.0, policy="uniform", length=None, budget=None, recovery=recovery,
                        time_limit=None, memory_limit=None, progress=None)


def null_error(source):
    """The relative squared error of the null predictor: the best function of what labels depend on in public.

    Where a family hides nothing but its weights (nice), and of examples, it is that of the best affine function,
    estimated on test examples as the program does; elsewhere it is exact, and rounded once.

    Parameters
    ----------
    source : str, Spec, Instance, Layer, Samples, Teacher or (x, y)

    Returns
    -------
    float
    """
    (source,), = members(source, [1])
    return source.null_error
