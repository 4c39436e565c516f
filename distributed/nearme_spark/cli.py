"""The command: nearme-spark score, replay, tune or simulate, with the arguments that nearme takes."""

import argparse
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile

from nearme_spark import tasks
from nearme_spark.arguments import SERVICE_VALUES, SHIPPED, WrongUsage, take_apart
from nearme_spark.shipping import Shipment, pack, version_of

# A search has tried all that it wanted to know; see `nearme tune --wanted`.
TRIALS_WANTED = 75

HELP = """\
Runs nearme on Apache Spark. COMMAND is score, replay, tune or simulate, followed by what nearme itself takes:

  nearme-spark --master local-cluster[2,1,1024] score corpus --cache pois.sqlite --format json
  nearme-spark --parquet rows score corpus --cache pois.sqlite --monitor stream
  nearme-spark tune corpus --cache pois.sqlite --space space.yaml -o best.yaml
  nearme-spark simulate --city --people 500 --days 14 -o corpus

Paths are handed out, never rows: corpora and traces must lie where every executor finds them under the same
path. The program, the cache, policies and reminders are shipped. What is printed is what nearme prints on
one machine, to the byte, and so are the files of a simulated corpus; a search that was stopped goes on from OUTPUT.log. See docs/scale.md.
"""


def main(words=None):
    """Runs the command; returns the exit status, which is that of nearme."""
    parser = argparse.ArgumentParser(
        prog="nearme-spark",
        description=HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--nearme", default=shutil.which("nearme"), help="the binary; by default that of the PATH")
    parser.add_argument("--master", help="where Spark runs; by default what spark-submit or its settings say")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="a setting of Spark")
    parser.add_argument("--batch", type=int, help="days or traces of a task; by default four tasks for each core, of 200 at most")
    parser.add_argument("--parquet", metavar="FOLDER", help="with score, also write visits, notifications and causes there")
    parser.add_argument("command", choices=["score", "replay", "tune", "simulate"])
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="what nearme takes")
    options = parser.parse_args(words)
    try:
        if options.batch is not None and options.batch < 1:
            raise WrongUsage("--batch must be at least 1")
        if options.parquet and options.command != "score":
            raise WrongUsage("--parquet goes with score")
        if options.parquet and os.path.exists(options.parquet):
            raise WrongUsage(f"{options.parquet} is there already: name a new folder")
        if not options.nearme or not os.path.isfile(options.nearme):
            raise WrongUsage("name the binary with --nearme FILE: there is none on the PATH")
        arguments = take_apart(options.rest, options.command)
        if not arguments.positional and options.command != "simulate":
            raise WrongUsage(f"{options.command}: name corpora or traces")
        for name, value in arguments.options:
            if name in SHIPPED and not os.path.exists(value):
                raise WrongUsage(f"{name} {value}: there is no such file")
        with tempfile.TemporaryDirectory(prefix="nearme-spark-") as folder:
            with Cluster(options, arguments, folder) as cluster:
                commands = {"score": score, "replay": replay, "tune": tune, "simulate": simulate}
                return commands[options.command](cluster)
    except WrongUsage as problem:
        print(f"nearme-spark: {problem}", file=sys.stderr)
        return 64
    except RuntimeError as problem:
        print(f"nearme-spark: {problem}", file=sys.stderr)
        return 70
    except Exception as problem:
        # What the binary said in a task comes back inside of Spark's own report of the failure.
        _, found, said = str(problem).partition("nearme_spark.tasks.TaskFailure: ")
        if not found:
            raise
        print("nearme-spark: a task has failed: " + said.split("\n\n")[0].strip(), file=sys.stderr)
        return 65


class Cluster:
    """A Spark session with what all tasks share."""

    def __init__(self, options, arguments, folder):
        self.options = options
        self.arguments = arguments
        self.folder = folder

    def __enter__(self):
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName(f"nearme {self.options.command}")
        if self.options.master:
            builder = builder.master(self.options.master)
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        for setting in self.options.conf:
            key, _, value = setting.partition("=")
            builder = builder.config(key, value)
        version = version_of(self.options.nearme)
        self.session = builder.getOrCreate()
        self.context = self.session.sparkContext
        self.context.setLogLevel("ERROR")
        # Where spark-submit was given the package as an archive, it has shipped it.
        package = os.path.join(self.folder, "nearme_spark.zip")
        if pack(package):
            self.context.addPyFile(package)
        shipment = Shipment(self.context, self.folder)
        service = []
        for name, value in self.arguments.options:
            if name in SHIPPED:
                service += [name, ("shipped", shipment.send(value))]
            elif name in SERVICE_VALUES and self.options.command != "simulate":
                service += [name, value]
            elif name in ("--no-ledger", "--skip-bad") and self.options.command == "score":
                service.append(name)
        self.job = {
            "program": shipment.send(self.options.nearme),
            "version": version,
            "service": service,
            # Where relative paths lead to, for tasks as for the driver.
            "folder": os.getcwd(),
        }
        return self

    def __exit__(self, *failure):
        self.session.stop()

    def single(self, words, **how):
        """Runs the binary here."""
        return subprocess.run([self.options.nearme, self.options.command] + words, **how)

    @property
    def given(self):
        """The command line as it was given."""
        return self.arguments.positional + self.arguments.words()

    def batches(self, items, least=1):
        """Cuts a list into pieces of nearly equal size, in order, none below the least if that can be."""
        # local-cluster starts its executors late, and its default is that of what has come up by then.
        cores = max(2, self.context.defaultParallelism)
        size = self.options.batch or max(1, min(200, -(-len(items) // (4 * cores))))
        count = max(1, min(-(-len(items) // size), len(items) // least))
        return [
            items[len(items) * number // count : len(items) * (number + 1) // count]
            for number in range(count)
        ]

    def map(self, work, batches):
        """A task for each batch; the results are in order of the batches."""
        job = self.job
        return self.context.parallelize(batches, len(batches)).map(lambda batch: work(job, batch))

    def days(self):
        """The days of the corpora, as lines."""
        words = self.arguments.positional + ["--list-days", "--cache", self.arguments.value("--cache") or ""]
        if self.arguments.has("--skip-bad"):
            words.append("--skip-bad")
        done = subprocess.run([self.options.nearme, "score"] + words, stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            raise SystemExit(done.returncode)
        return done.stdout.splitlines()


def score(cluster):
    """Scores days on all executors, and has the binary add them up here."""
    lines = cluster.map(tasks.score, cluster.batches(cluster.days())).flatMap(lambda lines: lines)
    if cluster.options.parquet:
        from pyspark import StorageLevel

        lines = lines.persist(StorageLevel.MEMORY_AND_DISK)
    path = os.path.join(cluster.folder, "days.ndjson")
    with open(path, "w", encoding="utf-8") as file:
        for line in lines.collect():
            file.write(line + "\n")
    if cluster.options.parquet:
        write_parquet(cluster, lines)
    return cluster.single(cluster.given + ["--of-days", path]).returncode


def write_parquet(cluster, lines):
    """Writes three tables: visits, notifications, and how many of each day have which cause."""
    from pyspark.sql.functions import col, timestamp_millis

    entry = (
        "day string, person string, subject string, reminder string, poi string, at_ms long, "
        "cause string, delay_s double"
    )
    schemas = {
        "visits": entry,
        "notifications": entry,
        "causes": "day string, person string, subject string, cause string, count long",
    }
    rows = lines.flatMap(tasks.rows)
    folder = cluster.options.parquet
    # Whole or not at all, where folders can be renamed.
    unfinished = folder if "://" in folder else f"{folder}.{os.getpid()}.part"
    for table, schema in schemas.items():
        frame = cluster.session.createDataFrame(
            rows.filter(lambda row, table=table: row[0] == table).map(lambda row: row[1]), schema
        )
        if "at_ms" in schema:
            frame = frame.withColumn("at", timestamp_millis(col("at_ms")))
        frame.write.parquet(os.path.join(unfinished, table))
    if unfinished != folder:
        os.rename(unfinished, folder)


def replay(cluster):
    """Replays traces on all executors, and prints what they print, in order."""
    traces = cluster.arguments.positional
    if cluster.arguments.value("--format") in ("geojson", "html", "day-json"):
        raise WrongUsage("replay: text and ndjson are printed for many traces; the others show one")
    cluster.job["words"] = cluster.arguments.words(
        keep=lambda name: name not in SERVICE_VALUES and name not in ("-o", "--output", "--jobs")
    )
    # One of several traces begins with its name: no batch may have one trace alone.
    batches = cluster.batches(traces, least=2 if len(traces) > 1 else 1)
    output = cluster.arguments.value("-o", "--output")
    results = cluster.map(tasks.replay, batches).collect()
    texts = [text for _, text, _ in results]
    if output is None:
        sys.stdout.write("".join(texts))
        sys.stdout.flush()
    else:
        unfinished = f"{output}.{os.getpid()}.part"
        with open(unfinished, "w", encoding="utf-8") as file:
            file.writelines(texts)
        os.replace(unfinished, output)
    return replay_status(results)


def replay_status(results):
    """Says what tasks said that have not ended with 0; returns the status that one machine ends with."""
    # What holds for all traces every task says.
    for line in dict.fromkeys(line for status, _, said in results if status for line in said.splitlines()):
        print(line, file=sys.stderr)
    statuses = {status for status, _, _ in results}
    # One machine looks at the certificates first.
    return 1 if 1 in statuses else max(statuses)


def days_to_live(arguments):
    """How many days a simulation has; without the options, as many as `nearme simulate` makes then."""
    again = arguments.value("--again")
    if again is not None:
        names = os.listdir(again) if os.path.isdir(again) else []
        return max(1, sum(name.endswith(".truth.json") for name in names))
    people, days = arguments.value("--people") or "4", arguments.value("--days") or "2"
    if not (people.isdecimal() and days.isdecimal()):
        raise WrongUsage("--people and --days take numbers")
    return max(1, int(people) * int(days))


def simulate(cluster):
    """Makes the days in parts beside the folder that is asked for, and has the binary put them together here."""
    output = cluster.arguments.value("-o", "--output")
    if output is None:
        raise WrongUsage("simulate: name -o FOLDER, where every executor finds it")
    if os.path.exists(output) and os.listdir(output):
        raise WrongUsage(f"{output}: there are files in it already: name another folder, or remove this one first")
    cluster.job["words"] = cluster.arguments.positional + cluster.arguments.words(
        keep=lambda name: name not in SHIPPED and name not in ("-o", "--output", "--jobs")
    )
    count = len(cluster.batches(range(days_to_live(cluster.arguments))))
    parts = f"{os.path.abspath(output)}.{os.getpid()}.parts"
    os.makedirs(parts)
    try:
        cluster.map(tasks.simulate, [(parts, number, count) for number in range(1, count + 1)]).collect()
        return cluster.single(["--of-parts", parts, "-o", output]).returncode
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def tune(cluster):
    """Searches: the binary says what is wanted, executors try it, until it has all that it needs."""
    output = cluster.arguments.value("-o", "--output")
    if output is None:
        raise WrongUsage("tune: name -o FILE.yaml; FILE.yaml.log keeps what was tried")
    # Policies differ by what the space says; the policy of today is a part of every task's service.
    days = cluster.days()
    wanted = os.path.join(cluster.folder, "wanted.ndjson")
    while True:
        done = cluster.single(cluster.given + ["--wanted", wanted], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != TRIALS_WANTED:
            sys.stderr.buffer.write(done.stderr)
            sys.stderr.flush()
            sys.stdout.buffer.write(done.stdout)
            sys.stdout.flush()
            return done.returncode
        with open(wanted, encoding="utf-8") as file:
            head, *policies = file.read().splitlines()
        batches = trial_batches(cluster, head, policies, days)
        print(f"nearme-spark: trying {len(policies)} policies in {len(batches)} tasks", file=sys.stderr)
        # In waves, so that a search that is stopped has kept what was tried until then.
        wave = 8 * max(2, cluster.context.defaultParallelism)
        for start in range(0, len(batches), wave):
            keep(output + ".log", cluster.map(tasks.evaluate, batches[start : start + wave]).collect())


def trial_batches(cluster, head, policies, days):
    """Cuts policies and days both ways.

    Reading a day costs about as much as trying a policy on it, and policies that weigh alike share what
    was weighed: a task takes many policies and, where that leaves cores idle, fewer days.
    """
    together = 100
    groups = [policies[start : start + together] for start in range(0, len(policies), together)]
    cut = cluster.batches(days)
    return [(head, group, some) for some in cut for group in groups]


def keep(log, results):
    """Appends what was tried to a search's log, while no search has it open."""
    text = "".join(line + "\n" for lines in results for line in lines)
    with open(log, "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
