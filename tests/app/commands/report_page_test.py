"""The pages of `hardhead report` in headless Chromium, wide as a screen and narrow as a phone, light and dark: no script
fails, nothing is asked of the network, every figure is there and not blank, nothing sticks out, tables sort.

report_page_test.py HARDHEAD; exits with 77 where Chromium is missing.
"""
import base64
import hashlib
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SWEEP = """
seeds = 2
[[grid]]
source = "nice"
parameters = { d = [6, 8], k = 2, m = [1, 2] }
method = ["gauss-newton", "phase1"]
heads = "told"
examples = [500, 1000]
"""

# Put before everything else of a page: notes what goes wrong from its first moment on, and measures it at the end.
PROBE = """
const seen = {errors: [], refused: []};
addEventListener('error', event => seen.errors.push(String(event.message)));
addEventListener('securitypolicyviolation', event => seen.refused.push(event.blockedURI));
const pixels = async svg => {  // how many the figure paints, and in how many colours
  const picture = new Image();
  picture.src = 'data:image/svg+xml,' + encodeURIComponent(new XMLSerializer().serializeToString(svg));
  await picture.decode();
  const canvas = Object.assign(document.createElement('canvas'), {width: 400, height: 400});
  const context = canvas.getContext('2d');
  context.drawImage(picture, 0, 0, 400, 400);
  const data = new Uint32Array(context.getImageData(0, 0, 400, 400).data.buffer);
  return {painted: data.filter(value => value !== 0).length, colours: new Set(data).size};
};
const sorts = table => [...table.tHead.rows[0].cells].flatMap(head => ['ascending', 'descending'].map(way => {
  const button = head.querySelector('button');
  button.focus();
  button.click();
  const texts = [...table.tBodies[0].rows].map(row => row.cells[head.cellIndex].textContent.trim());
  return {way, aria: head.getAttribute('aria-sort'), keyboard: document.activeElement === button, texts,
          marked: [...head.parentElement.cells].filter(cell => cell.hasAttribute('aria-sort')).length};
}));
addEventListener('load', async () => {
  document.querySelectorAll('details').forEach(details => { details.open = true; });
  const figures = [];
  for (const svg of document.querySelectorAll('figure svg')) {
    const box = svg.getBoundingClientRect(), text = svg.querySelector('g[fill=currentColor]');
    figures.push({left: box.left, right: box.right, height: box.height, colour: getComputedStyle(text).fill,
                  links: svg.parentElement.querySelectorAll('figcaption a').length, ...await pixels(svg)});
  }
  Object.assign(seen, {figures, width: innerWidth, needed: document.documentElement.scrollWidth,
    text: getComputedStyle(document.body).color, page: getComputedStyle(document.body).backgroundColor,
    resources: performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.startsWith('data:')),
    badges: [...document.querySelectorAll('.badge')].map(badge => badge.getBoundingClientRect().right),
    tables: [...document.querySelectorAll('table')].map(sorts)});
  parent.postMessage(seen, '*');
});
"""

# A frame has the width that it is given; a window of Chromium's has 500 pixels at least.
FRAME = """<!DOCTYPE html><body style="margin: 0"><pre id="seen"></pre>
<iframe src="page.html" style="border: 0; width: {width}px; height: 4000px"></iframe>
<script>addEventListener('message', event => {{ document.getElementById('seen').textContent = JSON.stringify(event.data); }});
</script>"""


def allowing(page, script):
    """The page with a policy that lets this script run, too."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)


def seen_in(chromium, folder, page, width, dark=False):
    """What PROBE sees of a page."""
    page = allowing(page, PROBE)
    probed = re.sub(r"(<meta http-equiv=[^>]*>)", lambda meta: f"{meta[0]}<script>{PROBE}</script>", page, count=1)
    (folder / "page.html").write_text(probed)
    (folder / "frame.html").write_text(FRAME.format(width=width))
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
               "--disable-background-networking", f"--user-data-dir={folder / 'profile'}", "--window-size=1400,1000",
               f"--blink-settings=preferredColorScheme={0 if dark else 1}", "--virtual-time-budget=20000",
               "--timeout=60000", "--dump-dom", (folder / "frame.html").as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)
    assert found and found[1], "the page did not answer: " + dom[:500]
    return json.loads(html.unescape(found[1]))


def value(text):
    try:
        return float(text)
    except ValueError:
        return None


def check_sorted(column):
    texts = column["texts"]
    assert column["aria"] == column["way"] and column["marked"] == 1 and column["keyboard"], column
    filled = [text for text in texts if text]
    assert texts[: len(filled)] == filled, f"empty cells last: {texts}"
    numbers = [value(text) for text in filled]
    if None not in numbers:
        assert numbers == sorted(numbers, reverse=column["way"] == "descending"), texts


def check(seen, figures, width):
    assert seen["errors"] == [], seen["errors"]
    assert seen["refused"] == [] and seen["resources"] == [], (seen["refused"], seen["resources"])
    assert seen["width"] == width, seen["width"]
    assert seen["needed"] <= width, f"{seen['needed']} pixels needed at {width}"
    assert max(seen["badges"], default=0) <= width - 8, f"a verdict is cut: {seen['badges']} at {width}"
    assert len(seen["figures"]) == figures, (len(seen["figures"]), figures)
    for figure in seen["figures"]:
        assert figure["left"] >= 0 and figure["right"] <= width and figure["height"] > 200, figure
        assert figure["right"] - figure["left"] > 300 and figure["links"] == 2, figure
        assert figure["painted"] > 2000 and figure["colours"] > 20, figure
        assert figure["colour"] == seen["text"], figure
    assert seen["tables"] and any(len(set(column["texts"])) > 2 for table in seen["tables"] for column in table)
    for table in seen["tables"]:
        for column in table:
            check_sorted(column)


def brightness(colour):
    return sum(int(part) for part in re.findall(r"\d+", colour)[:3]) / 765


def finding(number, verdict, figures):
    text = {key: f"{key} with <b>, & and a_long_word_" + "x" * 80 for key in
            ("title", "claim", "source", "method", "criterion", "reason", "command")}
    return {"id": f"R{number}", **text, "verdict": verdict, "figures": figures, "table": "report.csv", "setting": "quick",
            "seconds": 1.5, "version": "0"}


def main():
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        print("skipped: Chromium is missing (Debian's package: chromium)")
        return 77
    hardhead = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "sweep.toml").write_text(SWEEP)

        def run(*arguments):
            return subprocess.run([hardhead, *arguments, "--quiet"], cwd=folder, check=True, capture_output=True, text=True).stdout

        run("sweep", "sweep.toml", "--out", "sweep")
        sweep = json.loads(run("report", "sweep", "--json"))
        shutil.copytree(folder / "sweep", folder / "claims")
        verdicts = ["holds", "does_not_hold", "inconclusive"]
        (folder / "claims" / "verdicts.json").write_text(
            json.dumps([finding(i, verdict, sweep["figures"][i:i + 3]) for i, verdict in enumerate(verdicts)]))
        claims = json.loads(run("report", "claims", "--json"))
        assert len(sweep["figures"]) >= 12 and len(claims["figures"]) == 9
        for report in (sweep, claims):
            page = (folder / report["page"]).read_text()
            for width in (1280, 390):
                seen = seen_in(chromium, folder, page, width)
                check(seen, len(report["figures"]), width)
                assert brightness(seen["page"]) > 0.9 and brightness(seen["text"]) < 0.3, seen["page"]
            seen = seen_in(chromium, folder, page, 390, dark=True)
            check(seen, len(report["figures"]), 390)
            assert brightness(seen["page"]) < 0.2 and brightness(seen["text"]) > 0.7, seen["page"]
            print(f"{report['page']}: {len(report['figures'])} figures, {len(seen['tables'])} tables")

        # What would go wrong is seen: an error, a picture from elsewhere, a script of another's, what is too wide.
        bad = page.replace("<main>", '<main><script>oops()</script><script>another()</script>'
                                     '<img src="https://example.invalid/x.png"><div style="width: 2000px">wide</div>')
        seen = seen_in(chromium, folder, allowing(bad, "oops()"), 390)
        assert len(seen["errors"]) == 1 and "oops" in seen["errors"][0], seen["errors"]
        assert sorted(seen["refused"]) == ["https://example.invalid/x.png", "inline"], seen["refused"]
        assert seen["needed"] >= 2000
        seen = seen_in(chromium, folder, page.replace("'use strict';", "'use strict'; "), 390)
        assert seen["tables"][0][0]["aria"] is None, "a changed script ran"
    return 0


if __name__ == "__main__":
    sys.exit(main())
