"""`pip install .` into a fresh virtual environment, and what README.md and docs/python.md promise there.

The wheel is made of the finished build that HARDHEAD_BUILD_DIR names. NumPy and Matplotlib are the system's."""
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
SHOWN = (TOP / "docs/python.md").read_text()


def lines_of(path):
    return [line for line in path.read_text().splitlines() if line.strip()]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if any(importlib.util.find_spec(name) is None for name in ("venv", "pip")):
            raise unittest.SkipTest("venv or pip is missing (Debian: python3-venv, python3-pip)")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        # The system's pip and NumPy are seen in it; nothing is fetched.
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", cls.folder / "venv"], check=True)
        cls.python = cls.folder / "venv/bin/python"
        cls.environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        cls.environment["MPLCONFIGDIR"] = str(cls.folder)
        said = cls.run_python("-m", "pip", "install", "--no-index", "--disable-pip-version-check", TOP, cwd=cls.folder)
        assert "Successfully installed hardhead" in said, said

    @classmethod
    def run_python(cls, *words, **how):
        done = subprocess.run([cls.python, *words], env=cls.environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False, **{"cwd": cls.folder, **how})
        assert done.returncode == 0, done.stdout
        return done.stdout

    def test_it_is_the_installed_one_and_says_what_it_needs(self):
        where, version, installed = self.run_python(
            "-c", "import hardhead, importlib.metadata as m; print(hardhead.__file__, hardhead.__version__, m.version('hardhead'))").split()
        self.assertTrue(where.startswith(str(self.folder / "venv")), where)
        self.assertEqual(version, installed)
        packages = pathlib.Path(where).with_name("debian_packages.txt").read_text().split()
        if pathlib.Path("/usr/bin/dpkg").exists():
            self.assertLessEqual({"libtbb12", "coinor-libclp1"}, set(packages))
            self.assertFalse([package for package in packages if package.startswith(("libc6", "libstdc", "lib32"))])

    def test_a_learner_of_ones_own_in_fifteen_lines(self):
        own = self.folder / "own_learner.py"
        own.write_text(next(block for block in re.findall(r"```python\n(.*?)```", SHOWN, re.DOTALL) if "def affine" in block))
        self.assertLessEqual(len(lines_of(own)), 15)
        said = self.run_python(own)
        row = r"(nice|parity):\S+ +(affine|gauss-newton) +(\d) of 6 \((\S+) \.\. (\S+)\) +\d +(\S+) \((\S+) \.\. (\S+)\)"
        rows = {(family, learner): list(map(float, numbers)) for family, learner, *numbers in re.findall(row, said)}
        self.assertEqual(len(rows), 4, said)
        for learnt, low, high, advantage, least, most in rows.values():
            self.assertTrue(low <= learnt / 6 <= high and least <= advantage <= most, said)
        self.assertEqual(rows["nice", "gauss-newton"][0], 6)
        for family in ("nice", "parity"):
            self.assertEqual(rows[family, "affine"][0], 0)
            self.assertLess(rows[family, "affine"][5], 0.1)

    def hook(self, call, folder, **environment):
        """A hook of the build, called as pip does."""
        return subprocess.run([self.python, "-c", f"import hardhead_build; print(hardhead_build.{call})"], text=True,
                              env={**self.environment, "PYTHONPATH": str(TOP / "python/packaging"), **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=folder)

    def test_a_build_of_another_python_is_refused(self):
        with tempfile.TemporaryDirectory() as empty:
            for call in ("prepare_metadata_for_build_wheel('.')", "build_wheel('.')"):
                done = self.hook(call, empty, HARDHEAD_BUILD_DIR=empty)
                self.assertEqual(done.returncode, 1, call)
                self.assertIn(empty, done.stdout, call)
            self.assertEqual(os.listdir(empty), [])

    def test_the_metadata_are_those_of_the_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.hook("prepare_metadata_for_build_wheel('.')", folder)
            self.assertEqual(done.returncode, 0, done.stdout)
            prepared = pathlib.Path(folder) / done.stdout.split()[-1] / "METADATA"
            installed, = (self.folder / "venv").rglob("hardhead-*.dist-info/METADATA")
            self.assertEqual(prepared.read_text(), installed.read_text())

    def test_what_is_missing_is_said_before_anything_is_compiled(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.hook("prepare_metadata_for_build_wheel('.')", folder, HARDHEAD_BUILD_DIR="", PATH=folder)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stdout, r"cmake is missing\. .*package")
            self.assertEqual(os.listdir(folder), [])


if __name__ == "__main__":
    unittest.main()
