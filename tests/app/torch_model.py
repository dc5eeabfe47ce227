"""A checkpoint as PyTorch would write it, for commands that read one."""
import json
import math
import random as random_numbers
import struct


def write_model(path):
    """Two encoder layers of PyTorch's, with 2 heads on 4 features and biases."""
    shapes = {"in_proj_weight": (12, 4), "in_proj_bias": (12,), "out_proj.weight": (4, 4), "out_proj.bias": (4,)}
    random, header, data = random_numbers.Random(1), {}, b""
    for n in range(2):
        for name, shape in shapes.items():
            piece = struct.pack(f"<{math.prod(shape)}f", *(random.gauss(0, 0.5) for _ in range(math.prod(shape))))
            header[f"layers.{n}.self_attn.{name}"] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(piece)]}
            data += piece
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
