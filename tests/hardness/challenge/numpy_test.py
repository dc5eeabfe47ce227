"""numpy_test.py PROGRAM: the Python of docs/challenges/README.md solves a challenge by NumPy alone.

Exits 77 (skipped) where NumPy is missing.
"""
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.path.abspath(sys.argv[1])

with open(os.path.join(TOP, "docs", "challenges", "README.md"), encoding="utf-8") as readme:
    [script] = re.findall(r"```python\n(.*?)```", readme.read(), re.S)

with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "solve.py"), "w", encoding="utf-8") as file:
        file.write(script)

    def run(*words):
        return subprocess.run(words, cwd=folder, check=True, text=True, stdout=subprocess.PIPE).stdout

    # 2 x 40 bits are one block of the generator, 2 x 140 are two.
    for spec in ("parity:d=40,m=6", "parity:d=140,m=9"):
        run(PROGRAM, "challenge", "make", spec, "-n", "5000", "-o", "c.safetensors")
        assert "right: True" in run(sys.executable, "solve.py", "c.safetensors", "answer.json")
        said = run(PROGRAM, "challenge", "verify", "c.safetensors", "answer.json")
        assert "RIGHT" in said, said
        print(said, end="")
