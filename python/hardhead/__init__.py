"""A lower-bound and hardness testbed for learning multi-head attention: layers, instances, learners, certificates,
statistical queries (hardhead.sq) and LWE (hardhead.lwe). Documented in docs/python.md."""
from ._core import *
from ._core import __version__
from .studies import Comparison, Run, SuccessCurve, Task, compare, fewest_examples, null_error
