"""Studies of several runs: comparisons and success curves, of the library's learners and of Python functions."""
import html
import json
from dataclasses import dataclass, field
from typing import Optional

from . import _core
from ._core import Spec
from .figures import draw_figure, joined
from .runs import Task, label_of, members, outside_name, run_function


def table_html(rows):
    """Rows, dicts of the same keys, as a table in HTML."""
    def line(tag, cells):
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    texts = [[f"{v:.3g}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    return "<table>" + line("th", rows[0] if rows else []) + "".join(line("td", text) for text in texts) + "</table>"


def dataframe(records):
    """Records as a pandas.DataFrame."""
    try:
        import pandas  # only who asks for a data frame needs it
    except ImportError as error:
        raise ImportError("to_dataframe() needs pandas (Debian: python3-pandas)") from error
    return pandas.DataFrame.from_records(records)


@dataclass(frozen=True)
class Comparison:
    """Runs of learners on instances (`compare`, `sweep`).

    Attributes
    ----------
    runs : list of RunResult
        Instance by instance, seed by seed, learner by learner; without their layers where a learner of the library ran.
    """

    runs: list

    def rows(self):
        """One record for each pair of instance and learner.

        Returns
        -------
        list of dict
            `source`, `learner`, `heads` and `examples` (told, or None), `runs`; `recovered` and `learnt` (or recovered), counts of runs, with the exact 95%
            intervals `low`, `high`, `learnt_low`, `learnt_high`; medians of `test_error`, `null_error`, `advantage` (with
            the interval `advantage_low`, `advantage_high`) and `seconds`.
        """
        return _core._rows(self.runs)

    def to_dataframe(self):
        """The rows as a pandas.DataFrame.

        Returns
        -------
        pandas.DataFrame
        """
        return dataframe(self.rows())

    def plot(self, quantity="recovered", against=None, ax=None):
        """Draws with Matplotlib how something depends on a number that varies between the instances.

        Parameters
        ----------
        quantity : {'recovered', 'learnt', 'error', 'seconds'}
            Shares of runs with exact 95% intervals, or medians from the least to the largest of the runs.
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

    def _repr_html_(self):
        return table_html(self.rows())


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

    def _repr_html_(self):
        return table_html(self.budgets)


def _name_of(learner):
    return str(learner) if isinstance(learner, (str, Spec)) else outside_name(learner)


def compare(instances, learners, seeds=1, *, heads=None, examples=None, seed=1, recovery=1e-10, time_limit=600.0,
            memory_limit=None, journal=None, jobs=1, progress=None):
    """Runs every learner on every instance over several seeds.

    Parameters
    ----------
    instances : sequence of str, Spec, Instance, Samples, Teacher or (x, y)
        The instance of run i has the spec's own seed plus i, or else seed + i; files, examples, and all of a suite
        ("suite:NAME") stay as they are. A Teacher labels fresh examples for each run.
    learners : sequence
        Specs of the library's learners, or functions f(samples, task) of your own that return a Layer, a function from
        tokens [N, k, d] to predictions [N, k, d], or a PyTorch module that is one. They see examples, never the truth.
    seeds : int
        Runs of each pair.
    heads, examples : int, optional
        What the learners are told.
    seed : int
        Of the first run's learner and examples.
    recovery : float
        Test error up to which a layer counts as recovered.
    time_limit, memory_limit : float, optional
        Seconds and bytes of a run of one of the library's learners; None: no limit.
    journal : str, optional
        A file of runs done: the library's learners go on from it.
    jobs : int
        Runs of the library's learners at a time. Functions of your own run one after the other.
    progress : callable, optional
        progress(run, fraction) is called now and then.

    Returns
    -------
    Comparison
    """
    functions = {id(learner): outside_name(learner) for learner in learners if not isinstance(learner, (str, Spec))}
    plan = [(source, learner, seed + i) for instance in instances for series in members(instance, seed, seeds)
            for i, source in enumerate(series) for learner in learners]
    own = iter(_core._execute([run for run in plan if id(run[1]) not in functions], heads, examples, recovery, time_limit,
                              memory_limit, journal, jobs, progress))
    runs = []
    for n, (source, learner, run_seed) in enumerate(plan):
        if id(learner) not in functions:
            runs.append(next(own))
            continue
        if progress is not None:
            progress(f"run {n + 1} of {len(plan)}: {source.name}, {functions[id(learner)]}", n / len(plan))
        runs.append(run_function(source, learner, Task(heads, examples, run_seed), recovery))
    return Comparison(runs)


def fewest_examples(source, learner, probability=0.5, *, seeds=10, least=100, most=10_000_000, ratio=2.0, heads=None, seed=1,
                    recovery=1e-10, time_limit=None, journal=None, jobs=1, progress=None):
    """How many examples a learner takes to recover with a probability, as `hardhead fewest` finds it.

    Parameters
    ----------
    source : str, Spec, Instance, Samples, Teacher or (x, y)
        Of run i as in `compare`.
    learner
        As in `compare`; a function is told the budget by task.examples.
    probability : float
        Above 0 and below 1.
    seeds : int
        Runs at each budget.
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

    name = label_of(source)
    return SuccessCurve(name, _name_of(learner), probability,
                        **_core._success_curve(attempt, name, _name_of(learner), probability, least, most, ratio))
