"""What the hostile tests have in common: a scratch folder, runs of the program, and what no run may do."""

import errno
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile

#: 0 answered, 2 bad input, 3 over budget, 4 not recovered.
answers = (0, 2, 3, 4)
#: What a call that fails says.
errors = {"write": errno.ENOSPC, "fsync": errno.EIO, "rename": errno.EACCES, "open": errno.EMFILE,
          "malloc": errno.ENOMEM}


class Failure(Exception):
    """The program did what it must not do."""


class Run:
    """One run of the program: its exit code (negative for the signal that ended it), and what it said."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


class Harness:
    """Runs `program` in a scratch folder. `full` asks for the whole suite; else a short part of it."""

    def __init__(self, program, full, seed, shim):
        self.program, self.full, self.seed = os.path.abspath(program), full, seed
        self.shim = shim and os.path.abspath(shim)
        self.random = random.Random(seed)
        self.folder = tempfile.mkdtemp(prefix="hardhead-hostile-")
        self.counts = {}
        self.failures = []

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def times(self, short, whole):
        return whole if self.full else short

    def run(self, *arguments, shell="", **more):
        """Runs the program; `shell` is what a shell does before it, in place of which the program is run then."""
        command = [self.program, *arguments]
        return self.execute(["bash", "-c", shell + '; exec "$@"', "bash", *command] if shell else command, **more)

    def execute(self, command, timeout=60, **more):
        options = dict(cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        process = subprocess.Popen(command, **{**options, **more})
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failure(f"took longer than {timeout} s") from None
        return Run(process.returncode, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace"))

    def fault(self, call, number):
        """The environment in which the call of this number fails, and makes the file fault.log."""
        return dict(os.environ, LD_PRELOAD=self.shim, FAULT_CALL=call, FAULT_AT=str(number),
                    FAULT_ERRNO=str(errors[call]), FAULT_LOG=self.path("fault.log"))

    def expect(self, condition, what):
        if not condition:
            raise Failure(what)

    def expect_answer(self, run, codes=answers):
        """It ended by itself, with one of these codes, with a message where it refused, and left nothing unfinished."""
        self.expect(run.code in codes, f"exit code {run.code}: {run.err[-300:]}")
        self.expect("internal error" not in run.err and "terminate called" not in run.err, run.err[-300:])
        self.expect_nothing_unfinished()

    def expect_nothing_unfinished(self):
        left = [os.path.join(where, name) for where, folders, files in os.walk(self.folder) for name in folders + files
                if re.fullmatch(r"\.hardhead-[0-9a-f]{16}\.tmp", name)]
        for path in left:
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
        self.expect(not left, f"left behind: {[os.path.relpath(path, self.folder) for path in left]}")

    def case(self, category, name, body):
        """Counts a case; a failure is kept and printed, and the next case goes on."""
        self.counts[category] = self.counts.get(category, 0) + 1
        try:
            body()
        except Failure as failure:
            self.failures.append(f"{category}: {name}: {failure}")
            print("FAILED", self.failures[-1], flush=True)


def signal_name(number):
    return signal.Signals(number).name
