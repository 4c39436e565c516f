#!/usr/bin/env python3
"""Treats a door badly, while a phone beside goes on posting.

  scripts/check-hostile.py NEARME [CONNECTIONS [STAGE]]     CONNECTIONS held open at once; 10000 without it;
                                                            STAGE is a part of the only stage's name

Each stage prints the server's memory before, at most and after, the slowest answer to the phone beside, and what the
attackers were told. It fails if memory grows beyond what is allowed, if the phone waits longer than a second or is refused,
if anything but 503 of the fives is answered, if the server connects to anybody, or if a word of a request is in what it
prints at log level trace. Linux only.
"""

import asyncio
import atexit
import base64
import collections
import gzip
import http.client
import json
import multiprocessing
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

NEARME = os.path.abspath(sys.argv[1])
CONNECTIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
ONLY = sys.argv[3] if len(sys.argv) > 3 else ""
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PORT = 8793
# Bodies of 4 MB may be under way, for as many connections as the attack has at once; all else is small.
MOST_MB = 400
PHARMACY_WORD = "quillfeather tincture"
failures = []


def fail(text):
    failures.append(text)
    print(f"  FAILED: {text}", flush=True)


def run(*words):
    return subprocess.run([NEARME, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def more_files():
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (65_536, 65_536))
    except (ValueError, OSError):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Door:
    def __init__(self, folder):
        self.folder = folder
        self.home = os.path.join(folder, "family")
        self.cache = os.path.join(folder, "pois.sqlite")
        run("cache", "build", os.path.join(ROOT, "data", "port-ardent.osm.pbf"), "-o", self.cache)
        self.phones = {}
        for name in ["anna", "mallory"]:
            run("person", "add", name, "--home", self.home)
            self.phones[name] = json.loads(run("phone", "add", name, "phone", "--home", self.home, "--format", "json"))
        run("reminder", "add", PHARMACY_WORD, "--category", "pharmacy", "--db", os.path.join(self.home, "people", "anna.db"))
        self.sink = os.path.join(folder, "told")
        self.log = os.path.join(folder, "door.log")

    def start(self, before=()):
        self.output = open(self.log, "a")
        self.process = subprocess.Popen(
            [*before, NEARME, "serve", "--home", self.home, "--cache", self.cache, "--listen", f"127.0.0.1:{PORT}", "--log-level", "trace",
             "--sink", f"ndjson:{self.sink}", "--time-zone", "UTC"], stdout=self.output, stderr=self.output, preexec_fn=more_files)
        atexit.register(self.process.kill)
        for _ in range(200):
            if self.process.poll() is not None:
                break
            try:
                http.client.HTTPConnection("127.0.0.1", PORT, timeout=1).connect()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit(f"the door does not start: {open(self.log).read()}")

    def sign_in(self):
        link = run("person", "link", "mallory", "--home", self.home).strip().split("#")[1]
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
        connection.request("POST", "/api/v1/session", json.dumps({"token": link}), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            sys.exit(f"mallory cannot sign in: {answer.status} {text}")
        self.csrf = json.loads(text)["csrf"]
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        connection.close()

    def stop(self):
        self.process.terminate()
        status = self.process.wait(timeout=60)
        self.output.close()
        return status

    def megabytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:")) / 1024

    def basic(self, name):
        phone = self.phones[name]
        return "Basic " + base64.b64encode(f"{phone['user']}:{phone['password']}".encode()).decode()

    def open_files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def strangers(self):
        """Connections of the process to anything but its own port on this machine."""
        try:
            inodes = {os.readlink(f"/proc/{self.process.pid}/fd/{fd}") for fd in os.listdir(f"/proc/{self.process.pid}/fd")}
        except OSError:
            return []
        found = []
        for file in ["/proc/net/tcp", "/proc/net/tcp6", "/proc/net/udp", "/proc/net/udp6"]:
            for line in open(file).read().splitlines()[1:]:
                words = line.split()
                if f"socket:[{words[9]}]" not in inodes:
                    continue
                local = int(words[1].split(":")[1], 16)
                if local != PORT:
                    found.append(f"{file.rsplit('/', 1)[1]} {words[1]} to {words[2]}")
        return found


class GoodPhone(threading.Thread):
    """Posts a fix every quarter of a second, on a new connection every other time."""

    def __init__(self, door):
        super().__init__(daemon=True)
        self.door, self.slowest, self.count, self.bad = door, 0.0, 0, []
        self.memory, self.strangers, self.ends = 0.0, [], threading.Event()
        self.at = int(time.time()) - 3_600

    def post(self, lat, lon):
        self.at += 2
        body = json.dumps({"_type": "location", "lat": lat, "lon": lon, "acc": 8, "tst": self.at, "t": "u"})
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
        try:
            connection.request("POST", "/in/owntracks", body, {"Authorization": self.door.basic("anna"), "Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    def run(self):
        nth = 0
        while not self.ends.is_set():
            began = time.perf_counter()
            try:
                status = self.post(37.9 + nth * 1e-5, -34.4)
            except (OSError, http.client.HTTPException) as error:
                status = repr(error)
            took = time.perf_counter() - began
            self.slowest = max(self.slowest, took)
            self.count += 1
            if status != 200:
                self.bad.append(status)
            self.memory = max(self.memory, self.door.megabytes())
            if nth % 8 == 0:
                self.strangers += self.door.strangers()
            nth += 1
            time.sleep(max(0, 0.25 - took))


def stage(name, door, phone, attack, allowed=MOST_MB):
    before, files = door.megabytes(), door.open_files()
    phone.slowest, phone.count, phone.bad, phone.memory = 0.0, 0, [], before
    told = collections.Counter()
    began = time.perf_counter()
    # In a process of its own, so that the phone beside is not slowed by the attackers.
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=lambda: (asyncio.run(attack(told)), queue.put(dict(told))))
    process.start()
    told.update(queue.get())
    process.join()
    took = time.perf_counter() - began
    # What the attackers have left is closed soon.
    for _ in range(80):
        time.sleep(0.25)
        if door.open_files() <= files + 10:
            break
    else:
        fail(f"{name}: {door.open_files() - files} connections are still held 20 s after they were left")
    after = door.megabytes()
    words = ", ".join(f"{n} {what}" for what, n in sorted(told.items(), key=lambda one: str(one[0]))) or "nothing"
    print(f"{name}: {took:.0f} s; memory {before:.0f}, at most {phone.memory:.0f}, then {after:.0f} MB; phone beside {phone.count} "
          f"fixes, slowest {1_000 * phone.slowest:.0f} ms; told: {words}", flush=True)
    if phone.memory > allowed:
        fail(f"{name}: {phone.memory:.0f} MB, more than {allowed}")
    if phone.slowest > 1:
        fail(f"{name}: the phone beside waited {phone.slowest:.1f} s")
    if phone.bad:
        fail(f"{name}: the phone beside was told {collections.Counter(phone.bad)}")
    fives = [status for status in told if isinstance(status, int) and status >= 500 and status != 503]
    if fives:
        fail(f"{name}: {fives}")
    if door.process.poll() is not None:
        sys.exit(f"the door ended with {door.process.returncode}: {open(door.log).read()[-2000:]}")


# The attackers.


async def opened():
    return await asyncio.wait_for(asyncio.open_connection("127.0.0.1", PORT), 30)


async def status_of(reader, seconds=15):
    """The status of an answer, or how else it ended."""
    try:
        line = await asyncio.wait_for(reader.readline(), seconds)
        return int(line.split()[1]) if line.startswith(b"HTTP/1.1 ") else "closed" if not line else "no HTTP"
    except asyncio.TimeoutError:
        return "no answer"
    except (OSError, ValueError):
        return "closed"


async def send(told, pieces, seconds=15):
    """Sends pieces on a connection, until they are over or it is closed; notes what is told."""
    try:
        await asyncio.wait_for(sent(told, pieces, seconds), 60)
    except asyncio.TimeoutError:
        told["held for a minute"] += 1


async def sent(told, pieces, seconds):
    try:
        reader, writer = await opened()
    except (OSError, asyncio.TimeoutError):
        told["no connection"] += 1
        return
    try:
        async for piece in pieces:
            writer.write(piece)
            await writer.drain()
            if reader.at_eof() or reader._buffer:
                break
    except OSError:
        pass
    told[await status_of(reader, seconds)] += 1
    writer.close()


async def gathered(jobs, at_once):
    gate = asyncio.Semaphore(at_once)

    async def one(job):
        async with gate:
            await job

    await asyncio.gather(*(one(job) for job in jobs))


async def of(*pieces):
    for piece in pieces:
        yield piece


def head(method, path, authorization, *lines):
    return ("\r\n".join([f"{method} {path} HTTP/1.1", "Host: near", "Content-Type: application/json",
                          f"Authorization: {authorization}", *lines]) + "\r\n\r\n").encode()


def roads(door):
    secret = door.phones["mallory"]["secret"]
    return ["/in/owntracks", "/in/overland", "/in/gpslogger", "/in/fixes", "/in/signals", f"/in/traccar/{secret}", f"/in/osmand/{secret}"]


# Every road, with the phone's password, and every route, signed in; and everything without.
def everything(door):
    known = [head("POST", path, door.basic("mallory")) for path in roads(door)]
    signed = f"Cookie: {door.cookie}\r\nX-CSRF-Token: {door.csrf}".encode()
    known += [head(method, path, "").replace(b"Authorization: ", signed) for method, path in api(door)]
    return known + [head(method, path, "Basic eDp5") for method, path in [("POST", path) for path in roads(door)] + api(door)]


def with_line(head, line):
    return head[:-2] + line.encode() + b"\r\n\r\n"


# Every route that takes a body, signed in or not.
def api(door):
    return [("POST", path) for path in ["/api/v1/session", "/api/v1/understand", "/api/v1/remember", "/api/v1/reminders", "/api/v1/places",
                                        "/api/v1/phones", "/api/v1/signals", "/api/v1/tokens", "/api/v1/erase", "/api/v1/push",
                                        "/api/v1/reminders/r1/answers", "/api/v1/notifications/n1/answers", "/a/abcdef", "/n/abcdef"]] + [
        ("PUT", "/api/v1/settings"), ("PUT", "/api/v1/reminders/r1"), ("PUT", "/api/v1/places/p1")]


def slow_heads(door):
    async def attack(told):
        async def one():
            async def drip():
                yield b"POST /in/owntracks HTTP/1.1\r\nHost: near\r\n"
                for i in range(12):
                    await asyncio.sleep(1)
                    yield f"X-{i}: y\r\n".encode()
            await send(told, drip(), 0.1)
        await asyncio.gather(*(one() for _ in range(1_000)))
    return attack


def slow_bodies(door):
    async def attack(told):
        async def one(first):
            async def drip():
                yield with_line(first, "Content-Length: 1000000" if b"/api/" not in first else "Content-Length: 100000")
                for _ in range(12):
                    yield b"["
                    await asyncio.sleep(1)
            await send(told, drip(), 0.1)
        heads = everything(door)[: len(roads(door)) + len(api(door))]
        await asyncio.gather(*(one(heads[i % len(heads)]) for i in range(1_000)))
    return attack


def half_requests(door):
    async def attack(told):
        async def one(i):
            whole = head("POST", "/in/owntracks", door.basic("mallory"), "Content-Length: 40") + b'{"_type":"location"'
            try:
                _, writer = await opened()
                writer.write(whole[: 1 + i * 7 % len(whole)])
                await writer.drain()
                writer.transport.abort()
                told["cut off"] += 1
            except (OSError, asyncio.TimeoutError):
                told["no connection"] += 1
        await gathered((one(i) for i in range(5_000)), 200)
    return attack


def huge_bodies(door):
    async def attack(told):
        piece = b" " * (1 << 20)

        async def body(first):
            yield first
            for _ in range(100):
                yield piece
        jobs = [send(told, body(with_line(first, "Content-Length: 104857600"))) for first in everything(door)]
        await gathered(jobs, 16)
    return attack


def endless_chunks(door):
    async def attack(told):
        chunk = b"40000\r\n" + b" " * 0x40000 + b"\r\n"

        async def body(first):
            yield first
            for _ in range(1_200):
                yield chunk
        await gathered((send(told, body(with_line(first, "Transfer-Encoding: chunked"))) for first in everything(door)), 16)
    return attack


def held_open(door):
    async def attack(told):
        more_files()
        held = []

        async def one(i):
            try:
                held.append(await opened())
                if i % 3 == 0:
                    held[-1][1].write(b"GET /healthz HTTP/1.1\r\nHost: near\r\n\r\n")
                told["held"] += 1
            except (OSError, asyncio.TimeoutError):
                told["no connection"] += 1
        await gathered((one(i) for i in range(CONNECTIONS)), 500)
        await asyncio.sleep(10)
        for _, writer in held:
            writer.transport.abort()
    return attack


def garbage(door):
    async def attack(told):
        random_numbers = random.Random(7)
        starts = [b"", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                  b"POST /in/owntracks HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
                  b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", b"GET /%00%ff%2e%2e/ HTTP/1.1\r\nHost: x\r\n\r\n",
                  b"GET /in/osmand/%ff?lat=%f0%28%8c%28 HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /in/owntracks HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"]
        await gathered((send(told, of(starts[i % len(starts)] + random_numbers.randbytes(random_numbers.randrange(2_000))), 0.5) for i in range(3_000)), 100)
    return attack


def bad_json(door):
    async def attack(told):
        bodies = [b"[" * 3_000_000, b'{"a":' * 500_000, b'{"locations":' + b"[" * 2_000_000, b'{"_type":"location","lat":' + b"9" * 3_000_000 + b"}",
                  b'{"locations":[' + b",".join([b"{}"] * 1_000_000) + b"]}", b'{"' + b"a" * 3_000_000 + b'":1}', b"\xff\xfe" * 1_000_000,
                  b'{"at":"x"}\n' * 300_000, b'{"_type":"waypoints","waypoints":[' + b",".join([b'{"_type":"waypoint","desc":"x","tst":1,"lat":1,"lon":1,"rad":1}'] * 50_000) + b"]}",
                  b"--b\r\n" * 500_000, b"&".join([b"lat=1"] * 500_000)]
        types = ["application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b"]
        jobs = []
        for i, body in enumerate(bodies):
            for path in roads(door) + ["/api/v1/understand", "/api/v1/session"]:
                first = head("POST", path, door.basic("mallory"), f"Content-Length: {len(body)}").replace(b"application/json", types[i % 3 if i > 8 else 0].encode())
                jobs.append(send(told, of(first, body), 30))
        await gathered(jobs, 8)
    return attack


def gzip_bombs(door):
    async def attack(told):
        bomb = gzip.compress(b" " * (1 << 28), 9)
        await gathered((send(told, of(head("POST", path, door.basic("mallory"), "Content-Encoding: gzip", f"Content-Length: {len(bomb)}"), bomb), 30)
                        for path in roads(door) * 10), 16)
    return attack


def long_heads(door):
    async def attack(told):
        async def lines():
            yield b"GET /healthz HTTP/1.1\r\nHost: near\r\n"
            for i in range(2_000):
                yield f"X-{i}: ".encode() + b"y" * 1_000 + b"\r\n"
        jobs = [send(told, of(b"GET /" + b"a" * 5_000_000 + b" HTTP/1.1\r\n\r\n"), 5) for _ in range(100)]
        await gathered(jobs + [send(told, lines(), 5) for _ in range(100)], 50)
    return attack


def is_it_silent(door):
    """A day of requests with words that are known, right ones and wrong ones; none may be in what the server prints."""
    def ask(method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=20)
        connection.request(method, path, body if body is None or isinstance(body, (str, bytes)) else json.dumps(body),
                           {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return answer, text

    link = run("person", "link", "anna", "--home", door.home).strip().split("#")[1]
    answer, text = ask("POST", "/api/v1/session", {"token": link})
    csrf = json.loads(text)["csrf"]
    cookie = answer.getheader("Set-Cookie").split(";")[0]
    signed = {"Cookie": cookie, "X-CSRF-Token": csrf}
    _, text = ask("POST", "/api/v1/tokens", {"name": "robin's laptop", "scopes": ["read", "write"]}, signed)
    token = json.loads(text).get("token", "")
    title = "fetch the velvet marmalade"
    ask("POST", "/api/v1/remember", {"text": f"{title} when I am near a grocery", "notes": "ochre lantern"}, signed)
    ask("POST", "/api/v1/places", {"name": "Heron Cottage", "kind": "home", "lat": 38.0123457, "lon": -34.0987653}, signed)
    ask("POST", "/api/v1/places", {"name": "Heron Cottage", "kind": "nonsense", "lat": 938.0123457}, signed)
    ask("GET", "/api/v1/near?lat=38.0123457&lon=-34.0987653&text=velvet", None, {"Authorization": f"Bearer {token}"})
    ask("GET", "/api/v1/reminders", None, {"Authorization": f"Bearer {token}x"})
    phone = door.phones["anna"]
    now = int(time.time())
    # What is sent in parallel is held for 2 s to be put in order, and OwnTracks waits behind it.
    for i in range(12):
        lat, lon = 38.0123457 + i * 1e-7, -34.0987653
        ask("POST", "/in/owntracks", {"_type": "location", "lat": lat, "lon": lon, "acc": 9, "tst": now - 200 + i}, {"Authorization": door.basic("anna")})
        ask("POST", "/in/overland", {"locations": [{"type": "Feature", "geometry": {"type": "Point", "coordinates": [lon, lat]},
            "properties": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - 100 + i)), "horizontal_accuracy": 5}}]},
            {"Authorization": f"Bearer {phone['password']}"})
        ask("GET", f"/in/osmand/{phone['secret']}?lat={lat}&lon={lon}&timestamp={now + i}")
    ask("POST", "/in/owntracks", '{"_type":"location","lat":38.0123457,"lon":', {"Authorization": door.basic("anna")})
    ask("POST", "/in/owntracks", "velvet marmalade", {"Authorization": "Basic " + base64.b64encode(b"anna/phone:velvet-password").decode()})
    ask("POST", "/in/traccar/velvetsecret?lat=38.0123457&lon=-34.0987653")
    ask("POST", "/api/v1/session", {"token": "velvettoken"})
    ask("POST", "/a/velvetanswer")
    time.sleep(3)
    words = {"title": "velvet", "notes": "ochre", "place": "Heron", "latitude": "38.0123", "longitude": "34.0987", "password": phone["password"],
             "secret": phone["secret"], "link": link, "cookie": cookie.split("=")[1], "csrf": csrf, "token": token, "first title": PHARMACY_WORD,
             "token's name": "robin"}
    return {name: word for name, word in words.items() if word}


def main():
    more_files()
    with tempfile.TemporaryDirectory() as folder:
        door = Door(folder)
        door.start()
        door.sign_in()
        phone = GoodPhone(door)
        phone.start()
        time.sleep(1)
        for name, attack in [("slow headers, 1,000 connections", slow_heads), ("slow bodies, 1,000 connections", slow_bodies), ("half requests", half_requests),
                             ("bodies of 100 MB, every road and route", huge_bodies), ("chunks without end", endless_chunks),
                             ("broken and deep JSON, forms", bad_json), ("gzip bombs", gzip_bombs), ("garbage", garbage), ("long headers and addresses", long_heads),
                             (f"{CONNECTIONS} connections held open", held_open)]:
            if ONLY in name:
                stage(name, door, phone, attack(door))
        phone.ends.set()
        phone.join()
        # After all this the phone beside comes to a pharmacy, and its owner is told.
        lantern = pharmacy(door)
        phone.at = int(time.time()) - 300
        for i in range(40):
            phone.at += 3
            phone.post(lantern[0] + max(0, 25 - i) * 4e-4, lantern[1])
        time.sleep(4)
        told = os.path.join(door.sink, "anna.ndjson")
        if not os.path.exists(told) or PHARMACY_WORD not in open(told).read():
            fail("the phone beside came to a pharmacy, and nothing was said")
        else:
            print("the phone beside came to a pharmacy, and its owner was told")
        if phone.strangers:
            fail(f"it connected: {sorted(set(phone.strangers))[:5]}")
        words = is_it_silent(door)
        status = door.stop()
        if status != 0:
            fail(f"SIGTERM ended it with {status}")
        printed = open(door.log).read()
        found = [name for name, word in words.items() if word in printed]
        if found:
            fail(f"it printed: {', '.join(found)}")
        print(f"{len(printed.splitlines())} lines were printed at log level trace; {len(words)} known words searched, {len(found)} found")
        if shutil.which("strace"):
            trace = os.path.join(folder, "strace")
            door.start(["strace", "-f", "-qq", "-e", "trace=connect,sendto", "-o", trace])
            is_it_silent(door)
            with open(f"/proc/{door.process.pid}/task/{door.process.pid}/children") as file:
                os.kill(int(file.read().split()[0]), 15)
            door.process.wait(timeout=60)
            calls = [line for line in open(trace) if ("connect(" in line or "sin_addr" in line or "sin6_addr" in line) and "AF_UNIX" not in line]
            if calls:
                fail(f"it called out: {calls[0].strip()}")
            print(f"under strace, a day of requests: {len(calls)} calls to connect or to send to an address")
    if failures:
        sys.exit(f"check-hostile: {len(failures)} failed")
    print("check-hostile: all well")


def pharmacy(door):
    text = run("cache", "export", door.cache, "--format", "geojson")
    for feature in json.loads(text)["features"]:
        if "pharmacy" in json.dumps(feature["properties"]):
            lon, lat = feature["geometry"]["coordinates"]
            return lat, lon
    sys.exit("the sample has no pharmacy")


main()
