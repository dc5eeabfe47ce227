"""Installs a build into a fresh folder, moves that folder, and builds a project of somebody else's against it: by find_package,
and by pkg-config where that is there.

consumer_test.py CMAKE BUILD CXX [FLAG]...
The flags are the build's; -march is left out, as a stranger would.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLE = HERE.parent.parent / "examples" / "1_learn_a_layer.cc"  # consumer.cc of the project


def say(*command, **how):
    """What the command prints; its own words as the failure if it fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}"
    return done.stdout


def check_answer(program):
    answer = say(program)
    error = float(re.fullmatch(r"relative error of theta: (\S+)\n", answer).group(1))
    print(f"{program.name}: {answer.strip()}")
    assert 0 <= error < 1e-9, answer


def check_installed(prefix):
    program = prefix / "bin/hardhead"
    assert say(program, "--version").strip() == "0.1.0"
    assert ".TH" in (prefix / "share/man/man1/hardhead.1").read_text()
    for script in ["bash-completion/completions/hardhead", "zsh/site-functions/_hardhead"]:
        assert "compare" in (prefix / "share" / script).read_text(), script
    assert (prefix / "share/zsh/site-functions/_hardhead").read_text().startswith("#compdef hardhead")
    for header in prefix.glob("include/hardhead/**/*.h"):
        for included in re.findall(r'#include "(.*)"', header.read_text()):
            assert (prefix / "include/hardhead" / included).exists(), f"{header} includes {included}, not installed"
    for text in [*prefix.glob("**/*.cmake"), *prefix.glob("**/*.pc")]:
        assert str(HERE.parent.parent) not in text.read_text(), f"{text} names the source folder"


def by_cmake(cmake, prefix, folder, compiler, flags):
    project = folder.with_name("project")
    project.mkdir()
    shutil.copy(HERE / "CMakeLists.txt", project)
    shutil.copy(EXAMPLE, project / "consumer.cc")
    configure = [cmake, "-S", project, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
                 f"-DCMAKE_CXX_FLAGS={' '.join(flags)}", "-DCMAKE_BUILD_TYPE=Release"]
    say(*configure)
    say(cmake, "--build", folder)
    check_answer(folder / "consumer")

    def said_of(request, *rest):
        """What CMake says against a project that begins so; None if it takes it."""
        source = folder / "another"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        lines = ["cmake_minimum_required(VERSION 3.25)", "project(another CXX)", f"find_package(hardhead {request})", *rest]
        (source / "CMakeLists.txt").write_text("\n".join(lines))
        done = subprocess.run([cmake, "-S", source, "-B", source / "build", *map(str, configure[5:])], text=True,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return done.stderr if done.returncode else None

    everything = [f"add_executable(whole {EXAMPLE})", "target_link_libraries(whole PRIVATE hardhead::hardhead)"]
    assert (complaint := said_of("0.1 REQUIRED", *everything)) is None, complaint
    assert "no component 'nonsense'" in said_of("0.1 REQUIRED COMPONENTS nonsense")
    for version in ["0.2", "1.0"]:
        assert f'requested version "{version}"' in said_of(f"{version} REQUIRED")


def by_pkg_config(prefix, folder, compiler, flags):
    if shutil.which("pkg-config") is None:
        print("pkg-config is missing: that way is not tried")
        return
    (config,) = prefix.glob("**/hardhead.pc")
    found = say("pkg-config", "--static", "--cflags", "--libs", "hardhead >= 0.1",
                env={**os.environ, "PKG_CONFIG_PATH": str(config.parent)}).split()
    program = folder / "by_pkg_config"
    # With all headers at once.
    say(compiler, "-std=c++20", *flags, "-include", "hardhead/hardhead.h", EXAMPLE, *found, "-o", program)
    check_answer(program)


def main(cmake, build, compiler, *flags):
    flags = [flag for flag in flags if not flag.startswith("-march=")]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        say(cmake, "--install", build, "--prefix", folder / "installed")
        prefix = (folder / "installed").rename(folder / "moved")
        check_installed(prefix)
        by_cmake(cmake, prefix, folder / "build", compiler, flags)
        by_pkg_config(prefix, folder, compiler, flags)


if __name__ == "__main__":
    main(*sys.argv[1:])
