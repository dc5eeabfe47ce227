#!/usr/bin/env python3
"""claims_page.py [--check]: the table of docs/claims.md and the pages docs/claims/R*.md, from docs/results/claims.

What a page says is the claim's own text in verdicts.json, with its fits and its table. The one number of the table is found in
the claim's reason by a pattern, so that it is that of the data. `--check`, as ctest runs it, compares the committed pages.
"""
import csv
import html
import json
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RESULTS = os.path.join(TOP, "docs", "results", "claims")
VERDICTS = {"holds": "holds", "does_not_hold": "does not hold", "inconclusive": "inconclusive"}
BEGIN, END = "<!-- claims_page.py: begin -->\n", "<!-- claims_page.py: end -->\n"
ROWS = 40  # of a table that a page shows whole

# id: the claim in at most 12 words, the criterion in short, words with {} for what the pattern finds, the pattern.
SHORT = {
    "R1": ("One gradient step finds W_sum up to 1/poly(stable rank r)", "the power of r is below 0",
           "error as {} for the worst W", r"d = 64, worst W: error as (r\^\S+ \(.*?\))"),
    "R2": ("Attention concentrates only given Hamming weights of substrings", "spread falls slower than d^(-1/4)",
           "spread as {}", r"goes as (d\^\S+ \(.*?\))"),
    "R3": ("All heads agree to eps with probability eps^((m-1)(k-1))", "exponents within 10%",
           "exponents {}", r"^exponents ([\d.]+ for 1, [\d.]+ for 2)"),
    "R4": ("A crude W_sum blurs the hull, and phase 3 sharpens it", "3 times nearer after phase 3",
           "{} times nearer in the worst of three sizes", r"m=3: .*?hull is (\S+ \(.*?\)) times"),
    "R5": ("Large margins shrink errors exponentially", "rate within 0.1 of 1",
           "labels as {}", r"m=3,theta_norm=5 as (e\^\(\S+ margin\) \(.*?\))"),
    "R6": ("The six phases' examples grow exponentially in the number of heads",
           "an exponential law beats the power of m, at d = 16 and 24",
           "{} at d = 24", r"d = 24 .*?; singled out: (e\^\([\d.]+ \(.*?\) m ln m\))"),
    "R7": ("Parity layers take d^Omega(m) statistical queries", "queries grow as (d-1)^(m/2) at least",
           "queries as {} at m = 4", r"m = 4: .*?(\(d-1\)\^[\d.]+)"),
    "R8": ("On layers of rounding an attack is ten times faster than learners",
           "an attack finds every secret in a tenth of the time",
           "attack {} at n = 3", r"n = 3: attack (\S+ s, best shot of adam \S+ s)"),
    "R9": ("Towards hard layers the six phases fail and `adam` reads more", "`sculpt` from 90% to 10%; `adam` twice the examples",
           "`adam` reads {} times the examples", r"adam reads (\S+ \(.*?\)) times"),
    "R10": ("Standard initialisations are non-degenerate", "every condition holds on 95% of layers",
            "the stable ranks hold {} layers", r"theta_stable_rank \((on 0 of 100)\)"),
    "R11": ("Every learner recovers diagonal, block-diagonal and low-rank patterns", "at least 90% of layers, by the interval",
            "each learner {}", r"low-rank by lbfgs: (recovered 36 of 36)"),
    "R12": ("Boolean, Gaussian and spherical inputs take about as many examples", "they differ by a factor of 4 at most",
            "largest factor: {}", r"differ by at most (\S+) fold"),
    "R13": ("`sculpt` needs each of the paper's assumptions", "without one, at most half of layers are recovered",
            "needs {} and others", r"sculpt needs (\w+)"),
    "R14": ("Value queries learn in polynomial time what statistical ones cannot", "queries grow by a power of m below 2",
            "queries as {}", r"They grow as (m\^\S+ \(.*?\))"),
    "R15": ("Elimination comes near the information limit, gradient learners do not",
            "elimination within 4 times the limit, learners beyond 100 times",
            "limit {}, elimination {}, learners from {} examples", r"after (\d+) .*?reads (\d+), .*? at ([\d.e+]+)"),
    "R16": ("Label noise ends elimination; other attacks still read the bits", "at every rate half of the sets are found",
            "an attack reads {} examples at rate 1/4", r"rate 0.25: limit \d+ examples, \w+ (\S+)"),
    "R17": ("The leap predicts how many examples gradient learners need", "each power of d is within 0.5 of the expected one",
            "leap 3: {}, expected d^2", r"parity, m = 3 \(squared loss, leap 3\): (d\^\S+ \(.*?\))"),
    "R18": ("Hardness without noise sits on a set of measure zero", "at each noise above 0 half of the sets are read",
            "{} of 7 read at noise 1e-8", r"noise on W, labels exact, 1e-08: (\d)"),
    "R19": ("Theories of learning networks and of learning attention compose", "by values 80% recovered, by examples half learnt",
            "by examples {} at d = 8, m = 2", r"d=8,k=2,m=2,width=8 by network-newton: (.*? of \d+)"),
}


def cell(text):
    return text.replace("|", "\\|")


def text_of(claim):
    text = html.escape(claim, quote=False).replace("*", "\\*").replace("docs/queries.md", "docs/learner.md")
    return re.sub(r"\bdocs/(\w+)\.md\b", r"[\1](../\1.md)", text)


def found(reason):
    """What was found, as a list. Errors and criteria of fits are in the table of laws; a law's comment stays with the law."""
    reason = re.sub(r" \[held out [^\]]*\]|, 0 of them censored", "", reason)
    reason = re.sub(r"\b(\w+) = (\d+) \.\. \2\b", r"\1 = \2", reason)
    reason = re.sub(r"; (the data prefer (?:[^,.()]|\([^)]*\))*)[,.] ", r": \1; ", reason)
    reason = reason.replace("; no law is singled out", ". No law is singled out").replace("; singled out:", ". Singled out:")
    reason = re.sub(r" \(m - 1 = \d+\)( (?=\d))?", lambda match: ", " if match[1] else "", reason)
    series = {}  # of what is measured, then of the size: "noise on W, 0.1: 7"
    for part in reason.split("; "):
        of, _, value = part.rpartition(", ")
        point = re.fullmatch(r"([\d.e-]+): (\d+)", value)
        series.setdefault(of if point else part, []).append(f"{point[2]} at {point[1]}" if point else "")
    return "\n".join(f"- {text_of(of)}" + (": " + ", ".join(at) if at[0] else "") for of, at in series.items())


def table(path, what):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    link = f"[{os.path.basename(path)}](../results/claims/{os.path.relpath(path, RESULTS)})"
    if len(rows) > ROWS or max(map(len, rows)) > 12:
        return f"{what}: {link}, {len(rows) - 1} rows.\n\n"
    lines = ["| " + " | ".join(cell(c) for c in row) + " |" for row in rows]
    return f"{what} ({link}):\n\n" + "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n\n"


def page(finding):
    folder = os.path.join(RESULTS, finding["id"])
    figures = [f"[{name[:-4]}](../results/claims/{finding['id']}/{name})" for name in sorted(os.listdir(folder))
               if name.endswith(".svg")]
    command = re.sub(r"reproduce (R\d+ ?)+", f"reproduce {finding['id']} ", finding["command"])
    command = re.sub(r"--out \S+", "--out claims", command)
    return (f"# {finding['id']}: {text_of(finding['title'])}\n\nThis page, made by `scripts/claims_page.py` from the committed "
            f"results, says what was claimed, tested and found.\n\n"
            f"**Verdict: {VERDICTS[finding['verdict']]}.**\n\n"
            "| claim, in short | criterion, in short | one number (95% interval) |\n|---|---|---|\n"
            f"| {' | '.join(in_short(finding))} |\n\n"
            f"## Claim\n\n{text_of(finding['claim'])}\n\n*Made by*: {text_of(finding['source'])}.\n\n"
            f"## Test\n\n{text_of(finding['method'])}\n\n*Criterion.* {text_of(finding['criterion'])}\n\n"
            f"## Findings\n\n{found(finding['reason'])}\n\n"
            + (f"*Figures*: {', '.join(figures)}.\n\n" if figures else "")
            + table(os.path.join(folder, "fits.csv"), "Laws fitted") + table(os.path.join(folder, "table.csv"), "Measured")
            + f"To repeat it: `{command}`. Setting: {finding['setting']}. [All claims](../claims.md).\n")


def in_short(finding):
    claim, criterion, words, pattern = SHORT[finding["id"]]
    assert len(claim.split()) <= 12, claim
    match = re.search(pattern, finding["reason"])
    assert match, f"{finding['id']}: its reason has no longer '{pattern}'"
    return claim, criterion, words.format(*match.groups())


def summary(findings):
    lines = ["| id | claim | criterion, in short | one number (95% interval) | verdict |", "|---|---|---|---|---|"]
    for finding in findings:
        lines.append(f"| [{finding['id']}](claims/{finding['id']}.md) | {' | '.join(in_short(finding))} | "
                     f"{VERDICTS[finding['verdict']]} |")
    return "\n".join(lines) + "\n"


def main():
    with open(os.path.join(RESULTS, "verdicts.json"), encoding="utf-8") as file:
        findings = json.load(file)
    made = {os.path.join(TOP, "docs", "claims", f"{f['id']}.md"): page(f) for f in findings}
    front = os.path.join(TOP, "docs", "claims.md")
    with open(front, encoding="utf-8") as file:
        before, _, rest = file.read().partition(BEGIN)
    made[front] = before + BEGIN + "\n" + summary(findings) + "\n" + END + rest.partition(END)[2]
    stale = []
    for path, text in made.items():
        old = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if old != text and "--check" in sys.argv:
            stale.append(os.path.relpath(path, TOP))
        elif old != text:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    if stale:
        sys.exit(f"{', '.join(stale)}: not what docs/results/claims says; scripts/claims_page.py writes them")


main()
