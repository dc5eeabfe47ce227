#!/usr/bin/env python3
"""check.py KIND FILE ..: checks what hardhead calls exact, by integers and fractions, without hardhead.

    check.py layer LAYER.safetensors [DATA.safetensors]   weights of a parity or lwr layer, and labels
    check.py transcript GAME.json                         `sq play --json --transcript`
    check.py hardness REPORT.json                         `hardness --json` of a parity, d at most 12
    check.py secret SAMPLES.json SOLUTION.json            a secret of lwe, lwr or lpn against every sample
    check.py challenge CHALLENGE.safetensors SECRET.json  a challenge's commitment and its training labels
    check.py verdicts TABLE.csv | REPORT.json             counts and Clopper-Pearson intervals

It says what it checked and what it did not, and exits with 0 if all of it is right, with 1 if something is
wrong, with 2 if it cannot read a file. docs/check.md says what each check rests on.
"""
import csv
import hashlib
import itertools
import json
import math
import struct
import sys
from fractions import Fraction


class Wrong(Exception):
    """Something that was called exact is not."""

def expect(true, message):
    if not true:
        raise Wrong(message)

# Files and numbers.
def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)

def read_safetensors(path):
    """The metadata, and the tensors as (shape, flat values); bytes stay as they are where `raw` names them."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    body, tensors = data[8 + size:], {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        kind = {"F64": "d", "I8": "b"}[entry["dtype"]]
        tensors[name] = (entry["shape"],
                         struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}", body[begin:end]))
    return header.get("__metadata__", {}), tensors

def options_of(spec):
    name, _, rest = spec.partition(":")
    return name, dict(pair.split("=") for pair in rest.split(",") if pair)

def solve(rows, right):
    """The one solution of a linear system over the rationals, which may have more rows than unknowns."""
    rows = [list(row) + [value] for row, value in zip(rows, right)]
    unknowns = len(rows[0]) - 1
    for j in range(unknowns):
        pivot = next((i for i in range(j, len(rows)) if rows[i][j] != 0), None)
        expect(pivot is not None, "the equations leave the weights open")
        rows[j], rows[pivot] = rows[pivot], rows[j]
        rows[j] = [x / rows[j][j] for x in rows[j]]
        for i, row in enumerate(rows):
            if i != j and row[j] != 0:
                rows[i] = [x - row[j] * y for x, y in zip(row, rows[j])]
    expect(all(row[-1] == 0 for row in rows[unknowns:]), "no weights give these labels")
    return [row[-1] for row in rows[:unknowns]]

# Layers: labels against rational weights.
def label_of_sum(name, options):
    """The label, over the sign of the switch, of the hidden sum h; the switch is on."""
    if name == "parity":
        return lambda h: -2 + 4 * (h % 2)
    if name == "lwr":
        q, p = int(options["q"]), int(options["p"])
        return lambda h: -2 * (p * (h % q) // q)
    raise Wrong(f"layers of '{name}' are not checked: parity and lwr are")

def read_gadget(path):
    """s, the steps in half units, the weights of the file, and what it says it is."""
    meta, tensors = read_safetensors(path)
    name, options = options_of(meta["spec"])
    (heads, d, _), theta = tensors["theta"]
    w, unit = tensors["w"][1], math.log(int(options["base"])) / 2
    sums, steps, weights = None, [], []
    for i in range(heads):
        own = theta[i * d * d:(i + 1) * d * d]
        units = [[own[r * d + c] / unit for c in range(d)] for r in range(d)]
        expect(all(abs(x - round(x)) < 1e-9 for row in units for x in row),
               f"head {i}: Theta is no integer matrix in units of (ln B)/2")
        expect(all(r == c or round(units[r][c]) == 0 for r in range(d) for c in range(d)),
               f"head {i}: Theta is not diagonal")
        diagonal = [round(units[j][j]) for j in range(d)]
        expect(all(x % 2 == 0 and x >= 0 for x in diagonal[:-1]), f"head {i}: s is not of integers from 0 on")
        s = [x // 2 for x in diagonal[:-1]]
        expect(sums in (None, s), f"head {i}: another s than head 0")
        sums = s
        steps.append(-diagonal[-1])
        values = w[i * d * d:(i + 1) * d * d]
        expect(all(x == 0 for at, x in enumerate(values) if at != (d - 1) * d),
               f"head {i}: W has entries elsewhere than at the switch")
        weights.append(values[(d - 1) * d])
    return name, options, sums, steps, weights

def check_layer(path, data=None):
    name, options, s, steps, weights = read_gadget(path)
    base, label = int(options["base"]), label_of_sum(name, options)
    if name == "parity":
        expect(sorted(s) == [0] * (len(s) - int(options["m"])) + [1] * int(options["m"]),
               f"s has other entries than {options['m']} ones")
    reachable = {0}
    for value in s:
        reachable |= {h + value for h in reachable}
    reachable = sorted(reachable)
    # Off the switch the label is W = sum w_i, 0; on it, W - 2 sum w_i / (1 + B^(2h - 2t)), in half units of t.
    rows = [[Fraction(1)] * len(steps)]
    for h in reachable:
        rows.append([1 / (1 + Fraction(base) ** (2 * h - t)) for t in steps])
    exact = solve(rows, [Fraction(0)] + [Fraction(-label(h), 2) for h in reachable])
    for i, (stored, weight) in enumerate(zip(weights, exact)):
        expect(stored == float(weight), f"head {i}: a weight of {stored}, not {float(weight)}")
    said = [f"{len(weights)} weights are the rationals that give the {len(reachable)} labels, rounded once"]
    if data is not None:
        said.append(check_labels(data, s, steps, exact, base))
    return said

def check_labels(path, s, steps, weights, base):
    _, tensors = read_safetensors(path)
    (count, k, d), x = tensors["x"]
    y = tensors["y"][1]
    expect(k == 2 and d == len(s) + 1, f"data of k={k}, d={d} for a layer of k=2, d={len(s) + 1}")
    levels = {}
    for n in range(count):
        first, second = x[2 * n * d:(2 * n + 1) * d], x[(2 * n + 1) * d:(2 * n + 2) * d]
        level = Fraction(0)
        if first[-1] != second[-1]:
            h = sum(value for value, a, b in zip(s, first, second) if a != b)
            if h not in levels:
                levels[h] = -2 * sum(w / (1 + Fraction(base) ** (2 * h - t)) for w, t in zip(weights, steps))
            level = levels[h]
        for r, token in enumerate((first, second)):
            own = y[(2 * n + r) * d:(2 * n + r + 1) * d]
            expect(own[0] == float(token[-1] * level), f"example {n}, token {r}: the label is {own[0]}, "
                   f"not {float(token[-1] * level)}")
            expect(not any(own[1:]), f"example {n}, token {r}: an entry is not 0")
    return f"{count} examples have exactly the layer's labels"

# Statistical queries.
def correlation_with(sets, member, n):
    """E[y sign(sum of characters)] over z in {-1,+1}^n, y = chi_member / 2 in the mean over the switch."""
    if len(sets) == 1:
        return Fraction(int(sets[0] == member), 2)
    total = 0
    for z in range(1 << n):
        value = sum(1 - 2 * (bin(z & s).count("1") & 1) for s in sets)
        total += ((value > 0) - (value < 0)) * (1 - 2 * (bin(z & member).count("1") & 1))
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
        expect(left, f"query {i}: the answer {answer} is within {width} for no member")
        expect(len(left) == count, f"query {i}: {len(left)} members are left, not {count}")
    expect(len(left) == game["members_left"], f"{len(left)} members are left, not {game['members_left']}")
    said = [f"{len(game['transcript'])} answers are within {width} of some member; {len(left)} left, as it says"]
    if game["theorem"].startswith("4 tau^2"):
        tau = Fraction(game["tolerance"])
        bound = 4 * tau * tau * (math.comb(n, m) - 1)
        expect(Fraction(game["bound_exact"]) == bound, f"the bound is {bound}, not {game['bound_exact']}")
        expect(not game["learner_won"] or game["queries_used"] >= bound, "fewer queries than the bound, and won")
        said.append(f"the bound is {bound} queries, {game['queries_used']} were used")
    return said

# Bounds.
def check_hardness(path):
    report = read_json(path)
    name, options = options_of(report["spec"])
    expect(name == "parity", f"bounds of '{name}' are not checked: those of parity are")
    n, m = int(options["d"]) - 1, int(options["m"])
    expect(n <= 11, f"d={n + 1} is more than 12, up to which members are enumerated")
    members = [mask(c) for c in itertools.combinations(range(n), m)]
    count = len(members)
    # By enumeration: the mean of f f' over all z and the switch is 1/2 for f = f' and 0 for others.
    columns = [sum((bin(z & s).count("1") & 1) << z for z in range(1 << n)) for s in members]
    for a, b in itertools.combinations(columns, 2):
        expect(bin(a ^ b).count("1") == 1 << (n - 1), "two members are correlated")
    known, checked, skipped = parity_bounds(count), 0, []
    for bound in report["bounds"]:
        value = known(bound["of"])
        if value is None:
            skipped.append(bound["of"])
            continue
        expect(Fraction(bound["at_least"]) == value, f"{bound['of']}: at least {value}, not {bound['at_least']}")
        checked += 1
    said = [f"{checked} bounds are those of {count} members, pairwise uncorrelated by enumeration"]
    return said + [f"not checked: {', '.join(skipped)}"] if skipped else said

def parity_bounds(count):
    """The bounds of `count` uncorrelated members that are told in half of all examples."""
    def least(holds):
        return next(n for n in itertools.count() if holds(n))

    def low_degree(degree, n):  # squared low-degree advantage over unrelated labels
        return sum(Fraction(math.comb(n, t), 2 ** t) for t in range(1, degree + 1)) / count

    def best_guess(n):  # of n examples i tell something, and have 2^i labellings
        return sum(math.comb(n, i) * min(Fraction(1), Fraction(2 ** i, count)) for i in range(n + 1)) / 2 ** n

    def value(of):
        words = of.replace("(", " ").replace(")", " ").split()
        if of.startswith("queries to STAT"):
            return 4 * Fraction(words[3]) ** 2 * (count - 1)
        if of.startswith("queries x t to VSTAT"):
            return Fraction(2, 3) * (count - 1)
        if of.startswith("examples to statistics of degree"):
            return least(lambda n: low_degree(int(words[-1]), n) >= 1)
        if of == "examples, whoever computes":
            return least(lambda n: best_guess(n) >= Fraction(1, 2))
        if of == "value queries, whoever computes":
            return least(lambda n: Fraction(2 ** n, count) >= Fraction(1, 2))
        return None
    return value

# Secrets and challenges.
def check_secret(samples_path, solution_path):
    samples, secret = read_json(samples_path), read_json(solution_path)["secret"]
    q, kind, n = samples["q"], samples["problem"], samples["n"]
    expect(len(secret) == n and all(0 <= x < q for x in secret), f"the secret is not of {n} numbers below {q}")
    sums = [sum(x * y for x, y in zip(row, secret)) % q for row in samples["a"]]
    labels, count = samples["b"], len(samples["b"])
    expect(len(sums) == count, "as many rows as labels are expected")
    if kind == "lwr":
        expect(samples.get("rounding", "floor") == "floor", "only labels rounded down are checked")
        wrong = sum(samples["p"] * h // q != b for h, b in zip(sums, labels))
        expect(wrong == 0, f"{wrong} of {count} labels are wrong")
        return [f"all {count} labels are those of the secret"]
    residuals = [(b - h + q // 2) % q - q // 2 for h, b in zip(sums, labels)]
    if kind == "lpn":
        wrong, rate = sum(r != 0 for r in residuals), samples["rate"]
        most = rate * count + 6 * math.sqrt(rate * (1 - rate) * count)
        expect(wrong <= most, f"{wrong} of {count} labels are wrong, more than {most:.0f}")
        return [f"{wrong} of {count} labels are wrong, {rate * count:.0f} are expected"]
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
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        x, y = 0xD2E7470EE14C6C93 * a, 0xCA5A826395121157 * c
        word = (1 << 64) - 1
        a, b, c, d = (y >> 64) ^ b ^ k0, y & word, (x >> 64) ^ d ^ k1, x & word
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & word, (k1 + 0xBB67AE8584CAA73B) & word
    return a | b << 64 | c << 128 | d << 192

def differing(domain, seed, item, d):
    """Which coordinates of the two tokens of an example differ, as bits; their signs are the stream's bits."""
    text = digest(f"hardhead stream {domain} {seed}", "")
    key = (int(text[:16], 16), int(text[16:32], 16))
    bits = sum(philox((item, block, 0, 0), key) << 256 * block for block in range(-(-2 * d // 256)))
    return (bits ^ bits >> d) & ((1 << d) - 1)

def check_challenge(path, solution_path):
    meta, tensors = read_safetensors(path)
    name, options = options_of(meta["spec"])
    expect(name in ("parity", "lpn", "lwr"), f"challenges of '{name}' are not checked: parity, lpn and lwr are")
    q, p = int(options.get("q", 2)), int(options.get("p", 2))
    secret, bits = read_json(solution_path)["secret"], q.bit_length() - 1
    n = int(options["n"]) if "n" in options else int(options["d"]) - 1
    expect(len(secret) == n and all(0 <= x < q for x in secret), f"the secret is not of {n} numbers below {q}")
    d = n * bits + 1

    def codes(domain, seed, count, most):
        for item in range(count):
            if most == 0:
                return
            row = differing(domain, seed, item, d)
            if row >> (d - 1):
                h = sum((row >> j * bits & (q - 1)) * s for j, s in enumerate(secret)) % q
                most -= 1
                yield p * h // q if name == "lwr" else h
    tests = list(codes(3, meta["test_seed"], int(meta["test_examples"]), -1))
    expect(digest(meta["salt"], ",".join(map(str, tests))) == meta["commitment"],
           "the labels of the test inputs are not those of the commitment")
    packed, width = tensors["labels"][1], ((p if name == "lwr" else q) - 1).bit_length()
    some = min(2000, int(meta["training_labels"]))
    wrong = 0
    for i, code in enumerate(codes(1, meta["training_seed"], int(meta["training_examples"]), some)):
        at = [i * width + e for e in range(width)]
        wrong += code != sum((packed[b // 8] >> b % 8 & 1) << e for e, b in enumerate(at))
    rate = float(options.get("rate", 0)) if name == "lpn" else 0
    said = f"{wrong} of the first {some} training labels are wrong"
    expect(wrong <= rate * some + 6 * math.sqrt(rate * (1 - rate) * some), said)
    return [f"the commitment is that of {len(tests)} test labels; {said}"]

# Verdicts.
def upper_tail(k, n, p):
    """P(Binomial(n, p) >= k)."""
    return math.fsum(math.comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k, n + 1))

def clopper_pearson(k, n):
    def root(holds):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if holds(middle) else (middle, high)
        return (low + high) / 2
    low = 0.0 if k == 0 else root(lambda p: upper_tail(k, n, p) >= 0.025)
    high = 1.0 if k == n else root(lambda p: 1 - upper_tail(k + 1, n, p) <= 0.025)
    return low, high

def agrees(text, exact):
    """Whether a printed number is `exact` as far as its digits go."""
    mantissa, _, power = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return abs(float(text) - exact) <= 0.51 * 10.0 ** (int(power or 0) - digits)

INTERVALS = [("recovered", "runs", "share", "95% low", "95% high"),
             ("learnt or recovered", "runs", "share of that", "95% low of that", "95% high of that")]

def check_row(row, place):
    checked = 0
    cells = [tuple(row[key] for key in keys) for keys in INTERVALS if keys[0] in row]
    if " of " in row.get("succeeded", ""):
        k, n = row["succeeded"].split(" of ")
        cells.append((k, n, str(int(k) / int(n)), row["95% low"], row["95% high"]))
    for k, n, share, low, high in cells:
        if low == "-":
            continue
        k, n = int(k), int(n)
        expect(0 <= k <= n and agrees(share, k / n), f"{place}: {k} of {n} is no share of {share}")
        exact = clopper_pearson(k, n)
        for said, value in zip((low, high), exact):
            expect(agrees(said, value), f"{place}: {k} of {n} has a bound of {value:.4f}, not {said}")
        checked += 1
    for part in row.get("degrees", "").split(", ") if "runs" in row else []:
        degree, _, counts = part.strip().partition(" ")
        if degree == "recovered" and " of " in counts:
            expect(counts == f"{row['recovered']} of {row['runs']}", f"{place}: '{part}' for {row['recovered']}")
    return checked

def check_verdicts(path):
    if path.endswith(".json"):
        report = read_json(path)
        low, high = (2 * x - 1 for x in clopper_pearson(report["right"], report["trials"]))
        wrongs = report["true_trials"] - report["said_true_of_true"] + report["said_true_of_unrelated"]
        expect(report["right"] == report["trials"] - wrongs, "right and wrong answers are not all trials")
        for said, value in zip([report["advantage"], *report["interval"]],
                               [2 * report["right"] / report["trials"] - 1, low, high]):
            expect(abs(said - value) < 1e-9, f"the advantage has {value}, not {said}")
        return [f"{report['right']} of {report['trials']}: the interval is {low:.4f} .. {high:.4f}"]
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
        for line in KINDS[words[0]](*words[1:]):
            print(line)
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
        return 1
    except (OSError, ValueError, KeyError, TypeError, IndexError, struct.error) as error:
        print(f"cannot be read: {type(error).__name__}: {error}")
        return 2
    return 0

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
