#!/usr/bin/env python3
"""site_pages.py SITE HARDHEAD: a page for each learner, family and rung of the ladder in SITE/reference, and an index of them.

What a page says is what the program prints: `hardhead families NAME`, and the rung's line of `hardhead challenge verify`.
"""
import html
import json
import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def said(program, *words):
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True, cwd=TOP,
                          env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"})
    return done.stdout


def write(folder, name, title, body, style):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" '
                   f'content="width=device-width, initial-scale=1">\n<title>{html.escape(title)}</title>\n<style>{style}</style>\n'
                   f'</head>\n<body>\n<main>\n<h1>{html.escape(title)}</h1>\n{body}\n</main>\n</body>\n</html>\n')


def main():
    site, program = sys.argv[1:]
    folder = os.path.join(site, "reference")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(TOP, "study", "report", "page.css"), encoding="utf-8") as file:
        style = file.read() + "pre { overflow-x: auto; }"
    listed = json.loads(said(program, "families", "--json"))
    ladder = json.loads(said(program, "challenge", "verify", "--json"))
    groups = {"Learners": ("learner", [m["name"] for m in listed["methods"]]),
              "Families": ("family", [f["name"] for f in listed["families"]]),
              "Rungs of the ladder": ("rung", [c["challenge"] for c in ladder["challenges"]])}
    rungs = {c["challenge"]: c for c in ladder["challenges"]}
    index = '<p><a href="../index.html">First page</a></p>\n'
    for title, (kind, names) in groups.items():
        index += f"<h2>{title}</h2>\n<ul>\n"
        for name in names:
            page = f"{kind}-{re.sub(r'[^a-z0-9-]', '-', name.lower())}.html"
            text = json.dumps(rungs[name], indent=2) if kind == "rung" else said(program, "families", name)
            body = f'<p><a href="index.html">All learners, families, rungs</a></p>\n<pre>{html.escape(text)}</pre>'
            write(folder, page, f"{kind} {name}", body, style)
            index += f'<li><a href="{page}">{html.escape(name)}</a></li>\n'
        index += "</ul>\n"
    write(folder, "index.html", "Learners, families, rungs", index, style)


main()
