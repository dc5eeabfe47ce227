#!/usr/bin/env python3
"""front_figure.py [--check] [--dark] [OUT]: README.md's figure, docs/results/front.svg, from the committed costs of claims R6
and R15. `--check` compares the committed one, as ctest does. `--dark` draws on a dark background.

Each point is the median of the layers of one size, each bar goes from the smallest to the largest.
"""
import csv
import math
import os
import statistics
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CLAIMS = os.path.join(TOP, "docs", "results", "claims")
OUT = os.path.join(TOP, "docs", "results", "front.svg")
WIDTH, HEIGHT, LEFT, TOP_EDGE, PANEL, DEPTH, GAP = 900, 540, 128, 92, 346, 340, 54
LOW, HIGH = 1.0, 9.0  # powers of ten of both panels
D = 16  # features of the nice layers; the parities have 20
LIGHT = {"page": "#ffffff", "edge": "#c9ced6", "ink": "#1b1f24", "soft": "#59636e", "grid": "#e4e7eb", "bound": "#d9dde3",
         "phases": "#b0341f", "descent": "#0b5cad", "algebra": "#1a7f4b"}
DARK = {"page": "#14181d", "edge": "#3a424c", "ink": "#f0f3f6", "soft": "#aab4c0", "grid": "#272e37", "bound": "#333c47",
        "phases": "#ff8a70", "descent": "#6cb6ff", "algebra": "#57d18a"}


def rows(claim, name):
    with open(os.path.join(CLAIMS, claim, name), encoding="utf-8") as file:
        return list(csv.DictReader(file))


def costs(learner, family, d, k):
    """{m: (median, smallest, largest, layers)} over the runs; a size with a run that was given up is left out."""
    runs = {}
    for row in rows("R6", "costs.csv"):
        if (row["learner"], row["family"], row["d"], row["k"]) == (learner, family, str(d), str(k)):
            runs.setdefault(int(row["m"]), []).append((float(row["examples"]), row["censored"] != "0"))
    return {m: (statistics.median(n for n, _ in seen), min(seen)[0], max(seen)[0], len(seen))
            for m, seen in sorted(runs.items()) if not any(censored for _, censored in seen)}


class Drawing:
    def __init__(self, colours):
        self.c, self.out = colours, []

    def x(self, panel, low, high, value):
        return LEFT + panel * (PANEL + GAP) + 24 + (PANEL - 48) * (value - low) / (high - low)

    def y(self, value):
        return TOP_EDGE + DEPTH * (HIGH - math.log10(value)) / (HIGH - LOW)

    def text(self, x, y, words, colour="ink", size=17, anchor="start", bold=False, turn=""):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{self.c[colour]}" font-size="{size}" text-anchor="{anchor}"'
                        f'{" font-weight=" + chr(34) + "600" + chr(34) if bold else ""}{turn}>{words}</text>')

    def panel(self, at, title, label, low, high, ticks):
        left = LEFT + at * (PANEL + GAP)
        self.text(left, TOP_EDGE - 44, title[0], size=20, bold=True)
        self.text(left, TOP_EDGE - 20, title[1], "soft", 16)
        for power in range(int(LOW), int(HIGH) + 1, 2):
            y = self.y(10 ** power)
            self.out.append(f'<path d="M{left} {y:.1f}h{PANEL}" stroke="{self.c["grid"]}"/>')
            if at == 0:
                names = {1: "10", 3: "1,000", 5: "100,000", 7: "10 million", 9: "1 billion"}
                self.text(left - 8, y + 5, names[power], "soft", 15, "end")
        for tick in ticks:
            self.text(self.x(at, low, high, tick), TOP_EDGE + DEPTH + 24, str(tick), "soft", 15, "middle")
        self.text(left + PANEL / 2, TOP_EDGE + DEPTH + 50, label, size=17, anchor="middle")

    def bound(self, at, low, high, points):
        left, right = LEFT + at * (PANEL + GAP), LEFT + at * (PANEL + GAP) + PANEL
        along = [(self.x(at, low, high, m), self.y(n)) for m, n in points]
        corners = [(left, along[0][1]), *along, (right, along[-1][1]), (right, TOP_EDGE + DEPTH), (left, TOP_EDGE + DEPTH)]
        self.out.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in corners)}Z" fill="{self.c["bound"]}"/>')

    def curve(self, at, low, high, points, colour):
        line = "L".join(f"{self.x(at, low, high, m):.1f} {self.y(p[0]):.1f}" for m, p in points.items())
        self.out.append(f'<path d="M{line}" fill="none" stroke="{self.c[colour]}" stroke-width="3"/>')
        for m, (median, least, most, _) in points.items():
            x = self.x(at, low, high, m)
            self.out.append(f'<path d="M{x:.1f} {self.y(least):.1f}V{self.y(most):.1f}" stroke="{self.c[colour]}" '
                            f'stroke-width="7" stroke-opacity=".35"/>'
                            f'<circle cx="{x:.1f}" cy="{self.y(median):.1f}" r="5" fill="{self.c[colour]}"/>')


def drawn(colours):
    phases, newton = costs("sculpt, hull", "nice", D, 2), costs("gauss-newton", "nice", D, 2)
    newton = {m: newton[m] for m in newton if m <= 8}
    adam = {m: p for m, p in costs("adam, full", "parity", 20, 2).items() if m <= 7}
    read = {int(row["instance"].split("m=")[1]): float(row["examples"]) for row in rows("R15", "table.csv")
            if row["instance"].startswith("parity:d=20,m=") and row["what"] == "elimination"}
    draw = Drawing(colours)
    draw.panel(0, ("Nice layers", f"{D} features, two tokens"), "heads", 1, 8, range(1, 9))
    draw.bound(0, 1, 8, [(m, max(D * D / 2, D * m)) for m in range(1, 9)])
    draw.curve(0, 1, 8, phases, "phases")
    draw.curve(0, 1, 8, newton, "descent")
    draw.text(draw.x(0, 1, 8, 2.9), draw.y(3e7), "the six phases:", "phases", bold=True, anchor="middle")
    draw.text(draw.x(0, 1, 8, 2.9), draw.y(3e7) + 22, "every head multiplies", "phases", anchor="middle")
    draw.text(draw.x(0, 1, 8, 5), draw.y(6e2), "Gauss-Newton: no guarantee", "descent", bold=True, anchor="middle")
    draw.text(draw.x(0, 1, 8, 4.5), draw.y(3.2e1), "proved: too few equations", "soft", 16, "middle")
    draw.panel(1, ("Hard layers", "a parity of hidden bits, 19 to choose from"), "hidden bits", 2, 7, range(2, 8))
    draw.bound(1, 2, 7, [(m, 2 / 3 * (math.comb(19, m) - 1)) for m in range(2, 8)])
    draw.curve(1, 2, 7, adam, "descent")
    draw.curve(1, 2, 7, {m: (read[m],) * 3 + (1,) for m in range(2, 7)}, "algebra")
    draw.text(draw.x(1, 2, 7, 4.5), draw.y(2.2e8), "the six phases find nothing", "phases", bold=True, anchor="middle")
    draw.text(draw.x(1, 2, 7, 3.1), draw.y(6e6), "Adam, told nothing", "descent", bold=True, anchor="middle")
    draw.text(draw.x(1, 2, 7, 5.15), draw.y(1.5e3), "proved: too few for", "soft", 16, "middle")
    draw.text(draw.x(1, 2, 7, 5.15), draw.y(1.5e3) + 20, "statistical queries", "soft", 16, "middle")
    draw.text(draw.x(1, 2, 7, 4.5), draw.y(1.9e1), "elimination: knows the family", "algebra", bold=True, anchor="middle")
    middle = TOP_EDGE + DEPTH / 2
    draw.text(22, middle, "random examples until learnt", anchor="middle", turn=f' transform="rotate(-90 22 {middle:.0f})"')
    draw.text(LEFT - 66, HEIGHT - 26, "Points: medians. Bars: least to most of " + ", ".join(
        f"{next(iter(p.values()))[3]} layers ({name})" for name, p in
        (("six phases", phases), ("Gauss-Newton", newton), ("Adam", adam))) + ".", "soft", 15)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
            'font-family="Helvetica, Arial, sans-serif" role="img" aria-label="Examples until learnt, on nice layers against '
            'heads and on hard layers against hidden bits">\n'
            f'<rect x="1" y="1" width="{WIDTH - 2}" height="{HEIGHT - 2}" rx="10" fill="{colours["page"]}" '
            f'stroke="{colours["edge"]}"/>\n' + "\n".join(draw.out) + "\n</svg>\n")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    picture = drawn(DARK if "--dark" in sys.argv else LIGHT)
    if "--check" in sys.argv:
        with open(OUT, encoding="utf-8") as file:
            if file.read() != picture:
                sys.exit("docs/results/front.svg is not what the committed costs say: scripts/front_figure.py draws it")
        return
    with open(arguments[0] if arguments else OUT, "w", encoding="utf-8") as file:
        file.write(picture)


main()
