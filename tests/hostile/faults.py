"""System calls that fail: the n-th write, fsync, rename, open for writing, or large malloc of a command.

After each, the command has said so or done its work; every file is as it was before or as it should be; and the same
command without a fault gives what it always gives.
"""

import errno
import os
import shutil

compare = ["compare", "nice:d=4,k=2,m=1", "--method", "phase1", "--examples", "200", "--seeds", "3", "--quiet"]
sources = {
    "sample": (["sample", "nice:d=4,k=2,m=1", "--count", "500", "-o", "data.safetensors"], ["data.safetensors"]),
    "sweep": (["sweep", "s.toml", "--out", "swept", "--quiet"], ["swept/sweep.json"]),
    "compare": ([*compare, "--journal", "journal"], []),
    "report": (["report", "done", "-o", "page.html"], ["page.html"]),
}
errors = {"write": errno.ENOSPC, "fsync": errno.EIO, "rename": errno.EACCES, "open": errno.EMFILE,
          "malloc": errno.ENOMEM}


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
    for name, (words, files) in sources.items():
        clean(h)
        h.run(*words)
        good = {file: h.read(file) for file in files}
        for call, error in errors.items():
            for at in range(1, h.times(3, 40 if call != "malloc" else 400)):
                log = h.path("fault.log")
                clean(h)
                environment = dict(os.environ, LD_PRELOAD=h.shim, FAULT_CALL=call, FAULT_AT=str(at),
                                   FAULT_ERRNO=str(error), FAULT_LOG=log)
                run = None

                def body(words=words, files=files, good=good, environment=environment, at=at):
                    nonlocal run
                    run = h.run(*words, env=environment)
                    struck = os.path.exists(log)
                    h.expect(run.code in (0, 2, 3), f"exit code {run.code}: {run.err[-200:]}")
                    h.expect(run.code == 0 or "hardhead: " in run.err, f"no message: {run.err[-200:]!r}")
                    h.expect(struck or run.code == 0, "an error without a fault")
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

                h.case("faults", f"{name}: {call} number {at}", body)
                if run is not None and not os.path.exists(log):
                    break  # it makes no more such calls
