"""Labels written by hardhead, recomputed by NumPy from the files alone.

    numpy_test.py PROGRAM       runs `PROGRAM generate` and `PROGRAM sample`, then checks their files
    numpy_test.py LAYER DATA    checks two files

Exits 77 (skipped) where NumPy is missing.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

from safetensors_format import read_safetensors


def forward(theta, w, x):
    """Y[n,r,b] = sum_i sum_j softmax_j(x[n,r] theta_i x[n,j]) sum_a x[n,j,a] w_i[a,b]."""
    logits = np.einsum("nra,iab,njb->inrj", x, theta, x, optimize=True)
    p = np.exp(logits - logits.max(axis=-1, keepdims=True))
    p /= p.sum(axis=-1, keepdims=True)
    return np.einsum("inrj,nja,iab->nrb", p, x, w, optimize=True)


def check(layer_path, data_path):
    layer, layer_metadata = read_safetensors(layer_path)
    data, data_metadata = read_safetensors(data_path)
    x, y = data["x"].astype(np.float64), data["y"].astype(np.float64)
    expected = forward(layer["theta"].astype(np.float64), layer["w"].astype(np.float64), x)
    error = np.abs(expected - y).max() / np.abs(layer["w"]).max()
    print(f"layer {layer['theta'].shape} {layer_metadata}")
    print(f"data {x.shape} {data_metadata}")
    print(f"largest error {error:.2g} of the largest weight")
    assert error <= 1e-12, error
    assert np.abs(y).max() > 1e-3, "labels are all zero"
    return x


def check_program(program):
    spec = "nice:d=16,k=3,m=2,seed=3"
    with tempfile.TemporaryDirectory() as folder:
        layer, data = (os.path.join(folder, name) for name in ("layer.safetensors", "data.safetensors"))
        subprocess.run([program, "generate", spec, "-o", layer], check=True)
        subprocess.run([program, "sample", spec, "-n", "500", "-o", data], check=True)
        x = check(layer, data)
    assert x.shape == (500, 3, 16), x.shape


if __name__ == "__main__":
    if len(sys.argv) == 3:
        check(*sys.argv[1:])
    elif len(sys.argv) == 2:
        check_program(sys.argv[1])
    else:
        sys.exit(__doc__)
