#!/usr/bin/env python3
"""How often two reminders at one spot are both told: each visited place is given one of another category beside it.

  scripts/same-spot.py CACHE CORPUS... [-- OPTIONS of nearme score, such as --monitor ios]

A pump gets a grocery, every other place a pharmacy, and a pharmacy a grocery; each 3 m north (METERS). Counted are
the visits during which at least one reminder of the two categories was told, and those of them during which both were:
where neither is a pump, and where one is. $NEARME is the command (.build/release/nearme).
"""

import csv
import datetime
import glob
import json
import os
import subprocess
import sys
import tempfile

NEARME = os.environ.get("NEARME", os.path.join(os.path.dirname(__file__), "..", ".build", "release", "nearme"))
METERS = float(os.environ.get("METERS", "3"))
METERS_PER_DEGREE = 111_320


def run(*arguments):
    done = subprocess.run([NEARME, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.stderr.strip() or f"nearme {arguments[0]} ended with {done.returncode}")
    return done.stdout


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def visits_of(corpora):
    """The visits, each with its day as the ledger names it."""
    for corpus in corpora:
        prefix = os.path.basename(os.path.normpath(corpus)) + "/" if len(corpora) > 1 else ""
        names = sorted(glob.glob(os.path.join(corpus, "*.truth.json")))
        if not names:
            sys.exit(f"{corpus} holds no day: NAME.truth.json is missing")
        for name in names:
            with open(name) as file:
                day = json.load(file)
            for visit in day["visits"]:
                yield prefix + day["id"], visit


def twin_category(category):
    return "grocery" if category in ("gas_station", "pharmacy") else "pharmacy"


def main():
    arguments = sys.argv[1:]
    options = []
    if "--" in arguments:
        cut = arguments.index("--")
        arguments, options = arguments[:cut], arguments[cut + 1:]
    if len(arguments) < 2:
        sys.exit(__doc__)
    cache, corpora = arguments[0], arguments[1:]
    visits = list(visits_of(corpora))
    categories = {visit["place_id"]: visit["category"] for _, visit in visits}
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "places.csv")
        run("cache", "export", cache, "--format", "csv", "-o", table)
        with open(table, newline="") as file:
            reader = csv.DictReader(file)
            columns, rows = reader.fieldnames, list(reader)
        for row in [row for row in rows if row["source_id"] in categories]:
            rows.append({
                "source_id": "twin/" + row["source_id"],
                "categories": twin_category(categories[row["source_id"]]),
                "name": "Twin of " + (row["name"] or row["source_id"]),
                "lat": f"{float(row['lat']) + METERS / METERS_PER_DEGREE:.7f}",
                "lon": row["lon"],
                "footprint_radius_m": "0",
            })
        with open(table, "w", newline="") as file:
            writer = csv.DictWriter(file, columns, restval="")
            writer.writeheader()
            writer.writerows(rows)
        twins = os.path.join(folder, "twins.sqlite")
        run("cache", "build", table, "--no-dedup", "-o", twins)
        entries = json.loads(run("score", *corpora, "--cache", twins, "--format", "json", *options))["entries"]
    told = [
        (entry["day"], entry["reminder"], instant(entry["at"]))
        for entry in entries
        if entry["subject"] == "arrival"
    ]
    counts = {False: [0, 0, 0], True: [0, 0, 0]}
    for day, visit in visits:
        begin, end = instant(visit["arrive_utc"]), instant(visit["leave_utc"])
        category = visit["category"]
        wanted = {category, twin_category(category)}
        heard = {reminder for on, reminder, at in told if on == day and begin <= at <= end} & wanted
        count = counts[category == "gas_station"]
        count[0] += 1
        count[1] += bool(heard)
        count[2] += len(heard) == 2
    for has_pump, (all_visits, either, both) in counts.items():
        share = f"{100 * both / either:.1f} %" if either else "none"
        kind = "where one is a pump" if has_pump else "where neither is a pump"
        print(f"{kind}: of {all_visits} visits {either} were told, both reminders at {both} ({share})")


if __name__ == "__main__":
    main()
