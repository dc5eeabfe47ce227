"""A program of your own as a learner: hardhead learn nice --method 'exec:python3 examples/6_program.py'

Least squares of the mean row of Y on the mean row of X (phase 1 of the paper): one head with uniform attention.
"""
import json
import struct
import sys

import numpy as np

TYPES = {"I8": np.int8, "F32": np.float32, "F64": np.float64}


def read(path):
    content = open(path, "rb").read()
    start = 8 + struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8:start])
    return {name: np.frombuffer(content[start:], TYPES[t["dtype"]], np.prod(t["shape"], dtype=int),
                                t["data_offsets"][0]).reshape(t["shape"])
            for name, t in header.items() if name != "__metadata__"}


def write(path, tensors):
    header, at = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F64", "shape": array.shape, "data_offsets": [at, at := at + array.nbytes]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(a.tobytes() for a in tensors.values()))


data = read(sys.argv[1])  # x, y: [N, k, d]; x_held_back: [n, k, d]
x, y = data["x"].astype(float), data["y"]
w_sum = np.linalg.lstsq(x.mean(axis=1), y.mean(axis=1), rcond=None)[0]
write(sys.argv[2], {"theta": np.zeros((1, *w_sum.shape)), "w": w_sum[np.newaxis]})
