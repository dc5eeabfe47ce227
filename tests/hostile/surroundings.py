"""What a process finds: closed descriptors, full devices, devices in place of files, limits."""

import itertools
import os

learn = ["learn", "nice:d=4,k=2,m=1", "--method", "phase1", "--examples", "200"]
compare = ["compare", "nice:d=4,k=2,m=1", "--method", "phase1", "--examples", "200"]


def descriptors(h):
    for closed in itertools.chain.from_iterable(itertools.combinations("012", n) for n in (1, 2, 3)):
        shell = "exec " + " ".join(f"{number}>&-" for number in closed)

        def body(shell=shell):
            if os.path.exists(h.path("j")):
                os.remove(h.path("j"))
            run = h.run(*compare, "--journal", "j", shell=shell)
            h.expect_answer(run)
            lines = h.read("j").decode().splitlines()
            h.expect(len(lines) == 1 and lines[0].startswith('{"run":'), f"the journal has {lines}")

        h.case("descriptors closed", shell, body)


def full_devices(h):
    for stream, words, codes in (("2", ["learn", "nise"], (2,)), ("2", learn, (0,)), ("1", learn, (2,)),
                                 ("2", compare, (0,)), ("1", ["families"], (2,))):
        h.case("full devices", f"{words} {stream}>/dev/full",
               lambda s=stream, w=words, c=codes: h.expect_answer(h.run(*w, shell=f"exec {s}>/dev/full"), c))


def devices(h):
    """Devices, pipes and folders in place of each file that is read or written."""
    os.mkfifo(h.path("pipe"))
    os.mkdir(h.path("folder"))
    places = {"journal": [*compare, "--journal"], "output": [*learn, "-o"], "inspect": ["inspect"], "learn": ["learn"],
              "generate": ["generate", "nice:d=4", "-o"], "sweep": ["sweep"],
              "sweep folder": ["sweep", "s.toml", "--out"],
              "lwe": ["lwe", "attack"], "report": ["report"], "truth": [*learn, "--truth"],
              "sample": ["sample", "nice:d=4", "--count", "10", "-o"]}
    h.write("s.toml", "[[grid]]\nsource='nice:d=4,k=2,m=1'\nmethod='phase1'\nexamples=200\n")
    for place, words in places.items():
        for thing in ("/dev/null", "/dev/zero", "/dev/full", "pipe", "folder", "none/none", ""):
            if place == "sweep folder" and thing in ("folder", "none/none"):
                continue  # made where it is not there
            h.case("devices in place of files", f"{place} {thing}",
                   lambda w=words, t=thing: h.expect_answer(h.run(*w, t, timeout=20), (2,)))
    # What is no journal stays as it was.
    for text in ("x", "two\nlines", '{"a": 1}'):
        def body(text=text):
            h.write("a.txt", text)
            h.expect_answer(h.run(*compare, "--journal", "a.txt"), (2,))
            h.expect(h.read("a.txt").decode() == text, f"{text!r} became {h.read('a.txt')!r}")
        h.case("files that are no journal", repr(text), body)


def limits(h):
    for limit in ("-v 150000", "-v 200000", "-v 400000", "-v 1000000", "-f 0", "-f 1", "-n 4", "-n 8", "-s 256"):
        for words in (["families"], [*learn, "--threads", "64", "-o", "out"], [*compare, "--journal", "j2"]):
            def body(limit=limit, words=words):
                run = h.run(*words, shell=f"ulimit {limit} || exit 2")
                if run.code == 127 or "cannot allocate" in run.err or "error while loading" in run.err:
                    return  # not even loaded
                h.expect_answer(run)
            h.case("ulimit", f"{limit} {words[0]}", body)


def test(h):
    descriptors(h)
    full_devices(h)
    devices(h)
    limits(h)
