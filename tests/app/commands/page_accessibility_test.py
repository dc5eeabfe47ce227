"""axe-core on the pages of `hardhead report` in headless Chromium: three widths, dark, and as printed. No violation.

page_accessibility_test.py HARDHEAD [FILE.html ..]; other pages, such as those of `hardhead atlas`, may be named too. Exits
with 77 where Chromium or axe-core is missing. axe-core comes from npm (`npm install axe-core`): its axe.min.js is looked for
at HARDHEAD_AXE, and else in node_modules of this folder and of npm's own.
"""
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from report_page_test import SWEEP, allowing  # noqa: E402

A4_ACROSS = 1032  # pixels between the margins of page.css, 12 mm
A4_UPRIGHT = 703

AUDIT = """
addEventListener('load', async () => {
  if (ON_PAPER) dispatchEvent(new Event('beforeprint'));
  else document.querySelectorAll('details').forEach(details => { details.open = true; });
  const found = await axe.run(document, {resultTypes: ['violations']});
  const pixels = element => Math.ceil(element.getBoundingClientRect().right);
  parent.postMessage({rules: found.passes.length, width: innerWidth,
    wide: Math.max(0, ...[...document.querySelectorAll('.wide table')].map(pixels)),
    upright: Math.max(...[...document.querySelectorAll('body > *, .scroll:not(.wide) table, dl, pre, figure')].map(pixels)),
    violations: found.violations.map(rule => [rule.id, rule.help, rule.nodes.length,
      rule.nodes.slice(0, 3).map(node => node.html.slice(0, 200))])}, '*');
});
"""

FRAME = """<!DOCTYPE html><body style="margin: 0"><pre id="seen"></pre>
<iframe src="page.html" style="border: 0; width: {width}px; height: 3000px"></iframe>
<script>addEventListener('message', event => {{ if (event.data.rules) {{
document.getElementById('seen').textContent = JSON.stringify(event.data); }} }});</script>"""


def axe_file():
    there = [os.environ.get("HARDHEAD_AXE", ""), "node_modules/axe-core/axe.min.js"]
    if shutil.which("npm"):
        root = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True).stdout.strip()
        there.append(f"{root}/axe-core/axe.min.js")
    return next((path for path in there if path and os.path.isfile(path)), None)


def audited(chromium, axe, folder, page, width, dark=False, print_=False):
    if print_:
        page = page.replace("@media print", "@media all")
    audit = AUDIT.replace("ON_PAPER", "true" if print_ else "false")
    for script in (axe, audit):
        page = allowing(page, script)
    page = re.sub(r"(<meta http-equiv=[^>]*>)", lambda meta: f"{meta[0]}<script>{axe}</script><script>{audit}</script>", page,
                  count=1)
    (folder / "page.html").write_text(page)
    (folder / "frame.html").write_text(FRAME.format(width=width))
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
               f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000",
               f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=60000", "--timeout=240000",
               "--dump-dom", (folder / "frame.html").as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=300).stdout
    found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)
    assert found and found[1], "the page did not answer: " + dom[:500]
    return json.loads(html.unescape(found[1]))


def main():
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    axe_path = axe_file()
    if chromium is None or axe_path is None:
        print("skipped: " + ("Chromium is missing (Debian's package: chromium)" if chromium is None else
                             "axe-core is missing (npm install axe-core, and HARDHEAD_AXE names its axe.min.js)"))
        return 77
    axe = pathlib.Path(axe_path).read_text()
    assert "</script" not in axe
    claims = pathlib.Path(__file__).resolve().parents[3] / "docs" / "results" / "claims"
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "sweep.toml").write_text(SWEEP)
        for command in (["sweep", "sweep.toml", "--out", "sweep"], ["report", "sweep"],
                        ["report", str(claims), "-o", "claims.html"]):
            subprocess.run([sys.argv[1], *command, "--quiet"], cwd=folder, check=True, capture_output=True)
        for path in (folder / "claims.html", folder / "sweep" / "report.html", *map(pathlib.Path, sys.argv[2:])):
            page = path.read_text()
            for width, dark, print_ in ((1280, False, False), (800, False, False), (400, False, False), (1280, True, False),
                                        (400, True, False), (A4_ACROSS, False, True), (A4_UPRIGHT, False, True)):
                seen = audited(chromium, axe, folder, page, width, dark, print_)
                look = f"{path.name}, {width} pixels{', dark' if dark else ''}{', print' if print_ else ''}"
                print(f"{look}: {len(seen['violations'])} violations, {seen['rules']} rules pass", flush=True)
                for rule in seen["violations"]:
                    print("  ", *rule, sep="\n    ")
                failures += len(seen["violations"])
                if print_ and seen["wide" if width == A4_ACROSS else "upright"] > width:
                    print(f"   cut on paper: {seen['upright']} and {seen['wide']} pixels at {width}")
                    failures += 1
        spoilt = page.replace("<main>", '<main><img src="data:,"><p style="color: #999; background: #fff">faint</p>')
        found = {rule[0] for rule in audited(chromium, axe, folder, spoilt, 400)["violations"]}
        assert {"image-alt", "color-contrast"} <= found, f"axe-core overlooks what is wrong: {found}"
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
