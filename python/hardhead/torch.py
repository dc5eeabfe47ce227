"""Examples as PyTorch's data loaders take them. Needs PyTorch."""
from ._core import Instance, Samples, Spec

try:
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError as error:
    raise ImportError("hardhead.torch needs PyTorch (Debian: python3-torch)") from error


class Dataset(IterableDataset):
    """A stream of batches: DataLoader(hardhead.torch.Dataset("nice:d=16"), batch_size=None, num_workers=2).

    Worker w of W gives batches w, w + W, ..: no two give the same example, and together they give all.

    Parameters
    ----------
    source : str, Spec, Instance or Samples
        A spec or an Instance can be sent to workers; Samples without end only where workers are forked.
    size : int
        Examples of a batch.
    examples : int, optional
        How many in all, of all workers; None: without end, or as many as there are.
    seed : int
        Of the examples of an instance.
    dtype, device
        As in `Samples.batches`; tensors on the CPU by default.
    """

    def __init__(self, source, size=512, *, examples=None, seed=1, dtype="float32", device="cpu"):
        self.source = source if isinstance(source, (Instance, Samples)) else Spec(str(source))
        self.size, self.examples, self.seed, self.dtype, self.device = size, examples, seed, dtype, device

    def _samples(self):
        source = self.source if not isinstance(self.source, Spec) else Instance(self.source)
        return source if isinstance(source, Samples) else source.samples(self.seed)

    def __iter__(self):
        worker = get_worker_info()
        mine, workers = (0, 1) if worker is None else (worker.id, worker.num_workers)
        samples = self._samples()
        end = self.examples if samples.size is None else min(self.examples or samples.size, samples.size)
        if workers == 1:
            yield from samples.batches(self.size, examples=end, dtype=self.dtype, device=self.device)
            return
        first = mine * self.size
        while end is None or first < end:
            count = self.size if end is None else min(self.size, end - first)
            yield from samples.batches(count, examples=count, first=first, dtype=self.dtype, device=self.device)
            first += workers * self.size
