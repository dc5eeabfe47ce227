"""What once failed: corpus/cases.toml."""

import os
import shlex
import shutil
import tomllib

here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def test(h):
    with open(os.path.join(here, "cases.toml"), "rb") as file:
        cases = tomllib.load(file)["case"]
    files = [name for name in os.listdir(here) if name != "cases.toml"]
    programs = h.path("programs")
    os.mkdir(programs)
    os.symlink(h.program, os.path.join(programs, "hardhead"))
    environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
    for number, case in enumerate(cases):
        if "fault" in case and not h.shim:
            continue
        folder = h.path(str(number))
        os.mkdir(folder)
        for name in files:
            shutil.copy(os.path.join(here, name), folder)
        for name, text in case.get("writes", {}).items():
            h.write(os.path.join(folder, name), text)

        def body(case=case, folder=folder):
            if "prepare" in case:
                h.execute(["bash", "-c", case["prepare"]], cwd=folder, env=environment)
            if "fault" in case:  # of the program alone, not of a shell
                run = h.run(*shlex.split(case["run"])[1:], cwd=folder, env=h.fault(*case["fault"]))
            else:
                run = h.execute(["bash", "-c", case["run"]], cwd=folder, env=environment)
            said = run.out + run.err
            h.expect(run.code == case["exit"], f"exit code {run.code}: {said[-300:]}")
            for text in case.get("says", []):
                h.expect(text in said, f"{text!r} is not in {said[-300:]!r}")
            for text in case.get("not", []):
                h.expect(text not in said, f"{text!r} is in {said[-300:]!r}")
            for name, text in case.get("writes", {}).items():
                h.expect(h.read(os.path.join(folder, name)) == text.encode(), f"{name} is not as it was")
            for name in case.get("absent", []):
                h.expect(not os.path.exists(os.path.join(folder, name)), f"{name} is there")
            h.expect_nothing_unfinished()

        h.case("what once failed", case["name"], body)
