"""A Darmstadt challenge written by hardhead, read by a reader of its own; fplll reads the matrix file.

    darmstadt_test.py PROGRAM
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile


def read_darmstadt(path):
    """n, m, q, alpha, b, A of the text format of latticechallenge.org."""
    n, m, q, alpha, rest = open(path).read().split(None, 4)
    labels, rows = rest[1:].split("]", 1)
    b = [int(word) for word in labels.split()]
    a = [[int(word) for word in row.split()] for row in rows.replace("[", " ").split("]") if row.strip()]
    return int(n), int(m), int(q), float(alpha), b, a


def hardhead(*arguments):
    run = subprocess.run([sys.argv[1], "lwe", *arguments, "--json"], stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        text, matrix = os.path.join(folder, "c.txt"), os.path.join(folder, "c.fplll")
        hardhead("generate", "lwe:n=10,q=1601,sigma=3.2,samples=40,seed=3", "-o", text)
        n, m, q, alpha, b, a = read_darmstadt(text)
        assert (n, m, q, len(b), len(a)) == (10, 40, 1601, 40, 40), (n, m, q, len(b), len(a))
        assert abs(alpha * q - 3.2) < 1e-12 and all(len(row) == n for row in a)
        secret = hardhead("attack", text)["secret"]
        errors = [(y - sum(x * s for x, s in zip(row, secret))) % q for row, y in zip(a, b)]
        errors = [e - q if e > q // 2 else e for e in errors]
        assert max(map(abs, errors)) <= 16, errors
        print("largest error of the secret that hardhead found in what Python read:", max(map(abs, errors)))

        if not shutil.which("fplll"):
            print("no fplll tools here: the matrix file is not tried on them")
            return
        hardhead("generate", text, "-o", matrix)
        out = subprocess.run(["fplll", "-a", "lll", matrix], stdout=subprocess.PIPE, check=True).stdout.decode()
        short = [int(word) for word in out.replace("[", " ").split("]")[0].split()]
        assert sorted(map(abs, short[:-1])) == sorted(map(abs, errors[: len(short) - 1])), (short, errors)
        print("the first vector that fplll finds in the matrix file is the errors:", short)


main()
