"""Signals and kill -9 at random moments: exit codes, unfinished files, journals."""

import json
import os
import shutil
import signal
import subprocess
import time

from harness import signal_name

grid = '[[grid]]\nsource = ["nice"]\nparameters = { d = [6], k = [3], m = [1, 2] }\nmethod = ["gauss-newton"]\n'


def commands():
    return {
        "learn": ["learn", "nice:d=32,k=3,m=3", "-o", "layer"],
        "compare": ["compare", "nice:d=24,k=3,m=3", "--seeds", "20", "--journal", "journal"],
        "sample": ["sample", "nice:d=32,k=3,m=3", "--count", "2000000", "-o", "data"],
        "certify": ["certify", "nice:d=256,k=3,m=8"],
        "generate": ["generate", "nice:d=512,k=2,m=8", "-o", "big"],
        "lwe attack": ["lwe", "attack", "lwe:n=40,q=12289,sigma=3.2,samples=80", "--method", "kannan"],
        "sq play": ["sq", "play", "parity:d=20,m=8"],
        "best": ["best", "parity:d=8,m=2", "--seeds", "5"],
    }


def further_commands():
    return {
        "learn sculpt": ["learn", "nice:d=64,k=3,m=4", "--method", "sculpt", "-o", "layer"],
        "learn paper": ["learn", "nice:d=12,k=3,m=3", "--method", "paper", "--heads", "3", "-o", "layer"],
        "learn gauss-newton": ["learn", "parity:d=32,m=8", "--method", "gauss-newton", "--examples", "40000", "-o",
                               "layer"],
        "learn lbfgs": ["learn", "nice:d=64,k=8,m=8", "--method", "lbfgs", "--heads", "8", "-o", "layer"],
        "learn adam": ["learn", "nice:d=64,k=8,m=8", "--method", "adam", "--heads", "8", "-o", "layer"],
        "learn exec": ["learn", "nice:d=8,k=2,m=2", "--examples", "3000", "--method", "exec:sleep 100; true"],
        "learn mobius": ["learn", "nice:d=512,k=2,m=8", "--method", "mobius"],
        "sweep": ["sweep", "grid.toml", "--out", "swept"],
        "reproduce": ["reproduce", "--quick", "--out", "claims"],
        "demo": ["demo"],
        "suite --verify": ["suite", "--verify"],
        "suite": ["suite", "nice:d=1024,m=64", "orthogonal:d=1024,m=64"],
        "sq dimension": ["sq", "dimension", "subsets:n=24,m=3", "--definition", "average"],
        "sq combination": ["sq", "play", "parity:d=24,m=12", "--learner", "combination"],
        "lwe generate": ["lwe", "generate", "lwe:n=512,q=12289,samples=40000", "-o", "samples.json"],
        "lwe distinguish": ["lwe", "distinguish", "lwr:n=4", "--trials", "100000"],
    }


def signals(h):
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    h.write("grid.toml", "seeds = 1000\n" + grid)
    for name, words in (commands() | (further_commands() if h.full else {})).items():
        for number in range(h.times(1, 10)):
            sent = numbers[(number + len(name)) % 3]

            def body(words=words, sent=sent):
                shutil.rmtree(h.path("swept"), ignore_errors=True)
                process = subprocess.Popen([h.program, *words], cwd=h.folder, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.PIPE)
                time.sleep(h.random.uniform(0.1, h.times(0.6, 1.5)))
                process.send_signal(sent)
                begun = time.monotonic()
                _, err = process.communicate(timeout=60)
                # Before its first line the program has the system's own handlers.
                h.expect(process.returncode in (0, 3, 128 + sent, -sent),
                         f"exit code {process.returncode}: {err[-200:]}")
                h.expect(time.monotonic() - begun < 10, "took more than 10 s to end")
                h.expect_nothing_unfinished()

            h.case("signals", f"{name} {signal_name(sent)}", body)


def broken_pipes(h):
    """Nobody reads stderr, or stdout, any more."""
    for stream in ("stderr", "stdout"):
        for name in ("learn", "sample", "compare"):
            def body(stream=stream, words=commands()[name]):
                ends = os.pipe()
                os.close(ends[0])
                streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: ends[1]}
                process = subprocess.Popen([h.program, *words, "--time-limit", "2"] if words[0] == "learn" else
                                           [h.program, *words], cwd=h.folder, **streams)
                os.close(ends[1])
                if stream == "stdout" and words[0] != "learn":
                    time.sleep(0.5)
                    process.send_signal(signal.SIGTERM)
                code = process.wait(timeout=60)
                h.expect(code in (0, 128 + signal.SIGPIPE, 128 + signal.SIGTERM, -signal.SIGTERM), f"exit code {code}")
                h.expect_nothing_unfinished()
            h.case("broken pipes", f"{name} {stream}", body)


def killed_sweeps(h):
    h.write("grid.toml", f"seeds = {h.times(6, 20)}\n" + grid)
    h.run("sweep", "grid.toml", "--out", "whole", "--quiet", timeout=600)

    def journal(folder):
        with open(h.path(folder + "/journal.jsonl")) as file:
            return {run["run"]: (run["test_error"], run["outcome"]) for run in map(json.loads, file)}

    wanted = journal("whole")

    def body():
        shutil.rmtree(h.path("killed"), ignore_errors=True)
        for _ in range(3):
            process = subprocess.Popen([h.program, "sweep", "grid.toml", "--out", "killed", "--quiet"], cwd=h.folder,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(h.random.uniform(0.05, 0.6))
            process.kill()
            process.wait()
        h.expect_answer(h.run("sweep", "grid.toml", "--out", "killed", "--quiet", timeout=600), (0,))
        h.expect(journal("killed") == wanted, "the journal is not that of a sweep that was never killed")

    for number in range(h.times(1, 30)):
        h.case("kill -9 of sweeps, three times each", str(number), body)

    def second():
        holder = subprocess.Popen([h.program, "sweep", "grid.toml", "--out", "shared", "--quiet"], cwd=h.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while holder.poll() is None and not os.path.exists(h.path("shared/sweep.json")):
            time.sleep(0.005)
        record = h.read("shared/sweep.json")
        h.write("other.toml", "[[grid]]\nsource='nice:d=4,k=2,m=1'\nmethod='phase1'\nexamples=200\n")
        if holder.poll() is None:
            run = h.run("sweep", "other.toml", "--out", "shared", "--quiet")
            if holder.poll() is None:
                h.expect_answer(run, (2,))
                h.expect(h.read("shared/sweep.json") == record, "a refused sweep replaced the record of the first")
        holder.wait()

    h.case("a second sweep in the folder", "refused", second)


def pairs(h):
    """A challenge and its secret: whatever is killed, the secret that is there is that of the challenge."""
    make = ["challenge", "make", "parity:d=12,m=3", "-n", "50000", "-o", "c.safetensors", "--keep", "k.json"]
    few = ["challenge", "make", "parity:d=6,m=2", "-n", "300", "-o", "c.safetensors", "--keep", "k.json"]

    def expect_a_pair():
        """The secret of the challenge that is there is in its place, or set aside for the moment between."""
        aside = [name for name in os.listdir(h.folder) if name.startswith(".hardhead-")]
        secrets = ["k.json", *(name for name in aside if h.read(name).startswith(b"{"))]
        right = [name for name in secrets if h.run("challenge", "verify", "c.safetensors", shutil.copy(
            h.path(name), h.path("tried.json"))).code == 0]
        for name in aside:
            os.remove(h.path(name))
        h.expect(right, f"none of {secrets} is the secret of the challenge")

    def killed(which):
        h.run(*make)
        before = os.stat(h.path(which)).st_ino
        process = subprocess.Popen([h.program, *make], cwd=h.folder, stdout=subprocess.DEVNULL)
        while process.poll() is None and os.stat(h.path(which)).st_ino == before:
            pass
        time.sleep(h.random.choice((0, 0, 0.0001, 0.001)))
        process.kill()
        process.wait()
        expect_a_pair()

    def at_once():
        processes = [subprocess.Popen([h.program, *few], cwd=h.folder, stdout=subprocess.DEVNULL) for _ in range(10)]
        h.expect([process.wait() for process in processes] == [0] * 10, "not all ended well")
        expect_a_pair()

    for number in range(h.times(2, 20)):
        for which in ("c.safetensors", "k.json"):
            h.case("kill -9 between a challenge and its secret", f"{which} {number}", lambda which=which: killed(which))
    for number in range(h.times(1, 10)):
        h.case("ten challenges at once", str(number), at_once)


def test(h):
    signals(h)
    broken_pipes(h)
    killed_sweeps(h)
    pairs(h)
