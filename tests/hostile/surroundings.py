"""What a process finds: closed descriptors, full devices, devices in place of files, limits."""

import itertools
import os
import signal
import subprocess

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
    for limit in ("-v 150000", "-v 200000", "-v 400000", "-v 1000000", "-f 0", "-f 1", "-n 4", "-n 8", "-s 256",
                  "-c 0", "-d 60000", "-d 200000", "-i 0", "-l 0", "-m 1000", "-q 0", "-u 1", "-x 0"):
        for words in (["families"], [*learn, "--threads", "64", "-o", "out"], [*compare, "--journal", "j2"]):
            def body(limit=limit, words=words):
                run = h.run(*words, shell=f"ulimit {limit} || exit 2")
                if run.code == 127 or "cannot allocate" in run.err or "error while loading" in run.err:
                    return  # not even loaded
                h.expect_answer(run)
            h.case("ulimit", f"{limit} {words[0]}", body)


def processor_time(h):
    def body():
        run = h.run("learn", "nice:d=64,k=3,m=4", "-o", "layer", shell="ulimit -S -t 1")
        h.expect_answer(run, (128 + signal.SIGXCPU,))
        h.expect("hardhead: " in run.err, "no message")

    h.case("ulimit", "-t 1", body)


def small_disks(h):
    """A disk of 256 KiB that is full from some moment on."""
    namespace = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    os.mkdir(h.path("disk"))
    mount = "mount -t tmpfs -o size=256k none disk"
    if subprocess.run([*namespace, "bash", "-c", mount], cwd=h.folder, capture_output=True).returncode != 0:
        print("surroundings: no file system may be mounted here: disks of 256 KiB skipped")
        return
    h.write("many.toml", "seeds = 300\n[[grid]]\nsource='nice:d=4,k=2,m=1'\nmethod='phase1'\nexamples=200\n")
    commands = [["sample", "nice:d=4,k=2,m=1", "--count", "3000", "-o", "file"],
                ["generate", "nice:d=64,k=2,m=2", "-o", "file"],
                ["lwe", "generate", "lwe:n=40,samples=200", "-o", "file.json"], [*learn, "-o", "file"],
                [*compare, "--seeds", "100", "--journal", "journal.jsonl"],
                ["sweep", "../many.toml", "--out", ".", "--quiet"]]
    # Then what is there: no part of a line, no temporary file, and what was there before.
    after = ('; code=$?; ls -A; [ "$(cat old)" = old ] || echo LOST; '
             'if [ -s journal.jsonl ]; then grep -qv "^{.*}$" journal.jsonl && echo PART; fi; exit $code')
    full = ("No space left", "disk is full")
    for number in range(h.times(len(commands), 40 * len(commands))):
        words = commands[number % len(commands)]
        filled = h.random.randrange(0, 256)

        def body(words=words, filled=filled):
            run = h.execute([*namespace, "bash", "-c", mount + f" && cd disk && echo old >old && head -c {filled}K "
                             '/dev/zero >filler; "$@"' + after, "bash", h.program, *words])
            h.expect_answer(run, (0, 2))
            h.expect(run.code == 0 or any(text in run.err for text in full), f"another message: {run.err[-200:]}")
            listed = run.out.split()
            for wrong in ("LOST", "PART"):
                h.expect(wrong not in listed, f"{wrong}: {run.out[-300:]}")
            h.expect(not any(name.endswith(".tmp") for name in listed), f"left behind: {listed}")

        h.case("disks of 256 KiB", f"{words}, {filled} KiB taken", body)


def test(h):
    descriptors(h)
    full_devices(h)
    devices(h)
    limits(h)
    processor_time(h)
    small_disks(h)
