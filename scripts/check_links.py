#!/usr/bin/env python3
"""check_links.py FOLDER: checks that every link of every HTML page in FOLDER leads to a file, and to an anchor in it."""
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        with open(path, encoding="utf-8") as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "href" and tag == "a":
                self.links.append(value)
            elif name in ("id", "name"):
                self.anchors.add(value)


def main():
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print("usage: check_links.py FOLDER", file=sys.stderr)
        sys.exit(2)
    folder = sys.argv[1]
    pages = {}
    for name in os.listdir(folder):
        if name.endswith(".html"):
            pages[name] = Page(os.path.join(folder, name))
    broken = []
    for name, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = urllib.parse.unquote(parts.path) or name
            if not os.path.exists(os.path.join(folder, target)):
                broken.append(f"{name}: {link}")
            elif parts.fragment == "nested-classes":
                pass  # Doxygen 1.9.4 also links to lists of nested classes that it leaves out, because all of them are private
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                broken.append(f"{name}: {link} has no such anchor")
    print("\n".join(broken), end="\n" if broken else "", file=sys.stderr)
    sys.exit(1 if broken else 0)


main()
