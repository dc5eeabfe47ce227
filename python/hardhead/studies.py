"""Studies of several runs, in Python: comparisons and success curves, also of learners that are Python callables.
Documented in docs/python.md."""
import html
import math
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np

from ._core import Instance, Layer, Spec, binomial_interval, counting_bound, learn, nondecreasing_shares
from ._core import test_error as _layer_error

TEST_EXAMPLES = 20_000
LEARNT_ADVANTAGE = 0.99


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


Learner = Union[str, Spec, Callable[[Any, Task], Any]]


@dataclass(frozen=True)
class Run:
    """One run of a learner: numbers and texts only, so that it can be pickled.

    Attributes
    ----------
    source, learner : str
        The spec of the instance, with its seed, and the learner's spec or name.
    seed : int
        Of the learner and of its examples.
    test_error, null_error, advantage : float
        Relative squared errors on fresh examples, and 1 - (test_error - ceiling) / (null_error - ceiling). The
        instance's ceiling_error is 0 but for noise mod q (docs/formats.md).
    degree : str
        "recovered", "learnt", "partly" or "nothing".
    seconds : float
        The learner took.
    """

    source: str
    learner: str
    seed: int
    test_error: float
    null_error: float
    advantage: float
    degree: str
    seconds: float


def _table_html(columns, rows):
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line("th", columns) + "".join(line("td", row) for row in rows) + "</table>"


def _dataframe(records):
    import pandas  # only who asks for a data frame needs it

    return pandas.DataFrame.from_records(records)


@dataclass(frozen=True)
class Comparison:
    """Runs of every learner on every instance (`compare`).

    Attributes
    ----------
    runs : list of Run
        Instance by instance, learner by learner, seed by seed.
    """

    runs: list

    def rows(self):
        """One record for each pair of instance and learner.

        Returns
        -------
        list of dict
            `runs`, `recovered`, its exact 95% interval (`low`, `high`), and the medians of `test_error`,
            `null_error`, `advantage` and `seconds`.
        """
        groups = {}
        for run in self.runs:
            groups.setdefault((_without_seed(run.source), run.learner), []).append(run)
        out = []
        for (source, learner), runs in groups.items():
            recovered = sum(run.degree == "recovered" for run in runs)
            low, high = binomial_interval(recovered, len(runs))
            row = {"source": source, "learner": learner, "runs": len(runs), "recovered": recovered, "low": low, "high": high}
            for name in ("test_error", "null_error", "advantage", "seconds"):
                row[name] = float(np.median([getattr(run, name) for run in runs]))
            out.append(row)
        return out

    def to_dataframe(self):
        """The rows as a pandas.DataFrame."""
        return _dataframe(self.rows())

    def _repr_html_(self):
        rows = self.rows()
        return _table_html(rows[0], [[f"{v:.3g}" if isinstance(v, float) else v for v in row.values()] for row in rows])


@dataclass(frozen=True)
class SuccessCurve:
    """Success against examples (`fewest_examples`).

    Attributes
    ----------
    source, learner : str
        What was learnt, and by what.
    probability : float
        Of success, that the examples are for.
    budgets : list of dict
        `examples`, `successes`, `runs`, the exact 95% interval of the share (`low`, `high`), and `fitted`, which does
        not fall with the examples.
    examples : float or None
        Where the fit reaches the probability, between two budgets by their logarithm.
    low, high : int or None
        More than `low` examples are needed, and `high` are enough: a 95% interval, by exact intervals at each budget with
        Bonferroni's correction. None where no budget tells.
    """

    source: str
    learner: str
    probability: float
    budgets: list = field(default_factory=list)
    examples: Optional[float] = None
    low: Optional[int] = None
    high: Optional[int] = None

    def to_dataframe(self):
        """The budgets as a pandas.DataFrame."""
        return _dataframe(self.budgets)

    def _repr_html_(self):
        columns = ["examples", "successes", "runs", "low", "high", "fitted"]
        return _table_html(columns, [[f"{b[c]:.3g}" for c in columns] for b in self.budgets])


def _without_seed(source):
    name, _, rest = source.partition(":")
    values = [value for value in rest.split(",") if value and not value.startswith("seed=")]
    return f"{name}:{','.join(values)}" if values else name


def _with_seed(source, seed):
    plain = _without_seed(source)
    return f"{plain}{',' if ':' in plain else ':'}seed={seed}"


def _spec_text(source):
    if isinstance(source, Instance):
        source = source.spec
    return str(source)


def _name_of(learner):
    return str(learner) if isinstance(learner, (str, Spec)) else getattr(learner, "__name__", type(learner).__name__)


def null_error(source):
    """The relative squared error of the null predictor: the best function of what labels depend on in public.

    Where a family hides nothing but its weights (nice), it is that of the best affine function, estimated on test
    examples as the program does; elsewhere it is exact.

    Parameters
    ----------
    source : str, Spec or Instance

    Returns
    -------
    float
    """
    instance = source if isinstance(source, Instance) else Instance(source)
    if instance.null_error is not None:
        return float(instance.null_error)
    enough = max(1, counting_bound(instance.d, instance.k, instance.layer.m))  # fewer would be refused
    return learn(instance, "phase1", examples=enough).null_error


def _degree(test_error, advantage, recovery):
    if test_error <= recovery:
        return "recovered"
    if advantage >= LEARNT_ADVANTAGE:
        return "learnt"
    return "partly" if advantage > 0 else "nothing"


def _error_of(learnt, instance, seed):
    samples = instance.samples(2**64 - 1 - seed)  # no learner has these
    if isinstance(learnt, Layer):
        return _layer_error(learnt, samples, TEST_EXAMPLES)
    x, y = samples.read(0, TEST_EXAMPLES)
    guess = np.asarray(learnt(x), dtype=float)
    if guess.shape != y.shape:
        raise ValueError(f"the learner's predictions have the shape {guess.shape}: {y.shape} is expected")
    return float(np.sum((guess - y) ** 2) / np.sum(y**2))


def _run(text, learner, task, recovery, time_limit):
    instance = Instance(text)
    if isinstance(learner, (str, Spec)):
        result = learn(instance, learner, heads=task.heads, examples=task.examples, seed=task.seed,
                       examples_seed=task.seed, recovery=recovery, time_limit=time_limit)
        return Run(text, _name_of(learner), task.seed, result.test_error, result.null_error, result.advantage,
                   result.degree or "nothing", result.seconds)
    started = time.perf_counter()
    learnt = learner(instance.samples(task.seed), task)
    seconds = time.perf_counter() - started
    none = null_error(instance)
    error = _error_of(learnt, instance, task.seed)
    ceiling = float(instance.ceiling_error)
    advantage = 1 - (error - ceiling) / (none - ceiling)
    return Run(text, _name_of(learner), task.seed, error, none, advantage, _degree(error, advantage, recovery), seconds)


def compare(instances: Sequence[Any], learners: Sequence[Learner], seeds: int = 1, *, heads: Optional[int] = None,
            examples: Optional[int] = None, seed: int = 1, recovery: float = 1e-10,
            time_limit: Optional[float] = None) -> Comparison:
    """Runs every learner on every instance over several seeds.

    Parameters
    ----------
    instances : sequence of str, Spec or Instance
        Their seed is replaced by seed, seed + 1, ..
    learners : sequence
        Specs of the library's learners, or functions f(samples, task) that return a Layer, or a function from tokens
        [N, k, d] to predictions [N, k, d]. A function sees examples, never the truth.
    seeds : int
        Runs of each pair.
    heads, examples : int, optional
        What the learners are told.
    recovery : float
        Test error up to which a layer counts as recovered.
    time_limit : float, optional
        Seconds of a run of one of the library's learners.

    Returns
    -------
    Comparison
    """
    runs = []
    for source in instances:
        for learner in learners:
            for s in range(seed, seed + seeds):
                runs.append(_run(_with_seed(_spec_text(source), s), learner, Task(heads, examples, s), recovery, time_limit))
    return Comparison(runs)


def fewest_examples(source: Any, learner: Learner, probability: float = 0.5, *, seeds: int = 10, least: int = 100,
                    most: int = 10_000_000, ratio: float = 2.0, heads: Optional[int] = None, seed: int = 1,
                    recovery: float = 1e-10) -> SuccessCurve:
    """How many examples a learner takes to succeed with a probability, as `hardhead fewest` finds it.

    Parameters
    ----------
    source : str, Spec or Instance
        Its seed is replaced by seed, seed + 1, ..
    learner
        As in `compare`; a function is told the budget by task.examples.
    probability : float
        Above 0 and below 1.
    seeds : int
        Runs at each budget.
    least, most, ratio
        Budgets: least, ratio least, ratio^2 least, .. up to most.

    Returns
    -------
    SuccessCurve
    """
    if not 0 < probability < 1 or not 1 <= least <= most or not ratio > 1:
        raise ValueError(f"probability {probability}, budgets {least} .. {most} by {ratio}: a probability above 0 and below 1, "
                         "1 <= least <= most and a ratio above 1 are expected")
    tries = 1 + math.floor(math.log(most / least) / math.log(ratio) + 1e-9)
    budgets, low, high, crossing = [], None, None, None
    for step in range(tries):
        examples = round(least * ratio**step)
        runs = compare([source], [learner], seeds, heads=heads, examples=examples, seed=seed, recovery=recovery).runs
        successes = sum(run.degree == "recovered" for run in runs)
        interval = binomial_interval(successes, seeds)
        budgets.append({"examples": examples, "successes": successes, "runs": seeds, "low": interval[0], "high": interval[1]})
        sure = binomial_interval(successes, seeds, 1 - 0.05 / tries)
        low = examples if sure[1] < probability else low
        if sure[0] >= probability:
            high = examples
            break
    fitted = nondecreasing_shares([(b["successes"], b["runs"]) for b in budgets])
    for i, (budget, share) in enumerate(zip(budgets, fitted)):
        budget["fitted"] = share
        if share < probability or crossing is not None:
            continue
        crossing = float(budget["examples"])
        if i > 0 and share > fitted[i - 1]:
            before = budgets[i - 1]["examples"]
            crossing = before * (budget["examples"] / before) ** ((probability - fitted[i - 1]) / (share - fitted[i - 1]))
    return SuccessCurve(_without_seed(_spec_text(source)), _name_of(learner), probability, budgets, crossing, low, high)


for _public in (Task, Run, Comparison, SuccessCurve, compare, fewest_examples, null_error):
    _public.__module__ = "hardhead"
