#!/usr/bin/env python3
"""glossary.py [--check]: links each word of docs/glossary.md where it first appears on a page of docs/ that somebody wrote.

Titles, tables, code, links and generated pages are left alone. `--check`, as ctest runs it, says which pages miss a link.
"""
import glob
import os
import re
import sys

DOCS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs")
APART = {"glossary.md", "criteria_R6.md", "commands.md", "records.md", "README.md"}
FORMS = {"leap": "leap", "nice": "nice", "net": None, "head": None, "family": None, "phase": None, "margin": None}  # None: not linked
SKIP = re.compile(r"(`[^`]*`|\[[^\]]*\]\([^)]*\)|<[^>]*>|\*[^*]+\*)")


def words():
    with open(os.path.join(DOCS, "glossary.md"), encoding="utf-8") as file:
        found = re.findall(r'<a name="([^"]*)"></a>([\w -]+?) *\|', file.read())
    return [(anchor, FORMS.get(word, word)) for anchor, word in found if FORMS.get(word, word)]


def linked(text):
    lines, fenced = text.split("\n"), False
    for anchor, word in words():
        if f"glossary.md#{anchor})" in text:
            continue
        for at, line in enumerate(lines):
            fenced ^= line.startswith("```")
            if fenced or line.startswith(("    ", "#", "|", "```", "![")):
                continue
            parts = SKIP.split(line)
            for i in range(0, len(parts), 2):
                new = re.sub(rf"\b({word}s?)\b(?![-_/.]\w)", rf"[\1](glossary.md#{anchor})", parts[i], count=1)
                if new != parts[i]:
                    parts[i] = new
                    break
            else:
                continue
            lines[at] = "".join(parts)
            break
        fenced = False
    return "\n".join(lines)


def main():
    stale = []
    for path in sorted(glob.glob(os.path.join(DOCS, "*.md"))):
        if os.path.basename(path) in APART:
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        new = linked(text)
        if new != text and "--check" in sys.argv:
            stale.append(os.path.basename(path))
        elif new != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
    if stale:
        sys.exit(f"{', '.join(stale)}: a word of the glossary has no link; scripts/glossary.py adds it")


main()
