"""What runs inside a task: the binary on some files, and nothing that another task could notice."""

import json
import os
import shutil
import subprocess
import tempfile
import uuid

from nearme_spark.shipping import arrived, arrived_program


class TaskFailure(RuntimeError):
    """The binary ended with an error; the text is what it said."""


# Statuses with which a replay ends when all output is written: a certificate is wrong, a trace has no fix.
REPLAYED_ALL = (0, 1, 65)


def run(job, words, files=()):
    """Runs the binary of a job with some arguments, and returns what it printed.

    files: (option, text) pairs; each text is given as a file of its own.
    """
    done = ended(job, words, files)
    if done.returncode != 0:
        raise failure(words, done)
    return done.stdout.decode("utf-8")


def ended(job, words, files=()):
    """Runs the binary of a job as ``run`` does, and returns how it ended."""
    program = arrived_program(job["program"], job["version"])
    with tempfile.TemporaryDirectory(prefix="nearme-task-") as folder:
        words = list(words)
        for number, (option, text) in enumerate(files):
            path = os.path.join(folder, f"{number}.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            words += [option, path]
        service = [
            arrived(word[1]) if isinstance(word, (list, tuple)) else word for word in job["service"]
        ]
        return subprocess.run(
            [program] + words + service,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job.get("folder"),
        )


def said(done):
    """What the binary said on standard error."""
    return done.stderr.decode("utf-8", "replace").strip()


def failure(words, done):
    """The failure of a task whose binary ended with an error."""
    return TaskFailure(said(done) or f"{words[0]} ended with status {done.returncode}")


def score(job, batch):
    """Scores days, given as lines of `nearme score --list-days`; returns a line for each."""
    text = run(job, ["score", "--days-only", "--jobs", "1"], [("--days", "\n".join(batch) + "\n")])
    return text.splitlines()


def replay(job, batch):
    """Replays traces, given by their paths; returns the status, what is printed of them, and what was said.

    A status other than 0 is no failure where everything is written: the output is a file, which appears only then.
    """
    with tempfile.TemporaryDirectory(prefix="nearme-task-") as folder:
        output = os.path.join(folder, "output")
        words = ["replay", "--jobs", "1"] + job["words"] + ["-o", output] + list(batch)
        done = ended(job, words)
        if done.returncode not in REPLAYED_ALL or not os.path.exists(output):
            raise failure(words, done)
        # Line ends stay as they are.
        with open(output, encoding="utf-8", newline="") as file:
            return done.returncode, file.read(), said(done)


def simulate(job, batch):
    """Makes one of several parts of a corpus, in a folder named by its number."""
    parts, number, count = batch
    folder = os.path.join(parts, str(number))
    # An attempt of the same task may be under way elsewhere: each has a folder of its own, and the first stays.
    own = f"{folder}-{uuid.uuid4().hex}"
    run(job, ["simulate", "--part", f"{number}/{count}", "--jobs", "1", "-o", own] + job["words"])
    try:
        os.rename(own, folder)
    except OSError:
        if not os.path.isdir(folder):
            raise
        shutil.rmtree(own, ignore_errors=True)


def evaluate(job, batch):
    """Tries policies on days; returns lines of a search's log."""
    head, policies, days = batch
    text = run(
        job,
        ["evaluate", "--jobs", "1"],
        [
            ("--trials", "\n".join([head] + policies) + "\n"),
            ("--days", "\n".join(days) + "\n"),
        ],
    )
    return text.splitlines()


def rows(line):
    """The rows of the three tables that a line of `nearme score --days-only` makes."""
    score = json.loads(line)
    counts = {}
    for entry in score["ledger"]:
        delay = entry.get("delay_s")
        table = "visits" if entry["subject"] == "visit" else "notifications"
        yield table, (
            score["id"], score["person"], entry["subject"], entry["reminder"], entry.get("poi"),
            entry["at_ms"], entry["cause"], None if delay is None else float(delay),
        )
        key = (entry["subject"], entry["cause"])
        counts[key] = counts.get(key, 0) + 1
    for (subject, cause), count in sorted(counts.items()):
        yield "causes", (score["id"], score["person"], subject, cause, count)
