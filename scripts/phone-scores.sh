#!/usr/bin/env bash
# The table of docs/arrival.md, by phone: the default policy beside a plain radius of 50 m held for 180 s.
#   scripts/phone-scores.sh CACHE CORPUS...
# $NEARME is the command (.build/release/nearme), $MONITOR its location service (stream; ios and android are apps that
# sleep), $PHONES which phones (all), $SEEDS the draws of their receivers (1),
# $BEFORE another build of the command, whose default is shown, too. With RULES=all the plain radius is, of 20 (25 to
# 100 m, held for 3 to 8 minutes), the one that finds most at no more encounters than the default.
set -euo pipefail
cd "$(dirname "$0")/.."
nearme=${NEARME:-.build/release/nearme}
phones=${PHONES:-drawn indoors networks towers no-speed zero-speed constant-accuracy every-50m levels every-30s every-120s}
seeds=${SEEDS:-1}
if [ $# -lt 2 ]; then
  sed -n '2,7s/^# //p' "$0" >&2
  exit 64
fi
cache=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for radius in 25 35 50 75 100; do
  for held in 180 240 300 480; do
    cat > "$folder/$radius-$held.yaml" << YAML
arrival: {detector: radius}
tiers: {arrival_radius: "${radius}m", arrival_beyond_footprint: "0m"}
persistence: {arrival: "${held}s", slow_speed: 1000}
hysteresis: {exit_share: 0, exit: "0m"}
YAML
  done
done

# One row: the first number of each line that is wanted with its interval, and the counts of what was notified.
row() {
  local command=$1 phone=$2 name=$3
  shift 3
  "$command" score "$@" --cache "$cache" --monitor "${MONITOR:-stream}" --no-ledger | awk -v phone="$phone" -v name="$name" '
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
  local phone=$1
  shift
  row "$nearme" "$phone" "**default**" "$@"
  if [ -n "${BEFORE:-}" ]; then row "$BEFORE" "$phone" "before" "$@"; fi
  if [ "${RULES:-}" = all ]; then best_rule "$phone" "$@"; else
    row "$nearme" "$phone" "50 m, 180 s" "$@" --policy "$folder/50-180.yaml"
  fi
}

# The row of the rule that finds most, of those with no more encounters than the default.
best_rule() {
  local phone=$1
  shift
  {
    row "$nearme" "$phone" "**default**" "$@"
    for file in "$folder"/*.yaml; do
      rule=$(basename "$file" .yaml)
      row "$nearme" "$phone" "${rule%-*} m, ${rule#*-} s" "$@" --policy "$file"
    done
  } | awk -F '|' '
    { split($4, visits, " "); split($5, encounters, " ") }
    NR == 1 { most = encounters[1] + 0; best = -1; next }
    encounters[1] + 0 <= most && visits[1] + 0 > best { best = visits[1] + 0; line = $0 }
    END { print best < 0 ? "| | no plain rule with as few | | | | | | | |" : line }'
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
