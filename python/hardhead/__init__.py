"""A lower-bound and hardness testbed for learning multi-head attention: layers, instances, learners, certificates,
statistical queries (hardhead.sq) and LWE (hardhead.lwe). Documented in docs/python.md."""


def _with_packages(error):
    """The same error; where a shared library is missing it says in which Debian packages they are."""
    from pathlib import Path

    packages = Path(__file__).with_name("debian_packages.txt")
    if "shared object" not in str(error) or not packages.exists():
        return error
    return ImportError(f"{error}. The module was built with libraries of these Debian packages: {' '.join(packages.read_text().split())}")


try:
    from ._core import *
except ImportError as error:
    raise _with_packages(error) from None
from . import batches, pickling
from ._core import __version__
from .best_shots import Atlas, BestShots, atlas, best
from .own_families import family
from .folders import Reproduction, distinguish, report, reproduce, sweep
from .hardness_profile import Hardness, hardness
from .learners import Learner, Task
from .runs import judge, learn, null_error
from .studies import Comparison, SuccessCurve, compare, fewest_examples
from .teachers import Teacher

for _public in (Atlas, BestShots, Comparison, Hardness, Learner, Reproduction, SuccessCurve, Task, Teacher, atlas, best, compare, distinguish, family,
                fewest_examples, hardness, judge, learn, null_error, report, reproduce, sweep):
    _public.__module__ = "hardhead"


def __getattr__(name):
    """hardhead.torch, which is imported when it is first asked for: only it needs PyTorch."""
    if name == "torch":
        import importlib
        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module 'hardhead' has no attribute '{name}'")
