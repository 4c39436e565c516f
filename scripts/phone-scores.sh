#!/usr/bin/env bash
# The table of docs/scores.md, by phone: the default policy beside a plain radius of 50 m held for 180 s.
#   scripts/phone-scores.sh CACHE CORPUS...
# $NEARME is the command (.build/release/nearme), $PHONES which phones (all), $SEEDS the draws of their receivers (1),
# $BEFORE another build of the command, whose default is shown, too.
set -euo pipefail
cd "$(dirname "$0")/.."
nearme=${NEARME:-.build/release/nearme}
phones=${PHONES:-drawn indoors towers no-speed zero-speed constant-accuracy every-50m levels every-30s every-120s}
seeds=${SEEDS:-1}
if [ $# -lt 2 ]; then
  sed -n '2,5s/^# //p' "$0" >&2
  exit 64
fi
cache=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/plain.yaml" <<'YAML'
arrival: {detector: radius}
tiers: {arrival_radius: "50m", arrival_beyond_footprint: "0m"}
persistence: {arrival: "180s", slow_speed: 1000}
hysteresis: {exit_share: 0, exit: "0m"}
YAML

# One row: the first number of each line that is wanted with its interval, and the counts of what was notified.
row() {
  command=$1
  phone=$2
  name=$3
  shift 3
  "$command" score "$@" --cache "$cache" --monitor stream --no-ledger | awk -v phone="$phone" -v name="$name" '
    /^  recall, visits/ && !long { long = $8; low = $10; high = $12 }
    /^  told of the place/ { place = $7; least = $9; most = $11 }
    /^    drive-bys/ && !drive { drive = $(NF - 2) }
    /^    near stays/ && !near { near = $(NF - 2) }
    /^    decoys/ && !decoy { decoy = $(NF - 2) }
    /^  right place named/ && !named { named = $4 }
    /^  false arrivals a day/ && !false_per_day { false_per_day = $5 }
    /^  delay after arriving, half/ && half == "" { half = $5 }
    /^  found/ && !own { own = $2 }
    END {
      gsub(/[\[\]]/, "", low); gsub(/[\[\]]/, "", high); gsub(/[\[\]]/, "", least); gsub(/[\[\]]/, "", most)
      printf "| %s | %s | %s (%s–%s) | %s (%s–%s) | %s/%s/%s | %s | %s | %s | %s |\n", phone, name, long, low, high,
        place, least, most, drive, near, decoy, false_per_day, half, named, own
    }'
}

rows() {
  phone=$1
  shift
  row "$nearme" "$phone" "**default**" "$@"
  if [ -n "${BEFORE:-}" ]; then row "$BEFORE" "$phone" "before" "$@"; fi
  row "$nearme" "$phone" "50 m, 180 s" "$@" --policy "$folder/plain.yaml"
}

echo "| phone | policy | 5 min % (95 %) | fpr % (95 %) | drive-bys/near stays/decoys | false a day | delay s, half | right place % | own % |"
echo "|---|---|---|---|---|---|---|---|---|"
rows "as recorded" "$@"
for phone in $phones; do
  for seed in $seeds; do
    recorded=()
    for corpus in "$@"; do
      target=$folder/$phone-$seed/$(basename "$corpus")
      mkdir -p "$folder/$phone-$seed"
      "$nearme" simulate --again "$corpus" --cache "$cache" --phone "$phone" --seed "$seed" -o "$target" > /dev/null
      recorded+=("$target")
    done
    rows "$phone$([ "$seeds" = 1 ] || echo ", draw $seed")" "${recorded[@]}"
    rm -rf "${folder:?}/$phone-$seed"
  done
done
