"""A PyTorch layer and examples that it labels: its certificate, what a learner makes of them, and a figure.

Without PyTorch the same weights and labels are read from the file beside this one.
"""
import pathlib
import sys

import numpy as np

import hardhead

HEADS, TOKENS, FEATURES, EXAMPLES = 2, 3, 8, 1000


def from_torch():
    import torch

    torch.manual_seed(11)
    attention = torch.nn.MultiheadAttention(FEATURES, HEADS, bias=False, batch_first=True).double()
    x = torch.randint(0, 2, (EXAMPLES, TOKENS, FEATURES), dtype=torch.int8) * 2 - 1
    tokens = x.double()
    y, _ = attention(tokens, tokens, tokens, need_weights=False)
    return {"in_proj_weight": attention.in_proj_weight.detach().numpy(),
            "out_proj_weight": attention.out_proj.weight.detach().numpy(), "x": x.numpy(), "y": y.detach().numpy()}


try:
    given = from_torch()
    print("layer and labels: PyTorch's")
except ImportError:
    given = np.load(pathlib.Path(__file__).with_name("torch_mha_e8_h2_k3.npz"))
    print("layer and labels: PyTorch's, stored")
x, y = given["x"], given["y"]

layer = hardhead.Layer.from_multihead_attention(given["in_proj_weight"], given["out_proj_weight"], HEADS)
certificate = hardhead.certify(layer, tokens=TOKENS)
failed = [c.name for c in certificate.worst() if c.verdict == "fail" and c.counts]
print(f"nice: {certificate.nice}; fails with constants 1: {', '.join(failed) or 'nothing'}")

result = hardhead.learn((x, y), "gauss-newton", heads=HEADS, truth=layer)
print(f"gauss-newton: {result.outcome}, test error {result.test_error:.0e}")

counts, errors = [20, 30, 60, 200], []
for count in counts:
    run = hardhead.learn((x[:count], y[:count]), "gauss-newton", heads=HEADS)
    errors.append(run.test_error)
    print(f"{count:5} examples: {run.outcome}, test error {run.test_error:.1e}")
folder = sys.argv[1] if len(sys.argv) > 1 else "."
hardhead.draw(folder, "arrays", {"gauss-newton": (counts, errors)}, title="A layer of PyTorch's", x="examples",
              y="test error (relative)", log_x=True, log_y=True, levels={"null predictor": result.null_error})
print(f"figure: {pathlib.Path(folder) / 'arrays.svg'}")
