"""What runs inside a task: the binary on some files, and nothing that another task could notice."""

import json
import os
import shutil
import subprocess
import tempfile
import uuid
from dataclasses import dataclass

from nearme_spark.shipping import arrived, arrived_program


class TaskFailure(RuntimeError):
    """The binary ended with an error; the text is its status and what it said."""


# Statuses with which a replay ends when all output is written: a certificate is wrong, a trace has no fix.
REPLAYED_ALL = (0, 1, 65)

# What the binary says of a batch of days that are all left out. Other batches may have days that are not.
NONE_LEFT = "nearme: no day is left that can be read"


@dataclass
class Ended:
    """How the binary ended, what it printed, and what it said on standard error."""

    status: int
    output: str
    said: str


def run(job, words, files=()):
    """Runs the binary of a job with some arguments; returns what it printed, and what it said beside that.

    files: (option, text) pairs; each text is given as a file of its own.
    """
    done = ended(job, words, files)
    if done.status != 0:
        raise failure(done)
    return done.output, done.said


def ended(job, words, files=()):
    """Runs the binary of a job as ``run`` does, and returns how it ended."""
    program = arrived_program(job["program"], job["version"])
    with tempfile.TemporaryDirectory(prefix="nearme-task-") as folder:
        # After the name of the command, since words may end with names of files.
        command, *rest = words
        given = {}
        options = []
        for number, (option, text) in enumerate(files):
            path = os.path.join(folder, f"{number}.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            options += [option, path]
        for word in job["service"]:
            if isinstance(word, (list, tuple)):
                name, path = word
                word = arrived(name)
                given[word] = path
            options.append(word)
        done = subprocess.run(
            [program, command] + options + rest,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=job.get("folder"),
        )
    said = done.stderr.decode("utf-8", "replace").strip()
    # Sentences name files as they were given, and are the same from each machine.
    for path, name in given.items():
        said = said.replace(path, name)
    return Ended(done.returncode, done.stdout.decode("utf-8"), said)


def failure(done):
    """The failure of a task whose binary ended with an error; its status goes before the sentence."""
    return TaskFailure(f"{done.status}: " + (done.said or "nearme said nothing"))


def score(job, batch):
    """Scores days, given as lines of `nearme score --list-days`; returns a line for each, and what was said."""
    done = ended(job, ["score", "--days-only", "--jobs", "1"], [("--days", "\n".join(batch) + "\n")])
    if done.status == 65 and done.said.endswith(NONE_LEFT):
        return [], done.said[: -len(NONE_LEFT)]
    if done.status != 0:
        raise failure(done)
    return done.output.splitlines(), done.said


def replay(job, batch):
    """Replays traces, given by their paths; returns the status, what is printed of them, and what was said.

    A status other than 0 is no failure where everything is written: the output is a file, which appears only then.
    """
    with tempfile.TemporaryDirectory(prefix="nearme-task-") as folder:
        output = os.path.join(folder, "output")
        done = ended(job, ["replay", "--jobs", "1", "-o", output, "--"] + list(batch))
        if done.status not in REPLAYED_ALL or not os.path.exists(output):
            raise failure(done)
        # Line ends stay as they are.
        with open(output, encoding="utf-8", newline="") as file:
            return done.status, file.read(), done.said


def simulate(job, batch):
    """Makes one of several parts of a corpus, in a folder named by its number; returns what was said."""
    parts, number, count = batch
    folder = os.path.join(parts, str(number))
    # An attempt of the same task may be under way elsewhere: each has a folder of its own, and the first stays.
    own = f"{folder}-{uuid.uuid4().hex}"
    _, said = run(job, ["simulate", "--part", f"{number}/{count}", "--jobs", "1", "-o", own])
    try:
        os.rename(own, folder)
    except OSError:
        if not os.path.isdir(folder):
            raise
        shutil.rmtree(own, ignore_errors=True)
    return said


def evaluate(job, batch):
    """Tries policies on days; returns lines of a search's log."""
    head, policies, days = batch
    # What is said here of some days the search says of all of them, on the driver.
    text, _ = run(
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
