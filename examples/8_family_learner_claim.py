"""Your own family, your own learner, and a claim with a criterion, an interval and a verdict."""
import hardhead
import numpy as np

SEEDS = 12


def family(scale):
    """A layer of your own: tokens gated by their sum."""
    return hardhead.Teacher(lambda x: x * np.tanh(scale * x.sum(axis=1, keepdims=True)), d=4, k=3, examples=2000)


def affine(samples, task):
    """A learner of your own: the best affine function."""
    x, y = samples.read(0, task.examples)
    design = lambda tokens: np.hstack([tokens.reshape(len(tokens), -1), np.ones((len(tokens), 1))])
    best = np.linalg.lstsq(design(x), y.reshape(len(y), -1), rcond=None)[0]
    return lambda new: (design(new) @ best).reshape(new.shape)


# The claim: on nice layers gauss-newton learns, and the affine learner does not. The criterion, written before the run:
# the exact 95% interval of the share of layers learnt is above 0.7 for the one, and below 0.3 for the other.
table = hardhead.compare(["nice:d=4,k=2,m=2"], [affine, "gauss-newton"], seeds=SEEDS, heads=2, examples=1000)
intervals = {row["learner"]: hardhead.binomial_interval(row["learnt"], SEEDS) for row in table.rows()}
holds = intervals["gauss-newton"][0] > 0.7 and intervals["affine"][1] < 0.3
for name, (low, high) in intervals.items():
    print(f"{name}: learns {low:.2f} .. {high:.2f} of the layers")
print("verdict:", "holds" if holds else "not shown")

for row in hardhead.compare([family(0.5)], [affine], seeds=1, examples=1000).rows():
    print(f"your family, {row['learner']}: test error {row['test_error']:.3f}, that of the best affine function "
          f"{row['null_error']:.3f}")
