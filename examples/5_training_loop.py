"""A training loop of your own, in batches: AdamW on a student of eight heads, scored by the library beside its own learners.

Here in NumPy; in PyTorch, `samples.batches(256, device="cpu")` gives tensors, and the trained module is handed back.
"""
import hardhead
import numpy as np


def adamw(samples, task, batch=256, rate=0.03, decay=1e-4, heads=8):
    shape = (2, heads, samples.d, samples.d)  # Theta and W of all heads
    p = np.random.default_rng(task.seed).normal(0, 0.3, shape)
    mean, square, steps = np.zeros(shape), np.zeros(shape), task.examples / batch
    for step, (x, y) in enumerate(samples.batches(batch, dtype="float64"), start=1):
        theta, w = p
        logits = np.einsum("nad,hde,nbe->hnab", x, theta, x)
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


if __name__ == "__main__":
    print(hardhead.compare(["nice:d=6,k=2,m=2", "parity:d=6,m=2"], [adamw, "adam:until=0.003"], seeds=3, examples=20_000))
