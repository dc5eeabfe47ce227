"""Wheels of the Python module for pip (PEP 517): the module that CMake builds, and what it needs to run.

By default the module is built in build/wheel, which takes some minutes. A finished build, of the same Python, is taken as it
is if the config setting `build-dir` or the environment variable HARDHEAD_BUILD_DIR names it:

    pip install . --config-settings build-dir=build/release

The libraries that the module is linked with are not in the wheel. Its metadata name their Debian packages
(Requires-External), and so does the error of an import that misses one.
"""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[2]
ALWAYS_THERE = re.compile(r"(libc|libm|libgcc_s|libstdc\+\+|ld-linux.*)\.so")


def _run(*command):
    """What the command prints. It is passed on to stderr, since stdout is between pip and this hook."""
    try:
        done = subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, text=True, check=True)
    except FileNotFoundError as error:
        raise SystemExit(f"{command[0]} is missing: scripts/packages.txt lists the Debian packages that a build needs") from error
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error.stdout}\n{' '.join(map(str, command))}: exit code {error.returncode}") from error
    print(done.stdout, file=sys.stderr)
    return done.stdout


def _build():
    folder = TOP / "build/wheel"
    _run("cmake", "--preset", "release", "-B", folder, "-DHARDHEAD_BUILD_TESTS=OFF", "-DHARDHEAD_BUILD_BENCH=OFF",
         "-DHARDHEAD_PYTHON_MODULE=ON", f"-DPython3_EXECUTABLE={sys.executable}")
    _run("cmake", "--build", folder, "--target", "hardhead_python")
    return folder


def _needed_packages(library):
    """Of the Debian packages with the shared libraries that `library` names; none on other systems."""
    names = [name for name in re.findall(r"NEEDED.*\[(.*)\]", _run("readelf", "-d", library)) if not ALWAYS_THERE.match(name)]
    try:
        found = subprocess.run(["dpkg", "-S", *(f"*/{name}" for name in names)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, check=False).stdout
    except FileNotFoundError:
        return []
    return sorted({line.split(":")[0] for line in found.splitlines() if pathlib.Path(line).name in names})


def _metadata(version, packages):
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", "Name: hardhead", f"Version: {version}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, all_needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {needed} ; extra == '{extra}'" for needed in all_needed)]
    lines += [f"Requires-External: {package}" for package in packages]
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", (TOP / project["readme"]).read_text()])


def _write_wheel(path, files):
    """`files`: bytes by their names in the wheel, those of .dist-info last."""
    record = ""
    folder = [name for name in files if name.endswith(".dist-info/METADATA")][0].rpartition("/")[0]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(content)}\n"
            wheel.writestr(name, content)
        wheel.writestr(f"{folder}/RECORD", f"{record}{folder}/RECORD,,\n")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook that pip calls; returns the wheel's name."""
    given = (config_settings or {}).get("build-dir") or os.environ.get("HARDHEAD_BUILD_DIR")
    build = pathlib.Path(given).resolve() if given else _build()
    version = re.search(r"project\(hardhead VERSION ([\d.]+)", (TOP / "CMakeLists.txt").read_text()).group(1)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    with tempfile.TemporaryDirectory() as stage:
        _run("cmake", "--install", build, "--component", "python", "--strip", "--prefix", stage)
        files = {}
        for package in pathlib.Path(stage).glob("lib/python3*/*-packages"):
            for file in sorted(package.rglob("*")):
                if file.is_file():
                    files[str(file.relative_to(package))] = file.read_bytes()
        if f"hardhead/_core{suffix}" not in files:
            raise SystemExit(f"{build}: there is no module for this Python (_core{suffix}), but {', '.join(files) or 'none'}")
        core, = pathlib.Path(stage).rglob(f"_core{suffix}")
        packages = _needed_packages(core)
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tags = f"{tag}-{tag}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    info = f"hardhead-{version}.dist-info"
    files[f"{info}/LICENSE"] = (TOP / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: hardhead_build\nRoot-Is-Purelib: false\nTag: {tags}\n".encode()
    files[f"{info}/METADATA"] = _metadata(version, packages).encode()
    name = f"hardhead-{version}-{tags}.whl"
    _write_wheel(pathlib.Path(wheel_directory) / name, files)
    return name



class UnsupportedOperation(Exception):
    """What PEP 517 expects of a hook that cannot do its work."""


def build_sdist(sdist_directory, config_settings=None):
    """The other hook that has to be there."""
    raise UnsupportedOperation("hardhead is built from a clone: there is no source distribution")
