"""A training loop with batches, scored by the library: stochastic gradients on one head with uniform attention.

Instead of a function it may return a trained PyTorch module, or hardhead.Layer(theta, w).
"""
import hardhead
import numpy as np


def train(samples, task, batch=64, rate=0.2):
    w = None
    for first in range(0, task.examples - batch + 1, batch):
        x, y = samples.read(first, batch)  # a batch: tokens and labels, [batch, k, d]
        mean_x, mean_y = x.mean(axis=1), y.mean(axis=1)
        if w is None:
            w = np.zeros((x.shape[2], x.shape[2]))
        w -= rate * mean_x.T @ (mean_x @ w - mean_y) / batch * x.shape[1]
    return lambda new: np.repeat(new.mean(axis=1, keepdims=True) @ w, new.shape[1], axis=1)


table = hardhead.compare(["nice:d=6,k=2,m=2", "parity:d=6,m=2"], [train, "phase1"], seeds=3, examples=4000)
for row in table.rows():
    print(f"{row['source']:18} {row['learner']:8} advantage {row['advantage']:+.3f}  null error {row['null_error']:.3f}")
