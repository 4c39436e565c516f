"""What Spark gives beside what one machine gives, to the byte: `make test-distributed` runs it.

NEARME names the binary. Where the development corpora lie beside the checkout they are taken, else invented
days are made.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from nearme_spark.arguments import NOT_FOR_TASKS, OF_TASKS, REFUSED, SHIPPED, by_name, described
from nearme_spark.shipping import pack

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEARME = os.path.abspath(os.environ.get("NEARME", os.path.join(ROOT, ".build/release/nearme")))
SHARED = os.environ.get("NEARME_SHARED", os.path.join(ROOT, "../shared/data"))
MASTER = "local-cluster[2,1,1024]"

SPACE = """\
arrival:
  threshold: [0.22, 0.32, 0.42]
  hold: [40s, 60s]
  rearm: [60m, 90m]
"""


def run(words, **how):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)


def executors():
    """The processes of executors that this process has started, by their ids."""
    parents = {}
    commands = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat") as file:
                parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{name}/cmdline", "rb") as file:
                commands[int(name)] = file.read()
        except OSError:
            continue
    found = []
    for process, command in commands.items():
        if b"CoarseGrainedExecutorBackend" not in command:
            continue
        parent = process
        while parent in parents and parent != os.getpid():
            parent = parents[parent]
        if parent == os.getpid():
            found.append(process)
    return sorted(found)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def contents(path):
    with open(path, "rb") as file:
        return file.read()


class DistributedTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="nearme-distributed-")
        cls.folder = cls.temporary.name
        cls.cache = os.path.join(cls.folder, "pois.sqlite")
        dev = [os.path.join(SHARED, name) for name in ("corpus-dev", "corpus-dev-wide")]
        if all(os.path.isdir(path) for path in dev):
            cls.corpora = [os.path.abspath(path) for path in dev]
            maps = [os.path.join(SHARED, "osm", name) for name in ("us-baltimore.osm.pbf", "us-virgin-islands.osm.pbf")]
        else:
            print("no development corpora beside the checkout: on invented days", file=sys.stderr)
            town = os.path.join(cls.folder, "town")
            subprocess.run([NEARME, "simulate", "--city", "-o", town, "--people", "8", "--days", "2"], check=True, stdout=subprocess.DEVNULL)
            cls.corpora = [town]
            maps = [os.path.join(town, "places.csv")]
        subprocess.run([NEARME, "cache", "build", *maps, "--no-dedup", "-o", cls.cache], check=True, stdout=subprocess.DEVNULL)
        cls.space = os.path.join(cls.folder, "space.yaml")
        with open(cls.space, "w") as file:
            file.write(SPACE)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def spark(self, words, own=(), while_it_runs=None):
        command = [sys.executable, "-m", "nearme_spark", "--nearme", NEARME, "--master", MASTER]
        process = subprocess.Popen(
            command + list(own) + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder
        )
        if while_it_runs:
            thread = threading.Thread(target=while_it_runs, args=[process])
            thread.start()
        output, errors = process.communicate()
        if while_it_runs:
            thread.join()
        return process.returncode, output, errors.decode("utf-8", "replace")

    def assertSame(self, words, **how):
        one = run([NEARME] + words, cwd=self.folder)
        status, output, errors = self.spark(words, **how)
        self.assertEqual(status, one.returncode, errors[-3000:])
        self.assertEqual(output, one.stdout)
        self.assertGreater(len(output), 0)
        return status, errors

    def test_score_prints_what_one_machine_prints(self):
        rows = os.path.join(self.folder, "rows")
        words = ["score", *self.corpora, "--cache", self.cache]
        self.assertSame(words + ["--format", "json"], own=["--parquet", rows])
        self.assertSame(words + ["--monitor", "stream", "--wrong", "3", "--require", "fpr<=0.000001"])
        import pyarrow.parquet

        visits = pyarrow.parquet.read_table(os.path.join(rows, "visits")).num_rows
        causes = pyarrow.parquet.read_table(os.path.join(rows, "causes")).to_pylist()
        notifications = pyarrow.parquet.read_table(os.path.join(rows, "notifications")).num_rows
        self.assertEqual(sum(row["count"] for row in causes if row["subject"] == "visit"), visits)
        self.assertEqual(sum(row["count"] for row in causes), visits + notifications)

    def killer(self, killed):
        """Kills one executor that is at work, and notes it."""

        def kill(process):
            # Two executors work; the third, which takes the place of the first, is none of those counted.
            known = set()
            while process.poll() is None and not killed:
                known.update(executors())
                busy = [
                    executor for executor in executors()
                    if any("nearme" in child for child in descendants(executor))
                ]
                if len(known) >= 2 and busy:
                    os.kill(busy[0], signal.SIGKILL)
                    killed.append(busy[0])
                time.sleep(0.05)

        return kill

    def test_an_executor_killed_on_the_way_changes_nothing(self):
        killed = []
        self.assertSame(
            ["score", *self.corpora, "--cache", self.cache],
            own=["--batch", "2"],
            while_it_runs=self.killer(killed),
        )
        self.assertEqual(len(killed), 1, "no executor was at work to be killed")

    def test_an_executor_killed_while_a_search_is_on_changes_nothing(self):
        one, many = (os.path.join(self.folder, f"killed-{name}.yaml") for name in ("one", "many"))
        expected = run([NEARME] + self.tune(one), cwd=self.folder)
        killed = []
        status, output, errors = self.spark(
            self.tune(many), own=["--batch", "4"], while_it_runs=self.killer(killed)
        )
        self.assertEqual(len(killed), 1, "no executor was at work to be killed")
        self.assertEqual(status, expected.returncode, errors[-3000:])
        self.assertEqual(output, expected.stdout)
        self.assertEqual(contents(many), contents(one))

    def test_simulate_makes_the_corpus_that_one_machine_makes(self):
        town = os.path.join(self.folder, "lived-one")
        cache = os.path.join(self.folder, "lived.sqlite")
        for name, words in [
            ("lived", ["simulate", "--city", "--people", "20", "--days", "7", "--seed", "7"]),
            ("seen", ["simulate", "--again", town, "--cache", cache, "--phone", "every-50m"]),
        ]:
            one, many = (os.path.join(self.folder, f"{name}-{which}") for which in ("one", "many"))
            expected = run([NEARME, *words, "-o", one], cwd=self.folder, check=True)
            killed = []
            status, output, errors = self.spark(
                words + ["-o", many], while_it_runs=self.killer(killed) if name == "lived" else None
            )
            self.assertEqual(status, 0, errors[-3000:])
            self.assertEqual(len(killed), 1 if name == "lived" else 0, "no executor was at work to be killed")
            self.assertEqual(output.replace(b"-many", b"-one"), expected.stdout)
            names = sorted(os.listdir(one))
            self.assertGreater(len(names), 40)
            self.assertEqual(sorted(os.listdir(many)), names)
            for file in names:
                self.assertEqual(contents(os.path.join(many, file)), contents(os.path.join(one, file)), file)
            self.assertEqual([n for n in os.listdir(self.folder) if ".parts" in n], [])
            if name == "lived":
                run([NEARME, "cache", "build", os.path.join(one, "places.csv"), "-o", cache], check=True)

    def submit(self, master, words):
        """What spark-submit makes of a command, as docs/scale.md says it."""
        import pyspark

        package = os.path.join(self.folder, "nearme_spark.zip")
        self.assertTrue(pack(package))
        script = os.path.join(self.folder, "run.py")
        with open(script, "w") as file:
            file.write("from nearme_spark.cli import main; raise SystemExit(main())\n")
        program = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-submit")
        environment = dict(os.environ, PYSPARK_PYTHON=sys.executable, PYSPARK_DRIVER_PYTHON=sys.executable)
        environment.pop("PYTHONPATH", None)
        return run(
            [program, "--master", master, "--py-files", package, script, "--nearme", NEARME, *words],
            cwd=self.folder,
            env=environment,
        )

    def test_spark_submit_runs_it_on_a_standalone_cluster_too(self):
        import pyspark

        words = ["score", self.corpora[0], "--cache", self.cache, "--format", "json"]
        expected = run([NEARME, *words], cwd=self.folder, check=True).stdout
        program = os.path.join(os.path.dirname(pyspark.__file__), "bin", "spark-class")
        port = free_port()
        master = f"spark://127.0.0.1:{port}"
        commands = [
            ["Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"],
            ["Worker", "--host", "127.0.0.1", "--webui-port", "0", "-c", "2", "-m", "2g", "-d", self.folder, master],
        ]
        daemons = [
            subprocess.Popen(
                [program, f"org.apache.spark.deploy.{kind.lower()}.{kind}", *rest],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self.folder,
            )
            for kind, *rest in commands
        ]
        try:
            for where in (MASTER, master):
                done = self.submit(where, words)
                self.assertEqual(done.returncode, 0, done.stderr.decode("utf-8", "replace")[-3000:])
                self.assertEqual(done.stdout, expected, where)
        finally:
            for daemon in daemons:
                daemon.kill()
                daemon.wait()

    def test_duplicates_of_tasks_change_nothing(self):
        words = ["score", *self.corpora, "--cache", self.cache]
        lines = run([NEARME, *words, "--days-only"], cwd=self.folder).stdout
        half = lines.splitlines(keepends=True)
        path = os.path.join(self.folder, "twice.ndjson")
        with open(path, "wb") as file:
            file.write(b"".join(half[::-1] + half[:5]))
        one = run([NEARME, *words], cwd=self.folder)
        added = run([NEARME, *words, "--of-days", path], cwd=self.folder)
        self.assertEqual(added.stdout, one.stdout)
        with open(path, "wb") as file:
            file.write(b"".join(half[1:]))
        self.assertEqual(run([NEARME, *words, "--of-days", path], cwd=self.folder).returncode, 65)

    def replay(self, traces, *more):
        reminders = os.path.join(self.folder, "me.json")
        with open(reminders, "w") as file:
            file.write('{"reminders": [{"id": "b", "title": "pay in", "target": {"category": "bank"}}]}')
        return ["replay", *traces, "--cache", self.cache, "--reminders", reminders, *more]

    def traces(self, count):
        found = []
        for corpus in self.corpora:
            found += sorted(os.path.join(corpus, name) for name in os.listdir(corpus) if name.endswith(".gpx.gz"))
        return found[:count]

    def test_replay_prints_what_one_machine_prints(self):
        for form in ("ndjson", "text"):
            self.assertSame(self.replay(self.traces(9), "--format", form), own=["--batch", "2"])

    def test_a_trace_without_a_fix_takes_nothing_from_the_others(self):
        empty = os.path.join(self.folder, "empty.gpx")
        with open(empty, "w") as file:
            file.write('<gpx version="1.1"></gpx>')
        traces = self.traces(4)
        words = self.replay(traces[:1] + [empty] + traces[1:], "--format", "ndjson")
        status, errors = self.assertSame(words, own=["--batch", "2"])
        self.assertEqual(status, 65)
        self.assertIn(f"nearme: {empty}: no fix could be read", errors)
        one, many = (os.path.join(self.folder, name) for name in ("replayed-one", "replayed-many"))
        self.assertEqual(run([NEARME, *words, "-o", one], cwd=self.folder).returncode, 65)
        self.assertEqual(self.spark(words + ["-o", many])[0], 65)
        self.assertEqual(contents(many), contents(one))

    def test_a_trace_that_cannot_be_read_is_named_and_nothing_is_written(self):
        torn = os.path.join(self.folder, "torn.gpx.gz")
        traces = self.traces(2)
        with open(torn, "wb") as file:
            file.write(contents(traces[0])[:100])
        output = os.path.join(self.folder, "replayed-torn")
        status, _, errors = self.spark(self.replay(traces + [torn], "-o", output))
        self.assertEqual(status, 65, errors[-2000:])
        self.assertIn("torn.gpx.gz", errors.splitlines()[-1])
        self.assertFalse(os.path.exists(output))

    def tune(self, output, *more):
        words = ["tune", *self.corpora, "--cache", self.cache, "--monitor", "stream", "--space", self.space]
        # A limit that every policy keeps: invented days may be such that none keeps the usual ones, and no file is written.
        return words + ["--goal", "fpr<=1 then max recall_5min", "-o", output, *more]

    def test_tune_finds_what_one_machine_finds_and_goes_on_after_a_kill(self):
        for number, more in enumerate([[], ["--method", "halving", "--budget", "12"]]):
            one = os.path.join(self.folder, f"one-{number}.yaml")
            many = os.path.join(self.folder, f"many-{number}.yaml")
            expected = run([NEARME] + self.tune(one, *more), cwd=self.folder)

            def stop(process, log=many + ".log"):
                # The driver is killed as soon as something was tried.
                while process.poll() is None:
                    if os.path.exists(log) and contents(log).count(b"\n") > 3:
                        process.kill()
                        return
                    time.sleep(0.05)

            if number == 0:
                status, _, _ = self.spark(self.tune(many, *more), own=["--batch", "4"], while_it_runs=stop)
                kept = contents(many + ".log").count(b"\n")
                self.assertGreater(kept, 3)
                if status >= 0:
                    print("the search ended before it was killed", file=sys.stderr)
            status, output, errors = self.spark(self.tune(many, *more), own=["--batch", "20"])
            self.assertEqual(status, expected.returncode, errors[-3000:])
            self.assertEqual(output, expected.stdout)
            self.assertEqual(contents(many), contents(one))

    def test_a_day_that_cannot_be_read_is_named(self):
        corpus = os.path.join(self.folder, "bad")
        os.mkdir(corpus)
        source = self.corpora[0]
        name = sorted(n for n in os.listdir(source) if n.endswith(".truth.json"))[0][: -len(".truth.json")]
        for end in (".truth.json", ".gpx.gz", ".true.csv.gz"):
            with open(os.path.join(corpus, name + end), "wb") as file:
                file.write(contents(os.path.join(source, name + end))[: 100 if end == ".gpx.gz" else None])
        status, output, errors = self.spark(["score", corpus, "--cache", self.cache])
        self.assertEqual(status, 65, errors[-2000:])
        self.assertEqual(output, b"")
        self.assertIn(name + ".gpx.gz", errors.splitlines()[-1])

    def refused(self, words, status, sentence):
        """A command that ends before Spark is started, with one sentence."""
        done = run([sys.executable, "-m", "nearme_spark", "--nearme", NEARME, *words], cwd=self.folder)
        errors = done.stderr.decode()
        self.assertEqual(done.returncode, status, errors)
        self.assertIn(sentence, errors.splitlines()[0])
        self.assertNotIn("Traceback", errors)
        self.assertNotIn("WARN", errors)
        self.assertEqual(done.stdout, b"")

    def test_wrong_commands_are_named(self):
        score = ["score", self.corpora[0], "--cache", self.cache]
        replay = self.replay(self.traces(1))
        tune = ["tune", *score[1:], "--space", self.space]
        for words, sentence in [
            (["score", "--cache", self.cache], "name corpora"),
            (score + ["--days", "y"], "leave it out"),
            (["replay", "-", "--cache", self.cache], "standard input"),
            (score + ["--draws", "8"], "run nearme score --draws on one machine"),
            (score + ["--draws=8"], "run nearme score --draws on one machine"),
            (score + ["--of-days"], "leave it out"),
            (score + ["--wrong", "many"], "The value 'many' is invalid for '--wrong <COUNT>'"),
            (score + ["--require", "nothing<=1"], "--require"),
            (tune, "name -o FILE.yaml"),
            (tune + ["-o", "best.yaml", "--budget", "0"], "--budget must lie between"),
            (replay + ["--db", "my.db"], "a user database and its key stay on their machine"),
            (replay + ["--key-file=my.key"], "a user database and its key stay on their machine"),
            (replay[:-2], "a user database and its key stay on their machine"),
            (replay + ["--basemap", "town.osm.pbf"], "run nearme replay for it"),
            (replay + ["--map-library", "leaflet.js"], "run nearme replay for it"),
            (replay + ["--journal", "host.journal"], "run nearme replay --journal on one machine"),
            (replay + ["--format", "html"], "the others show one"),
            (replay + ["-o", "day.html"], "nearme replay --format html"),
            (replay + ["--format", "yaml"], "The value 'yaml' is invalid"),
            (replay + ["--assume-dat", "2024-06-15"], "did you mean --assume-date?"),
            (replay + ["--seed"], "Missing value for '--seed"),
            (replay + ["--seed", "--slots", "5"], "Missing value for '--seed"),
            (replay + ["--check-certificate=yes"], "does not take any value"),
            (["simulate", "--city"], "Missing expected argument '--output"),
            (["simulate", "--city", "-o", "x", "--part", "1/2"], "leave it out"),
            (["simulate", "town", "--city", "-o", "x"], "'town'"),
        ]:
            self.refused(words, 64, sentence)

    def test_help_is_that_of_nearme(self):
        done = run([sys.executable, "-m", "nearme_spark", "--nearme", NEARME, "score", "--help"])
        self.assertEqual(done.stdout, run([NEARME, "score", "--help"]).stdout)
        self.assertEqual(done.returncode, 0)

    def test_each_file_of_the_binarys_options_is_shipped_or_known_to_stay_here(self):
        commands = described(NEARME)
        for command, task in OF_TASKS.items():
            taken = by_name(commands[task])
            for name, argument in by_name(commands[command]).values():
                if not any(word in argument.get("valueName", "") for word in ("FILE", "EXTRACT", "FOLDER")):
                    continue
                # A corpus lies where every executor finds it.
                stays = REFUSED[command].keys() | NOT_FOR_TASKS[command] | {"--again"}
                self.assertTrue(name in SHIPPED or name in stays or name not in taken, f"{command} {name}")

    def test_what_is_missing_is_named_before_the_work(self):
        trace = self.traces(1)[0]
        replay = self.replay([trace])
        for words, missing in [
            (["score", self.corpora[0], "--cache", "nowhere.sqlite"], "nowhere.sqlite: there is no such file"),
            (["score", "nowhere", "--cache", self.cache], "nowhere: there is no such folder"),
            (self.replay([trace, "nowhere.gpx"]), "nowhere.gpx: there is no such file"),
            (replay + ["--policy", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
            (replay + ["--profile", "./nowhere.yaml"], "./nowhere.yaml: there is no such file"),
            (self.tune("best.yaml", "--space", "nowhere.yaml"), "nowhere.yaml: there is no such file"),
            (
                ["simulate", "--again", "nowhere", "--cache", self.cache, "--phone", "levels", "-o", "x"],
                "nowhere: there is no such folder",
            ),
        ]:
            self.refused(words, 66, missing)

    def test_an_output_that_cannot_be_written_is_named_before_the_work(self):
        replay = self.replay(self.traces(1))
        score = ["score", self.corpora[0], "--cache", self.cache]
        for words, status, sentence in [
            (replay + ["-o", "nowhere/x"], 74, "nowhere/x: cannot be written: check that its folder exists"),
            (replay + ["-o", "."], 74, "is it a folder?"),
            (replay + ["-o", "x/"], 64, "is the name of a folder"),
            (score + ["-o", "nowhere/x"], 74, "nowhere/x: cannot be written: check that its folder exists"),
            (self.tune("nowhere/best.yaml"), 74, "cannot be written: check that its folder exists"),
            (["simulate", "--city", "-o", self.cache], 65, "it is a file"),
            (["simulate", "--city", "-o", self.corpora[0]], 65, "there are files in it already"),
        ]:
            self.refused(words, status, sentence)

    def test_no_input_is_written_over(self):
        trace = os.path.join(self.folder, "in.gpx.gz")
        link = os.path.join(self.folder, "link.gpx.gz")
        with open(trace, "wb") as file:
            file.write(contents(self.traces(1)[0]))
        os.symlink("in.gpx.gz", link)
        words = self.replay([trace])
        reminders = words[words.index("--reminders") + 1]
        policy = os.path.join(self.folder, "policy.yaml")
        with open(policy, "w") as file:
            file.write("arrival:\n  hold: 50s\n")
        words += ["--policy", policy]
        inputs = [trace, reminders, self.cache, policy]
        before = [contents(path) for path in inputs]
        for path in inputs:
            name = os.path.basename(path)
            for output in (path, name, "./" + name, "../" + os.path.basename(self.folder) + "/" + name):
                self.refused(words + ["-o", output], 64, "is an input, which stays as it is: name another file")
        for output in (link, "link.gpx.gz"):
            self.refused(words + ["--output=" + output], 64, "is an input, which stays as it is: name another file")
        score = ["score", self.corpora[0], "--cache", self.cache, "--reminders", reminders]
        for path in (self.cache, reminders):
            self.refused(score + ["-o", path], 64, "is an input, which stays as it is: name another file")
        truth = os.path.join(self.folder, "x.truth.json")
        other = os.path.join(self.folder, "other.sqlite")
        for path, text in [(truth, b"{}"), (other, b"SQLite format 3\0")]:
            with open(path, "wb") as file:
                file.write(text)
            self.refused(words + ["-o", path], 64, "which stays as it is: name another file")
        self.assertEqual([contents(path) for path in inputs], before)

    def test_a_link_and_its_files_permissions_stay_and_a_device_is_no_file(self):
        words = self.replay(self.traces(1))
        expected = run([NEARME, *words], cwd=self.folder, check=True).stdout
        target, link = (os.path.join(self.folder, name) for name in ("target.txt", "replayed-link"))
        with open(target, "w") as file:
            file.write("before")
        os.chmod(target, 0o600)
        os.symlink("target.txt", link)
        status, _, errors = self.spark(words + ["-o", "replayed-link"])
        self.assertEqual(status, 0, errors[-2000:])
        self.assertTrue(os.path.islink(link))
        self.assertEqual(contents(target), expected)
        self.assertEqual(os.stat(target).st_mode & 0o777, 0o600)
        status, printed, errors = self.spark(words + ["-o", "/dev/stdout"])
        self.assertEqual((status, printed), (0, expected), errors[-2000:])

    def test_what_a_trace_does_not_say_is_taken_from_the_options(self):
        import gzip

        untimed = os.path.join(self.folder, "untimed.gpx")
        with open(untimed, "wb") as file:
            file.write(re.sub(rb"<time>[^<]*</time>", b"", gzip.decompress(contents(self.traces(1)[0]))))
        words = self.replay([untimed], "--assume-speed", "9", "--assume-start", "2024-06-15T08:00:00Z")
        self.assertSame(words + ["--profile", "unified", "--format", "ndjson", "--assume-date", "2024-06-15", "--slots=5"])
        status, output, errors = self.spark(self.replay([untimed]))
        self.assertEqual((status, output), (65, b""))
        self.assertIn("no point has a time", errors)
        # The sentence, and no report of Java's.
        self.assertNotIn("\tat ", errors)
        self.assertNotIn("Traceback", errors)
        status, _, errors = self.spark(self.replay([untimed], "--jobs", "2", "--slots", "0"))
        self.assertEqual(status, 64, errors[-2000:])
        self.assertIn("--slots must lie between", errors)

    def test_what_tasks_note_is_said_once(self):
        reminders = os.path.join(self.folder, "misspelled.json")
        with open(reminders, "w") as file:
            file.write('{"reminders": [{"id": "p", "title": "p", "target": {"category": "pharmcy"}}]}')
        for words in [
            ["score", self.corpora[0], "--cache", self.cache, "--reminders", reminders],
            ["replay", *self.traces(4), "--cache", self.cache, "--reminders", reminders],
        ]:
            one = run([NEARME, *words], cwd=self.folder).stderr.decode()
            notes = [line for line in one.splitlines() if "pharmcy" in line]
            self.assertEqual(len(notes), 1)
            _, errors = self.assertSame(words, own=["--batch", "2"])
            self.assertEqual([line for line in errors.splitlines() if "pharmcy" in line], notes)

    def test_days_that_cannot_be_read_are_left_out_where_that_is_asked_for(self):
        corpus = os.path.join(self.folder, "some-bad")
        os.mkdir(corpus)
        source = self.corpora[0]
        names = sorted(n for n in os.listdir(source) if n.endswith(".truth.json"))[:4]
        for number, name in enumerate(n[: -len(".truth.json")] for n in names):
            for end in (".truth.json", ".gpx.gz", ".true.csv.gz"):
                if number == 0 and end == ".true.csv.gz":
                    continue
                is_torn = number == 1 and end == ".gpx.gz"
                with open(os.path.join(corpus, name + end), "wb") as file:
                    file.write(contents(os.path.join(source, name + end))[: 100 if is_torn else None])
        words = ["score", "some-bad", "--cache", self.cache, "--skip-bad"]
        # Also where a batch has no other day.
        _, errors = self.assertSame(words, own=["--batch", "1"])
        self.assertEqual(errors.count("left out: "), 2)
        one, many = (os.path.join(self.folder, f"some-bad-{name}.yaml") for name in ("one", "many"))
        words = ["tune", "some-bad", "--cache", self.cache, "--monitor", "stream", "--skip-bad"]
        words += ["--space", self.space, "--goal", "max recall_5min"]
        expected = run([NEARME, *words, "-o", one], cwd=self.folder)
        status, output, errors = self.spark(words + ["-o", many], own=["--batch", "1"])
        self.assertEqual(status, expected.returncode, errors[-2000:])
        self.assertEqual(output, expected.stdout)
        self.assertEqual(contents(many), contents(one))
        self.assertEqual(errors.count("left out: "), 2)


def descendants(process):
    """The command lines of all processes below one."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    children.setdefault(int(file.read().rpartition(")")[2].split()[1]), []).append(int(name))
            except OSError:
                continue
    found = []
    left = list(children.get(process, []))
    while left:
        child = left.pop()
        left += children.get(child, [])
        try:
            with open(f"/proc/{child}/cmdline", "rb") as file:
                # The program itself, not the Python that starts it.
                found.append(file.read().split(b"\0")[0].decode("utf-8", "replace").rpartition("/")[2])
        except OSError:
            continue
    return found


if __name__ == "__main__":
    unittest.main()
