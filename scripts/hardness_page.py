#!/usr/bin/env python3
"""hardness_page.py HARDHEAD [--check]: what docs/hardness.md shows of `hardhead hardness`, as the program prints it now.

A block of the page that begins with `    $ hardhead hardness ..` shows that command's output. It is replaced by what the program
prints, which changes with the measured costs that are compiled in. With --check nothing is written: exits with 1 if a block is
not what the program prints."""
import os
import shlex
import subprocess
import sys

PAGE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "docs", "hardness.md")
PROMPT = "    $ hardhead hardness "


def block(program, line):
    """The block of a command: its line and its output, indented."""
    arguments = shlex.split(line.strip()[2:])[1:]
    said = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
    return [line] + [("    " + text).rstrip() for text in said.rstrip("\n").split("\n")]


def shown(program, lines):
    """The page with its blocks as the program prints them."""
    out, inside = [], False
    for line in lines:
        if inside and (line.startswith("    ") or not line):
            continue
        if inside:
            out.append("")
        inside = line.startswith(PROMPT)
        out += block(program, line) if inside else [line]
    return out


def main():
    program, check = os.path.abspath(sys.argv[1]), "--check" in sys.argv[2:]
    with open(PAGE) as file:
        before = file.read()
    after = "\n".join(shown(program, before.split("\n")))
    if before == after:
        return 0
    if check:
        print("docs/hardness.md does not show what the program prints: scripts/hardness_page.py HARDHEAD writes it")
        return 1
    with open(PAGE, "w") as file:
        file.write(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
