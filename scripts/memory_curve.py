#!/usr/bin/env python3
"""memory_curve.py SECONDS HARDHEAD ARGUMENT...: runs the command, samples its resident memory (/proc/PID/status) once a
second, ends it with SIGTERM after SECONDS (exit code 143), and prints the curve: one line for each twentieth of the time, then
by how much the maximum of the second half exceeds that of the second quarter. A leak shows as a slope; a sweep should have
none."""
import signal
import subprocess
import sys
import time

BAR = 50


def resident_mib(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1]) / 1024
    except FileNotFoundError:
        pass
    return None


def main():
    limit = float(sys.argv[1])
    process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began, samples = time.monotonic(), []
    while process.poll() is None and time.monotonic() - began < limit:
        resident = resident_mib(process.pid)
        if resident is not None:
            samples.append((time.monotonic() - began, resident))
        time.sleep(1)
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    code = process.wait()
    if len(samples) < 40:
        print(f"ended after {len(samples)} samples with exit code {code}: too soon for a curve")
        return 1
    most = max(resident for _, resident in samples)
    for i in range(20):
        part = samples[i * len(samples) // 20:(i + 1) * len(samples) // 20]
        mean = sum(resident for _, resident in part) / len(part)
        print(f"{part[-1][0]:7.0f} s  {mean:8.1f} MiB  {'#' * round(BAR * mean / most)}")
    middle = len(samples) // 2
    early, late = (max(r for _, r in half) for half in (samples[middle // 2:middle], samples[middle:]))
    print(f"{samples[-1][0]:.0f} s, exit code {code}; largest of the second quarter {early:.1f} MiB, "
          f"of the second half {late:.1f} MiB: {100 * (late / early - 1):+.1f}%")
    return 0


sys.exit(main())
