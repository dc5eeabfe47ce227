#!/usr/bin/env python3
"""recheck_test.py HARDHEAD: scripts/recheck.py finds a row that says less than the program can do, and no other."""
import os
import subprocess
import sys
import tempfile

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "recheck.py")

# Twice 100 examples are enough for this layer; twice none of the options of phase1 helps anybody on the second. Rows that are
# learnt, and families that are not hard, are left alone.
COMMITTED = """$ hardhead compare parity:d=6,m=2 --method gauss-newton --heads 4 --seeds 2 --examples 100
instance        learner                 degree         recovered: 95%
parity:d=6,m=2  gauss-newton (4 heads)  nothing 2 of 2    0.00 .. 0.84

$ hardhead compare parity:d=6,m=3 nice:d=6,k=2,m=1 --method phase1 --method adam:steps=10 --seeds 2 --examples 1000
instance          learner        degree         recovered: 95%
parity:d=6,m=3    phase1         nothing 2 of 2   0.00 .. 0.84
parity:d=6,m=3    adam:steps=10  learnt 2 of 2    0.00 .. 0.84
nice:d=6,k=2,m=1  phase1         nothing 2 of 2   0.00 .. 0.84
nice:d=6,k=2,m=1  adam:steps=10  nothing 2 of 2   0.00 .. 0.84
"""


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "hard.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(COMMITTED)
        done = subprocess.run([sys.executable, "-B", SCRIPT, program, path, "--time-limit", "60"], capture_output=True,
                              text=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert len(lines) == 3, lines
    assert lines[0].startswith("FLAGGED: parity:d=6,m=2, gauss-newton (4 heads): nothing 2 of 2; with twice"), lines[0]
    assert "--method gauss-newton:oversampling=8,starts=6" in lines[0] and "--examples 200" in lines[0], lines[0]
    assert lines[1].startswith("stands: parity:d=6,m=3, phase1"), lines[1]
    assert lines[2] == "1 rows flagged"


main()
