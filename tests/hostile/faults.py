"""System calls that fail: the n-th write, fsync, rename, open for writing, or large malloc of a command.

After each, the command has said so or done its work; every file is as it was before or as it should be; and the same
command without a fault gives what it always gives.
"""

import os
import shutil

from harness import errors

compare = ["compare", "nice:d=4,k=2,m=1", "--method", "phase1", "--examples", "200", "--seeds", "3", "--quiet"]
sources = {
    "sample": (["sample", "nice:d=4,k=2,m=1", "--count", "500", "-o", "data.safetensors"], ["data.safetensors"]),
    "sweep": (["sweep", "s.toml", "--out", "swept", "--quiet"], ["swept/sweep.json"]),
    "compare": ([*compare, "--journal", "journal"], []),
    "report": (["report", "done", "-o", "page.html"], ["page.html"]),
}


def numbers(h, call):
    """Which calls fail, one a run: each, or the first few and, of the many allocations, some at random."""
    if h.full:
        return range(1, 2000)
    return [1, 2, *sorted(h.random.sample(range(3, 400), 4))] if call == "malloc" else [1, 2]


def clean(h):
    for name in os.listdir(h.folder):
        if name not in ("s.toml", "done", "reference"):
            path = h.path(name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def test(h):
    if not h.shim:
        print("faults: no shim, skipped")
        return
    h.write("s.toml", "[[grid]]\nsource='nice:d=4,k=2,m=1'\nmethod='phase1'\nexamples=200\nseeds=3\n")
    h.run("sweep", "s.toml", "--out", "done", "--quiet")
    struck = set()
    for name, (words, files) in sources.items():
        clean(h)
        h.run(*words)
        good = {file: h.read(file) for file in files}
        for call in errors:
            for at in numbers(h, call):
                log = h.path("fault.log")
                clean(h)
                environment = h.fault(call, at)

                def body(words=words, files=files, good=good, environment=environment):
                    run = h.run(*words, env=environment)
                    h.expect(run.code in (0, 2, 3), f"exit code {run.code}: {run.err[-200:]}")
                    h.expect(run.code == 0 or "hardhead: " in run.err, f"no message: {run.err[-200:]!r}")
                    h.expect(os.path.exists(log) or run.code == 0, "an error without a fault")
                    h.expect_nothing_unfinished()
                    for file in files:
                        if os.path.exists(h.path(file)):
                            h.expect(h.read(file) == good[file], f"{file} is another after a fault")
                    for journal in ("journal", "swept/journal.jsonl"):
                        if os.path.exists(h.path(journal)):
                            lines = h.read(journal).decode().split("\n")
                            h.expect(lines[-1] == "" and all(line[0] + line[-1] == "{}" for line in lines[:-1]),
                                     f"{journal} has a part of a line")
                    h.expect(h.run(*words).code == 0, "the same command afterwards fails")

                h.case(f"{call} fails in {name}", f"number {at}", body)
                if not os.path.exists(log):
                    break  # it makes no more such calls
                struck.add(call)

    def all_struck():
        h.expect(struck == set(errors), f"only {struck} ever failed")

    h.case("the shim", "every kind of call failed", all_struck)
