from typing import Any, Iterator, Optional, Union

from . import Instance, Samples, Spec

class Dataset:
    def __init__(
        self,
        source: Union[str, Spec, Instance, Samples],
        size: int = 512,
        *,
        examples: Optional[int] = None,
        seed: int = 1,
        dtype: Any = "float32",
        device: Any = "cpu",
    ) -> None: ...
    def __iter__(self) -> Iterator[tuple[Any, Any]]: ...
