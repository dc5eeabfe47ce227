#!/usr/bin/env python3
"""snippets_test.py PROGRAM [PATH-OF-THE-MODULE]: what README.md and docs/*.md show does what it should.

Command lines of code blocks that begin with `hardhead` are run, each document's in a folder of its own with the files that such
lines speak of. Those of LONG and those with a placeholder are not: tests/app/help_test.cc holds their flags, as those of all others. Scripts are there and executable. The C++ block
is the first of examples/, the CMake block that of tests/consumer, TOML blocks are sweeps that begin, Python blocks run where the module is built.
"""
import glob
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

from torch_model import write_model

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.path.abspath(sys.argv[1])
MODULE = sys.argv[2] if len(sys.argv) > 2 else None
LIMIT = 240  # seconds a line, on a machine that does other things too

PLACEHOLDER = re.compile(r"\b(DIR|COMMAND)\b")
# Too long for a test, some of them hours.
LONG = """
hardhead learn transformer:d=768,k=16,m=12 --method gauss-newton:rank=64 --heads 12
hardhead learn transformer:d=768,k=16,m=12 --method mobius --length free
hardhead atlas --quick --out atlas
hardhead atlas --jobs 2 --threads 2 --out atlas
hardhead atlas --jobs 2 --threads 2 --out docs/results/atlas
hardhead reproduce --out claims
hardhead reproduce --quick --out claims
hardhead reproduce R1 --seed 1001 --out claims-again
hardhead report claims
hardhead compare suite:parity-v1 --method gauss-newton --time-limit 60
""".strip().split("\n")

STUDY = "[[grid]]\nsource = 'nice:d=8,k=2,m=1'\nmethod = 'gauss-newton'\nheads = 'told'\nexamples = 1000\n"
failures = []


def blocks(text):
    """(language, lines) of each block: of a fenced one, or of an indented one ("")."""
    fence, indented = None, []
    for line in text.split("\n") + [""]:
        if fence is None and line.startswith("    "):
            indented.append(line[4:])
            continue
        if indented:
            yield "", indented
            indented = []
        if line.startswith("```"):
            if fence is None:
                fence = (line[3:].strip(), [])
            else:
                yield fence
                fence = None
        elif fence is not None:
            fence[1].append(line)


def environment():
    out = dict(os.environ, PATH=os.path.dirname(PROGRAM) + os.pathsep + os.environ["PATH"])
    if MODULE:
        out["PYTHONPATH"] = MODULE
    return out


def prepare(folder):
    """The files that command lines of the documents read."""
    for name in ("study.toml", "mine.toml", "s.toml"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(STUDY)
    write_model(os.path.join(folder, "model.safetensors"))
    for line in ("generate nice:d=8,k=2,m=2,seed=7 -o layer.safetensors",
                 "sample layer.safetensors -n 20000 -o data.safetensors --quiet"):
        subprocess.run([PROGRAM, *line.split()], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def run(where, command, folder):
    started = time.monotonic()
    with subprocess.Popen(command, cwd=folder, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          shell=isinstance(command, str), start_new_session=True) as process:
        try:
            said, _ = process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the shell and what it has started
            failures.append(f"{where}: {command}: more than {LIMIT} s")
            return ""
    print(f"{time.monotonic() - started:7.1f} s  {where}: {command if isinstance(command, str) else 'Python'}", flush=True)
    if process.returncode != 0:
        failures.append(f"{where}: {command}: exit code {process.returncode}\n{said[-2000:]}")
    elif isinstance(command, str) and not said and ">" not in command:
        failures.append(f"{where}: {command}: said nothing")
    return said


def compare_table(where, text, said):
    """The rows of README.md's table are those that its command prints: degrees, and errors up to what compilers change."""
    row = r"((?:recovered|learnt|partly|nothing) \d of \d)"
    shown = re.findall(row + r" \| ([\d.e-]+) \|", text)
    printed = re.findall(row + r" +([\d.e-]+) ", said)
    if len(shown) != 4 or len(shown) != len(printed) or any(
            a[0] != b[0] or not 0.5 < float(a[1]) / float(b[1]) < 2 for a, b in zip(shown, printed)):
        failures.append(f"{where}: the table shows {shown}, the program says {printed}")


def begins_as_sweep(where, lines, folder):
    """The program reads the file and says what it will run; then it is stopped."""
    with open(os.path.join(folder, "shown.toml"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))
    with subprocess.Popen([PROGRAM, "sweep", "shown.toml", "--out", "shown"], cwd=folder, text=True,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        said = process.stderr.readline()
        process.terminate()
        process.stderr.read()
    if " runs" not in said:
        failures.append(f"{where}: the sweep says '{said}'")


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def without_first_comment(text):
    return re.sub(r"\A(?:#|//).*\n", "", text)


def check(document, folder):
    where = os.path.relpath(document, TOP)
    count = 0
    for language, lines in blocks(re.sub(r" *\\\n +", " ", read(document))):  # a line may go on after a backslash
        code = "\n".join(lines) + "\n"
        if language == "cpp" and code != read("examples/1_learn_a_layer.cc"):
            failures.append(f"{where}: the C++ block is not examples/1_learn_a_layer.cc")
        elif language == "cmake" and "project(" in code and code != without_first_comment(read("tests/consumer/CMakeLists.txt")):
            failures.append(f"{where}: the CMake block is not tests/consumer/CMakeLists.txt")
        elif language == "toml":
            begins_as_sweep(where, lines, folder)
        elif language == "python" and ".plot(" in code and importlib.util.find_spec("matplotlib") is None:
            print(f"skipped: {where}: Matplotlib is missing (Debian: python3-matplotlib)")
        elif language == "python" and MODULE:
            # The weights that README.md takes from a layer of PyTorch's.
            weights = "import numpy\nin_proj_weight = numpy.random.randn(192, 64)\nout_proj_weight = numpy.random.randn(64, 64)\n"
            run(where, [sys.executable, "-B", "-c", weights + code], folder)
        elif language == "":
            for line in lines:
                command = line.split("  ")[0].strip()
                if PLACEHOLDER.search(command):
                    continue
                if command in LONG:
                    count += 1
                    unused.discard(command)
                elif command.startswith("hardhead "):
                    count += 1
                    said = run(where, command, folder)
                    if where == "README.md" and command.startswith("hardhead compare "):
                        compare_table(where, read(document), said)
                elif command.startswith("scripts/"):
                    script = command.split()[0]
                    if not os.access(os.path.join(TOP, script), os.X_OK):
                        failures.append(f"{where}: {script} is not there to be run")
    return count


unused = set(LONG)
shown = 0
for page in [os.path.join(TOP, "README.md"), *sorted(glob.glob(os.path.join(TOP, "docs", "*.md")))]:
    if os.path.basename(page) == "commands.md":
        continue  # its examples are those of --help, which tests/app/help_test.cc runs
    with tempfile.TemporaryDirectory() as temporary:
        prepare(temporary)
        shown += check(page, temporary)
if shown < 20:
    failures.append(f"only {shown} command lines found")
failures.extend(f"no document shows: {line}" for line in sorted(unused))
print("\n".join(failures), file=sys.stderr)
sys.exit(1 if failures else 0)
