"""scripts/site.sh: what it says it made is there, links of its index and of its pages lead somewhere, a wrong call is refused.
site_test.py HARDHEAD
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from urllib.parse import unquote

ROOT = pathlib.Path(__file__).resolve().parents[2]


def site(*arguments):
    return subprocess.run(["bash", str(ROOT / "scripts" / "site.sh"), *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, "HARDHEAD": sys.argv[1]})


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "book").mkdir()
        (folder / "book" / "index.html").write_text("<!DOCTYPE html><title>a book</title>")
        for _ in range(2):  # a second time over the first
            made = site(folder / "out", folder / "book")
            assert made.returncode == 0, made.stderr
        said = made.stdout.split()
        assert str(folder / "out" / "index.html") in said and str(folder / "out" / "claims" / "index.html") in said, said
        assert (folder / "out" / "book" / "index.html").read_text() == (folder / "book" / "index.html").read_text()
        for path in map(pathlib.Path, said):
            links = re.findall(r'href="([^"#]+)"', path.read_text())
            assert links or "book" in path.parts, path
            for link in links:
                assert (path.parent / unquote(link)).is_file(), f"{path}: {link}"
        assert site().returncode == 2
        (folder / "mine" / "claims").mkdir(parents=True)
        refused = site(folder / "mine", folder / "book")  # not a folder of its own, and not empty
        assert refused.returncode == 2 and "nothing is written there" in refused.stderr
        assert [path.name for path in (folder / "mine").iterdir()] == ["claims"]
        assert site(folder / "out", folder / "no_book").returncode != 0

    # README says how to cite as the pages do.
    entry = (ROOT / "CITATION.bib").read_text()
    assert "(CITATION.bib)" in (ROOT / "README.md").read_text()
    title = re.search(r"title *= \{(.*)\},", entry)[1]
    assert f'title: "{title}"' in (ROOT / "CITATION.cff").read_text()


if __name__ == "__main__":
    main()
