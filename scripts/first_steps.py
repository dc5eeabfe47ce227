#!/usr/bin/env python3
"""first_steps.py PROGRAM: prints what a first reader sees: README.md's commands with their seconds, its table at two widths,
and every command's help in a terminal of 80 columns.

Commands run one after the other in an empty folder with the files that they read: study.toml of docs/start.md, layer.safetensors
and data.safetensors as that page makes them, model.safetensors of the tests. One that takes more than LIMIT seconds of a core
is stopped. Those of MINUTES, of which README.md says so, are left out.
"""
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(TOP, "tests", "app"))
from torch_model import write_model  # noqa: E402  the tests' own

LIMIT = 120
MINUTES = ("atlas", "reproduce")
LAYERS = ("generate nice:d=8,k=2,m=2,seed=7 -o layer.safetensors", "sample layer.safetensors -n 20000 -o data.safetensors")


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as file:
        return file.read()


def commands():
    """Those of README.md's code blocks, without what is said of them."""
    lines = re.findall(r"^    (hardhead .*)$", re.sub(r" *\\\n +", " ", read("README.md")), re.MULTILINE)
    return [re.split(r"  +", line)[0] for line in lines]


def run(program, command, folder, width=None):
    """Seconds, those of its cores together, exit code (below 0: stopped), and what was printed."""
    environment = dict(os.environ, NO_COLOR="1", PATH=os.path.dirname(program) + os.pathsep + os.environ["PATH"])
    if width:
        environment["COLUMNS"] = str(width)
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(["bash", "-c", f"ulimit -t {LIMIT}; exec {command}"], cwd=folder, env=environment, text=True,
                          capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    of_cores = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - started, of_cores, done.returncode, done.stdout


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "study.toml"), "w", encoding="utf-8") as file:
            file.write(re.search(r"```toml\n(.*?)```", read("docs/start.md"), re.DOTALL).group(1))
        write_model(os.path.join(folder, "model.safetensors"))
        for line in LAYERS:
            subprocess.run([program, *line.split(), "--quiet"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        print("README.md's commands, with the seconds that passed, those of all cores together, and the exit code:\n")
        print("  seconds  of cores  exit code  command")
        table = None
        for command in (line for line in commands() if line.split()[1] not in MINUTES):
            table = table or (command if command.startswith("hardhead compare") else None)
            seconds, of_cores, code, _ = run(program, command, folder)
            print(f"{seconds:9.1f}  {of_cores:8.1f}  {code:9}  {command}", flush=True)
        for width in (80, 160):
            print(f"\n$ COLUMNS={width} {table}\n{run(program, table, folder, width)[3].rstrip()}")
        for name in re.findall(r"^### (hardhead(?: [a-z]+)+)", read("docs/commands.md"), re.MULTILINE):
            print(f"\n$ COLUMNS=80 {name} --help\n{run(program, name + ' --help', folder, 80)[3].rstrip()}")


main()
