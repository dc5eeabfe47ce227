"""Learns a nice layer from its examples, and asks what holds of a layer of PyTorch's."""
import pathlib

import numpy as np

import hardhead

result = hardhead.learn("nice:d=8,k=2,m=2,seed=7", "gauss-newton", heads=2)
print(f"{result.outcome}: test error {result.test_error:.0e} from {result.examples_used} examples")

stored = np.load(pathlib.Path(__file__).with_name("torch_mha_e8_h2_k3.npz"))  # from_pytorch.py --write
layer = hardhead.Layer.from_multihead_attention(stored["in_proj_weight"], stored["out_proj_weight"], num_heads=2)
certificate = hardhead.certify(layer, tokens=3)
for condition in certificate.worst():
    print(f"{condition.name:20} {condition.verdict:15} {condition.value:.3g}")
print("nice" if certificate.nice else "not nice", "with these constants")
