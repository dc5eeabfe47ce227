"""Single runs: of the library's learners, and of learners that are Python functions."""
import time
from dataclasses import dataclass
from typing import Optional


from . import _core
from ._core import Instance, Layer, Samples, Spec
from .teachers import Teacher, function_of, name_of


@dataclass(frozen=True)
class Task:
    """What a learner is told besides its examples.

    Attributes
    ----------
    heads : int or None
        The number of heads, if the learner is told it.
    examples : int or None
        The most examples that it may use.
    seed : int
        Of its own randomness.
    """

    heads: Optional[int]
    examples: Optional[int]
    seed: int


def learn(source, method="sculpt", *, heads=None, examples=None, seed=1, examples_seed=1, holdout=0.1, truth=None,
          tolerance=0.0, policy="uniform", length=None, budget=None, recovery=1e-10, time_limit=None, memory_limit=None,
          progress=None):
    """Runs a learner, and judges what it learnt on examples that it has not seen.

    Parameters
    ----------
    source : str, Spec, Instance, Samples, Teacher or (x, y)
        A spec, a file, or examples. Examples answer no queries: a learner by values needs a spec, a layer or an
        instance.
    method : str or Spec
        The learner with its options; `methods()` lists them.
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
    if isinstance(source, Teacher):
        source = source.samples(examples_seed)
    return _core._learn(source, method, heads=heads, examples=examples, seed=seed, examples_seed=examples_seed,
                        holdout=holdout, truth=truth, tolerance=tolerance, policy=policy, length=length, budget=budget,
                        recovery=recovery, time_limit=time_limit, memory_limit=memory_limit, progress=progress)


def outside_name(function):
    """The name of a Python function as a learner. Raises InputError where a learner of the library has it."""
    return _core._outside_method(name_of(function)).name


def _judged(problem, answer, name, task, recovery, seconds):
    """What became of `answer` on the problem's test examples."""
    x, said = None, answer
    if not isinstance(answer, Layer):
        if not callable(answer):
            raise TypeError(f"'{name}' hands back a {type(answer).__name__}: a Layer, or a function from tokens to "
                            "predictions, is expected")
        x, y = problem.test.read(0, problem.test_count)
        said = _core._array(f"what '{name}' predicts", function_of(answer)(x))
        if said.shape != y.shape:
            raise ValueError(f"'{name}' predicts the shape {said.shape}: {y.shape} is expected")
    return _core._judge(problem, said, x, name, task.heads, task.examples, task.seed, recovery, seconds)


def run_function(source, function, task, recovery):
    """A run of a learner that is a Python function, on a source of the library's."""
    problem = _core._open(source, task.seed, 0.1)
    started = time.perf_counter()
    answer = function(problem.samples, task)
    seconds = time.perf_counter() - started
    return _judged(problem, answer, outside_name(function), task, recovery, seconds)


def members(source, seed, seeds):
    """Sources of runs 0, 1, ..: a list for each series that `source` stands for."""
    seed, seeds = _core._seed(seed), _core._seeds(seeds)
    if isinstance(source, Teacher):
        return [[_core._examples_source(source.name, source.samples(seed + i)) for i in range(seeds)]]
    if isinstance(source, (tuple, list)) and len(source) == 2:
        source = Samples(*source)
    if isinstance(source, Samples):
        return [[_core._examples_source("x, y", source)] * seeds]
    return _core._members(source.spec if isinstance(source, Instance) else source, seed, seeds)


def label_of(source):
    """What tables call it: a spec without its seed, a file, or a name for examples."""
    if isinstance(source, Teacher):
        return source.name
    series = members(source, 1, 1)
    if isinstance(source, (tuple, list, Samples)):
        return series[0][0].name
    return series[0][0].label if len(series) == 1 else str(source)


def judge(source, answer, *, name="mine", seed=1, recovery=1e-10):
    """Scores a layer or predictions of your own, as the library's learners are scored.

    Parameters
    ----------
    source : str, Spec, Instance, Samples, Teacher or (x, y)
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
    (source,), = members(source, seed, 1)
    return _judged(_core._open(source, seed, 0.1), answer, name, Task(None, None, seed), recovery, 0.0)


def null_error(source):
    """The relative squared error of the null predictor: the best function of what labels depend on in public.

    Where a family hides nothing but its weights (nice), and of examples, it is that of the best affine function,
    estimated on test examples as the program does; elsewhere it is exact, and rounded once.

    Parameters
    ----------
    source : str, Spec, Instance, Samples, Teacher or (x, y)

    Returns
    -------
    float
    """
    (source,), = members(source, 1, 1)
    return _core._open(source, 1, 0.1).null_error
