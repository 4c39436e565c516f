#!/usr/bin/env bash
# The table of docs/scores.md: plain radius-and-dwell policies beside the default one, which weighs.
#   scripts/score-table.sh CACHE CORPUS...
# $NEARME is the command (.build/release/nearme), $MONITOR the location service (stream).
set -euo pipefail
cd "$(dirname "$0")/.."
nearme=${NEARME:-.build/release/nearme}
monitor=${MONITOR:-stream}
if [ $# -lt 2 ]; then
  sed -n '2,4s/^# //p' "$0" >&2
  exit 64
fi
cache=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# One row: the first number of each line that is wanted, and the counts of what was notified.
row() {
  name=$1
  shift
  "$nearme" score "$@" --cache "$cache" --monitor "$monitor" --no-ledger | awk -v name="$name" '
    /^  recall  / { recall = $2 }
    /^  recall, visits/ && !long { long = $8; low = $10; high = $12 }
    /^  told of the place/ { place = $7 }
    /^  told of its category/ { category = $5 }
    /^    drive-bys/ && !drive { drive = $(NF - 2) }
    /^    near stays/ && !near { near = $(NF - 2) }
    /^    decoys/ && !decoy { decoy = $(NF - 2) }
    /^  right place named/ { named = $4 }
    /^  false arrivals a day/ { false_per_day = $5 }
    /^  delay after arriving, half/ && half == "" { half = $5 }
    /^  delay after arriving, 95/ && tail == "" { tail = $6 }
    END {
      gsub(/[\[\]]/, "", low); gsub(/[\[\]]/, "", high)
      printf "| %s | %s | %s (%s–%s) | %s | %s | %s/%s/%s | %s | %s, %s | %s |\n", name, recall,
        long, low, high, place, category, drive, near, decoy, false_per_day, half, tail, named
    }'
}

echo "| policy | recall % | 5 min % (95 %) | fpr % | category % | drive-bys/near stays/decoys | false a day | delay s: half, 95 % | right place % |"
echo "|---|---|---|---|---|---|---|---|---|"
for radius in 50 100 150; do
  for seconds in 0 60 120 180 300; do
    policy=$folder/$radius-$seconds.yaml
    cat > "$policy" <<YAML
arrival: {detector: radius}
tiers: {arrival_radius: "${radius}m", arrival_beyond_footprint: "0m"}
persistence: {arrival: "${seconds}s", slow_speed: 1000}
hysteresis: {exit_share: 0, exit: "0m"}
YAML
    row "$radius m, $seconds s" "$@" --policy "$policy"
  done
done
echo "arrival: {detector: radius}" > "$folder/radius.yaml"
row "default, by radius" "$@" --policy "$folder/radius.yaml"
row "**default**" "$@"
