#!/usr/bin/env bash
# Measures what ships, as whole processes with the default policy, beside others on the same input and in the
# same run, in turns: wall clock and processor time, medians.
#
#   RUNS=5 scripts/bench-whole.sh            from a GPX file to notifications, beside libxml2's decoding
#   CSV=1 scripts/bench-whole.sh             and a million places from CSV, beside SQLite's own import
#   SCORES=1 scripts/bench-whole.sh          and the scores of all development days, and a search
#
# What is not installed is left out and named.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${RUNS:-3}
nearme=${NEARME:-$PWD/.build/release/nearme}
bench=${BENCH:-$PWD/.build/release/nearme-bench}
data=${DATA:-../shared/data}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
left_out() { echo "bench-whole: $1 is not here, so it is left out"; }

# Name, then a command: a line of wall and processor seconds in $work/NAME.
timed() {
  local name=$1
  shift
  local TIMEFORMAT='%R %U %S'
  { time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/time" || { cat "$work/err" >&2; exit 1; }
  awk '{ print $1, $2 + $3 }' "$work/time" >>"$work/$name"
}
median() { # name, column
  awk -v c="$2" '{ print $c }' "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}
row() { # label, name, peer
  local cpu peer=""
  cpu=$(median "$2" 2)
  [ -z "${3:-}" ] || peer=$(awk -v a="$(median "$3" 2)" -v b="$cpu" 'BEGIN { printf "%.2f x", a / b }')
  printf '%-52s %9.3f %9.3f  %s\n' "$1" "$(median "$2" 1)" "$cpu" "$peer"
}

"$bench" make-trace "$work/big"
categories='["bank","gas_station","grocery","pharmacy","post_office"]'
awk -F, 'BEGIN { split("bank gas_station grocery pharmacy post_office", c, " "); print "id,lat,lon,category,name" }
  { printf "node/%d,%s,%s,%s,Place %d\n", $1 + 1, $3, $4, c[$2 + 1], $1 }' "$work/big.pois" >"$work/big.csv"
"$nearme" cache build "$work/big.csv" -o "$work/big.sqlite" >/dev/null
python3 - "$categories" >"$work/big.json" <<'PYTHON'
import json, sys
names = json.loads(sys.argv[1])
places = [dict(id="home", name="Home", kind="home", lat=39, lon=-77),
          dict(id="work", name="Work", kind="work", lat=39.036026, lon=-76.895961)]
reminders = [dict(id=n, title="do " + n, target=dict(category=n)) for n in names]
reminders += [dict(id=p["id"], title="do " + p["id"], target=dict(place=p["id"])) for p in places]
print(json.dumps(dict(places=places, reminders=reminders)))
PYTHON
peer=""
# shellcheck disable=SC2046
if cc -O2 -o "$work/xml2_gpx" scripts/peers/xml2_gpx.c $(xml2-config --cflags --libs 2>/dev/null) 2>/dev/null; then
  peer=xml2
else
  left_out libxml2-dev
fi
for _ in $(seq "$runs"); do
  [ -z "$peer" ] || timed xml2 "$work/xml2_gpx" "$work/big.gpx"
  timed start "$nearme" --version
  for service in stream ios; do
    timed $service "$nearme" replay "$work/big.gpx" --cache "$work/big.sqlite" --reminders "$work/big.json" \
      --monitor $service --format ndjson
  done
done
echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); medians of $runs, in turns"
printf '%-52s %9s %9s  %s\n' "whole process" "wall s" "CPU s" "as fast as the peer"
[ -z "$peer" ] || row "libxml2, SAX2: decoding 1,000,000 points of GPX" xml2
row "the same file to notifications, stream" stream $peer
row "the same file to notifications, ios" ios $peer
row "of these: to start and end the command" start

if [ -n "${CSV:-}" ]; then
  if command -v sqlite3 >/dev/null; then
    "$bench" load 1000000 "$work/rows.csv" "$work/rows.sqlite" >/dev/null
    table="CREATE TABLE poi(id TEXT, lat REAL, lon REAL, category TEXT, name TEXT);"
    import=".import --csv --skip 1 $work/rows.csv poi"
    tree="CREATE VIRTUAL TABLE tree USING rtree(id, x0, x1, y0, y1);
      INSERT INTO tree SELECT rowid, lon, lon, lat, lat FROM poi;"
    for _ in $(seq "$runs"); do
      rm -f "$work"/s.db "$work"/t.db "$work"/c.sqlite
      timed ids sqlite3 "$work/s.db" "$table" "$import" "CREATE INDEX ids ON poi(id)"
      timed tree sqlite3 "$work/t.db" "$table" "$import" "CREATE INDEX ids ON poi(id)" "BEGIN; $tree COMMIT"
      timed csv "$nearme" cache build "$work/rows.csv" -o "$work/c.sqlite"
    done
    row "sqlite3: 1,000,000 rows of CSV, index over ids" ids
    row "sqlite3: the same, and an R*Tree over the points" tree
    row "nearme cache build: the same, checked and packed" csv tree
  else
    left_out sqlite3
  fi
fi

if [ -n "${SCORES:-}" ] && [ -d "$data/corpus-dev" ]; then
  "$nearme" cache build "$data/osm/us-baltimore.osm.pbf" "$data/osm/us-virgin-islands.osm.pbf" \
    --no-dedup -o "$work/dev.sqlite" >/dev/null
  days=("$data/corpus-dev" "$data/corpus-dev-wide" --cache "$work/dev.sqlite")
  # Status 3 says that none is better than the policy of today, which is an answer, too.
  tune() { "$nearme" tune "${days[@]}" --monitor stream --space examples/space.yaml || [ $? = 3 ]; }
  for _ in $(seq "$runs"); do
    timed score-bare "$nearme" score "${days[@]}" --monitor stream --no-ledger
    timed score "$nearme" score "${days[@]}" --monitor stream
    timed score-ios "$nearme" score "${days[@]}" --monitor ios
  done
  timed tune tune
  row "nearme score, 80 days, stream, without causes" score-bare
  row "nearme score, 80 days, stream" score
  row "nearme score, 80 days, ios" score-ios
  row "nearme tune, 80 days, stream, 1,000 policies" tune
fi
