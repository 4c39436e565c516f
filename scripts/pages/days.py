"""Days to look at: what a page is made from, for its checks and its measurements."""

import gzip
import json
import math
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NEARME = ROOT / ".build/release/nearme"
SHARED = ROOT.parent / "shared/data"
CATEGORIES = ["bank", "gas_station", "grocery", "pharmacy", "post_office"]


def nearme(*arguments, status=0):
    """What the command prints; anything but the expected exit status is an error."""
    done = subprocess.run([NEARME, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != status:
        raise SystemExit(f"nearme {arguments}: exit status {done.returncode}: {done.stderr}")
    return done.stdout


class Day:
    """A trace with its cache and reminders, in a folder for what is made of it."""

    def __init__(self, folder, name, trace, cache, reminders, *options):
        self.name = name
        self.page = Path(folder) / f"{name}.html"
        self.arguments = [trace, "--cache", cache, "--reminders", reminders, *options]

    def without_truth(self):
        """The same trace with no truth beside it: with one, the page goes on until the truth ends."""
        trace, *options = self.arguments
        folder = self.page.parent / f"{self.name}-alone"
        folder.mkdir(exist_ok=True)
        alone = folder / Path(trace).name
        alone.write_bytes(Path(trace).read_bytes())
        return Day(folder, self.name, alone, options[1], options[3], *options[4:])

    def write(self):
        nearme("replay", *self.arguments, "--format", "html", "-o", self.page)
        return self

    def data(self):
        return json.loads(nearme("replay", *self.arguments, "--format", "day-json"))

    def lines(self):
        return [json.loads(line) for line in nearme("replay", *self.arguments, "--format", "ndjson").splitlines()]

    def explain(self, reminder, at):
        return nearme("explain", *self.arguments, "--monitor", "ideal", "--reminder", reminder, "--at", at)


def sample(folder):
    cache = Path(folder) / "port-ardent.sqlite"
    nearme("cache", "build", ROOT / "data/port-ardent.osm.pbf", "-o", cache)
    return Day(folder, "errands", ROOT / "traces/errands.gpx.gz", cache, ROOT / "traces/reminders.json",
               "--policy", ROOT / "traces/policy.yaml")


def development(folder, count):
    """Days of the development corpora, every one of several people; none where they are not there."""
    if not (SHARED / "corpus-dev").is_dir():
        return []
    cache = Path(folder) / "dev.sqlite"
    maps = [SHARED / f"osm/{name}.osm.pbf" for name in ("us-baltimore", "us-virgin-islands")]
    nearme("cache", "build", *maps, "--no-dedup", "-o", cache)
    traces = sorted((SHARED / "corpus-dev").glob("*.gpx.gz"))[:: 4] + sorted((SHARED / "corpus-dev-wide").glob("*.gpx.gz"))[:: 4]
    days = []
    for trace in traces[:count]:
        name = trace.name.removesuffix(".gpx.gz")
        truth = json.loads(trace.with_name(f"{name}.truth.json").read_text())
        places = [{"id": kind, "name": kind, "kind": kind, **truth[kind]} for kind in ("home", "work") if truth.get(kind)]
        reminders = [{"id": c, "title": f"do {c}", "target": {"category": c}} for c in CATEGORIES]
        reminders += [{"id": p["id"], "title": f"do {p['id']}", "target": {"place": p["id"]}} for p in places]
        person = Path(folder) / f"{trace.parent.name}-{name}.json"
        person.write_text(json.dumps({"time_zone": truth["tz"], "places": places, "reminders": reminders}))
        days.append(Day(folder, f"{trace.parent.name}-{name}", trace, cache, person))
    return days


HOSTILE = {
    "script": "</script><script>window.hacked = 1</script>",
    "image": "<img src=x onerror=\"window.hacked = 1\">",
    "bidi": "right\u202eto left\u2066 and \u200fback",
    "long": "0123456789" * 1024,
    "emoji": "\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "lines": "one\ntwo\r\nthree\u2028four",
    "comment": "<!-- --> ]]> &lt; \u0000?".replace("\u0000", "\ufffd"),
}


def hostile(folder):
    """The sample day of somebody whose places, reminders and shops have names that want to be more."""
    folder = Path(folder)
    person = json.loads((ROOT / "traces/reminders.json").read_text())
    names = list(HOSTILE.values())
    for place, name in zip(person["places"], names):
        place["name"] = name
    for reminder, name in zip(person["reminders"], names):
        reminder["title"] = name
    reminders = folder / "hostile.json"
    reminders.write_text(json.dumps(person))
    plain = folder / "port-ardent.sqlite"
    shops = json.loads(nearme("cache", "export", plain, "--format", "geojson"))
    for i, feature in enumerate(shops["features"]):
        feature["properties"]["name"] = names[i % len(names)]
    source = folder / "hostile.geojson"
    source.write_text(json.dumps(shops))
    cache = folder / "hostile.sqlite"
    nearme("cache", "build", source, "-o", cache, "--no-dedup")
    trace = folder / "img src=x onerror=alert(1).gpx.gz"
    trace.write_bytes((ROOT / "traces/errands.gpx.gz").read_bytes())
    return Day(folder, "hostile", trace, cache, reminders, "--policy", ROOT / "traces/policy.yaml")


def dense(folder, seconds=86_400, meters_a_second=7.0):
    """The way of the sample day, driven up and down at one fix a second for a whole day."""
    folder = Path(folder)
    text = gzip.decompress((ROOT / "traces/errands.gpx.gz").read_bytes()).decode()
    points = [(float(a), float(b)) for a, b in re.findall(r'<trkpt lat="([-\d.]+)" lon="([-\d.]+)"', text)]
    way = [points[0]]
    for point in points:
        if distance(way[-1], point) > 60:
            way.append(point)
    way += way[-2:0:-1]
    rows, at, row = [], way[0], 0
    for second in range(seconds):
        left = meters_a_second
        while (step := distance(at, way[(row + 1) % len(way)])) <= left:
            left -= step
            row = (row + 1) % len(way)
            at = way[row]
        goal = way[(row + 1) % len(way)]
        share = left / step
        at = (at[0] + (goal[0] - at[0]) * share, at[1] + (goal[1] - at[1]) * share)
        h, m, s = second // 3600, second // 60 % 60, second % 60
        rows.append(f'<trkpt lat="{at[0]:.7f}" lon="{at[1]:.7f}"><time>2026-03-03T{h:02}:{m:02}:{s:02}Z</time>'
                    f"<hdop>{1 + second % 7 / 10:.1f}</hdop></trkpt>")
    trace = folder / "dense.gpx.gz"
    trace.write_bytes(gzip.compress(("<gpx version=\"1.1\" creator=\"bench\"><trk><trkseg>" + "\n".join(rows)
                                     + "</trkseg></trk></gpx>").encode(), 1))
    person = json.loads((ROOT / "traces/reminders.json").read_text())
    person["actions"] = []
    person["reminders"] += [
        {"id": "fuel2", "title": "check the tires", "target": {"category": "gas_station"}},
        {"id": "food2", "title": "return the bottles", "target": {"category": "grocery"}},
    ]
    reminders = folder / "dense.json"
    reminders.write_text(json.dumps(person))
    cache = folder / "port-ardent.sqlite"
    if not cache.exists():
        nearme("cache", "build", ROOT / "data/port-ardent.osm.pbf", "-o", cache)
    return Day(folder, "dense", trace, cache, reminders, "--monitor", "stream")


def distance(a, b):
    """Meters on a plane: good enough to drive on."""
    north = (b[0] - a[0]) * 111_195
    east = (b[1] - a[1]) * 111_195 * math.cos(math.radians(a[0]))
    return math.hypot(north, east)
