#!/usr/bin/env python3
"""check.py KIND FILE ..: checks what hardhead calls exact, by integers and fractions, without hardhead.

    check.py layer LAYER.safetensors [DATA.safetensors]   weights of a parity or lwr layer, and labels
    check.py transcript GAME.json                         `sq play --json --transcript`
    check.py hardness REPORT.json                         `hardness --json` of a parity, d at most 12
    check.py secret SAMPLES.json SOLUTION.json            a secret of lwe, lwr or lpn against every sample
    check.py challenge CHALLENGE.safetensors SECRET.json  a challenge's commitment and training labels
    check.py verdicts TABLE.csv | REPORT.json             counts and Clopper-Pearson intervals

Exit code 0: all of it is right; 1: something is wrong or not proved; 2: a file cannot be read. See docs/check.md."""
import csv
import hashlib
import itertools
import json
import math
import pathlib
import struct
import sys
from decimal import Decimal, getcontext
from fractions import Fraction

class Wrong(Exception):
    """Something that was called exact is not."""

def expect(true, message):
    if not true:
        raise Wrong(message)

# Files and numbers.
def read_json(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))

def read_safetensors(path):
    """The metadata, and the tensors as (shape, flat values)."""
    data = pathlib.Path(path).read_bytes()
    begin = 8 + struct.unpack("<Q", data[:8])[0]
    header, tensors = json.loads(data[8:begin]), {}
    meta = header.pop("__metadata__", {})
    for name, entry in header.items():
        kind, (first, end) = {"F64": "<d", "I8": "<b"}[entry["dtype"]], entry["data_offsets"]
        tensors[name] = entry["shape"], [x for [x] in struct.iter_unpack(kind, data[begin + first:begin + end])]
    return meta, tensors

def options_of(spec):
    name, _, rest = spec.partition(":")
    return name, dict(pair.split("=") for pair in rest.split(",") if pair)

def solve(rows, rights):
    """The one X with rows X = rights, a linear system that may have more rows than unknowns."""
    unknowns, rows = len(rows[0]), [list(row) + list(right) for row, right in zip(rows, rights)]
    for j in range(unknowns):
        pivot = max(range(j, len(rows)), key=lambda i: abs(rows[i][j]), default=None)
        expect(pivot is not None and rows[pivot][j] != 0, "the equations leave the weights open")
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [x / rows[j][j] for x in rows[j]]
        rows = [row if i == j or row[j] == 0 else [x - row[j] * y for x, y in zip(row, rows[j])]
                for i, row in enumerate(rows)]
    expect(not any(any(row[unknowns:]) for row in rows[unknowns:]), "no weights give these labels")
    return [row[unknowns:] for row in rows[:unknowns]]

def dot(left, right):
    return sum(x * y for x, y in zip(left, right))

def largest_row(rows):
    return max(sum(map(abs, row)) for row in rows)

# Real numbers in units of 1 / ONE: what is computed with them is exact to SLACK, and proved to RADIUS.
ONE, SLACK, RADIUS = 1 << 320, 1 << 60, 1 << 180
getcontext().prec = 110

def exp(x):
    """exp(x), 0 <= x < 2^11, within a factor of 1 + 2^-290: Taylor's sum for x / 2^13, squared 13 times."""
    expect(x < ONE << 11, "no layer is proved: an exponent is 2048 or more")
    value = ONE
    for n in range(60, 0, -1):
        value = ONE + value * (x >> 13) // (n * ONE)
    for _ in range(13):
        value = value * value // ONE
    return value

def log(number):
    """The logarithm of 2 .. 16 within 2^-280: Newton's method, which squares the error of a double three times."""
    x = int(Fraction(math.log(number)) * ONE)
    for _ in range(3):
        x += number * ONE * ONE // exp(x) - ONE
    return x

def tilt(x):
    """1 / (1 + exp(y)) - 1/2 within SLACK, for every y within SLACK of x."""
    return (ONE * ONE // (ONE + exp(abs(x))) - ONE // 2) * (1 if x >= 0 else -1)

def certified(log_base, heads):
    """Weights w and doubled places u, each within RADIUS, of a layer next to heads (a, place, weight) with
        F_h = sum_i w_i (1 / (1 + B^(a_i h) exp(u_i)) - 1/2) - (-1)^h = 0   for h = 0 .. 2 M - 1.
    Heads i and M - i mirror each other: h < M, and x, half of w and u, are enough. If |C F(x)| <= r/2 and |I - C F'(y)|
    <= 1/2 (largest norm, any C, all |y - x| <= r = RADIUS), y - C F(y) contracts the ball: F = 0 at its fixed point."""
    m, scale = len(heads), 1 << 64
    n, ends, unit = m // 2 + 1, m - m // 2, [[int(i == j) for j in range(m)] for i in range(m)]
    ramp, steep, *same = [int(a * log_base * (1 - 2 * m) / 2) for a, _, _ in heads]
    expect(set(same) <= {steep}, "no layer is proved: steps have different slopes")
    x = [int(Fraction(w) * ONE) for *_, w in heads[:n]] + [int(Fraction(u) * 2 * ONE) for _, u, _ in heads[1:ends]]
    def mirrored():
        return x[:n] + x[ends - 1:0:-1], [ramp, *x[n:], *[steep] * (n - ends), *(2 * steep - u for u in x[:n - 1:-1])]
    def system(w, u):
        tilts = [[tilt(one + int(h * a * log_base)) for (a, _, _), one in zip(heads, u)] for h in range(m)]
        return ([dot(w, row) // ONE - (-1) ** h * ONE for h, row in enumerate(tilts)],
                [[row[0], *(row[i] + row[m - i] * (2 * i < m) for i in range(1, n)),
                  *(w[i] * (row[i] ** 2 - row[m - i] ** 2) // ONE ** 2 for i in range(1, ends))] for row in tilts])
    for _ in range(6):  # Newton's method
        values, slopes = system(*mirrored())
        inverse = solve([[Decimal(x) / ONE for x in row] for row in slopes], unit)
        inverse = [[round(value * scale) for value in row] for row in inverse]
        x = [old - dot(row, values) // scale for old, row in zip(x, inverse)]
    (values, slopes), size = system(*mirrored()), largest_row(inverse)
    columns, weights = list(zip(*slopes)), Fraction(largest_row(mirrored()[:1]), ONE)
    slack = size * SLACK * (m + 1 + weights)  # what C makes of the errors of F, and of those of a row of F'
    step = largest_row([dot(row, values)] for row in inverse) + slack
    rest = largest_row([one * ONE * scale - dot(row, column) for one, column in zip(ones, columns)]
                       for ones, row in zip(unit, inverse)) + slack
    # Within r of x a logistic function moves by r/4 at most, and its slope, at most 1/4, by r/10.
    moved = size * RADIUS * (Fraction(m, 2) + (weights + m) / 10)
    expect(2 * step <= RADIUS * scale and 2 * (rest + moved) <= ONE * scale, "no layer is proved next to this one")
    return mirrored()

# Layers.
def near(stored, number, error, what):
    """Whether a double is the nearest one of every number within `error` of this one."""
    low, high = (float(Fraction(x) / ONE) for x in (number - error, number + error))
    expect(stored == low == high, f"{what} is {stored}, not {high}")

def read_heads(path):
    """What the file says it is, and of each head the diagonal of Theta and the weight."""
    meta, tensors = read_safetensors(path)
    (count, d, _), heads = tensors["theta"][0], []
    for i in range(count):
        theta, w = (tensors[name][1][i * d * d:(i + 1) * d * d] for name in ("theta", "w"))
        heads.append((theta[::d + 1], w.pop((d - 1) * d)))
        expect(not any(w) and not any(x for at, x in enumerate(theta) if at % (d + 1)),
               f"head {i}: Theta has entries off the diagonal, or W has more than one")
    return *options_of(meta["spec"]), heads

def check_layer(path, data=None):
    name, options, stored = read_heads(path)
    expect(name in ("parity", "lwr"), f"layers of '{name}' are not checked: parity and lwr are")
    base, variant = int(options["base"]), options.get("variant", "exact")
    q, p, log_base, half = int(options.get("q", 2)), int(options.get("p", 2)), log(base), math.log(base) / 2
    s = [int(x != 0) if name == "parity" else round(x / half / 2) for x in stored[0][0][:-1]]
    expect(name == "lwr" or sum(s) == int(options["m"]), f"s has {sum(s)} ones")
    labels = [4 * (h % 2) - 2 if name == "parity" else -2 * (p * (h % q) // q) for h in range(sum(s) + 1)]
    real, heads = variant.startswith("compact") and sum(s) > 3, []
    # Theta is (ln B)/2 times a s_j, and times b at the switch if places are rational: each entry rounded once.
    for i, (diagonal, w) in enumerate(stored):
        a, b = (Fraction(diagonal[j] / half).limit_denominator(1000) for j in (s.index(max(s)), -1))
        a /= max(*s, 1)
        expect(0 <= a <= 4, f"head {i}: a slope of {a}")
        for j, multiple in enumerate([a * x for x in s] + [b] * (not real)):
            near(diagonal[j], multiple * log_base / 2, abs(multiple) * SLACK, f"head {i}: entry {j} of Theta")
        heads.append((a, diagonal[-1] if real else b, w))
    on, off = (real_layer if real else rational_layer)(base, variant, heads, labels)
    said = f"{len(heads)} heads, {'proved' if real else 'rational'}, give {len(on)} labels; the file rounds them once"
    return [said] if data is None else [said, check_labels(data, s, on, off)]

def real_layer(base, variant, heads, labels):
    """The labels by h, and where the switch is off: W, or 0 with a flat head of weight -W."""
    m, flat = (len(labels) + 1) // 2, variant == "compact-exact"
    expect(len(heads) == m + flat and (not flat or heads[m][:2] == (0, 0)), f"no heads of {len(labels) - 1} bits")
    weights, turned = certified(log(base), heads[:m])
    for i, ((_, place, weight), w, u) in enumerate(zip(heads, weights, turned)):
        near(place, Fraction(u, 2), RADIUS, f"head {i}: the place")
        near(weight, w, RADIUS, f"head {i}: the weight")
    off = sum(weights)
    near(-heads[m][2] if flat else off / ONE, off, m * RADIUS, "W")
    return labels, 0 if flat else Fraction(off, ONE)

def rational_layer(base, variant, heads, labels):
    """W - 2 sum w_i / (1 + B^(a_i h + b_i)) by h, the label (less a constant for `minimal`), and W, off the switch."""
    expect(all(a.denominator == b.denominator == 1 for a, b, _ in heads), "a slope is no multiple of (ln B)/2")
    extra = [Fraction(1)] * (variant == "minimal")
    rows = [[1 - 2 / (1 + Fraction(base) ** int(a * h + b)) for a, b, _ in heads] + extra for h in range(len(labels))]
    ends = [] if variant == "compact" else [[Fraction(1)] * len(heads) + [Fraction(0)] * len(extra)]  # W = 0
    exact = [x for [x] in solve(rows + ends, [[Fraction(x)] for x in [*labels, *[0] * len(ends)]])]
    for i, ((_, _, stored), weight) in enumerate(zip(heads, exact)):
        expect(stored == float(weight), f"head {i}: a weight of {stored}, not {float(weight)}")
    return [label - sum(exact[len(heads):]) for label in labels], sum(exact[:len(heads)])

def check_labels(path, s, on, off):
    _, tensors = read_safetensors(path)
    (count, k, d), x, y = *tensors["x"], tensors["y"][1]
    expect(k == 2 and d == len(s) + 1, f"data of k={k}, d={d} for a layer of k=2, d={len(s) + 1}")
    for n in range(count):
        first, second = x[2 * n * d:(2 * n + 1) * d], x[(2 * n + 1) * d:(2 * n + 2) * d]
        h = sum(value for value, a, b in zip(s, first, second) if a != b)
        level = on[h] if first[-1] != second[-1] else off
        labels = [entry for token in (first, second) for entry in [float(token[-1] * level), *[0] * (d - 1)]]
        expect(y[2 * n * d:(2 * n + 2) * d] == labels, f"example {n}: the labels are not {labels[0]} and {labels[d]}")
    return f"{count} examples have exactly the layer's labels"

# Statistical queries, and bounds.
def correlation_with(sets, member, n):
    """E[y sign(sum of characters)] over z in {-1,+1}^n, y = chi_member / 2 in the mean over the switch."""
    if len(sets) == 1:
        return Fraction(int(sets[0] == member), 2)
    total = 0
    for z in range(1 << n):
        *values, own = (1 - 2 * (bin(z & s).count("1") & 1) for s in [*sets, member])
        total += own * ((sum(values) > 0) - (sum(values) < 0))
    return Fraction(total, 2 << n)

def mask(coordinates):
    return sum(1 << j for j in coordinates)

def check_transcript(path):
    game = read_json(path)
    n, m, width = game["d"] - 1, game["m"], Fraction(game["width"])
    left = [mask(c) for c in itertools.combinations(range(n), m)]
    expect(len(left) == game["members_total"], f"{len(left)} members, not {game['members_total']}")
    expect(len(game["left_after"]) == len(game["transcript"]), "as many counts of members as queries are expected")
    for i, (asked, count) in enumerate(zip(game["transcript"], game["left_after"])):
        answer, sets = Fraction(asked["answer"]), [mask(c) for c in asked["sets"]]
        expect(all(bin(s).count("1") == m and s < 1 << n for s in sets), f"query {i}: a set is no member")
        left = [s for s in left if abs(answer - correlation_with(sets, s, n)) <= width]
        expect(len(left) == count > 0, f"query {i}: {len(left)} members are left, not {count}")
    expect(len(left) == game["members_left"], f"{len(left)} members are left, not {game['members_left']}")
    said = [f"{len(game['transcript'])} answers are within {width} of some member; {len(left)} left, as it says"]
    if game["theorem"].startswith("4 tau^2"):
        bound = 4 * Fraction(game["tolerance"]) ** 2 * (math.comb(n, m) - 1)
        expect(Fraction(game["bound_exact"]) == bound, f"the bound is {bound}, not {game['bound_exact']}")
        expect(not game["learner_won"] or game["queries_used"] >= bound, "fewer queries than the bound, and won")
        said.append(f"the bound is {bound} queries, {game['queries_used']} were used")
    return said

def check_hardness(path):
    report = read_json(path)
    name, options = options_of(report["spec"])
    expect(name == "parity", f"bounds of '{name}' are not checked: those of parity are")
    n, m = int(options["d"]) - 1, int(options["m"])
    expect(n <= 11, f"d={n + 1} is more than 12, up to which members are enumerated")
    members = [mask(c) for c in itertools.combinations(range(n), m)]
    # By enumeration: the mean of f f' over all z and the switch is 1/2 for f = f' and 0 for others.
    columns, count = [sum((bin(z & s).count("1") & 1) << z for z in range(1 << n)) for s in members], len(members)
    for a, b in itertools.combinations(columns, 2):
        expect(bin(a ^ b).count("1") == 1 << (n - 1), "two members are correlated")
    known = [(bound["of"], bound["at_least"], parity_bound(bound["of"], count)) for bound in report["bounds"]]
    for of, said, value in known:
        expect(value is None or Fraction(said) == value, f"{of}: at least {value}, not {said}")
    skipped = [f"not checked: {of}" for of, _, value in known if value is None]
    return [f"{len(known) - len(skipped)} bounds are those of {count} members, uncorrelated by enumeration", *skipped]

def parity_bound(of, count):
    """A bound of `count` uncorrelated members that are told in half of all examples, if it is checked."""
    def least(holds):
        return next(n for n in itertools.count() if holds(n))
    words = of.replace("(", " ").replace(")", " ").split()
    if of.startswith("queries to STAT"):
        return 4 * Fraction(words[3]) ** 2 * (count - 1)
    if of.startswith("queries x t to VSTAT"):
        return Fraction(2, 3) * (count - 1)
    if of.startswith("examples to statistics of degree"):  # the squared advantage over unrelated labels, times count
        return least(lambda n: sum(Fraction(math.comb(n, t), 2 ** t) for t in range(1, int(words[-1]) + 1)) >= count)
    if of == "examples, whoever computes":  # of n examples i tell something, and have 2^i labellings
        return least(lambda n: 2 * sum(math.comb(n, i) * min(count, 2 ** i) for i in range(n + 1)) >= count * 2 ** n)
    return least(lambda n: 2 * 2 ** n >= count) if of == "value queries, whoever computes" else None

# Secrets and challenges.
def few_wrong(wrong, count, rate):
    most = rate * count + 6 * math.sqrt(rate * (1 - rate) * count)
    expect(wrong <= most, f"{wrong} of {count} labels are wrong, more than {most:.0f}")
    return f"{wrong} of {count} labels are wrong, {rate * count:.0f} are expected"

def check_secret(samples_path, solution_path):
    samples, secret = read_json(samples_path), read_json(solution_path)["secret"]
    q, n, labels, count = samples["q"], samples["n"], samples["b"], len(samples["b"])
    expect(len(secret) == n and all(0 <= x < q for x in secret), f"the secret is not of {n} numbers below {q}")
    sums = [dot(row, secret) % q for row in samples["a"]]
    expect(len(sums) == count, "as many rows as labels are expected")
    expect(samples.get("rounding", "floor") == "floor", "only labels rounded down are checked")
    if samples["problem"] in ("lwr", "lpn"):
        wrong = sum(samples.get("p", q) * h // q != b for h, b in zip(sums, labels))
        return [few_wrong(wrong, count, samples.get("rate", 0))]
    residuals = [(b - h + q // 2) % q - q // 2 for h, b in zip(sums, labels)]
    if samples.get("noise") == "binary":
        expect(set(residuals) <= {0, 1}, "a residual is neither 0 nor 1")
        return [f"all {count} residuals are 0 or 1"]
    mean, variance = sum(r * r for r in residuals) / count, samples.get("eta", 0) / 2 or samples["sigma"] ** 2
    most = variance * (1 + 6 * math.sqrt(2 / count) + 36 / count)
    expect(mean <= most, f"the mean square of the residuals is {mean:.4g}, more than {most:.4g}")
    return [f"{count} residuals have a mean square of {mean:.4g}, {variance:.4g} is expected"]

def digest(*texts):
    """SHA-256 of texts, each with its length before it."""
    return hashlib.sha256(b"".join(struct.pack("<Q", len(t)) + t for t in (s.encode() for s in texts))).hexdigest()

def philox(counter, key):
    """Philox4x64-10 of Salmon and others, SC 2011."""
    (a, b, c, d), (k0, k1), word = counter, key, (1 << 64) - 1
    for _ in range(10):
        x, y = 0xD2E7470EE14C6C93 * a, 0xCA5A826395121157 * c
        a, b, c, d = (y >> 64) ^ b ^ k0, y & word, (x >> 64) ^ d ^ k1, x & word
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & word, (k1 + 0xBB67AE8584CAA73B) & word
    return a | b << 64 | c << 128 | d << 192

def differing(domain, seed, item, d):
    """Which coordinates of the two tokens of an example differ, as bits; their signs are the stream's bits."""
    key = struct.unpack(">QQ", bytes.fromhex(digest(f"hardhead stream {domain} {seed}", ""))[:16])
    bits = sum(philox((item, block, 0, 0), key) << 256 * block for block in range(-(-2 * d // 256)))
    return (bits ^ bits >> d) & ((1 << d) - 1)

def check_challenge(path, solution_path):
    meta, tensors = read_safetensors(path)
    name, options = options_of(meta["spec"])
    expect(name in ("parity", "lpn", "lwr"), f"challenges of '{name}' are not checked: parity, lpn and lwr are")
    q, secret = int(options.get("q", 2)), read_json(solution_path)["secret"]
    p, bits, n = int(options.get("p", q)), q.bit_length() - 1, int(options.get("n", 0)) or int(options["d"]) - 1
    expect(len(secret) == n and all(0 <= x < q for x in secret), f"the secret is not of {n} numbers below {q}")
    def codes(domain, seed, count):
        for item in range(int(count)):
            row = differing(domain, seed, item, n * bits + 1)
            if row >> n * bits:
                yield p * (sum((row >> j * bits & (q - 1)) * s for j, s in enumerate(secret)) % q) // q
    tests = list(codes(3, meta["test_seed"], meta["test_examples"]))
    expect(digest(meta["salt"], ",".join(map(str, tests))) == meta["commitment"],
           "the labels of the test inputs are not those of the commitment")
    some, width = min(2000, int(meta["training_labels"])), (p - 1).bit_length()
    packed = sum((x & 255) << 8 * at for at, x in enumerate(tensors["labels"][1][:some * width // 8 + 1]))
    wrong = sum(code != packed >> i * width & (1 << width) - 1
                for i, code in zip(range(some), codes(1, meta["training_seed"], meta["training_examples"])))
    return [f"the commitment is that of {len(tests)} test labels",
            f"training labels: {few_wrong(wrong, some, float(options.get('rate', 0)))}"]

# Verdicts.
def clopper_pearson(k, n):
    def root(least, tail):  # where P(Binomial(n, p) >= least) reaches `tail`
        low, high = 0.0, 1.0
        for _ in range(60):
            p = (low + high) / 2
            reached = math.fsum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(least, n + 1)) >= tail
            low, high = (low, p) if reached else (p, high)
        return high
    return root(k, 0.025) if k > 0 else 0.0, root(k + 1, 0.975) if k < n else 1.0

def agrees(text, exact):
    """Whether a printed number is `exact` as far as its digits go."""
    mantissa, _, power = text.lower().partition("e")
    return abs(float(text) - exact) <= 0.51 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))

INTERVALS = [("recovered", "runs", "share", "95% low", "95% high"),
             ("learnt or recovered", "runs", "share of that", "95% low of that", "95% high of that")]

def check_row(row, place):
    cells = [tuple(row[key] for key in keys) for keys in INTERVALS if keys[0] in row]
    if " of " in row.get("succeeded", ""):
        k, n = row["succeeded"].split(" of ")
        cells.append((k, n, str(int(k) / int(n)), row["95% low"], row["95% high"]))
    cells = [(int(k), int(n), said) for k, n, *said in cells if said[1] != "-"]
    for k, n, said in cells:
        expect(0 <= k <= n, f"{place}: {k} of {n} is no count")
        for text, exact in zip(said, (k / n, *clopper_pearson(k, n))):
            expect(agrees(text, exact), f"{place}: {k} of {n} makes {exact:.4f}, not {text}")
    said = dict(part.strip().partition(" ")[::2] for part in row.get("degrees", "").split(",")).get("recovered", "")
    if "runs" in row and " of " in said:
        expect(said == f"{row['recovered']} of {row['runs']}", f"{place}: 'recovered {said}', not {row['recovered']}")
    return len(cells)

def check_verdicts(path):
    if path.endswith(".json"):
        report = read_json(path)
        k, n = report["right"], report["trials"]
        wrong = report["true_trials"] - report["said_true_of_true"] + report["said_true_of_unrelated"]
        expect(k == n - wrong, "right and wrong answers are not all trials")
        exact = [2 * x - 1 for x in (k / n, *clopper_pearson(k, n))]
        for said, value in zip([report["advantage"], *report["interval"]], exact):
            expect(abs(said - value) < 1e-9, f"the advantage has {value}, not {said}")
        return [f"{k} of {n}: the interval is {exact[1]:.4f} .. {exact[2]:.4f}"]
    with open(path, encoding="utf-8", newline="") as file:
        checked = sum(check_row(row, f"row {i}") for i, row in enumerate(csv.DictReader(file), 1))
    if checked == 0:
        raise ValueError(f"{path} has no column of counts with its interval")
    return [f"{checked} intervals are those of their counts"]

KINDS = {"layer": check_layer, "transcript": check_transcript, "hardness": check_hardness,
         "secret": check_secret, "challenge": check_challenge, "verdicts": check_verdicts}

def main(words):
    if len(words) < 2 or words[0] not in KINDS:
        print(__doc__)
        return 2
    try:
        print(*KINDS[words[0]](*words[1:]), sep="\n")
        return 0
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
        return 1
    except (OSError, ValueError, KeyError, TypeError, IndexError, ArithmeticError, struct.error) as error:
        print(f"cannot be read: {type(error).__name__}: {error}")
        return 2

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
