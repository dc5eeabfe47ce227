"""Ranks of an MPI job that are interrupted or killed: all end within seconds, with a message, journals whole."""

import json
import os
import shutil
import signal
import subprocess
import time

environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe",  # the same in Open MPI 5
                   OMPI_MCA_btl_vader_single_copy_mechanism="none")
ranks = 3


def children(pid):
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
    return [int(one) for one in found]


class Job:
    longest = 0.0

    def __init__(self, h, *words):
        self.h = h
        self.process = subprocess.Popen(["mpirun", "-n", str(ranks), h.program, *words, "--threads", "1"], cwd=h.folder,
                                        env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ranks = []
        while len(self.ranks) < ranks and self.process.poll() is None:
            time.sleep(0.02)
            self.ranks = children(self.process.pid)

    def end(self, limit):
        begun = time.monotonic()
        try:
            out, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            for rank in self.ranks:
                try:
                    os.kill(rank, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            out, err = self.process.communicate()
            self.h.expect(False, f"it hangs: {err.decode()[-300:]}")
        took = time.monotonic() - begun
        Job.longest = max(Job.longest, took)
        self.h.expect(took < limit, f"it took {took:.1f} s to end")
        return self.process.returncode, out.decode(), err.decode()


def test(h):
    if not shutil.which("mpirun") or "no MPI" in subprocess.run(
            ["mpirun", "-n", "2", h.program, "families"], env=environment, capture_output=True, text=True).stderr:
        print("ranks: no MPI, skipped")
        return
    limit = 10  # seconds; on an idle machine it is 5

    def time_limit():
        job = Job(h, "learn", "nice:d=12,k=3,m=2", "--time-limit", "1", "--examples", "20000000", "--quiet")
        code, _, err = job.end(60)
        h.expect(code == 0 and "MPI_ERR" not in err, f"exit code {code}: {err[-300:]}")

    for number in range(h.times(1, 5)):
        h.case("a time limit", str(number), time_limit)
    Job.longest = 0.0

    def wrong_on_one():
        # Each rank sees a folder of its own; the file is missing in one.
        job = subprocess.run(["mpirun", "-n", "3", "bash", "-c",
                              'f=data.safetensors; if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then f=none.safetensors; fi; '
                              'exec "$0" learn $f --method phase1 --quiet', h.program], cwd=h.folder, env=environment,
                             capture_output=True, text=True, timeout=60)
        h.expect(job.returncode == 2 and "none.safetensors" in job.stderr and "MPI_ERR" not in job.stderr,
                 f"exit code {job.returncode}: {job.stderr[-300:]}")

    h.run("sample", "nice:d=8,k=3,m=2", "--count", "30000", "-o", "data.safetensors")
    h.case("an error on one rank", "a missing file", wrong_on_one)

    h.write("grid.toml", 'seeds = 40\n[[grid]]\nsource = ["nice"]\nparameters = { d = [8], k = [3], m = [2, 3] }\n'
                         'method = ["gauss-newton"]\n')
    for number in range(h.times(4, 100)):
        whom, what = number % ranks, (signal.SIGTERM, signal.SIGINT, signal.SIGKILL)[number // ranks % 3]
        shared = number % 2 == 0

        def body(whom=whom, what=what, shared=shared):
            shutil.rmtree(h.path("out"), ignore_errors=True)
            words = ["sweep", "grid.toml", "--out", "out"] if shared else ["learn", "nice:d=32,k=3,m=4"]
            job = Job(h, *words)
            time.sleep(h.random.uniform(0.3, 2.5))
            if job.process.poll() is None:
                try:
                    os.kill(job.ranks[whom], what)
                except ProcessLookupError:
                    pass
            code, out, err = job.end(limit)
            h.expect("MPI_ERR" not in err, err[-300:])
            h.expect(code != 0 or out, "it ended without an answer")
            h.expect(code == 0 or err, "it ended without a message")
            journal = h.path("out/journal.jsonl")
            if os.path.exists(journal):
                with open(journal) as file:
                    for line in file:
                        json.loads(line)

        h.case("signals to one rank",
               f"rank {whom}, {signal.Signals(what).name}, {'sweep' if shared else 'learn'}", body)
    print(f"ranks: the longest time from a signal to the end: {Job.longest:.1f} s")
