#!/usr/bin/env python3
"""front_figure.py [--check] [--dark] [--narrow] [OUT]: README.md's figure, docs/results/front.svg, from the committed costs of
claims R6 and R15. `--check` compares the committed one, as ctest does. `--dark` draws on a dark background, `--narrow` one panel
below the other, for a phone.

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
LEFT, TOP_EDGE, PANEL, DEPTH, GAP, BELOW = 128, 134, 346, 340, 54, 134
LOW, HIGH = 1.0, 9.0  # powers of ten of both panels
D = 16  # features of the nice layers; the parities have 20
LIGHT = {"page": "#ffffff", "edge": "#c9ced6", "ink": "#1b1f24", "soft": "#59636e", "grid": "#e4e7eb", "bound": "#d9dde3",
         "phases": "#b0341f", "descent": "#0b5cad", "algebra": "#146c43"}
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
    def __init__(self, colours, narrow):
        self.c, self.narrow, self.out = colours, narrow, []
        self.width = LEFT + PANEL + 26 if narrow else LEFT + 2 * PANEL + GAP + 26
        self.height = TOP_EDGE + 2 * DEPTH + BELOW + 156 if narrow else TOP_EDGE + DEPTH + 106

    def left(self, panel):
        return LEFT if self.narrow else LEFT + panel * (PANEL + GAP)

    def top(self, panel):
        return TOP_EDGE + 30 + panel * (DEPTH + BELOW) if self.narrow else TOP_EDGE

    def x(self, panel, low, high, value):
        return self.left(panel) + 24 + (PANEL - 48) * (value - low) / (high - low)

    def y(self, panel, value):
        return self.top(panel) + DEPTH * (HIGH - math.log10(value)) / (HIGH - LOW)

    def text(self, x, y, words, colour="ink", size=17, anchor="start", bold=False, turn=""):
        self.out.append(f'<text x="{x:.1f}" y="{y:.1f}" fill="{self.c[colour]}" font-size="{size}" text-anchor="{anchor}"'
                        f'{" font-weight=" + chr(34) + "600" + chr(34) if bold else ""}{turn}>{words}</text>')

    def lines(self, x, y, words, broken_at, step, colour="ink", size=17, bold=False):
        """One line, or two where the figure is narrow."""
        first, second = words[:words.index(broken_at)], words[words.index(broken_at):]
        for i, line in enumerate((first, second) if self.narrow else (words,)):
            self.text(x, y + i * step, line.strip(), colour, size, bold=bold)

    def panel(self, at, title, label, low, high, ticks):
        left, top = self.left(at), self.top(at)
        self.text(left, top - 44, title[0], size=20, bold=True)
        self.text(left, top - 20, title[1], "soft", 16)
        for power in range(int(LOW), int(HIGH) + 1, 2):
            y = self.y(at, 10 ** power)
            self.out.append(f'<path d="M{left} {y:.1f}h{PANEL}" stroke="{self.c["grid"]}"/>')
            if at == 0 or self.narrow:
                names = {1: "10", 3: "1,000", 5: "100,000", 7: "10 million", 9: "1 billion"}
                self.text(left - 8, y + 5, names[power], "soft", 15, "end")
        for tick in ticks:
            self.text(self.x(at, low, high, tick), top + DEPTH + 24, str(tick), "soft", 15, "middle")
        self.text(left + PANEL / 2, top + DEPTH + 50, label, size=17, anchor="middle")
        if at == 0 or self.narrow:
            middle = top + DEPTH / 2
            self.text(26, middle, "random examples", anchor="middle", turn=f' transform="rotate(-90 26 {middle:.0f})"')

    def bound(self, at, low, high, points):
        left, right, bottom = self.left(at), self.left(at) + PANEL, self.top(at) + DEPTH
        along = [(self.x(at, low, high, m), self.y(at, n)) for m, n in points]
        corners = [(left, along[0][1]), *along, (right, along[-1][1]), (right, bottom), (left, bottom)]
        self.out.append(f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in corners)}Z" fill="{self.c["bound"]}"/>')

    def curve(self, at, low, high, points, colour):
        line = "L".join(f"{self.x(at, low, high, m):.1f} {self.y(at, p[0]):.1f}" for m, p in points.items())
        self.out.append(f'<path d="M{line}" fill="none" stroke="{self.c[colour]}" stroke-width="3"/>')
        for m, (median, least, most, _) in points.items():
            x = self.x(at, low, high, m)
            self.out.append(f'<path d="M{x:.1f} {self.y(at, least):.1f}V{self.y(at, most):.1f}" stroke="{self.c[colour]}" '
                            f'stroke-width="7" stroke-opacity=".35"/>'
                            f'<circle cx="{x:.1f}" cy="{self.y(at, median):.1f}" r="5" fill="{self.c[colour]}"/>')


def drawn(colours, narrow=False):
    phases, newton = costs("sculpt, hull", "nice", D, 2), costs("gauss-newton", "nice", D, 2)
    newton = {m: newton[m] for m in newton if m <= 8}
    adam = {m: p for m, p in costs("adam, full", "parity", 20, 2).items() if m <= 7}
    read = {int(row["instance"].split("m=")[1]): float(row["examples"]) for row in rows("R15", "table.csv")
            if row["instance"].startswith("parity:d=20,m=") and row["what"] == "elimination"}
    draw = Drawing(colours, narrow)
    edge = 30 if narrow else LEFT
    draw.lines(edge, 44, "How many random examples until an attention layer is learnt?", "until", 28, size=23, bold=True)
    draw.panel(0, ("Nice layers", f"{D} features, two tokens"), "heads", 1, 8, range(1, 9))
    draw.bound(0, 1, 8, [(m, max(D * D / 2, D * m)) for m in range(1, 9)])
    draw.curve(0, 1, 8, phases, "phases")
    draw.curve(0, 1, 8, newton, "descent")
    draw.text(draw.x(0, 1, 8, 2.9), draw.y(0, 3e7), "the six phases:", "phases", bold=True, anchor="middle")
    draw.text(draw.x(0, 1, 8, 2.9), draw.y(0, 3e7) + 22, "every head multiplies", "phases", anchor="middle")
    draw.text(draw.x(0, 1, 8, 5), draw.y(0, 6e2), "Gauss-Newton: no guarantee", "descent", bold=True, anchor="middle")
    draw.text(draw.x(0, 1, 8, 4.5), draw.y(0, 3.2e1), "proved: too few equations", "soft", 16, "middle")
    draw.panel(1, ("Hard layers", "a parity of hidden bits, 19 to choose from"), "hidden bits", 2, 7, range(2, 8))
    draw.bound(1, 2, 7, [(m, 2 / 3 * (math.comb(19, m) - 1)) for m in range(2, 8)])
    draw.curve(1, 2, 7, adam, "descent")
    draw.curve(1, 2, 7, {m: (read[m],) * 3 + (1,) for m in range(2, 7)}, "algebra")
    draw.text(draw.x(1, 2, 7, 4.5), draw.y(1, 2.2e8), "the six phases find nothing", "phases", bold=True, anchor="middle")
    draw.text(draw.x(1, 2, 7, 3.1), draw.y(1, 6e6), "Adam, told nothing", "descent", bold=True, anchor="middle")
    draw.text(draw.x(1, 2, 7, 5.15), draw.y(1, 1.5e3), "proved: too few for", "soft", 16, "middle")
    draw.text(draw.x(1, 2, 7, 5.15), draw.y(1, 1.5e3) + 20, "statistical queries", "soft", 16, "middle")
    draw.text(draw.x(1, 2, 7, 4.5), draw.y(1, 1.9e1), "elimination: knows the family", "algebra", bold=True, anchor="middle")
    draw.lines(edge, draw.height - (50 if narrow else 26), "Points: medians. Bars: range over " + ", ".join(
        f"{next(iter(p.values()))[3]} layers ({name})" for name, p in
        (("six phases", phases), ("Gauss-Newton", newton), ("Adam", adam))) + ".", "3 layers (G", 22, "soft", 15)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {draw.width} {draw.height}" width="{draw.width}" '
            f'height="{draw.height}" font-family="Helvetica, Arial, sans-serif" role="img" aria-label="Random examples until an '
            'attention layer is learnt: nice layers by heads, hard layers by hidden bits">\n'
            f'<rect x="1" y="1" width="{draw.width - 2}" height="{draw.height - 2}" rx="10" fill="{colours["page"]}" '
            f'stroke="{colours["edge"]}"/>\n' + "\n".join(draw.out) + "\n</svg>\n")


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    picture = drawn(DARK if "--dark" in sys.argv else LIGHT, "--narrow" in sys.argv)
    if "--check" in sys.argv:
        with open(OUT, encoding="utf-8") as file:
            if file.read() != picture:
                sys.exit("docs/results/front.svg is not what the committed costs say: scripts/front_figure.py draws it")
        return
    with open(arguments[0] if arguments else OUT, "w", encoding="utf-8") as file:
        file.write(picture)


if __name__ == "__main__":
    main()
