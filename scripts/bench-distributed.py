#!/usr/bin/env python3
"""Compares the processor time of nearme-spark score with that of nearme score on the same days.

  EXECUTORS='1 2 4' scripts/bench-distributed.py CACHE CORPUS...

NEARME names the binary, OPTIONS are given to both, such as --no-ledger. Everything below a command is counted, by a
control group (Linux, as root). Prints a line for each, a model fitted to them, and what it says of 1,000 executors.
"""

import os
import subprocess
import sys
import time


def account():
    """A new control group, whose processes' time the kernel adds up; and the file that says it, with its unit."""
    name = f"nearme-{os.getpid()}-{time.monotonic_ns()}"
    for root, file, unit in [("/sys/fs/cgroup/cpuacct", "cpuacct.usage", 1e-9), ("/sys/fs/cgroup", "cpu.stat", 1e-6)]:
        if os.path.exists(os.path.join(root, "cgroup.procs")):
            folder = os.path.join(root, name)
            os.mkdir(folder)
            return folder, os.path.join(folder, file), unit
    sys.exit("there are no control groups here, so nobody can say what all processes below a command took")


def measure(words):
    """Seconds of processors and of a clock that a command and all below it took, and what it printed."""
    folder, file, unit = account()

    def enter():
        with open(os.path.join(folder, "cgroup.procs"), "w") as procs:
            procs.write(str(os.getpid()))

    start = time.time()
    done = subprocess.run(words, stdout=subprocess.PIPE, preexec_fn=enter)
    clock = time.time() - start
    if done.returncode != 0:
        sys.exit(f"{words[0]} ended with status {done.returncode}")
    for _ in range(300):
        with open(os.path.join(folder, "cgroup.procs")) as procs:
            if not procs.read():
                break
        time.sleep(0.2)
    with open(file) as usage:
        # One number, or lines of which the first is usage_usec.
        spent = int(usage.readline().split()[-1]) * unit
    os.rmdir(folder)
    return spent, clock, done.stdout


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    counts = [int(word) for word in os.environ.get("EXECUTORS", "1 2 4").split()]
    nearme = os.environ.get("NEARME", ".build/release/nearme")
    words = ["score", *sys.argv[2:], "--cache", sys.argv[1], *os.environ.get("OPTIONS", "").split()]
    single, clock, expected = measure([nearme, *words, "--jobs", "2"])
    print(f"nearme score --jobs 2   {single:8.1f} s of processors {clock:8.1f} s", flush=True)
    extra = []
    for count in counts:
        spent, clock, printed = measure(
            [sys.executable, "-m", "nearme_spark", "--nearme", nearme, "--master", f"local-cluster[{count},1,1024]", *words]
        )
        same = "the same bytes" if printed == expected else "OTHER BYTES"
        print(
            f"{count} executors             {spent:8.1f} s of processors {clock:8.1f} s  {spent / single:.3f}  {same}",
            flush=True,
        )
        extra.append((count, spent - single))
    if len(extra) > 1:
        # Least squares of a constant and a part for each executor.
        n = len(extra)
        mean = sum(count for count, _ in extra) / n
        middle = sum(spent for _, spent in extra) / n
        slope = sum((count - mean) * (spent - middle) for count, spent in extra) / sum(
            (count - mean) ** 2 for count, _ in extra
        )
        constant = middle - slope * mean
        print(f"model: {constant:.1f} s for the driver and the work, {slope:.1f} s for each executor")
        print(f"1,000 executors on these days: {constant + 1000 * slope:.0f} s beside {single:.0f} s of scoring")


if __name__ == "__main__":
    main()
