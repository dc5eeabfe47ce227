"""Streams of examples for training loops: what `Samples` has besides what is bound in C++."""
import functools
import sys

from . import _core
from ._core import Samples

# What a stream reads at a time: it fits in the caches, and a call costs little beside it.
BYTES_AT_A_TIME = 1 << 20


def _is_single(dtype):
    """Whether numbers of this type, of NumPy's or PyTorch's, are float32."""
    name = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    name = name.rpartition(".")[2]
    if name not in ("float32", "float64", "float", "double"):
        raise _core.InputError(f"dtype = {dtype!r}: 'float32' or 'float64' is expected")
    return name == "float32"


def _to_device(device):
    """What makes tensors of arrays, without a copy on the CPU."""
    if device is None:
        return lambda array: array
    try:
        import torch  # only who asks for tensors needs it
    except ImportError as error:
        raise ImportError("device: tensors need PyTorch (Debian: python3-torch)") from error
    return lambda array: torch.from_numpy(array).to(device)


class _Buffers:
    """Pairs of arrays. One is used again once nobody has a view of it: new memory takes longer than what is written to it."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.pairs = shape, dtype, []

    def free(self):
        """A pair that nobody else holds."""
        alone = 2  # the list, and the argument of getrefcount()
        for pair in self.pairs:
            if sys.getrefcount(pair[0]) == alone and sys.getrefcount(pair[1]) == alone:
                return pair
        import numpy
        self.pairs = [*self.pairs[-1:], [numpy.empty(self.shape, self.dtype) for _ in range(2)]]
        return self.pairs[-1]


class SamplesMethods:
    """Of whatever has d, k, size, read() and _uncounted()."""

    def __len__(self):
        if self.size is None:
            raise TypeError("examples without end have no len()")
        return self.size

    def __getitem__(self, index):
        """samples[i:j] is (x, y) of examples i .. j - 1, and samples[i] that of one of them, [k, d]."""
        if not isinstance(index, slice):
            index = index.__index__()
            if self.size is not None:
                index += self.size if index < 0 else 0
                if not 0 <= index < self.size:
                    raise IndexError(f"example {index}: there are {self.size}")
            x, y = self.read(index, 1)
            return x[0], y[0]
        if index.step not in (None, 1):
            raise _core.InputError(f"samples[{index.start}:{index.stop}:{index.step}]: examples that follow each other are expected")
        if self.size is not None:
            first, end, _ = index.indices(self.size)
        elif index.stop is None or index.stop < 0 or (index.start or 0) < 0:
            raise _core.InputError(f"samples[{index.start}:{index.stop}]: examples without end have no last one")
        else:
            first, end = index.start or 0, index.stop
        if end <= first:
            x, y = self.read(0, 1)
            return x[:0], y[:0]
        return self.read(first, end - first)

    def batches(self, size=512, *, examples=None, first=0, dtype="float32", device=None):
        """The examples one after the other, in batches: `for x, y in samples.batches(512)`.

        Parameters
        ----------
        size : int
            Examples of a batch; the last one of an end may have fewer.
        examples : int, optional
            How many in all. By default as many as there are: of a learner's budget all, else without end.
        first : int
            The example to begin with.
        dtype : {'float32', 'float64'} or a type of NumPy's or PyTorch's
            In single precision tokens of signs are labelled by a quicker pass, whose labels are those in double up to
            a few units of 2^-24 of their size; other labels are rounded once.
        device : optional
            Tensors on this device of PyTorch's, such as 'cpu', which share the memory of arrays; None: NumPy arrays.

        Yields
        ------
        x, y : arrays or tensors [size, k, d]
        """
        single, convert = _is_single(dtype), _to_device(device)
        size, first = _core._whole("size", size, 1), _core._whole("first", first, 0)
        end = None if self.size is None else self.size
        if examples is not None:
            end = first + _core._whole("examples", examples, 0)
        return self._stream(size, first, end, single, convert)

    def _stream(self, size, first, end, single, convert):
        read_into, count = self._uncounted()
        at_a_time = max(1, BYTES_AT_A_TIME // (size * self.k * self.d * (8 if single else 16))) * size
        buffers = _Buffers((at_a_time, self.k, self.d), "f4" if single else "f8")
        while end is None or first < end:
            many = at_a_time if end is None else min(at_a_time, end - first)
            x, y = buffers.free()
            read_into(first, x[:many], y[:many])
            for at in range(0, many, size):
                stop = min(at + size, many)
                count(first + at, stop - at)
                yield convert(x[at:stop]), convert(y[at:stop])
            del x, y
            first += many


def _uncounted(self):
    """read_into(first, x, y) fills arrays, and count(first, count) says what a learner has taken of them."""
    source, count = _core._uncounted(self)
    return functools.partial(_core._read_into, source), count


for _name, _method in vars(SamplesMethods).items():
    if callable(_method):
        setattr(Samples, _name, _method)
Samples._uncounted = _uncounted
