#!/usr/bin/env python3
"""Takes a calendar through another program, and prints what comes back.

    scripts/calendar_peers.py icalendar < in.ics     read and written by the library icalendar
    scripts/calendar_peers.py radicale < in.ics      put on a radicale server of its own, task by task, and got back

Exit status 69: the other program is not installed. The server listens on this machine only, for as long as this runs.
"""

import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

MISSING = 69


def parts(text):
    """The zones of a calendar and its tasks, as text."""
    found, name, lines = {"VTIMEZONE": [], "VTODO": []}, None, []
    for line in text.split("\r\n"):
        if name is None and line in ("BEGIN:VTIMEZONE", "BEGIN:VTODO"):
            name, lines = line[6:], []
        if name:
            lines.append(line)
            if line == "END:" + name:
                found[name].append("\r\n".join(lines) + "\r\n")
                name = None
    return found["VTIMEZONE"], found["VTODO"]


def by_icalendar(data):
    try:
        import icalendar
    except ImportError:
        sys.exit(MISSING)
    return icalendar.Calendar.from_ical(data).to_ical()


def request(method, url, data=None, headers=()):
    wanted = urllib.request.Request(url, data=data, method=method, headers=dict(headers))
    with urllib.request.urlopen(wanted, timeout=20) as answer:
        return answer.read()


def by_radicale(data):
    try:
        import radicale  # noqa: F401
    except ImportError:
        sys.exit(MISSING)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        log = open(pathlib.Path(folder) / "log", "w")
        server = subprocess.Popen(
            [sys.executable, "-m", "radicale", "--config", "", "--server-hosts", f"127.0.0.1:{port}",
             "--storage-filesystem-folder", folder + "/store", "--auth-type", "none"],
            stdout=log, stderr=log)
        try:
            user = f"http://127.0.0.1:{port}/someone/"
            home = user + "tasks/"
            for attempt in range(100):
                try:
                    request("MKCOL", user)
                    break
                except urllib.error.URLError as error:
                    if isinstance(error, urllib.error.HTTPError) or attempt == 99:
                        raise
                    time.sleep(0.1)
            request("MKCALENDAR", home)
            zones, tasks = parts(data.decode())
            for number, task in enumerate(tasks):
                one = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//peers//EN\r\n" + "".join(zones) + task
                request("PUT", f"{home}{number:06}.ics", (one + "END:VCALENDAR\r\n").encode(),
                        {"Content-Type": "text/calendar; charset=utf-8"}.items())
            return request("GET", home)
        except urllib.error.HTTPError as error:
            sys.exit(f"radicale: {error}: {error.read()[:300]}\n"
                     + (pathlib.Path(folder) / "log").read_text()[-2000:])
        finally:
            # A program that starts this one may have blocked SIGTERM, which children inherit.
            server.kill()
            server.wait()


def main():
    peers = {"icalendar": by_icalendar, "radicale": by_radicale}
    if len(sys.argv) != 2 or sys.argv[1] not in peers:
        sys.exit(__doc__)
    sys.stdout.buffer.write(peers[sys.argv[1]](sys.stdin.buffer.read()))


if __name__ == "__main__":
    main()
