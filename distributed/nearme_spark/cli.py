"""The command: nearme-spark score, replay, tune or simulate, with the arguments that nearme takes."""

import argparse
import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile

from nearme_spark import output, tasks
from nearme_spark.arguments import (
    NOT_FOR_TASKS,
    OF_TASKS,
    REFUSED,
    AnsweredByNearme,
    Failure,
    WrongUsage,
    as_words,
    by_name,
    described,
    is_shipped,
    take_apart,
)
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
        version = version_of(options.nearme)
        known = described(options.nearme)
        arguments = take_apart(options.rest, options.command, known[options.command])
        if not arguments.positional and options.command != "simulate":
            raise WrongUsage(f"{options.command}: name corpora or traces")
        traces = arguments.positional if options.command == "replay" else []
        for path in arguments.shipped() + traces:
            if not os.path.exists(path):
                raise Failure(66, f"{path}: there is no such file")
        with tempfile.TemporaryDirectory(prefix="nearme-spark-") as folder:
            with Cluster(options, arguments, known, version, folder) as cluster:
                commands = {"score": score, "replay": replay, "tune": tune, "simulate": simulate}
                return commands[options.command](cluster)
    except AnsweredByNearme:
        return subprocess.run([options.nearme, options.command] + options.rest).returncode
    except Failure as problem:
        print(f"nearme-spark: {problem}", file=sys.stderr)
        return problem.status
    except RuntimeError as problem:
        print(f"nearme-spark: {problem}", file=sys.stderr)
        return 70
    except OSError as problem:
        sentence = f"{problem.filename}: {problem.strerror}" if problem.filename else str(problem)
        print(f"nearme-spark: {sentence}", file=sys.stderr)
        return 74
    except Exception as problem:
        # What the binary said in a task comes back inside of Spark's own report of the failure.
        _, found, said = str(problem).partition("nearme_spark.tasks.TaskFailure: ")
        if not found:
            raise
        status, _, sentence = said.partition(": ")
        print("nearme-spark: a task has failed: " + sentence.split("\n\n")[0].strip(), file=sys.stderr)
        # A signal ended the binary where it is below 0.
        return int(status) if int(status) > 0 else 70


def tell(said):
    """Prints what tasks said, each line once: what holds for all of them every task says."""
    for line in dict.fromkeys(line for text in said for line in text.splitlines()):
        print(line, file=sys.stderr)


class Cluster:
    """A Spark session with what all tasks share; it is there from ``start`` on."""

    def __init__(self, options, arguments, known, version, folder):
        self.options = options
        self.arguments = arguments
        self.known = known
        self.version = version
        self.folder = folder
        self.session = None

    def __enter__(self):
        return self

    def start(self):
        """Starts the session, which takes seconds: what is wrong with a command is said before."""
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.appName(f"nearme {self.options.command}")
        if self.options.master:
            builder = builder.master(self.options.master)
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        for setting in self.options.conf:
            key, _, value = setting.partition("=")
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.context = self.session.sparkContext
        self.context.setLogLevel("ERROR")
        self.keep_quiet("executor.Executor", "scheduler.TaskSetManager")
        # Where spark-submit was given the package as an archive, it has shipped it.
        package = os.path.join(self.folder, "nearme_spark.zip")
        if pack(package):
            self.context.addPyFile(package)
        shipment = Shipment(self.context, self.folder)
        service = []
        for name, value in self.for_tasks():
            if is_shipped(name, value):
                # With the name that the person gave it, for what is said of it.
                service += [name, (shipment.send(value), value)]
            else:
                service += as_words(name, value)
        self.job = {
            "program": shipment.send(self.options.nearme),
            "version": self.version,
            "service": service,
            # Where relative paths lead to, for tasks as for the driver.
            "folder": os.getcwd(),
        }

    def keep_quiet(self, *names):
        """Has classes of Spark log nothing: they print a screen of each failed task, whose sentence is told anyway."""
        log4j = self.context._jvm.org.apache.logging.log4j
        for name in names:
            log4j.core.config.Configurator.setLevel("org.apache.spark." + name, log4j.Level.OFF)

    def for_tasks(self):
        """The options that tasks are given: those that their command has, but for what the driver does."""
        command = self.options.command
        taken = by_name(self.known[OF_TASKS[command]])
        return [
            (name, value) for name, value in self.arguments.options
            if name in taken and name not in NOT_FOR_TASKS[command]
        ]

    def __exit__(self, *failure):
        if self.session:
            self.session.stop()

    def single(self, words, **how):
        """Runs the binary here."""
        return subprocess.run([self.options.nearme, self.options.command] + words, **how)

    @property
    def given(self):
        """The command line as it was given; it ends with names of files, so that further options go before it."""
        return self.arguments.words() + ["--"] + self.arguments.positional

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

    def days(self, *options):
        """The days of the corpora, as lines; the binary says what is wrong with the options and the folders."""
        words = ["--list-days", *options, "--"] + self.arguments.positional
        done = subprocess.run(
            [self.options.nearme, "score"] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        if done.returncode != 0:
            sys.stderr.write(done.stderr)
            raise SystemExit(done.returncode)
        # Which days are left out is said in the end.
        return done.stdout.splitlines()


def score(cluster):
    """Scores days on all executors, and has the binary add them up here."""
    output.check(cluster.arguments.value("--output"), cluster.arguments.shipped())
    days = cluster.days(*cluster.arguments.words(keep=lambda name: name != "--output"))
    cluster.start()
    results = cluster.map(tasks.score, cluster.batches(days))
    if cluster.options.parquet:
        from pyspark import StorageLevel

        results = results.persist(StorageLevel.MEMORY_AND_DISK)
    path = os.path.join(cluster.folder, "days.ndjson")
    found = results.collect()
    tell(said for _, said in found)
    if not any(lines for lines, _ in found):
        raise Failure(65, "no day is left that can be read")
    with open(path, "w", encoding="utf-8") as file:
        for lines, _ in found:
            file.writelines(line + "\n" for line in lines)
    if cluster.options.parquet:
        write_parquet(cluster, results.flatMap(lambda result: result[0]))
    return cluster.single(["--of-days", path] + cluster.given).returncode


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
    # Without the option, nearme takes the database that the environment names.
    if not cluster.arguments.has("--reminders"):
        raise WrongUsage(f"replay: {REFUSED['replay']['--db']}")
    path = cluster.arguments.value("--output")
    if path and path.lower().endswith(".html") and cluster.arguments.value("--format") != "ndjson":
        raise WrongUsage(f"{path} would hold text: run nearme replay --format html for a page")
    output.check(path, traces + cluster.arguments.shipped())
    cluster.start()
    # One of several traces begins with its name: no batch may have one trace alone.
    batches = cluster.batches(traces, least=2 if len(traces) > 1 else 1)
    results = cluster.map(tasks.replay, batches).collect()
    tell(said for _, _, said in results)
    output.write(path, [text for _, text, _ in results])
    statuses = {status for status, _, _ in results}
    # One machine looks at the certificates first.
    return 1 if 1 in statuses else max(statuses)


def days_to_live(arguments):
    """How many days a simulation has; without the options, as many as `nearme simulate` makes then."""
    again = arguments.value("--again")
    if again is not None:
        if not os.path.isdir(again):
            raise Failure(66, f"{again}: there is no such folder")
        return max(1, sum(name.endswith(".truth.json") for name in os.listdir(again)))
    people, days = arguments.value("--people") or "4", arguments.value("--days") or "2"
    if not (people.isdecimal() and days.isdecimal()):
        raise WrongUsage("--people and --days take numbers")
    return max(1, int(people) * int(days))


def simulate(cluster):
    """Makes the days in parts beside the folder that is asked for, and has the binary put them together here."""
    folder = cluster.arguments.value("--output")
    if not folder:
        raise AnsweredByNearme
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise Failure(65, f"{folder}: it is a file: name a folder that is not there yet")
    if os.path.exists(folder) and os.listdir(folder):
        raise Failure(65, f"{folder}: there are files in it already: name another folder, or remove this one first")
    days = days_to_live(cluster.arguments)
    parts = f"{os.path.abspath(folder)}.{os.getpid()}.parts"
    # Before Spark is started: it says at once if the folder cannot be made.
    os.makedirs(parts)
    try:
        cluster.start()
        count = len(cluster.batches(range(days)))
        tell(cluster.map(tasks.simulate, [(parts, number, count) for number in range(1, count + 1)]).collect())
        return cluster.single(["--of-parts", parts, "-o", folder]).returncode
    finally:
        shutil.rmtree(parts, ignore_errors=True)


def tune(cluster):
    """Searches: the binary says what is wanted, executors try it, until it has all that it needs."""
    best = cluster.arguments.value("--output")
    if best is None:
        raise WrongUsage("tune: name -o FILE.yaml; FILE.yaml.log keeps what was tried")
    wanted = os.path.join(cluster.folder, "wanted.ndjson")
    days = None
    while True:
        done = cluster.single(["--wanted", wanted] + cluster.given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode != TRIALS_WANTED:
            sys.stderr.buffer.write(done.stderr)
            sys.stderr.flush()
            sys.stdout.buffer.write(done.stdout)
            sys.stdout.flush()
            return done.returncode
        if days is None:
            days = cluster.days(*cluster.arguments.words(keep=lambda name: name in ("--cache", "--skip-bad")))
            cluster.start()
        with open(wanted, encoding="utf-8") as file:
            head, *policies = file.read().splitlines()
        # Policies differ by what the space says; the policy of today is a part of every task's service.
        batches = trial_batches(cluster, head, policies, asked_for(days, policies))
        print(f"nearme-spark: trying {len(policies)} policies in {len(batches)} tasks", file=sys.stderr)
        # In waves, so that a search that is stopped has kept what was tried until then.
        wave = 8 * max(2, cluster.context.defaultParallelism)
        for start in range(0, len(batches), wave):
            keep(best + ".log", cluster.map(tasks.evaluate, batches[start : start + wave]).collect())


def asked_for(days, policies):
    """The days on which a search wants some policy tried: of those that --skip-bad leaves out it wants nothing."""
    numbers = {number for policy in policies for number in json.loads(policy)["days"]}
    return [day for day in days if json.loads(day)["number"] in numbers]


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
