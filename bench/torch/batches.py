#!/usr/bin/env python3
"""batches.py: labelled examples a second of one core, in batches of 512: Samples.batches beside a generator in PyTorch.

The generator draws tokens and labels them with the same layer, in the quicker of two ways: a product for each
head, or all heads in one. Medians of five turns of a second each, taken in turn. Needs python3-torch and the module on
PYTHONPATH.
"""
import statistics
import time

import torch

import hardhead

BATCH, TURNS, SECONDS = 512, 5, 1.0


def generators(layer, k, dtype, inputs):
    """Endless batches of the layer's examples, a generator for each way of labelling."""
    theta = torch.tensor(layer.theta, dtype=dtype)
    w = torch.tensor(layer.w, dtype=dtype)
    m, d, _ = theta.shape
    side_by_side = theta.permute(1, 0, 2).reshape(d, m * d).contiguous()
    on_top = w.reshape(m * d, d).contiguous()

    def tokens():
        if inputs == "gaussian":
            return torch.randn((BATCH, k, d), dtype=dtype)
        return torch.randint(0, 2, (BATCH, k, d)).to(dtype) * 2 - 1

    def head_by_head():
        while True:
            x = tokens()
            y = torch.zeros_like(x)
            for i in range(m):
                y += torch.softmax(x @ theta[i] @ x.transpose(1, 2), 2) @ x @ w[i]
            yield x, y

    def all_heads():
        while True:
            x = tokens()
            keys = (x.reshape(-1, d) @ side_by_side).reshape(BATCH, k, m, d).transpose(1, 2)
            patterns = torch.softmax(keys @ x[:, None].transpose(2, 3), 3)
            mixtures = (patterns @ x[:, None]).transpose(1, 2).reshape(BATCH * k, m * d)
            yield x, (mixtures @ on_top).reshape(BATCH, k, d)

    return [head_by_head, all_heads]


def rate(stream):
    """Examples a second."""
    next(stream)
    count, start = 0, time.perf_counter()
    while (taken := time.perf_counter() - start) < SECONDS:
        x, _ = next(stream)
        count += len(x)
    return count / taken


def medians(instance, makers, dtype):
    """Rates of hardhead's stream and of the quickest of these generators."""
    x, y = next(makers[0]())
    error = (y - torch.tensor(instance.layer(x.double().numpy()))).abs().max()
    assert error < (1e-4 if dtype == "float32" else 1e-12), f"labels differ by {error}"
    own, theirs = [], [[] for _ in makers]
    for _ in range(TURNS):
        own.append(rate(instance.samples(1).batches(BATCH, dtype=dtype, device="cpu")))
        for rates, maker in zip(theirs, makers):
            rates.append(rate(maker()))
    return statistics.median(own), max(map(statistics.median, theirs))


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    hardhead.set_threads(1)
    print(f"PyTorch {torch.__version__}, hardhead {hardhead.__version__}, one thread each, batches of {BATCH}")
    print(f"{'(d, k, m)':14}{'tokens':10}{'type':10}{'hardhead':>12}{'PyTorch':>12}{'ratio':>8}")
    for d, k, m in ((16, 3, 2), (32, 4, 4), (64, 8, 4)):
        for inputs in ("boolean", "gaussian"):
            instance = hardhead.Instance(f"nice:d={d},k={k},m={m},inputs={inputs},seed=1")
            for name in ("float32", "float64"):
                ours, theirs = medians(instance, generators(instance.layer, k, getattr(torch, name), inputs), name)
                print(f"{f'({d}, {k}, {m})':14}{inputs:10}{name:10}{ours:12,.0f}{theirs:12,.0f}{ours / theirs:8.1f}", flush=True)


if __name__ == "__main__":
    main()
