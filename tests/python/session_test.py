"""A session as a user has it: an own AdamW learner in NumPy and an own family, beside the library's, in one table and one figure."""
import os
import tempfile

import hardhead
import numpy as np

SIZES = {} if os.environ.get("HARDHEAD_WHOLE_SESSION") else {"seeds": 1, "examples": 20_000}


def adamw(samples, task, batch=256, rate=0.03, decay=1e-4, heads=8):
    shape = (2, heads, samples.d, samples.d)  # Theta and W of all heads
    p = np.random.default_rng(task.seed).normal(0, 0.3, shape)
    mean, square, steps = np.zeros(shape), np.zeros(shape), task.examples / batch
    for step, (x, y) in enumerate(samples.batches(batch, dtype="float64"), start=1):
        theta, w = p
        logits = np.einsum("nad,hde,nbe->hnab", x, theta, x, optimize=True)
        a = np.exp(logits - logits.max(axis=-1, keepdims=True))
        a /= a.sum(axis=-1, keepdims=True)
        residual = np.einsum("hnab,nbd,hde->nae", a, x, w, optimize=True) - y
        to_a = np.einsum("nae,hde,nbd->hnab", residual, w, x, optimize=True)
        to_logits = a * (to_a - (a * to_a).sum(axis=-1, keepdims=True))
        g = np.stack([np.einsum("nad,hnab,nbe->hde", x, to_logits, x, optimize=True),
                      np.einsum("hnab,nbd,nae->hde", a, x, residual, optimize=True)]) / len(x)
        mean, square = 0.9 * mean + 0.1 * g, 0.999 * square + 0.001 * g * g
        p -= rate * max(0, 1 - step / steps) * (mean / (1 - 0.9**step) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8) + decay * p)
    return hardhead.Layer(*p)


def near(seed, d, m, rho):
    """Heads that are rho parts the same matrix."""
    draw = np.random.default_rng(seed).normal(0, d**-0.5, (m + 1, d, d))
    return hardhead.Layer(rho * draw[0] + (1 - rho) * draw[1:], np.random.default_rng(seed + 10**6).normal(0, d**-0.5, (m, d, d)))


if __name__ == "__main__":
    hardhead.family("near", near, d=6, k=2, m=2, rho=0.5)
    mine = hardhead.Learner(adamw, name="my AdamW", ladder=[{"examples": 20_000}, [{"examples": 80_000, "rate": rate} for rate in (0.01, 0.03)]])
    layers = [f"near:rho={rho}" for rho in (0.1, 0.9)] + ["nice:d=6,k=2,m=2", "parity:d=5,m=2"]
    table = hardhead.compare(layers, [mine, "gauss-newton", "adam:until=0.003"], **{"seeds": 6, "examples": 50_000, **SIZES})
    print(table)
    rows = {(row["source"], row["learner"]): row for row in table.rows()}
    assert len(rows) == 12 and all(row["examples_used"] > 0 and row["failed"] == 0 for row in rows.values())
    assert rows["near:rho=0.9", "my AdamW"]["examples_used"] == SIZES.get("examples", 50_000)
    assert rows["near:rho=0.1", "gauss-newton"]["recovered"] == len(table.runs) // 12
    assert rows["nice:d=6,k=2,m=2", "my AdamW"]["advantage_low"] > 0, "AdamW learns something of a nice layer"
    try:
        import matplotlib
        matplotlib.use("agg")
        with tempfile.TemporaryDirectory() as folder:
            table.plot("examples", against="rho").figure.savefig(os.path.join(folder, "examples.png"))
    except ImportError:
        print("Matplotlib is missing: no figure")
    print(hardhead.best("near:d=4,m=1", mine, seeds=2, goal="partly"))
