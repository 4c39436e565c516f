"""Counts the fixes of the CSV and JSON files of gpx-odd with Python's own readers, and compares.

  scripts/peers/odd_points.py ../shared/data/gpx-odd .build/release/nearme

Nothing here is taken from our readers: the files are parsed by the csv and json modules, and what is a
fix is written down once more, shape by shape. Both must find the same instants and coordinates. Exit
status 1 if they differ.
"""

import csv
import io
import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path


def instant(value):
    """Seconds since 1970 of a time as text or number; None if there is none."""
    if value in (None, ""):
        return None
    text = str(value)
    if re.fullmatch(r"\d+(\.\d+)?", text):
        number = float(text)
        return number / 1000 if number > 1e11 else number
    moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text.replace("Z", "+00:00")))
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()


def degrees(value):
    """Degrees of a number, or of a text with a comma, a degree sign or a side of the world."""
    text = str(value).replace(",", ".").replace("\u00b0", "").strip()
    sign = -1 if text[-1:] in "SW" else 1
    return sign * float(text.strip("NSEW "))


def fix(time, latitude, longitude):
    return (round(instant(time), 3), round(latitude, 6), round(longitude, 6))


def of_csv(text):
    dialect = csv.Sniffer().sniff(text.splitlines()[0], ",;\t")
    rows = list(csv.DictReader(io.StringIO(text), dialect=dialect))

    def column(*words):
        return next(name for name in rows[0] if name.lower().startswith(words))

    when = column("time", "timestamp", "start time")
    latitude, longitude = column("lat"), column("lon")
    scale = 1e-7 if latitude.endswith("E7") else 1
    return [
        fix(row[when], degrees(row[latitude]) * scale, degrees(row[longitude]) * scale)
        for row in rows
    ]


TIMES = ("timestamp", "time", "datetime", "when", "recorded_at", "date")


def time_of(properties):
    return next((properties[key] for key in TIMES if properties.get(key) not in (None, "")), None)


def e7(place):
    latitude = place.get("latitudeE7", place.get("latE7"))
    longitude = place.get("longitudeE7", place.get("lngE7"))
    return None if latitude is None else (latitude / 1e7, longitude / 1e7)


def pair(text):
    return [degrees(part) for part in text.replace("geo:", "").split(",")]


def of_features(features):
    found = []
    for feature in features:
        geometry = feature.get("geometry") or {}
        if geometry.get("type") == "Point" and time_of(feature["properties"]):
            longitude, latitude = [float(part) for part in geometry["coordinates"][:2]]
            found.append(fix(time_of(feature["properties"]), latitude, longitude))
    return found


def of_timeline(objects):
    """Months of Google's history: a way has its two ends and its raw path, a visit begins and ends."""
    found = []

    def add(time, place):
        if time and place and e7(place):
            found.append(fix(time, *e7(place)))

    for item in objects:
        part = item.get("activitySegment") or item.get("placeVisit")
        span = part.get("duration", {})
        start = span.get("startTimestamp") or span.get("startTimestampMs")
        end = span.get("endTimestamp") or span.get("endTimestampMs")
        if "activitySegment" in item:
            # Where an end has no place, the way that was guessed has one.
            way = part.get("waypointPath", {}).get("waypoints") or [{}]
            for time, end_of_way, guess in (
                (start, part.get("startLocation"), way[0]),
                (end, part.get("endLocation"), way[-1]),
            ):
                add(time, end_of_way if end_of_way and e7(end_of_way) else guess)
        else:
            place = part.get("location") or {}
            if e7(place) is None:
                place = (part.get("otherCandidateLocations") or [{}])[0]
            if e7(place) is None and "centerLatE7" in part:
                place = {"latE7": part["centerLatE7"], "lngE7": part["centerLngE7"]}
            add(start, place)
            add(end, place)
        for point in part.get("simplifiedRawPath", {}).get("points", []):
            add(point.get("timestamp") or point.get("timestampMs"), point)
    return found


def of_segments(segments):
    """What a phone writes by itself: paths, ways and visits."""
    found = []
    for item in segments:
        start, end = item["startTime"], item.get("endTime")
        for point in item.get("timelinePath", []):
            time = point.get("time")
            if time is None:
                time = instant(start) + 60 * float(point["durationMinutesOffsetFromStartTime"])
            found.append(fix(time, *pair(point["point"])))
        ends = []
        if "activity" in item:
            ends = [item["activity"].get("start"), item["activity"].get("end")]
        elif "visit" in item:
            place = item["visit"]["topCandidate"].get("placeLocation")
            ends = [place, place]
        for time, place in zip((start, end), ends):
            text = place.get("latLng") if isinstance(place, dict) else place
            if time and text:
                found.append(fix(time, *pair(text)))
    return found


def of_json(text):
    data = json.loads(text)
    if isinstance(data, list):
        if data and "startTime" in data[0]:
            return of_segments(data)
        return of_flat(data)
    if "features" in data:
        return of_features(data["features"])
    if data.get("type") == "Feature":
        return of_features([data])
    if "timelineObjects" in data:
        return of_timeline(data["timelineObjects"])
    if data.get("semanticSegments"):
        return of_segments(data["semanticSegments"])
    edits = data.get("timelineEdits", [])
    if edits:
        signals = [edit.get("rawSignal", {}).get("signal", {}) for edit in edits]
        positions = [signal["position"] for signal in signals if "position" in signal]
        return [
            fix(place["timestamp"], *(e7(place.get("point", place)) or pair(place["LatLng"])))
            for place in positions
        ]
    locations = data.get("locations", [])
    if locations and "geometry" in locations[0]:
        return of_features(locations)
    return of_flat(locations)


def of_flat(rows):
    found = []
    for row in rows:
        place = e7(row)
        if place is None:
            place = (row["lat"], row.get("lon", row.get("lng")))
        found.append(fix(time_of(row), *place))
    return found


def ours(command, path):
    run = subprocess.run(
        [command, "trace", "convert", str(path), "--to", "ndjson"], capture_output=True, text=True
    )
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    return [fix(row["time"], row["lat"], row["lon"]) for row in rows]


def main(folder, command):
    files = sorted(Path(folder).rglob("*"))
    read = differ = 0
    left_out = []
    for path in files:
        reader = {".csv": of_csv, ".json": of_json, ".geojson": of_json}.get(path.suffix)
        if reader is None:
            continue
        name = path.relative_to(folder)
        try:
            expected = reader(path.read_text(encoding="utf-8-sig"))
        except (KeyError, ValueError, TypeError, AttributeError, StopIteration) as error:
            left_out.append(f"{name} ({type(error).__name__}: {error})")
            continue
        found = ours(command, path)
        read += 1
        if sorted(found) != sorted(expected):
            differ += 1
            print(f"{name}: {len(found)} fixes, Python finds {len(expected)}")
            for one in sorted(set(expected) - set(found))[:3]:
                print(f"  only Python: {one}")
            for one in sorted(set(found) - set(expected))[:3]:
                print(f"  only ours: {one}")
    for name in left_out:
        print(f"not read by Python: {name}")
    print(f"{read} files of CSV and JSON compared, {differ} differ")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
