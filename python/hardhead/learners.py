"""Learners that are Python functions: what they are told, what they hand back, and the names that tell them apart."""
import functools
from dataclasses import dataclass, replace
from typing import Any, Callable, Optional

from . import _core
from ._core import Layer, Spec
from .processes import isolated
from .teachers import function_of, name_of


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


def _value(text):
    """The value of a setting, which a spec has as text."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"True": True, "False": False, "None": None}.get(text, text)


def _text(key, value):
    """The setting as a spec has it: what _value() makes the same value of."""
    value = value.item() if hasattr(value, "item") else value
    text = value if isinstance(value, str) else repr(value)
    if type(value) not in (bool, int, float, str, type(None)) or _value(text) != value or not text or "," in text or "\n" in text:
        raise TypeError(f"{key} = {value!r} ({type(value).__name__}): a number, True, False, None or a text without ',' is expected")
    return text


def _rung(name, values, settings):
    """A rung of a ladder as [(settings as text, examples)], all with the same number of examples."""
    settings = [settings] if isinstance(settings, dict) else list(settings)
    budgets = {setting.get("examples") for setting in settings}
    if len(budgets) != 1 or (values == (None not in budgets)):
        raise _core.InputError(f"the ladder of '{name}', rung {settings!r:.80}: " +
                               ("a learner by values has no examples" if values else "one number of examples is expected"))
    return [([(key, _text(key, value)) for key, value in setting.items() if key != "examples"], setting.get("examples"))
            for setting in settings]


@dataclass(frozen=True)
class Learner:
    """A learner that is a Python function, with a name.

    Its runs are like those of the library's learners, in every study: it gets as many examples as the budget says, they
    are counted, a time limit ends it, and what it raises is that run's outcome, with the traceback in `message`.

    Parameters
    ----------
    function : callable
        f(samples, task, \\*\\*settings) returns a Layer, a function from tokens [N, k, d] to predictions [N, k, d], or a
        PyTorch module that is one. `samples` is a `Samples` of at most task.examples examples: reading beyond them raises
        BudgetError. It is called in a thread of its own.
    name : str, optional
        What tables, journals and figures call it, and all that a journal knows it by; by default the function's name.
        Change it when you change what the function does.
    access : {'examples', 'values'}
        With 'values' it is f(oracle, task, \\*\\*settings), and oracle(x) gives F(X) at tokens of its choice (`Oracle`).
    process : bool
        Whether it runs in a process of its own, which a time limit ends whatever it does. The function must then be one
        that can be pickled: of a module, or of a script that keeps its work under `if __name__ == "__main__"`.
    ladder : sequence of dict, or of lists of dict, optional
        For `best`: the keyword settings of each rung, cheapest first; of a list the best is taken. `examples` among them is
        the budget. By default 25,000, 100,000, .. examples, without settings.
    """

    function: Callable[..., Any]
    name: Optional[str] = None
    access: str = "examples"
    process: bool = False
    ladder: Any = None

    def __post_init__(self):
        if isinstance(self.function, (str, Spec)) or not callable(self.function):
            raise TypeError(f"function = {self.function!r:.80}: a function f(samples, task) is expected")
        if self.access not in ("examples", "values"):
            raise _core.InputError(f"access = {self.access!r}: 'examples' or 'values' is expected")
        if self.name is None:
            object.__setattr__(self, "name", name_of(self.function))
        _core._check_name(self.name)

    def _bound(self, raises=False):
        """As the library takes it. `raises`: what it raises is raised, and is no outcome."""
        values = self.access == "values"
        ladder = [_rung(self.name, values, settings) for settings in self.ladder or []]
        return _core._own_learner(self.name, self._run, values, raises, ladder)

    def _run(self, source, heads, examples, seed, settings):
        learn = functools.partial(isolated, self.name, self.function) if self.process else self.function
        answer = learn(source, Task(heads, examples, seed), **{key: _value(text) for key, text in settings.items()})
        if isinstance(answer, Layer):
            return answer
        if not callable(answer):
            raise TypeError(f"'{self.name}' hands back a {type(answer).__name__}: a Layer, or a function from tokens to "
                            "predictions, is expected")

        def predict(x):
            said = _core._array(f"what '{self.name}' predicts", function_of(answer)(x))
            if said.shape != x.shape:
                raise ValueError(f"'{self.name}' predicts the shape {said.shape}: {x.shape} is expected")
            return said

        return predict


def _own(learner, name=None):
    """The learner as a Learner, or as it is if it is one of the library's."""
    if isinstance(learner, (str, Spec)):
        if name is not None:
            raise _core.InputError(f"{name!r}: '{learner}' is one of the library's learners, and its spec is its name")
        return learner
    if not isinstance(learner, Learner) and not callable(learner):
        raise TypeError(f"learner = {learner!r:.60} ({type(learner).__name__}): a spec is expected, or a function f(samples, task)")
    learner = learner if isinstance(learner, Learner) else Learner(learner)
    return learner if name is None else replace(learner, name=name)


def _place(function):
    """Where a function is, for messages."""
    code = getattr(function, "__code__", None)
    return f"{code.co_filename}, line {code.co_firstlineno}" if code else f"{function!r:.80}"


def learner_of(given):
    """The one learner that is meant, as the library takes it."""
    given = _own(given)
    return given if isinstance(given, (str, Spec)) else given._bound()


def own_learners(given):
    """Learners of a list, of a dict by their names, or one alone: Specs and texts as they are, functions as Learner. Two
    functions of one name are an InputError that says where both are."""
    if isinstance(given, dict):
        learners = [_own(learner, name) for name, learner in given.items()]
    elif isinstance(given, (str, Spec)) or callable(given) or isinstance(given, Learner):
        learners = [_own(given)]
    else:
        learners = [_own(learner) for learner in given]
    known = {}
    for learner in learners:
        if isinstance(learner, Learner):
            other = known.setdefault(learner.name, learner)
            if other is not learner:
                raise _core.InputError(f"two learners are named '{learner.name}': {_place(other.function)}, and "
                                       f"{_place(learner.function)}. Name them: {{\"name\": f, ..}} or hardhead.Learner(f, name=..)")
    return learners


def bound(learners):
    """Each as the library takes it; and whether one of them is a function."""
    return [learner._bound() if isinstance(learner, Learner) else learner for learner in learners]


def has_own(learners):
    """Whether one of them is a function, which runs one at a time."""
    return any(isinstance(learner, Learner) for learner in learners)
