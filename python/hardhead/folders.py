"""Long studies, which are kept in folders and go on after a stop; and distinguishing."""
import os
import shlex
from dataclasses import dataclass

from . import _core
from .learners import bound, has_own, learner_of, own_learners
from .studies import Comparison
from .tables import Table


def sweep(file, folder, *, learners=(), jobs=1, progress=None):
    """Carries out the grid of runs that a TOML file describes, as `hardhead sweep` does.

    The folder gets sweep.json, journal.jsonl and results.csv. The same call goes on after a stop, whether it was made in
    Python or by the program.

    Parameters
    ----------
    file, folder : path
        docs/formats.md describes the file.
    learners : sequence of Learner or callable, or dict of callables by their names
        Functions of your own that the file may name besides the library's learners, as `mine` or, with settings,
        `mine:rate=0.1`. It may name families of your own (`family`) in any case.
    jobs : int
        Runs at a time; 1 where functions of your own learn.
    progress : callable, optional
        progress(run, fraction) is called now and then.

    Returns
    -------
    Comparison
        A run that was refused is among its runs, as `stopped`.
    """
    file, folder = os.fspath(file), os.fspath(folder)
    command = f"hardhead sweep {shlex.quote(file)} --out {shlex.quote(folder)}"
    learners = own_learners(learners)
    if has_own(learners) and jobs != 1:
        raise _core.InputError(f"jobs = {jobs}: functions of your own run one at a time")
    return Comparison(_core._sweep(file, folder, command, bound(learners), jobs, progress))


@dataclass(frozen=True, repr=False)
class Reproduction(Table):
    """The findings of a folder (`reproduce`).

    Attributes
    ----------
    findings : list of Finding
        R1 first: those asked for, and others that were there before.
    performed : int
        Experiments carried out now.
    """

    findings: list
    performed: int

    def rows(self):
        """One record for each finding.

        Returns
        -------
        list of dict
            `id`, `verdict`, `setting`, `seconds`, `title`, `reason`.
        """
        names = ("id", "verdict", "setting", "seconds", "title", "reason")
        return [{name: getattr(finding, name) for name in names} for finding in self.findings]


def reproduce(ids, folder, *, quick=False, seed=1, jobs=1, progress=None):
    """Tests claims of the paper, each by an experiment with a verdict, as `hardhead reproduce` does.

    Parameters
    ----------
    ids : sequence of str, or one
        Such as ["R5"]; empty for all.
    folder : path
        Made if it is not there; findings of the same setting, seed and version that it has are not made again.
    quick : bool
        Smaller sizes and fewer seeds.
    seed : int
        Of the first layer.
    jobs : int
        Runs of learners at a time.
    progress : callable, optional
        progress(phase, fraction) is called now and then.

    Returns
    -------
    Reproduction
    """
    folder, ids = os.fspath(folder), [ids] if isinstance(ids, str) else list(ids)
    words = ["hardhead", "reproduce", *ids, *(["--seed", str(seed)] if seed != 1 else []), *(["--quick"] if quick else []),
             "--out", folder]
    return Reproduction(*_core._reproduce(ids, folder, quick, seed, jobs, shlex.join(words), progress))


def report(folder, page=None):
    """Makes the page of a folder of `sweep` or `reproduce`, with its figures and tables.

    Parameters
    ----------
    folder : path
    page : path, optional
        folder/report.html by default.

    Returns
    -------
    str
        The page's path.
    """
    folder = os.fspath(folder)
    page = os.path.join(folder, "report.html") if page is None else os.fspath(page)
    _core._report(folder, page, os.path.dirname(page) or ".")
    return page


def distinguish(spec, method="sculpt", *, heads=None, examples=None, trials=20, seed=1, time_limit=None, progress=None):
    """Has a learner, or an attack in its place, tell true labels of a hard family from unrelated ones.

    Parameters
    ----------
    spec : str or Spec
        Of a family with a switch: lwr, staircase, parity. Trial t is on the instance of seed + t.
    method : str, Spec, Learner or callable
        A learner; or an attack on LWR, as in `lwe.attack`.
    heads, examples : int, optional
        What a learner is told; examples are also those of an attack.
    trials : int
    seed : int
    time_limit : float, optional
        Seconds of a trial.
    progress : callable, optional
        progress(phase, fraction) is called now and then.

    Returns
    -------
    DistinguishResult
    """
    return _core._distinguish(spec, learner_of(method), heads, examples, trials, seed, time_limit, progress)
