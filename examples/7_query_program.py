"""A program of your own that chooses X and is told F(X):

    hardhead learn nice:d=8,k=2,m=1 --method 'exec:access=values,command=python3 examples/7_query_program.py'

One head. With two equal tokens, F shows x W. With x1 = x2 but for feature j, it shows sigma(-2 (x1^T Theta)_j), x1_j = 1:
d such x1 for each j give column j of Theta.
"""
import json
import math
import random
import sys


def ask(questions):
    print(json.dumps({"ask": questions}), flush=True)
    return json.loads(sys.stdin.readline())["values"]


def solve(rows, values):
    """Gauss-Jordan elimination with pivots: one solution for each row of `values`, side by side."""
    n = len(rows)
    table = [list(row) + list(value) for row, value in zip(rows, values)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(table[r][i]))
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [entry / table[i][i] for entry in table[i]]
        for r in range(n):
            if r != i:
                table[r] = [a - table[r][i] * b for a, b in zip(table[r], table[i])]
    return [row[n:] for row in table]


def tokens(d, fixed=None):
    """d independent rows of signs; feature `fixed` is +1 in all of them."""
    rows = [[-1.0 if i == j else 1.0 for j in range(d)] for i in range(d)]
    rows[0] = [1.0] * d
    if fixed is not None:
        rows = [[row[fixed] * entry for entry in row] for row in rows]
    random.shuffle(rows)
    return rows


task = json.loads(sys.stdin.readline())
d = task["d"]
x = tokens(d)
w = solve(x, [value[0] for value in ask([[row, row] for row in x])])
theta = [[0.0] * d for _ in range(d)]
for j in range(d):
    x = tokens(d, j)
    answers = ask([[row, [-v if f == j else v for f, v in enumerate(row)]] for row in x])
    logits = []
    for row, (first, _) in zip(x, answers):
        plain = [sum(row[f] * w[f][c] for f in range(d)) for c in range(d)]
        share = sum((first[c] - plain[c]) * w[j][c] for c in range(d)) / (-2 * sum(v * v for v in w[j]))
        logits.append([math.log(share / (1 - share)) / -2])
    for f, (value,) in enumerate(solve(x, logits)):
        theta[f][j] = value
print(json.dumps({"theta": [theta], "w": [w]}))
