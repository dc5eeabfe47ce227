#!/usr/bin/env python3
"""heads.py [--check | --prove]: the table of docs/heads.md, from the certificates of tests/known_answers/hidden_bits.json.

Without a flag it writes the table. With --check it writes nothing, and exits with 1 if the page does not show it. With --prove
it proves every certificate a second time, by an interval Newton test in rationals that shares no line with
hardness/gadget/alternating_sum.cc, and prints a line for each."""
import json
import os
import sys
import time
from fractions import Fraction

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PAGE = os.path.join(ROOT, "docs", "heads.md")
CERTIFICATES = os.path.join(ROOT, "tests", "known_answers", "hidden_bits.json")
BEGIN, END = "<!-- heads.py: begin -->", "<!-- heads.py: end -->"
BITS = 320
ENDS = {"odd": "W = 2 kappa", "free": "free", "zero": "W = 0"}


def equations(layer):
    return layer["m"] + (1 if layer["ends"] == "free" else 2)


def status(layer):
    """What is known of fewer heads."""
    m, heads = layer["m"], len(layer["w"])
    any_slopes = m.bit_length()  # the least M with 2^M - 1 >= m
    if heads == any_slopes:
        return "no fewer, whatever the slopes"
    if layer["ends"] == "odd":
        return f"no fewer along chains; {any_slopes} at least"
    return f"{any_slopes} at least"


def row(layer):
    found = {"a ramp and steps": "Newton from a ramp and steps", "search": "search from random starts"}[layer["found"]]
    weight = f"{max(abs(w) for w in layer['w']):.3g}"
    return f"| {layer['m']} | {len(layer['w'])} | {ENDS[layer['ends']]} | {weight} | {found} | {status(layer)} |"


def table(layers):
    ordered = sorted(layers, key=lambda layer: (layer["found"] == "search", layer["m"]))
    head = "| bits m | heads M | ends | largest weight | how found | fewer heads |\n|---|---|---|---|---|---|\n"
    return head + "\n".join(map(row, ordered)) + "\n"


# Intervals: pairs of rationals, rounded outwards to BITS binary digits.


def rounded(x, up):
    if x == 0:
        return x
    shift = BITS - x.numerator.bit_length() + x.denominator.bit_length()
    scaled = x.numerator << shift if shift >= 0 else Fraction(x.numerator, 1 << -shift)
    quotient = scaled // x.denominator
    if up and quotient * x.denominator != scaled:
        quotient += 1
    return Fraction(quotient, 1 << shift) if shift >= 0 else Fraction(quotient * (1 << -shift))


def interval(low, high):
    return rounded(low, False), rounded(high, True)


def add(a, b):
    return interval(a[0] + b[0], a[1] + b[1])


def times(a, b):
    ends = [x * y for x in a for y in b]
    return interval(min(ends), max(ends))


def inverse(a):
    assert a[0] > 0
    return interval(1 / a[1], 1 / a[0])


def point(x):
    return (x, x)


def system(w, kappa, z, v, layer):
    """F and F' in intervals, the unknowns in the order w, kappa, z, v."""
    count, heads = equations(layer), len(w)
    values, rows = [], []
    powers = [point(Fraction(1))] * heads
    for h in range(layer["m"] + 1):
        value = add(point(Fraction(-1 if h % 2 == 0 else 1)), (-kappa[1], -kappa[0]))
        of_w, of_z, of_v = [], [], []
        for i in range(heads):
            share = inverse(add(point(Fraction(1)), times(z[i], powers[i])))
            value = add(value, times(w[i], share))
            fall = times(times(times(w[i], powers[i]), times(share, share)), point(Fraction(-1)))
            of_w.append(share)
            of_z.append(fall)
            of_v.append(times(times(fall, z[i]), times(point(Fraction(h)), inverse(v[i]))))
        values.append(value)
        rows.append((of_w + [point(Fraction(-1))] + of_z + of_v)[:count])
        powers = [times(powers[i], v[i]) for i in range(heads)]
    if layer["ends"] != "free":
        of_kappa = Fraction(-2 if layer["ends"] == "odd" else 0)
        value = times(point(of_kappa), kappa)
        for one in w:
            value = add(value, one)
        values.append(value)
        rows.append(([point(Fraction(1))] * heads + [point(of_kappa)] + [point(Fraction(0))] * (2 * heads))[:count])
    return values, rows


def solve(rows):
    """The inverse of the middles, rounded."""
    n = len(rows)
    a = [[rounded((x[0] + x[1]) / 2, False) for x in line] + [Fraction(i == j) for j in range(n)] for i, line in enumerate(rows)]
    for j in range(n):
        pivot = max(range(j, n), key=lambda i: abs(a[i][j]))
        a[j], a[pivot] = a[pivot], a[j]
        scale = 1 / a[j][j]
        a[j] = [rounded(x * scale, False) for x in a[j]]
        for i in range(n):
            if i != j and a[i][j] != 0:
                factor = a[i][j]
                a[i] = [rounded(x - factor * y, False) if y else x for x, y in zip(a[i], a[j])]
    return [line[n:] for line in a]


def parts(x, layer):
    """w, kappa, z, v of the unknowns x, in intervals; the rest as the certificate gives it."""
    heads = len(layer["w"])
    known = [point(Fraction(one)) for key in ("z", "v") for one in layer[key]]
    rest = x[heads + 1:] + known[len(x) - heads - 1:]
    return x[:heads], x[heads], rest[:heads], rest[heads:]


def total(line, vector):
    out = point(Fraction(0))
    for c, x in zip(line, vector):
        out = add(out, times(c, x))
    return out


def proved(layer):
    numbers = [Fraction(one) for one in layer["w"] + [layer["kappa"]] + layer["z"] + layer["v"]]
    x = numbers[:equations(layer)]
    for _ in range(8):
        values, rows = system(*parts([point(one) for one in x], layer), layer)
        c = solve(rows)
        step = [total([point(y) for y in line], values) for line in c]
        if all(max(abs(s[0]), abs(s[1])) <= abs(one) / 2**180 for s, one in zip(step, x)):
            break
        x = [rounded(one - (s[0] + s[1]) / 2, False) for one, s in zip(x, step)]
    n = len(x)
    radius = [4 * max(abs(s[0]), abs(s[1])) + abs(one) / 2**230 for s, one in zip(step, x)]
    box = [interval(one - r, one + r) for one, r in zip(x, radius)]
    _, slopes = system(*parts(box, layer), layer)
    for i in range(n):
        rest = point(Fraction(0))
        for j in range(n):
            entry = total([point(-y) for y in c[i]], [slopes[l][j] for l in range(n)])
            entry = add(entry, point(Fraction(i == j)))
            rest = add(rest, times(entry, (-radius[j], radius[j])))
        k = add(add(point(x[i]), (-step[i][1], -step[i][0])), rest)
        if not (x[i] - radius[i] < k[0] and k[1] < x[i] + radius[i]):
            return False
    return True


def main():
    with open(CERTIFICATES) as file:
        layers = json.load(file)["layers"]
    if "--prove" in sys.argv[1:]:
        all_proved = True
        for layer in layers:
            begin = time.process_time()
            answer = proved(layer)
            all_proved = all_proved and answer
            print(f"m={layer['m']} heads={len(layer['w'])} ends={layer['ends']}: "
                  f"{'proved' if answer else 'NOT PROVED'} ({time.process_time() - begin:.1f} s)", flush=True)
        return 0 if all_proved else 1
    with open(PAGE) as file:
        page = file.read()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    shown = page[:begin] + "\n\n" + table(layers) + "\n" + page[end:]
    if "--check" in sys.argv[1:]:
        if shown != page:
            print("docs/heads.md does not show the certificates: scripts/heads.py writes its table")
        return 0 if shown == page else 1
    with open(PAGE, "w") as file:
        file.write(shown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
