"""Programs of the user (exec:) that misbehave."""

import json
import os
import subprocess
import time


def test(h):
    def learn(command, *more, timeout=60):
        return h.run("learn", "nice:d=4,k=2,m=1", "--examples", "300", "--method", "exec:" + command, "--json",
                     "--quiet", *more, timeout=timeout)

    def failed(command, *more):
        run = learn(command, *more)
        h.expect_answer(run, (0,))
        return json.loads(run.out)

    behaviours = {
        "no result": "true", "a code": "exit 3", "a signal": "kill -SEGV $$", "aborts": "kill -ABRT $$",
        "a result that is none": "f() { echo x > $2; }; f", "a folder as result": "f() { mkdir $2; }; f",
        "a pipe as result": "f() { mkfifo $2; }; f", "a device as result": "f() { ln -s /dev/zero $2; }; f",
        "removes the data": "f() { rm $1; }; f",
        "its log a folder": "f() { d=$(dirname $1); rm $d/log; mkdir $d/log; }; f",
        "its log a pipe": "f() { d=$(dirname $1); rm $d/log; mkfifo $d/log; }; f",
        "bytes that are no text": "printf '\\377\\033[2J\\n'; exit 1; f",
        "a long last line": "yes | tr -d '\\n' | head -c 1000000; false; f",
        "writes without end": "yes; f", "the data as result": "cp",
        "removes the folder": "f() { rm -r $(dirname $1); }; f",
    }
    for name, command in behaviours.items():
        def body(command=command):
            report = failed(command)
            h.expect(report["failed_phase"] == "exec", f"failed in {report['failed_phase']}: {report['message']}")
            h.expect("/tmp/" not in report["message"] and "\x1b" not in report["message"], report["message"])
        h.case("misbehaviour", name, body)

    def same_twice():
        command = 'f() { echo "cannot read $1"; exit 1; }; f'
        h.expect(failed(command)["message"] == failed(command)["message"], "messages differ from run to run")

    h.case("misbehaviour", "the same message every time", same_twice)

    def limit():
        begun = time.monotonic()
        report = failed("sleep 60 | sleep 61; f", "--time-limit", "1")
        h.expect(report["outcome"] == "stopped", report["outcome"])
        h.expect(time.monotonic() - begun < 10, "the time limit did not end it")
        time.sleep(0.2)
        h.expect(not _alive(("sleep 60", "sleep 61")), "children survive")

    h.case("time limits", "a pipeline", limit)

    def killed():
        process = subprocess.Popen([h.program, "learn", "nice:d=4,k=2,m=1", "--examples", "300", "--method",
                                    "exec:setsid sleep 62 | sleep 63; f", "--quiet"], cwd=h.folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        names = ("sleep 62", "sleep 63")
        deadline = time.monotonic() + 30
        while len(_alive(names)) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        h.expect(len(_alive(names)) == 2, "the program was not started")
        process.kill()
        process.wait()
        deadline = time.monotonic() + 10
        while _alive(names) and time.monotonic() < deadline:
            time.sleep(0.02)
        h.expect(not _alive(names), f"children survive a kill -9: {_alive(names)}")

    h.case("kill -9", "a pipeline with a session of its own", killed)


def _alive(commands):
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and _command(pid) in commands]


def _command(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
