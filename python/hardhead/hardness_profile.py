"""How hard the instances of a spec are, as `hardhead hardness` says."""
from dataclasses import dataclass, field

from . import _core
from .tables import Table, cell, table_text, with_ends


@dataclass(frozen=True, repr=False)
class Hardness(Table):
    """What is known of how hard an instance is: three answers that need not agree (`hardness`).

    Attributes
    ----------
    spec : str
        With all parameters.
    verdict : str
        One sentence.
    bounds : list of dict
        What is proved: `of` what, `at_least` how many (a Fraction), and its `meaning`.
    learners : list of dict
        What learners are predicted to cost until success, in the median: `examples` and `seconds`, each with `value`, `low`,
        `high` (95%); or `no_fit`, why nothing is predicted.
    attack, gadget : dict or None
        The cheapest attack of whoever knows the family, and of a learner that is told the gadget: `name`, `examples`,
        `seconds`, `log2_operations`.
    remarks, unlike : list of str
        What can be said before any example is seen; how the measured layers differ from this one.
    """

    spec: str
    verdict: str
    bounds: list = field(default_factory=list)
    learners: list = field(default_factory=list)
    attack: object = None
    gadget: object = None
    remarks: list = field(default_factory=list)
    unlike: list = field(default_factory=list)

    def rows(self):
        """One record for each bound, learner and attack.

        Returns
        -------
        list of dict
            `what`, `examples` (or what is counted), `seconds`.
        """
        rows = [{"what": f"proved: {bound['of']}", "at least, or predicted": f"{float(bound['at_least']):.6g}", "seconds": "-"}
                for bound in self.bounds]
        for one in self.learners:
            if one["no_fit"] is None:
                rows.append({"what": one["learner"], "at least, or predicted": with_ends(*one["examples"].values()),
                             "seconds": with_ends(*one["seconds"].values())})
        for whom, one in (("told the gadget", self.gadget), ("knows the family", self.attack)):
            if one is not None:
                rows.append({"what": f"{one['name']}, {whom}", "at least, or predicted": cell(one["examples"]),
                             "seconds": cell(one["seconds"])})
        return rows

    def __str__(self):
        return "\n".join([self.spec, table_text(self.rows()), *self.remarks, f"verdict: {self.verdict}"])


def hardness(spec, *, tolerance="1/10", degree=None):
    """How hard an instance is: the proved bound, what learners are predicted to cost, the cheapest attack.

    Parameters
    ----------
    spec : str or Spec
    tolerance : number or str
        Of statistical queries, above 0 and at most 1/2.
    degree : int, optional
        Of low-degree statistics; by default log2 of the number of members.

    Returns
    -------
    Hardness
    """
    return Hardness(**_core._hardness(spec, tolerance, degree))
