#!/usr/bin/env bash
# Measures `cache build --tiles` beside one cache, on copies of an extract that are moved over the globe, and what an
# engine takes that opens the cells around it. 290 copies of Malta are 1 GB; COPIES=2900 makes 10 GB.
#
#   COPIES=290 RUNS=1 TILES=5 scripts/bench-scale.sh
#   MAP=globe.osm.pbf scripts/bench-scale.sh      a map that is there already
set -euo pipefail
cd "$(dirname "$0")/.."

extract=${EXTRACT:-../shared/data/osm/mt-malta.osm.pbf}
nearme=$(realpath "${NEARME:-.build/release/nearme}")
bench=$(realpath "${BENCH:-.build/release/nearme-bench}")
work=$(mktemp -d "${WORK:-/tmp}/nearme-scale-XXXXXX")
trap 'rm -rf "$work"' EXIT
map=${MAP:-}
if [ -z "$map" ]; then
  if [ ! -f "$extract" ]; then
    echo "bench-scale: $extract is not there, so there is nothing to measure with"
    exit 0
  fi
  map=$work/globe.osm.pbf
  "$bench" make-globe "$extract" "${COPIES:-290}" "$map"
fi
echo "map: $(stat -c %s "$map") bytes"

# Prints a name, seconds of processors, seconds, and the most memory in MiB.
measure() {
  local name=$1
  shift
  /usr/bin/time -f '%U %S %e %M' -o "$work/time" "$@" >"$work/said" 2>"$work/errors" || {
    cat "$work/errors" >&2
    exit 1
  }
  awk -v name="$name" '{ printf "%-14s %8.1f s of processors %8.1f s %8.1f MiB\n", name, $1 + $2, $3, $4 / 1024 }' "$work/time"
  awk '{ print $1 + $2 }' "$work/time" >"$work/$name.cpu"
  head -1 "$work/said"
}

for _ in $(seq "${RUNS:-1}"); do
  measure one-cache "$nearme" cache build "$map" -o "$work/one.sqlite"
  measure cells "$nearme" cache build "$map" --tiles "${TILES:-5}" -o "$work/cells"
  paste "$work/one-cache.cpu" "$work/cells.cpu" | awk '{ printf "cells / one cache: %.2f of processors\n", $2 / $1 }'
done

# A drive across cells: along the places of the fullest cell and of its eastern neighbors, a fix each 30 s.
python3 - "$work/cells" "$work/drive.csv" "$nearme" <<'PYTHON'
import csv, json, math, subprocess, sys
folder, drive, nearme = sys.argv[1:]
cells = {cell["cell"]: cell for cell in json.load(open(folder + "/index.json"))["cells"]}
most = max(cells.values(), key=lambda cell: cell["places"])["cell"]
stops = []
for step in range(8):
    west = (int(most[4:7]) * (1 if most[3] == "e" else -1) + 5 * step + 180) % 360 - 180
    name = most[:3] + ("w" if west < 0 else "e") + f"{abs(west):03d}"
    if name not in cells:
        continue
    text = subprocess.run([nearme, "cache", "export", f"{folder}/{cells[name]['file']}", "--format", "csv"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    places = sorted((float(row["lon"]), float(row["lat"])) for row in csv.DictReader(text.splitlines()))
    stops += places[:: max(1, len(places) // 20)]
with open(drive, "w") as file:
    file.write("time,lat,lon,accuracy\n")
    at, (x, y) = 1767600000, stops[0]
    for east, north in stops[1:]:
        away = (east - x + 180) % 360 - 180
        steps = max(1, math.ceil(math.hypot(away * math.cos(math.radians(y)), north - y) / 0.009))
        for step in range(1, steps + 21):
            share = min(1, step / steps)
            at += 30
            lon = (x + share * away + 180) % 360 - 180
            file.write(f"{at},{y + share * (north - y):.6f},{lon:.6f},10\n")
        x, y = east, north
PYTHON
echo '{"reminders": [{"id": "b", "title": "pay in", "target": {"category": "bank"}}]}' >"$work/me.json"
for cache in one.sqlite cells; do
  /usr/bin/time -f '%M' -o "$work/time" "$nearme" replay "$work/drive.csv" --cache "$work/$cache" \
    --reminders "$work/me.json" --monitor stream --format ndjson >"$work/$cache.ndjson"
  echo "a drive with $cache: $(awk '{ printf "%.1f", $1 / 1024 }' "$work/time") MiB"
done
cmp "$work/one.sqlite.ndjson" "$work/cells.ndjson" && echo "both say the same: $(wc -l <"$work/cells.ndjson") lines"
