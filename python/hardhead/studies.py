"""Studies of several runs: comparisons and success curves, of the library's learners and of Python functions."""
import json
from dataclasses import dataclass, field
from typing import Optional

from . import _core
from .figures import draw_figure, joined
from .learners import bound, has_own, own_learners
from .runs import label_of, members, sources_of
from .tables import Table, dataframe, table_html, table_text, with_ends


@dataclass(frozen=True, repr=False)
class Comparison(Table):
    """Runs of learners on instances (`compare`, `sweep`).

    Attributes
    ----------
    runs : list of RunResult
        Instance by instance, seed by seed, learner by learner; without their layers.
    """

    runs: list

    def rows(self):
        """One record for each pair of instance and learner.

        Returns
        -------
        list of dict
            `source`, `learner`, `heads` and `examples` (told, or None), `runs`; `recovered` and `learnt` (or recovered), counts of runs, with the exact 95%
            intervals `low`, `high`, `learnt_low`, `learnt_high`; medians of `test_error`, `null_error`, `advantage` (with
            the interval `advantage_low`, `advantage_high`), `examples_used`, `queries_used` (None of learners by examples)
            and `seconds`; `failed`, runs that failed.
        """
        return _core._rows(self.runs)

    def __str__(self):
        rows, told = self.rows(), []
        for name in ("heads", "examples"):
            if len({row[name] for row in rows}) > 1:
                told.append(name)
        lines = [{"instance": row["source"], "learner": row["learner"], **{f"{name} told": row[name] for name in told},
                  "learnt": f"{row['learnt']} of {row['runs']} ({row['learnt_low']:.2f} .. {row['learnt_high']:.2f})",
                  "recovered": row["recovered"], "advantage": with_ends(row["advantage"], row["advantage_low"], row["advantage_high"], "{:+.3f}"),
                  "test error": row["test_error"], "asked": f"{row['queries_used'] or row['examples_used']:.0f}",
                  "seconds": row["seconds"]} for row in rows]
        return "\n".join([table_text(lines), *self._failures()])

    def _failures(self):
        """A line for each way in which runs failed."""
        count = {}
        for run in self.runs:
            if run.failed_phase == "python":
                what = run.message.splitlines()[0]
                count[what] = count.get(what, 0) + 1
        return [f"{runs} {'run' if runs == 1 else 'runs'} failed: {what}" for what, runs in count.items()]

    def _repr_html_(self):
        return table_html(self.rows())

    def plot(self, quantity="recovered", against=None, ax=None):
        """Draws with Matplotlib how something depends on a number that varies between the instances.

        Parameters
        ----------
        quantity : {'recovered', 'learnt', 'error', 'seconds', 'examples'}
            Shares of runs with exact 95% intervals, or medians from the least to the largest of the runs; 'examples' are those
            read, or the queries of learners by values.
        against : str, optional
            A parameter of the family such as 'm', or 'examples'; may be left out where one only varies.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        figures = joined([json.loads(text) for text in _core._figures(self.runs)])
        axes = [name.partition("-")[2] for name in figures if name.startswith(f"{quantity}-")]
        if against is None and len(axes) == 1:
            against = axes[0]
        if f"{quantity}-{against}" not in figures:
            raise ValueError(f"plot({quantity!r}, against={against!r}): there are {', '.join(sorted(figures)) or 'none'}; "
                             "a number that varies between the instances is expected")
        return draw_figure(figures[f"{quantity}-{against}"], ax)


@dataclass(frozen=True, repr=False)
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
    figure : str
        What `plot` draws, as `draw` writes it into NAME.json.
    """

    source: str
    learner: str
    probability: float
    budgets: list = field(default_factory=list)
    examples: Optional[float] = None
    low: Optional[int] = None
    high: Optional[int] = None
    figure: str = field(default="", repr=False)

    def to_dataframe(self):
        """The budgets as a pandas.DataFrame.

        Returns
        -------
        pandas.DataFrame
        """
        return dataframe(self.budgets)

    def __repr__(self):
        return str(self)

    def plot(self, ax=None):
        """Draws the shares of successes with their exact 95% intervals, and the fit, with Matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        return draw_figure(json.loads(self.figure), ax)

    def __str__(self):
        ends = "no interval" if self.low is None and self.high is None else f"{self.low or 0} .. {self.high or 'no end'}"
        reached = "not reached" if self.examples is None else f"{self.examples:.0f} examples"
        return "\n".join([table_text(self.budgets), f"{self.learner} on {self.source}, probability {self.probability}: {reached} ({ends})"])

    def _repr_html_(self):
        return table_html(self.budgets)


def seeds_of(seeds, seed):
    """The seeds of the runs: `seeds` of them from `seed` on, or those given."""
    if hasattr(seeds, "__len__") and not isinstance(seeds, str):
        return [_core._seed(one) for one in seeds]
    first = _core._seed(seed)
    return [first + i for i in range(_core._seeds(seeds))]


def compare(instances, learners, seeds=1, *, heads=None, examples=None, seed=1, recovery=1e-10, time_limit=600.0,
            memory_limit=None, journal=None, jobs=1, progress=None):
    """Runs every learner on every instance over several seeds.

    Parameters
    ----------
    instances : sequence of str, Spec, Instance, Layer, Samples, Teacher or (x, y), or one of them
        The instance of run i has the spec's own seed plus i, or else seed + i; files, examples, layers, and all of a suite
        ("suite:NAME") stay as they are. A Teacher labels fresh examples for each run. A dict gives names to those that
        have no spec.
    learners : sequence of str, Spec, Learner or callable, or one of them, or dict of callables by their names
        Specs of the library's learners, or functions f(samples, task) of your own (`Learner`). They see examples, never
        the truth.
    seeds : int or sequence of int
        Runs of each pair; or their seeds.
    heads, examples : int, optional
        What the learners are told; of examples no learner gets more.
    seed : int
        Of the first run's learner and examples.
    recovery : float
        Test error up to which a layer counts as recovered.
    time_limit, memory_limit : float, optional
        Seconds and bytes of a run; None: no limit. The memory of functions of your own is their own affair.
    journal : path, optional
        A file of runs done, from which the same call goes on. Functions of your own are known by their names.
    jobs : int
        Runs of the library's learners at a time. Functions of your own run one after the other.
    progress : callable, optional
        progress(run, fraction) is called now and then.

    Returns
    -------
    Comparison
    """
    learners, seeds = own_learners(learners), seeds_of(seeds, seed)
    plan = [(source, n, run_seed) for given, name in sources_of(instances) for series in members(given, seeds, name)
            for source, run_seed in zip(series, seeds) for n in range(len(learners))]
    runs = [None] * len(plan)
    for own in (False, True):
        mine = [n for n, (_, learner, _) in enumerate(plan) if has_own([learners[learner]]) == own]
        if not mine:
            continue
        of = bound(learners)
        done = _core._execute([(plan[n][0], of[plan[n][1]], plan[n][2]) for n in mine], heads, examples, recovery, time_limit,
                              memory_limit, journal, 1 if own else jobs, progress)
        for n, run in zip(mine, done):
            runs[n] = run
    return Comparison(runs)


def fewest_examples(source, learner, probability=0.5, *, seeds=10, least=100, most=10_000_000, ratio=2.0, heads=None, seed=1,
                    recovery=1e-10, time_limit=None, journal=None, jobs=1, progress=None):
    """How many examples a learner takes to recover with a probability, as `hardhead fewest` finds it.

    Parameters
    ----------
    source : str, Spec, Instance, Layer, Samples, Teacher or (x, y)
        Of run i as in `compare`.
    learner
        One of them, as in `compare`; a function is told the budget by task.examples.
    probability : float
        Above 0 and below 1.
    seeds : int or sequence of int
        Runs at each budget; or their seeds.
    least, most, ratio
        Budgets: least, ratio least, ratio^2 least, .. up to most.
    heads, seed, recovery, time_limit, journal, jobs, progress
        As in `compare`.

    Returns
    -------
    SuccessCurve
    """
    def attempt(examples):
        runs = compare([source], [learner], seeds, heads=heads, examples=examples, seed=seed, recovery=recovery,
                       time_limit=time_limit, journal=journal, jobs=jobs, progress=progress).runs
        return sum(run.degree == "recovered" for run in runs), len(runs)

    own, = own_learners(learner)
    of, = bound([own])
    name = label_of(source)
    return SuccessCurve(name, str(of), probability, **_core._success_curve(attempt, name, of, probability, least, most, ratio))
