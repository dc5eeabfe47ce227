"""The best shot of a learner: the cheapest budget with which it succeeds."""
import json
import os
import shlex
from dataclasses import dataclass, field

from . import _core
from .learners import bound, has_own, own_learners
from .runs import is_source
from .tables import Table


@dataclass(frozen=True, repr=False)
class BestShots(Table):
    """What budget each learner took on each kind of layer (`best`).

    Attributes
    ----------
    shots : list of dict
        As `hardhead best --json` has them: `source`, `method`, `degree`, `budget` (None where the ladder failed), `ended_by`
        and the `ladder`, rung by rung.
    goal : str
    seeds : int
    """

    shots: list = field(default_factory=list)
    goal: str = "learnt"
    seeds: int = 10

    def rows(self):
        """One record for each pair of instance and learner.

        Returns
        -------
        list of dict
            `instance`, `learner`, what it is `told`, `degree`, `successes` on fresh layers, the `budget` that succeeded (None for none) with its
            `examples` or `queries` and `seconds` in the median, and how the ladder ended.
        """
        rows = []
        for shot in self.shots:
            budget = shot["budget"] or {}
            asked = budget.get("examples") if budget.get("queries") is None else budget["queries"]
            rows.append({"instance": shot["source"], "learner": shot["method"], "told": shot["told"], "degree": shot["degree"],
                         "successes": shot["successes"], "budget": budget.get("method"), "asked": asked,
                         "seconds": budget.get("seconds"), "rungs": len(shot["ladder"]), "ended by": shot["ended_by"]})
        return rows


def best(instances, learners="adam", seeds=10, *, wanted=None, goal="learnt", heads=None, most_examples=100_000_000, ladder_time=3600.0,
         time_limit=None, seed=1, journal=None, jobs=1, progress=None):
    """Climbs each learner's ladder of budgets until it succeeds, as `hardhead best` does.

    Settings of a rung are chosen on layers that are used for nothing else; the best of them has to meet the goal on fresh
    ones. The ladder of a function of your own is that of its Learner.

    Parameters
    ----------
    instances : sequence of str or Spec, or one
        Specs, of families of your own as well. Each needs fresh layers: files and examples are refused.
    learners : as in `compare`
    seeds : int
        Fresh layers of a rung.
    wanted : int, optional
        How many of them must meet the goal; nine in ten by default.
    goal : {'learnt', 'recovered', 'partly'}
    heads : int, optional
        What the learners are told.
    most_examples : int
        The ladder ends before a rung of which a run may read more.
    ladder_time : float
        Seconds of runs after which no rung is begun.
    time_limit : float, optional
        Seconds of a run; a quarter of ladder_time by default.
    seed, journal, jobs, progress
        As in `compare`.

    Returns
    -------
    BestShots
    """
    sources = [instances] if is_source(instances) else list(instances)
    for source in sources:
        if not isinstance(source, (str, _core.Spec)):
            raise _core.InputError(f"{source!r:.60}: a best shot needs fresh layers: the spec of a family is expected")
    learners = own_learners(learners)
    if has_own(learners) and jobs != 1:
        raise _core.InputError(f"jobs = {jobs}: functions of your own run one at a time")
    text = _core._best([str(source) for source in sources], bound(learners), seeds=seeds, wanted=wanted, goal=goal, heads=heads,
                       most_examples=most_examples, ladder_time=ladder_time, time_limit=time_limit, seed=seed,
                       journal=None if journal is None else os.fspath(journal), jobs=jobs, progress=progress)
    said = json.loads(text)
    return BestShots(said["shots"], said["goal"], said["seeds"])


@dataclass(frozen=True, repr=False)
class Atlas(Table):
    """Every learner's best shot at every family (`atlas`).

    Attributes
    ----------
    cells : list of dict
        As `hardhead atlas --json` has them, row by row: `instance`, `learner`, `told`, `degree`, `successes` of `trials` with
        their `interval`, `cost`, `seconds`, `refusal`, and the `command` that draws the cell alone.
    seeds : int
        Fresh layers of a cell.
    interrupted : bool
    """

    cells: list = field(default_factory=list)
    seeds: int = 5
    interrupted: bool = False

    def rows(self):
        """One record for each instance, with the degree of each learner."""
        out = {}
        for cell in self.cells:
            row = out.setdefault(cell["instance"], {"instance": cell["instance"]})
            row[cell["learner"]] = "refused" if cell.get("refusal") else cell.get("degree")
        return list(out.values())


def atlas(folder, instances=(), learners=(), *, quick=False, seed=1, jobs=1, progress=None):
    """Draws a map of every learner's best shot at every family into a folder, as `hardhead atlas` does.

    Parameters
    ----------
    folder : path
        Gets journal.jsonl, from which the same call goes on after a stop, and atlas.html, atlas.svg, atlas.csv, atlas.json.
    instances : sequence of str or Spec, or one
        Rows, of families of your own as well; those of the program by default.
    learners : as in `compare`
        Columns; those of the program by default.
    quick : bool
        Small layers and short ladders.
    seed, jobs, progress
        As in `compare`.

    Returns
    -------
    Atlas
    """
    sources = [str(source) for source in ([instances] if is_source(instances) else instances)]
    learners = own_learners(learners)
    if has_own(learners) and jobs != 1:
        raise _core.InputError(f"jobs = {jobs}: functions of your own run one at a time")
    learners, folder = bound(learners), os.fspath(folder)
    words = ["hardhead", "atlas", *sources, *(word for learner in learners for word in ("--method", str(learner))),
             *(["--quick"] if quick else []), "--seed", str(seed), "--out", folder]
    said = json.loads(_core._atlas(folder, sources, learners, quick, seed, jobs, shlex.join(words), progress))
    return Atlas(said["cells"], said["seeds"], said["interrupted"])
