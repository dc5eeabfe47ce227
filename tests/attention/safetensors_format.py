"""Files of tensors by the definition of their format, without the program: what tests write for it, and read of its own.

BF16 is the upper half of an F32. Types that NumPy lacks are not read.
"""
import json
import struct

import numpy as np

TYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "I8": np.int8, "U8": np.uint8, "I64": np.int64, "BOOL": np.bool_}


def as_dtype(array, dtype):
    """The nearest values below (BF16) or nearest (others) that the dtype has, in double."""
    if dtype == "BF16":
        bits = np.asarray(array, np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
        return bits.view(np.float32).astype(np.float64)
    return np.asarray(array).astype(TYPES[dtype]).astype(np.float64)


def encoded(array, dtype):
    if dtype == "BF16":
        return (np.asarray(array, np.float32).view(np.uint32) >> 16).astype(np.uint16).tobytes()
    return np.ascontiguousarray(array).astype(TYPES[dtype]).tobytes()


def write_safetensors(path, tensors):
    """tensors: name -> (dtype, array)."""
    header, data = {}, []
    end = 0
    for name, (dtype, array) in tensors.items():
        data.append(encoded(array, dtype))
        begin, end = end, end + len(data[-1])
        header[name] = {"dtype": dtype, "shape": list(np.shape(array)), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


def read_safetensors(path):
    """(name -> array, metadata)."""
    with open(path, "rb") as file:
        content = file.read()
    (length,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8 : 8 + length])
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        tensors[name] = np.frombuffer(content[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata
