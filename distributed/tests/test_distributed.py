"""What Spark gives beside what one machine gives, to the byte: `make test-distributed` runs it.

NEARME names the binary. Where the development corpora lie beside the checkout they are taken, else invented
days are made.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

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
        return ["tune", *self.corpora, "--cache", self.cache, "--monitor", "stream", "--space", self.space, "-o", output, *more]

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

    def test_wrong_commands_are_named(self):
        for words, sentence in [
            (["score"], "name corpora"),
            (["score", "nowhere", "--cache", "nowhere.sqlite"], "there is no such file"),
            (["score", "x", "--days", "y"], "leave it out"),
            (["replay", "-", "--cache", self.cache], "standard input"),
        ]:
            done = run([sys.executable, "-m", "nearme_spark", "--nearme", NEARME, *words], cwd=self.folder)
            self.assertEqual(done.returncode, 64)
            self.assertIn(sentence, done.stderr.decode())


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
