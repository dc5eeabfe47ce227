"""The ends of every range: each family with one parameter after the other at its least and its greatest value, and
with all at their least, through each command and each learner, with a time limit.

No run may crash, and none may take longer than its limit and what making, judging and matching add (`beyond`), in
seconds of the processor for each of its two threads: other work on the machine does not count. The limit of `best` is
one of each run of a ladder, of which there are some dozens (`ladder`): it gets a shorter limit, and one spec in three,
with the methods in turn. A command without a limit of its own has to end soon, or when it is asked to.
"""

import itertools
import json
import resource
import signal
import subprocess
import time

from harness import answers

threads, limit, beyond, patience, hang = 2, 1, 45, 10, 900
ladder, limit_in_ladder = 48, 0.25
ends_by_itself = {"learn", "best", "lwe attack"}


def families(h):
    known = json.loads(h.run("families", "--json").out)
    return known["families"], [method["name"] for method in known["methods"] if method["name"] != "exec"]


def ends_of(parameter):
    """Its least and its greatest value; of a choice each."""
    if parameter["name"] == "seed":
        return []
    if parameter["kind"] == "choice":
        return parameter["range"].split(" | ")
    return [end.strip() for end in parameter["range"].split("..")]


def specs(family):
    """A parameter at an end and the others at their defaults; all at their least; k = 1; as many heads as features."""
    parameters = {parameter["name"]: ends_of(parameter) for parameter in family["parameters"]}
    out = [f"{family['name']}:{name}={end}" for name, ends in parameters.items() for end in ends]
    small = [f"{name}={ends[0]}" for name, ends in parameters.items() if ends]
    out.append(f"{family['name']}:{','.join(small)}")
    if "d" in parameters and "m" in parameters:
        out += [f"{family['name']}:d={d},m={m}" for d in (1, 2, 3, 4) for m in (1, d - 1, d) if m > 0]
    if "n" in parameters:
        out += [f"{family['name']}:n={n}" for n in (1, 2, 3)]
        out += [f"{family['name']}:n=2,q={q}" for q in (2, 4, 8, 16, 1024)]
    return list(dict.fromkeys(out))


def commands(spec, methods, best=None):
    """Command lines of a spec, by name; `best` is the method that is put on its ladder, if any."""
    shared = [spec, "--quiet", "--threads", str(threads)]
    out = {"hardness": ["hardness", *shared], "certify": ["certify", *shared],
           "generate": ["generate", *shared, "-o", "layer"],
           "sample": ["sample", *shared, "--count", "3", "-o", "data"],
           "suite digest": ["suite", "digest", spec]}
    for method in methods:
        out[f"learn {method}"] = ["learn", *shared, "--method", method, "--time-limit", str(limit), "--memory-limit", "2G"]
    if best:
        out[f"best {best}"] = ["best", *shared, "--method", best, "--time-limit", str(limit_in_ladder), "--seeds", "1"]
    return out


def lwe_and_sq():
    """Specs at the ends of what `lwe` and `sq` take."""
    out = []
    for spec in ("lwe:n=1,q=2,samples=1", "lwe:n=1,q=3,sigma=0.05,samples=1", "lwe:n=2,q=1024,samples=20", "lwr:n=1",
                 "lwe:n=64,q=2147483647,samples=70", "lpn:n=1,samples=1", "lpn:n=1,rate=0,samples=5",
                 "lwr:n=1,q=4,p=2,samples=3", "lwe:n=4,q=4,sigma=4096,samples=9"):
        for what in ("attack", "report"):
            out.append(["lwe", what, spec, "--time-limit", str(limit), "--quiet"])
        out.append(["lwe", "estimate", spec])
    for learner in ("correlation", "combination"):
        for spec in ("parity:d=2,m=1", "parity:d=4,m=1", "parity:d=9,m=4"):
            for tau in ("1", "1/2", "1/1000000007", "1e-300"):
                for policy in ("honest", "adversarial"):
                    out.append(["sq", "play", spec, "--learner", learner, "--tolerance", tau, "--policy", policy])
    for name in ("parities:n=1", "subsets:n=1,m=1", "dictators:n=1", "points:n=1", "thresholds:n=1", "bent:n=2"):
        for definition in ("pairwise", "average", "separation"):
            out.append(["sq", "dimension", name, "--definition", definition, "--tolerance", "1/1000000007"])
    return out


def processor_seconds():
    """Of all processes that have been waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run_to_an_end(h, words):
    """It ends within its limit, or when it is asked to; in either case with an answer."""
    bounded = " ".join(words[:2]) in ends_by_itself or words[0] in ends_by_itself
    process = subprocess.Popen([h.program, *words], cwd=h.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True)
    begun = time.monotonic()
    used = processor_seconds()
    codes = answers
    try:
        _, err = process.communicate(timeout=hang if bounded else patience)
    except subprocess.TimeoutExpired:
        if bounded:
            process.kill()
            process.communicate()
            h.expect(False, f"still at work after {hang} s, with a time limit of {limit} s")
        process.send_signal(signal.SIGTERM)
        codes = (*answers, 128 + signal.SIGTERM)
        _, err = process.communicate(timeout=hang)
    used = processor_seconds() - used
    if bounded:
        allowed = ladder * limit_in_ladder if words[0] == "best" else limit
        h.expect(used <= threads * (allowed + beyond), f"{used:.0f} s of the processor, with time limits of {allowed} s")
    h.expect(process.returncode in codes, f"exit code {process.returncode}: {err[-300:]}")
    h.expect("internal error" not in err and "terminate called" not in err, err[-300:])
    h.expect(process.returncode == 0 or "hardhead: " in err, f"no message: {err[-300:]!r}")
    h.expect_nothing_unfinished()
    return time.monotonic() - begun


def test(h):
    slowest = (0, "")
    cases = [("ends of lwe and sq", words) for words in lwe_and_sq()]
    known, methods = families(h)
    on_ladders = itertools.cycle(methods)
    for family in known:
        for number, spec in enumerate(specs(family)):
            some = [methods[(number * 5 + shift) % len(methods)] for shift in (0, 3)]
            best = next(on_ladders) if number % 3 == 0 else None
            of_spec = commands(spec, methods if number < 2 else some, best)
            cases += [(f"ends of {family['name']}", words) for words in of_spec.values()]
    if not h.full:
        cases = h.random.sample(cases, 30)
    cases.append(("ends of lwe", commands("lwe:n=2,q=1024", ["adam"])["learn adam"]))
    for category, words in cases:
        def body(words=words):
            nonlocal slowest
            slowest = max(slowest, (run_to_an_end(h, words), " ".join(words)))

        h.case(category, " ".join(words), body)
    print(f"ends: the longest took {slowest[0]:.1f} s: {slowest[1]}")
