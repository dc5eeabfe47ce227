#!/usr/bin/env python3
"""interrupt_test.py HARDHEAD [TRIES [LIMIT [SEED]]]: starts every long command with sizes that take longer than anyone
waits, sends SIGTERM at a random moment of the first 1.2 seconds, and checks that it ends within LIMIT seconds (default 1)
with exit code 143 (128 + SIGTERM's number), whole files and nothing temporary. Prints the latencies."""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

PROGRAM = os.path.abspath(sys.argv[1])
TRIES = int(sys.argv[2]) if len(sys.argv) > 2 else 1
LIMIT = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 1

SWEEP = """seeds = 1000
[[grid]]
source = ["nice:d=24,k=3,m=2", "parity:d=16,m=3"]
method = ["sculpt", "gauss-newton"]
"""

# Each writes to out* if to anything; {data} is a data set, {layer} a layer, both large.
COMMANDS = [
    "learn nice:d=64,k=3,m=4 --method sculpt -o out.safetensors",
    "learn nice:d=12,k=3,m=3 --method paper --heads 3 -o out.safetensors",
    "learn parity:d=32,m=8 --method gauss-newton --examples 40000 -o out.safetensors",
    "learn nice:d=64,k=8,m=8 --method gauss-newton --heads 8 -o out.safetensors",
    "learn nice:d=64,k=8,m=8 --method adam --heads 8 -o out.safetensors",
    "learn nice:d=64,k=8,m=8 --method lbfgs --heads 8 -o out.safetensors",
    "learn nice:d=512,k=16,m=64 --method phase1 -o out.safetensors",
    "learn {data} --method sculpt -o out.safetensors",
    "learn nice:d=8,k=2,m=2 --examples 3000 --method|exec:trap '' TERM; sleep 100; true|-o|out.safetensors",
    "compare nice:d=24,k=3,m=2 parity:d=16,m=3 --seeds 1000 --jobs 2 --journal out.jsonl",
    "sweep sweep.toml --out out --jobs 2",
    "reproduce --out out",
    "reproduce R5 R7 R12 --out out",
    "demo",
    "sample nice:d=64,k=4,m=4 -n 3000000 -o out.safetensors",
    "sample {layer} -n 3000000 -o out.safetensors",
    "generate nice:d=1024,k=2,m=64 -o out.safetensors",
    "generate orthogonal:d=1024,m=16 -o out.safetensors",
    "inspect {layer}",
    "certify nice:d=1024,m=16",
    "certify transformer:d=512,m=8",
    "certify {layer}",
    "suite --verify",
    "suite nice:d=1024,m=64 orthogonal:d=1024,m=64",
    "sq play parity:d=24,m=6",
    "sq play parity:d=24,m=12 --learner combination",
    "sq play parity:d=24,m=5 --oracle honest --tolerance 1/500",
    "sq dimension subsets:n=24,m=3 --definition average",
    "sq dimension thresholds:n=12 --definition average",
    "sq dimension points:n=12 --definition separation",
    "sq bound parity:d=24,m=3",
    "lwe generate lwe:n=512,q=12289,samples=40000 -o out.json",
    "lwe generate lwe:n=512,q=12289,samples=40000 -o out.txt",
    "lwe attack lwe:n=2500,q=12289,sigma=0,samples=3000 --method elimination -o out.json",
    "lwe attack lwe:n=6,q=97,sigma=1,samples=60 --method exhaustive -o out.json",
    "lwe attack lwe:n=24,q=97,sigma=1,samples=100,secret=ternary --method exhaustive -o out.json",
    "lwe attack lpn:n=40,rate=0.2,samples=2000000 --method bkw -o out.json",
    "lwe attack lwe:n=90,q=12289,sigma=3.2,samples=200 --method kannan -o out.json",
    "lwe attack lwe:n=90,q=12289,sigma=3.2,samples=200 --method kannan-fplll -o out.json",
    "lwe attack lwe:n=2500,q=12289,sigma=0,samples=3000 --method arora-ge -o out.json",
    "lwe attack lwr:n=150,q=16,p=11,samples=60000 --method low-bits -o out.json",
    "lwe attack lwe:n=60,q=4093,sigma=2,samples=200 -o out.json",
    "lwe attack lwe:n=60,q=4093,sigma=2,samples=200 --method all",
    "lwe distinguish lwr:n=4 --trials 100000",
    "lwe distinguish lwr:n=6,q=64,p=4 --method exhaustive --trials 100000",
]


def words(command, prepared):
    parts = command.format(**prepared).split("|")
    return parts[0].split() + (parts[1:] if len(parts) > 1 else [])


def wait_for_the_handler(process):
    """Until then the program has not begun: a signal ends it as any other."""
    while process.poll() is None:
        with open(f"/proc/{process.pid}/status") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        if caught >> (signal.SIGTERM - 1) & 1:
            return
        time.sleep(0.005)


def prepare(folder):
    prepared = {name: os.path.join(folder, name + ".safetensors") for name in ("data", "layer")}
    run = lambda *command: subprocess.run([PROGRAM, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    run("generate", "nice:d=512,k=2,m=16", "-o", prepared["layer"])
    run("sample", "nice:d=32,k=4,m=2", "-n", "200000", "-o", prepared["data"])
    return prepared


def faults_of(folder, temporary, said):
    """What is half-written or left behind."""
    faults = [f"left in TMPDIR: {name}" for name in os.listdir(temporary)]
    for where, folders, files in os.walk(folder):
        faults += [f"left behind: {name}" for name in folders if name.startswith(".figure")]
        for name in files:
            path = os.path.join(where, name)
            if name.endswith(".tmp"):
                faults.append(f"left behind: {name}")
            elif name.endswith(".safetensors"):
                if subprocess.run([PROGRAM, "inspect", path], capture_output=True).returncode != 0:
                    faults.append(f"cannot be read: {name}")
            elif name.endswith(".json"):
                json.load(open(path))
            elif name.endswith(".jsonl"):
                for line in open(path).read().split("\n")[:-1]:
                    json.loads(line)
    if "internal error" in said:
        faults.append(said)
    return faults


def finished_by_itself(code, said, command, folder):
    """Whether the signal met a process that had done all its work: it says nothing of a stop, and its file is there."""
    wanted = [word for word in command.replace("|", " ").split() if word.startswith("out.")]
    return code == 0 and "stopped" not in said and all(os.path.exists(os.path.join(folder, name)) for name in wanted)


def interrupt(command, moments, prepared):
    """Starts the command and interrupts it, at each of the moments (seconds): latencies, how many had ended before, how
    many were ended by force, faults."""
    latencies, early, forced, faults = [], 0, 0, []
    for moment in moments:
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as temporary:
            with open(os.path.join(folder, "sweep.toml"), "w") as file:
                file.write(SWEEP)
            process = subprocess.Popen([PROGRAM, *words(command, prepared)], cwd=folder, text=True,
                                       env={**os.environ, "TMPDIR": temporary},
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            wait_for_the_handler(process)
            time.sleep(moment)
            ended_before = process.poll() is not None
            early += ended_before
            sent = time.monotonic()
            process.send_signal(signal.SIGTERM)
            try:
                said = process.communicate(timeout=30)[1]
            except subprocess.TimeoutExpired:
                process.kill()
                said = process.communicate()[1]
            latencies.append(time.monotonic() - sent)
            forced += "cannot be cut short" in said
            if not ended_before and finished_by_itself(process.returncode, said, command, folder):
                ended_before = True
                early += 1
            if process.returncode != (0 if ended_before else 128 + signal.SIGTERM):
                faults.append(f"exit code {process.returncode}: {said[-200:]}")
            if latencies[-1] > LIMIT:
                faults.append(f"{latencies[-1]:.2f} s")
            faults += faults_of(folder, temporary, said)
    return latencies, early, forced, faults


def main():
    draw = random.Random(SEED)
    moments = [[draw.uniform(0, 1.2) for _ in range(TRIES)] for _ in COMMANDS]
    all_latencies, broken, forced_all = [], 0, 0
    # Two at a time: each mostly waits for its moment.
    with tempfile.TemporaryDirectory() as base, ThreadPoolExecutor(2) as pool:
        prepared = prepare(base)
        results = pool.map(interrupt, COMMANDS, moments, [prepared] * len(COMMANDS))
        for command, (latencies, early, forced, faults) in zip(COMMANDS, results):
            all_latencies += latencies
            forced_all += forced
            broken += bool(faults)
            note = (f"; {early} ended before" if early else "") + (f"; {forced} by force" if forced else "")
            print(f"{max(latencies):5.2f} s  {command[:90]}{note}", flush=True)
            for fault in faults:
                print("         FAULT:", fault, flush=True)
    all_latencies.sort()
    print(f"{len(COMMANDS)} commands, {len(all_latencies)} signals: median {all_latencies[len(all_latencies) // 2]:.2f} s, "
          f"largest {all_latencies[-1]:.2f} s, {forced_all} ended by force; {broken} commands with faults")
    return 1 if broken else 0


sys.exit(main())
