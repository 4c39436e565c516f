#!/usr/bin/env python3
"""Measures `nearme serve`: fixes a second on one core, an idle person's memory, the time to start.

  scripts/bench-serve.py NEARME [SECONDS]     SECONDS of each load; 15 without it
  PEOPLE=3000 scripts/bench-serve.py NEARME 15 b   one part alone (a, b, c, d), with fewer people

The server is pinned to the first processor and the load (wrk) to the others. Every body is one fix, in the form of
OwnTracks, Overland or our own lines, on connections that stay open; every fix is on the disk (fsync) before it is
answered. People have the three reminders below and walk through the sample town. Needs wrk and Linux.
"""

import asyncio
import atexit
import base64
import hashlib
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

NEARME = os.path.abspath(sys.argv[1])
FIRST_SECONDS = 10
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 15
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PORT = 8791
TICK = os.sysconf("SC_CLK_TCK")
GOAL_RATE, GOAL_P99_MS, GOAL_IDLE_KB, GOAL_START_MS = 5_000, 50, 50, 100

REMINDERS = [
    ["pick up the prescription", "--category", "pharmacy"],
    ["buy milk and eggs", "--category", "grocery"],
    ["fill up the tank", "--category", "gas_station"],
]

# A person's next fix each time; 30 s and some 40 m on, back and forth along a street.
LUA = """
local forms = {%(forms)s}
local people = %(people)d
local start = %(start)d
local nth, count = {}, 0
local secret = {}
for line in io.lines("%(secrets)s") do secret[#secret + 1] = line end
request = function()
  local p = count %% people + 1
  count = count + 1
  local n = (nth[p] or 0) + 1
  nth[p] = n
  local t = start + 30 * n
  local swing = n %% 200
  if swing > 100 then swing = 200 - swing end
  local lat = 37.985 + (p %% 40) * 0.001 + swing * 0.00025
  local lon = -34.15 + (p / 40) * 0.003 + swing * 0.0003
  local form = forms[p %% #forms + 1]
  local auth, path, body = secret[p]
  if form == "owntracks" then
    path = "/in/owntracks"
    body = string.format('{"_type":"location","lat":%%.6f,"lon":%%.6f,"acc":12,"tst":%%d,"tid":"ab","t":"u","batt":80,"vel":5}', lat, lon, t)
  elseif form == "overland" then
    path = "/in/overland"
    body = string.format('{"locations":[{"type":"Feature","geometry":{"type":"Point","coordinates":[%%.6f,%%.6f]},'
      .. '"properties":{"timestamp":"%%s","horizontal_accuracy":12,"speed":1,"battery_level":0.8,"device_id":"phone"}}]}', lon, lat, os.date("!%%Y-%%m-%%dT%%H:%%M:%%SZ", t))
  else
    path = "/in/fixes"
    body = string.format('{"time":"%%s","lat":%%.6f,"lon":%%.6f,"accuracy_m":12}\\n', os.date("!%%Y-%%m-%%dT%%H:%%M:%%SZ", t), lat, lon)
  end
  return wrk.format("POST", path, {["Authorization"] = auth, ["Content-Type"] = "application/json"}, body)
end
local sorts = {}
response = function(status) sorts[status] = (sorts[status] or 0) + 1 end
done = function(summary, latency)
  io.write(string.format("RESULT %%d %%d %%d %%d %%d %%d\\n", summary.requests, summary.duration, latency:percentile(50),
    latency:percentile(99), latency.max, summary.errors.status + summary.errors.read + summary.errors.timeout + summary.errors.connect))
end
"""


class Door:
    """A folder with people, and a server on it."""

    def __init__(self, folder, people, cache, options=()):
        self.home = os.path.join(folder, f"family-{people}-{time.monotonic_ns()}")
        self.cache = cache
        self.options = list(options)
        self.people = people
        run("person", "add", "p1", "--home", self.home)
        database = os.path.join(self.home, "people", "p1.db")
        for words in REMINDERS:
            run("reminder", "add", *words, "--db", database)
        self.secrets = [hashlib.sha256(f"bench {i}".encode()).hexdigest()[:32] for i in range(people)]
        file = sqlite3.connect(os.path.join(self.home, "door.sqlite"))
        with file:
            for i in range(1, people + 1):
                if i > 1:
                    file.execute("INSERT INTO person (name, created) VALUES (?, 0)", (f"p{i}",))
                    for end in ["", ".key"]:
                        shutil.copy(database + end, os.path.join(self.home, "people", f"p{i}.db{end}"))
                secret = self.secrets[i - 1]
                file.execute(
                    "INSERT INTO device (person, name, secret, path, settings, created) VALUES"
                    " ((SELECT id FROM person WHERE name = ?), 'phone', ?, ?, '{\"regions\":\"auto\",\"hasFollowRegion\":false}', 0)",
                    (f"p{i}", hashlib.sha256(secret.encode()).digest(), hashlib.sha256(("/" + secret).encode()).digest()),
                )
        file.close()

    def authorization(self, i):
        return "Basic " + base64.b64encode(f"p{i + 1}/phone:{self.secrets[i]}".encode()).decode()

    def start(self):
        began = time.perf_counter()
        self.errors = open(os.path.join(self.home, "stderr"), "w")
        self.process = subprocess.Popen(
            ["taskset", "-c", "0", NEARME, "serve", "--home", self.home, "--cache", self.cache,
             "--listen", f"127.0.0.1:{PORT}", *self.options],
            stdout=subprocess.PIPE, stderr=self.errors, text=True,
            preexec_fn=more_files,
        )
        line = self.process.stdout.readline()
        if not line.startswith("listening"):
            sys.exit(f"the server does not start: {open(self.errors.name).read()}")
        atexit.register(self.process.kill)
        return 1_000 * (time.perf_counter() - began)

    def seconds_of_processor(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            words = file.read().rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / TICK

    def kilobytes(self, name="VmRSS"):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settle(self, longest):
        """Waits until the server has nothing to do."""
        before, end = -1.0, time.monotonic() + longest
        while time.monotonic() < end:
            now = self.seconds_of_processor()
            if now - before < 0.02:
                break
            before = now
            time.sleep(1)

    def stop(self):
        began = time.perf_counter()
        self.process.terminate()
        status = self.process.wait(timeout=120)
        return status, time.perf_counter() - began


def more_files():
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (65_536, 65_536))
    except (ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def run(*words):
    subprocess.run([NEARME, *words], check=True, stdout=subprocess.DEVNULL)


def verdict(reached):
    return "reached" if reached else "NOT reached"


def load(folder, cache):
    others = f"1-{os.cpu_count() - 1}" if os.cpu_count() > 1 else "0"
    print(f"a) 1,000 people, a fix in each body, {SECONDS} s each; the server on one core, fsync on")
    print("   form        connections  fixes/s  p50 ms  p99 ms  max ms  failed  CPU µs/fix  server's core busy  p99 of the first")
    for forms, connections in [(["owntracks"], 64), (["overland"], 64), (["fixes"], 64),
                               (["owntracks", "overland", "fixes"], 64), (["owntracks", "overland", "fixes"], 200)]:
        door = Door(folder, 1_000, cache, ["--clock", "fixes"])
        door.start()
        # Opening a person's database is measured in b), by what it costs.
        door.settle(60)
        secrets = os.path.join(folder, "secrets")
        with open(secrets, "w") as file:
            for i in range(door.people):
                file.write(door.authorization(i) + "\n")
        script = os.path.join(folder, "load.lua")

        def run_wrk(seconds, start):
            with open(script, "w") as file:
                file.write(LUA % {"forms": ",".join(f'"{name}"' for name in forms), "people": door.people,
                                  "start": start, "secrets": secrets})
            answer = subprocess.run(
                ["taskset", "-c", others, "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", script,
                 f"http://127.0.0.1:{PORT}"], capture_output=True, text=True)
            line = next((line for line in answer.stdout.splitlines() if line.startswith("RESULT")), None)
            if line is None:
                sys.exit(f"wrk: {answer.stdout}{answer.stderr}")
            return map(int, line.split()[1:])

        # Everybody's first fixes tell 1,000 people of three shops each, and give phones their regions.
        start = int(time.time()) - 20 * 86_400
        _, _, _, first_p99, _, first_failed = run_wrk(FIRST_SECONDS, start)
        before, began = door.seconds_of_processor(), time.perf_counter()
        requests, micros, p50, p99, most, failed = run_wrk(SECONDS, start + 86_400)
        spent, passed = door.seconds_of_processor() - before, time.perf_counter() - began
        rate, failed = requests / (micros / 1e6), failed + first_failed
        name = "+".join(forms) if len(forms) == 1 else "all three"
        reached = rate >= GOAL_RATE and p99 <= GOAL_P99_MS * 1_000 and failed == 0
        print(f"   {name:<11} {connections:>11}  {rate:>7.0f}  {p50 / 1000:>6.1f}  {p99 / 1000:>6.1f}  {most / 1000:>6.1f}  {failed:>6}"
              f"  {1e6 * spent / max(requests, 1):>10.0f}  {100 * spent / passed:>18.0f} %  {first_p99 / 1000:>16.1f}   {verdict(reached)}", flush=True)
        status, took = door.stop()
        if status != 0:
            print(f"   the server ended with {status}")
        shutil.rmtree(door.home)
    print(f"   wanted: {GOAL_RATE} fixes/s, p99 {GOAL_P99_MS} ms")


async def crowd(door, seconds):
    """Every person posts a fix each 30 s, on a connection of its own; how long the answers took, failures, and how many
    connections were closed between two fixes, as a door may, and opened again, as every client does."""
    took, failed, reopened = ([], []), 0, 0

    async def person(i):
        nonlocal failed, reopened
        await asyncio.sleep(30 * i / door.people)
        reader = writer = None
        head = f"POST /in/owntracks HTTP/1.1\r\nHost: near\r\nAuthorization: {door.authorization(i)}\r\nContent-Type: application/json\r\n"
        begin = time.monotonic()
        for n in range(max(1, seconds // 30)):
            wait = begin + 30 * n - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            body = json.dumps({"_type": "location", "lat": 37.985 + i % 40 * 0.001 + n * 0.0003, "lon": -34.15 + i // 40 * 0.0003,
                               "acc": 12, "tst": int(time.time()), "t": "u"})
            before = time.perf_counter()
            try:
                if reader is None or reader.at_eof() or reader.exception():
                    reopened += reader is not None
                    reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", PORT), 20)
                writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
                answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 20)
                length = next(int(line.split(b":")[1]) for line in answer.split(b"\r\n") if line.lower().startswith(b"content-length"))
                await reader.readexactly(length)
                if not answer.startswith(b"HTTP/1.1 200"):
                    failed += 1
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                failed += 1
            took[min(n, 1)].append(time.perf_counter() - before)

    await asyncio.gather(*(person(i) for i in range(door.people)))
    return sorted(took[0]), sorted(took[1]), failed, reopened


def many_people(folder, cache):
    people, seconds = int(os.environ.get("PEOPLE", 10_000)), 120
    print(f"b) {people} people, a fix each 30 s of each, {seconds} s, a connection each")
    more_files()
    door = Door(folder, people, cache)
    started = door.start()
    door.settle(120)
    alone, files = door.kilobytes(), door.open_files()
    print(f"   started in {started:.0f} ms; everybody looked after once: {alone / 1024:.0f} MB, {files} files open, "
          f"{door.seconds_of_processor():.1f} s of processor", flush=True)
    before = door.seconds_of_processor()
    first, later, failed, reopened = asyncio.run(crowd(door, seconds))
    if door.process.poll() is not None:
        sys.exit(f"the server ended with {door.process.returncode}: {open(door.errors.name).read()[-500:]}")
    spent = door.seconds_of_processor() - before
    busy, files = door.kilobytes(), door.open_files()
    count = len(first) + len(later)

    def p(took, share):
        return 1_000 * took[min(len(took) - 1, int(share * len(took)))]

    print(f"   {count / seconds:.0f} fixes/s, {failed} failed, {reopened} connections opened again; {1e6 * spent / count:.0f} µs of processor a fix; everybody's first, "
          f"for which the database is opened: p50 {p(first, .5):.1f} ms, p99 {p(first, .99):.1f} ms; later ones: "
          f"p50 {p(later, .5):.1f} ms, p99 {p(later, .99):.1f} ms; with all connections open {busy / 1024:.0f} MB, {files} files", flush=True)
    time.sleep(15)
    resting = door.kilobytes()
    # Whoever has not come in for two minutes is put away; what that frees is given back each minute.
    time.sleep(200)
    idle, idle_files = door.kilobytes(), door.open_files()
    spent = door.seconds_of_processor()
    time.sleep(20)
    spent = (door.seconds_of_processor() - spent) / 20
    empty = Door(folder, 1, cache)
    status, took_to_end = door.stop()
    empty.start()
    empty.settle(5)
    base = empty.kilobytes()
    empty.stop()
    each = (idle - base) / people
    print(f"   15 s after the last fix {resting / 1024:.0f} MB, {(resting - base) / people:.1f} kB a person; after 215 s "
          f"{idle / 1024:.0f} MB, {idle_files} files, {100 * spent:.1f} % of the core; a door of one person {base / 1024:.0f} MB: {each:.1f} kB for each "
          f"person who is idle, wanted {GOAL_IDLE_KB}: {verdict(each <= GOAL_IDLE_KB)}")
    print(f"   SIGTERM ended it with {status} after {took_to_end:.1f} s", flush=True)
    shutil.rmtree(door.home)


def start(folder, cache):
    door = Door(folder, 1_000, cache)
    times = []
    for _ in range(20):
        times.append(door.start())
        door.stop()
    times.sort()
    print(f"c) start to listening, 1,000 people, 20 times: least {times[0]:.0f} ms, middle {times[10]:.0f} ms, most {times[-1]:.0f} ms, "
          f"wanted {GOAL_START_MS}: {verdict(times[10] <= GOAL_START_MS)}", flush=True)


def peers():
    there = [name for name in ["ot-recorder"] if shutil.which(name)]
    print("d) peers: " + (", ".join(there) if there else
          "the OwnTracks Recorder (ot-recorder) is not installed, and Traccar is a server of Java that no package archive has"))


def main():
    for name in ["wrk", "taskset"]:
        if not shutil.which(name):
            sys.exit(f"bench-serve: {name} is not there (Debian: apt install wrk util-linux)")
    with tempfile.TemporaryDirectory() as folder:
        cache = os.path.join(folder, "pois.sqlite")
        run("cache", "build", os.path.join(ROOT, "data", "port-ardent.osm.pbf"), "-o", cache)
        parts = sys.argv[3] if len(sys.argv) > 3 else "abcd"
        if "c" in parts:
            start(folder, cache)
        if "a" in parts:
            load(folder, cache)
        if "b" in parts:
            many_people(folder, cache)
        if "d" in parts:
            peers()


main()
