#!/usr/bin/env python3
"""site_index.py SITE: the first page of the site in the folder SITE: README.md with the atlas live in it, if the site has one.

Links to pages lead into the book as far as the site has it. The figure is drawn in light and dark, wide and narrow; the reader's
screen selects one.
"""
import html
import os
import re
import sys

from front_figure import DARK, LIGHT, drawn

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STYLE = """
main.front { max-width: 52rem; margin: 0 auto; }
main.front pre { white-space: pre; overflow-x: auto; }
main.front .wide { overflow-x: auto; }
main.front th, main.front td { min-width: 0; padding: .3rem .6rem; }
main.front .figure svg { display: none; width: 100%; height: auto; }
main.front iframe { display: block; width: min(74rem, 100vw - 2rem); height: 34rem; border: 1px solid var(--line);
  border-radius: 8px; margin-left: calc(50% - min(74rem, 100vw - 2rem) / 2); }
@media (min-width: 40.01rem) and (prefers-color-scheme: light) { main.front .wide-light svg { display: block; } }
@media (min-width: 40.01rem) and (prefers-color-scheme: dark) { main.front .wide-dark svg { display: block; } }
@media (max-width: 40rem) and (prefers-color-scheme: light) { main.front .narrow-light svg { display: block; } }
@media (max-width: 40rem) and (prefers-color-scheme: dark) { main.front .narrow-dark svg { display: block; } }
@media (max-width: 40rem) { main.front iframe { display: none; } main.front pre.lines { white-space: pre-wrap; } }
"""


def page_of(site, target):
    """Where a link of README leads in the site; None if nowhere."""
    file = target.partition("#")[0]
    if file and os.path.isfile(os.path.join(site, file)):
        return file
    made = "book/page_" + re.sub(r"\W", "_", file[:-3]) + ".html" if file.endswith(".md") else None
    if made and os.path.exists(os.path.join(site, made)):
        return made + ("#" + target.partition("#")[2] if "glossary" in target and "#" in target else "")
    return "book/index.html" if made and os.path.exists(os.path.join(site, "book", "index.html")) else None


def inline(site, text):
    def link(match):
        to = page_of(site, match[2])
        return f'<a href="{to}">{match[1]}</a>' if to else match[1]

    out = []
    for i, part in enumerate(re.split(r"`([^`]*)`", text)):
        part = html.escape(part, quote=False)
        out.append(f"<code>{part}</code>" if i % 2 else part)
    return re.sub(r"\[([^\]]*)\]\(([^)\s]*)\)", link, "".join(out))


def table(site, lines):
    rows = [[inline(site, cell.strip()) for cell in line.strip("|").split("|")] for line in lines]
    head = "".join(f"<th>{cell}</th>" for cell in rows[0])
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows[2:])
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def block(site, lines):
    text = "\n".join(lines)
    if lines[0].startswith("    "):
        return '<pre class="lines">' + html.escape("\n".join(line[4:] for line in lines)) + "</pre>"
    if lines[0].startswith("#"):
        depth = len(lines[0]) - len(lines[0].lstrip("#"))
        return f"<h{depth}>{inline(site, lines[0].lstrip('# '))}</h{depth}>"
    if lines[0].startswith("|"):
        return table(site, lines)
    if text.startswith("!["):
        return "".join(f'<div class="figure {"narrow" if narrow else "wide"}-{name}">{drawn(colours, narrow)}</div>'
                       for name, colours in (("light", LIGHT), ("dark", DARK)) for narrow in (False, True))
    if re.match(r"\d\. |- ", lines[0]):
        kind = "ol" if lines[0][0].isdigit() else "ul"
        items = re.split(r"^(?:\d\.|-) ", text, flags=re.MULTILINE)[1:]
        return f"<{kind}>" + "".join(f"<li>{inline(site, item)}</li>" for item in items) + f"</{kind}>"
    return f"<p>{inline(site, text)}</p>"


def body(site, text):
    out, lines, fence = [], [], None
    for line in text.split("\n") + [""]:
        if line.startswith("```"):
            if fence is None:
                fence = []
                out.append("<pre>" if line[3:] else '<pre class="lines">')
            else:
                out[-1] += html.escape("\n".join(fence)) + "</pre>"
                fence = None
        elif fence is not None:
            fence.append(line)
        elif line.strip():
            lines.append(line)
        elif lines:
            out.append(block(site, lines))
            lines = []
    return "\n".join(out)


def main():
    site = sys.argv[1]
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
        front = body(site, file.read())
    with open(os.path.join(TOP, "study", "report", "page.css"), encoding="utf-8") as file:
        style = file.read() + STYLE
    parts = (("claims/index.html", "Claims and verdicts"), ("atlas/atlas.html", "The atlas"),
             ("reference/index.html", "Learners, families, rungs"), ("book/index.html", "The book"))
    more = [f'<a href="{to}">{name}</a>' for to, name in parts if os.path.exists(os.path.join(site, to))]
    atlas = ""
    if os.path.exists(os.path.join(site, "atlas", "atlas.html")):
        atlas = ('<h2>The atlas</h2>\n<p>Which learner learns which family? Every cell opens to its command. '
                 '<a href="atlas/atlas.html">The atlas on a page of its own</a>.</p>\n'
                 '<iframe src="atlas/atlas.html#map" title="The atlas"></iframe>\n')
    first, rest = front.split("<h2>Run it</h2>")
    print('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
          '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>hardhead</title>\n'
          f'<style>{style}</style>\n</head>\n<body>\n<main class="front">\n<p>{" · ".join(more)}</p>\n'
          f'{first}{atlas}<h2>Run it</h2>{rest}\n</main>\n</body>\n</html>')


main()
