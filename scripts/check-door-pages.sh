#!/usr/bin/env bash
# Starts a door on the sample, made for the purpose, and has its pages checked in a real Chromium.
#
#   scripts/check-door-pages.sh [NEARME] [NAME ...]     NAME picks the checks whose names contain it
set -euo pipefail
cd "$(dirname "$0")/.."

nearme="${1:-.build/release/nearme}"
shift || true
python=.build/browser/bin/python
if ! [ -x "$python" ]; then
  echo "check-door-pages: skipped: make setup-browser installs what it needs" >&2
  exit 0
fi

# A binary that lies elsewhere finds the languages of sentences here.
export NEARME_DATA="${NEARME_DATA:-$PWD/data}"
folder="$(mktemp -d)"
door=
finish() {
  [ -z "$door" ] || kill "$door" 2>/dev/null || true
  [ -z "$door" ] || wait "$door" 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT

"$nearme" cache build data/port-ardent.osm.pbf -o "$folder/pois.sqlite" >/dev/null
"$nearme" person add anna --home "$folder/family" >/dev/null
# More requests than of any person, for the checks ask again and again: what is refused for that waits.
"$nearme" serve --home "$folder/family" --cache "$folder/pois.sqlite" --listen 127.0.0.1:0 --time-zone UTC \
  --hold 0.2 --mail-from near@example.org --sendmail /bin/true --requests-per-second 1000 \
  >"$folder/door.log" 2>&1 &
door=$!
for _ in $(seq 100); do
  grep -q '/join#' "$folder/door.log" && break
  kill -0 "$door" 2>/dev/null || { cat "$folder/door.log" >&2; exit 1; }
  sleep 0.1
done
link="$(grep -o 'http://[^ ]*/join#[^ ]*' "$folder/door.log")"
"$python" scripts/check-door-pages.py "${link%/join#*}" "$link" "$@"
