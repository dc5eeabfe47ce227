"""From a layer of PyTorch's to its certificate, what a learner makes of its examples, and a figure.

    from_pytorch.py [FOLDER]          draws the figure into FOLDER (default: here)
    from_pytorch.py --write FILE.npz  stores the layer and its examples, for machines without PyTorch

Without PyTorch the stored layer next to this file is used: the same weights and labels.
"""
import pathlib
import sys

import numpy as np

import hardhead

FEATURES, HEADS, TOKENS, EXAMPLES = 8, 2, 3, 1000

# %% A layer, and examples that PyTorch labels.


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
if sys.argv[1:2] == ["--write"]:
    np.savez_compressed(sys.argv[2], **given)
    sys.exit()
folder = sys.argv[1] if len(sys.argv) > 1 else "."
x, y = given["x"], given["y"]

# %% Its certificate: under which conditions of the upper bound does it fall?

layer = hardhead.Layer.from_multihead_attention(given["in_proj_weight"], given["out_proj_weight"], HEADS)
print(f"PyTorch's labels and ours differ by {np.abs(layer(x) - y).max():.0e} at most")
certificate = hardhead.certify(layer, tokens=TOKENS)
failed = [condition.name for condition in certificate.worst() if condition.verdict == "fail" and condition.counts]
print(f"nice: {certificate.nice}; fails with constants 1: {', '.join(failed) or 'nothing'}")

# %% A learner that sees the arrays and nothing else.

result = hardhead.learn((x, y), "gauss-newton", heads=HEADS, truth=layer)
print(f"gauss-newton: {result.outcome}, test error {result.test_error:.0e}, "
      f"theta off by {max(result.parameter_error.theta_error):.0e}")

# %% How many examples does it take?

counts = [20, 25, 30, 40, 60, 100, 200]
errors = []
for count in counts:
    run = hardhead.learn((x[:count], y[:count]), "gauss-newton", heads=HEADS)
    errors.append(run.test_error)
    print(f"{count:5} examples: {run.outcome}, test error {run.test_error:.1e}")
hardhead.draw(folder, "from_pytorch", {"gauss-newton": (counts, errors)},
              title=f"A layer of PyTorch's, {HEADS} heads of {FEATURES // HEADS} features", x="examples",
              y="test error (relative)", log_x=True, log_y=True, levels={"null predictor": result.null_error})
print(f"figure: {pathlib.Path(folder) / 'from_pytorch.svg'}")
