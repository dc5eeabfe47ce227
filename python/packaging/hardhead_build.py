"""Wheels of the Python module for pip (PEP 517): the module that CMake builds, and what it needs to run.

By default the module is built in build/wheel, which takes some minutes. pip first asks for the metadata: before anything is
compiled, CMake then looks for all that the build needs, and pip for NumPy. A finished build, of the same Python, is taken as
it is if the config setting `build-dir` or the environment variable HARDHEAD_BUILD_DIR names it:

    pip install . --config-settings build-dir=build/release

The libraries that the module is linked with are not in the wheel. Its file debian_packages.txt names their Debian packages,
and so does the error of an import that misses one.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
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
    except FileNotFoundError:
        raise SystemExit(f"{command[0]} is missing. {_missing_packages()}") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"{error.stdout}\n{' '.join(map(str, command))}: exit code {error.returncode}. "
                         f"{_missing_packages()}") from None
    print(done.stdout, file=sys.stderr)
    return done.stdout


def _missing_packages():
    """A sentence with the Debian packages that the build needs and this machine lacks."""
    if not shutil.which("dpkg-query"):
        return "The build needs the like of the Debian packages in scripts/packages.txt, sections program and python."
    names = subprocess.run(["bash", "scripts/install.sh", "--list", "program", "python"], cwd=TOP, stdout=subprocess.PIPE,
                           text=True, check=False).stdout.strip()
    return f"These packages are missing: apt install {names}" if names else "No Debian package is missing."


def _configured():
    """The folder of the build, once CMake has found there all that the build needs."""
    folder = TOP / "build/wheel"
    _run("cmake", "--preset", "release", "-B", folder, "-DHARDHEAD_PYTHON_MODULE=ON", f"-DPython3_EXECUTABLE={sys.executable}")
    return folder


def _finished_build(config_settings):
    """The folder of the build that the user names, or None."""
    given = (config_settings or {}).get("build-dir") or os.environ.get("HARDHEAD_BUILD_DIR")
    if not given:
        return None
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    folder = pathlib.Path(given).resolve()
    if not (folder / f"python/hardhead/_core{suffix}").exists():
        raise SystemExit(f"{folder}: there is no module for this Python (python/hardhead/_core{suffix})")
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


def _version():
    return re.search(r"project\(hardhead VERSION ([\d.]+)", (TOP / "CMakeLists.txt").read_text()).group(1)


def _metadata():
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", "Name: hardhead", f"Version: {_version()}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {needed}" for needed in project["dependencies"]]
    for extra, all_needed in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {needed} ; extra == '{extra}'" for needed in all_needed)]
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


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """The hook that pip calls first; returns the name of the folder that it wrote. It compiles nothing."""
    if not _finished_build(config_settings):
        _configured()
    folder = pathlib.Path(metadata_directory) / f"hardhead-{_version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook that pip calls next; returns the wheel's name."""
    build = _finished_build(config_settings)
    if not build:
        build = _configured()
        _run("cmake", "--build", build, "--target", "hardhead_python")
    with tempfile.TemporaryDirectory() as stage:
        _run("cmake", "--install", build, "--component", "python", "--strip", "--prefix", stage)
        files = {}
        for package in pathlib.Path(stage).glob("lib/python3*/*-packages"):
            for file in sorted(package.rglob("*")):
                if file.is_file():
                    files[str(file.relative_to(package))] = file.read_bytes()
        core, = pathlib.Path(stage).rglob(f"_core{sysconfig.get_config_var('EXT_SUFFIX')}")
        files["hardhead/debian_packages.txt"] = "".join(f"{name}\n" for name in _needed_packages(core)).encode()
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    tags = f"{tag}-{tag}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    info = f"hardhead-{_version()}.dist-info"
    files[f"{info}/LICENSE"] = (TOP / "LICENSE").read_bytes()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: hardhead_build\nRoot-Is-Purelib: false\nTag: {tags}\n".encode()
    files[f"{info}/METADATA"] = _metadata().encode()
    name = f"hardhead-{_version()}-{tags}.whl"
    _write_wheel(pathlib.Path(wheel_directory) / name, files)
    return name


class UnsupportedOperation(Exception):
    """What PEP 517 expects of a hook that cannot do its work."""


def build_sdist(sdist_directory, config_settings=None):
    """The other hook that has to be there."""
    raise UnsupportedOperation("hardhead is built from a clone: there is no source distribution")
