#!/bin/sh
# Measures `nearme cache build` beside other tools, on the same file, in turns: medians, ratios, and
# peak memory. Needs an extract in ../shared; says so and ends well where there is none.
#
#   RUNS=5 COPIES=30 scripts/bench-cache.sh
#   GROWTH=1 scripts/bench-cache.sh     only ours, on files of half and twice the size as well
#   SIZES=1 scripts/bench-cache.sh      what the bytes of a cache are spent on, and other page sizes
set -eu
cd "$(dirname "$0")/.."

runs=${RUNS:-3}
copies=${COPIES:-30}
rows=${ROWS:-1000000}
extract=${EXTRACT:-../shared/data/osm/mt-malta.osm.pbf}
if [ ! -f "$extract" ]; then
  echo "bench-cache: $extract is not there, so there is nothing to measure with"
  exit 0
fi
extract=$(realpath "$extract")

missing=""
command -v osmium >/dev/null || missing="$missing osmium-tool"
command -v ogr2ogr >/dev/null || missing="$missing gdal-bin"
command -v sqlite3 >/dev/null || missing="$missing sqlite3"
[ -x /usr/bin/time ] || missing="$missing time"
if [ -n "$missing" ]; then
  sudo=""
  [ "$(id -u)" -eq 0 ] || sudo=sudo
  # shellcheck disable=SC2086
  $sudo apt-get install -y $missing >/dev/null
fi

nearme=$PWD/.build/release/nearme
bench=$PWD/.build/release/nearme-bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$bench" make-big "$extract" "$copies" "$work/big.osm.pbf"
cd "$work"

# What a cache's bytes are spent on, and what it would take with pages of another size.
if [ "${SIZES:-0}" = 1 ]; then
  "$bench" load "$rows" rows.csv rows.sqlite >/dev/null
  "$nearme" cache build "$extract" -o one.sqlite >/dev/null
  "$nearme" cache build big.osm.pbf -o big.sqlite >/dev/null
  for cache in one big rows; do
    sqlite3 $cache.sqlite "
      SELECT '$cache: ' || count(*) || ' places, ' || (SELECT sum(pgsize) FROM dbstat) || ' bytes'
        FROM poi;
      SELECT format('  %-22s %6.1f bytes a place',
          CASE WHEN name LIKE 'idx_poi%' OR name LIKE 'poi%' THEN name ELSE 'all other tables' END,
          1.0 * sum(pgsize) / (SELECT count(*) FROM poi))
        FROM dbstat GROUP BY name LIKE 'idx_poi%' OR name LIKE 'poi%',
          CASE WHEN name LIKE 'idx_poi%' OR name LIKE 'poi%' THEN name END
        ORDER BY sum(pgsize) DESC"
    for page in 512 1024 2048 4096 8192; do
      cp $cache.sqlite page.sqlite
      sqlite3 page.sqlite "PRAGMA page_size = $page; VACUUM"
      echo "  pages of $page bytes: $(wc -c <page.sqlite) bytes"
    done
  done
  exit 0
fi

# Time and memory of ours, whatever the size of the file.
if [ "${GROWTH:-0}" = 1 ]; then
  "$bench" make-big "$extract" "$((copies / 2))" half.osm.pbf
  "$bench" make-big "$extract" "$((copies * 2))" double.osm.pbf
  echo "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); medians of $runs, in turns"
  for _ in $(seq "$runs"); do
    for size in half big double; do
      /usr/bin/time -a -o $size.times -f "%e %U %M" \
        "$nearme" cache build $size.osm.pbf -o $size.sqlite --no-dedup >$size.out
    done
  done
  printf '%8s %8s %8s %8s %10s %9s\n' MB places seconds "CPU s" "s per GB" "peak MiB"
  for size in half big double; do
    awk -v bytes="$(wc -c <$size.osm.pbf)" -v middle="$(((runs + 1) / 2))" \
      -v places="$(sed -n '1s/.*: \([0-9]*\) places/\1/p' $size.out)" '
      { seconds[NR] = $1; cpu[NR] = $2; if ($3 > peak) peak = $3 }
      function median(list,   i, j, swap) {
        for (i = 1; i <= NR; i++) for (j = i + 1; j <= NR; j++)
          if (list[j] < list[i]) { swap = list[i]; list[i] = list[j]; list[j] = swap }
        return list[middle]
      }
      END {
        s = median(seconds)
        printf "%8.0f %8d %8.2f %8.2f %10.2f %9.0f\n", bytes / 1e6, places, s, median(cpu),
          s / bytes * 1e9, peak / 1024
      }' $size.times
  done
  exit 0
fi

echo "$copies copies of $(basename "$extract"), $(($(wc -c <big.osm.pbf) / 1000000)) MB;" \
  "$(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg); medians of $runs, in turns"

# The tags of our rules, wide enough for osmium to keep every element that we do.
tags="nwr/amenity=fuel,pharmacy,bank,post_office,post_partner nwr/post_office=post_partner
  nwr/healthcare=pharmacy nwr/shop=supermarket,grocery,convenience,greengrocer,chemist"
where="amenity IN ('fuel','pharmacy','bank','post_office') OR
  shop IN ('supermarket','grocery','convenience','greengrocer')"
cat >osmconf.ini <<'INI'
closed_ways_are_polygons=aeroway,amenity,building,shop
attribute_name_laundering=yes
[points]
osm_id=yes
attributes=name,brand,amenity,shop
[multipolygons]
osm_id=yes
attributes=name,brand,amenity,shop
INI

cat >pyosmium.py <<'PY'
import sys
import osmium
tags = {("amenity", v) for v in ("fuel", "pharmacy", "bank", "post_office", "post_partner")}
tags |= {("shop", v) for v in ("supermarket", "grocery", "convenience", "greengrocer", "chemist")}
tags |= {("healthcare", "pharmacy"), ("post_office", "post_partner")}
keys = osmium.filter.KeyFilter("amenity", "shop", "healthcare", "post_office")
processor = osmium.FileProcessor(sys.argv[1]).with_locations().with_filter(keys)
kinds = {"n": "node", "w": "way", "r": "relation"}
with open("pyosmium.ids", "w") as ids:
    for element in processor:
        if any((t.k, t.v) in tags for t in element.tags):
            ids.write(f"{kinds[element.type_str()]}/{element.id}\n")
PY
python=""
venv=${VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/near-me-bench}
if [ -x "$venv/bin/python" ] && "$venv/bin/python" -c "import osmium" 2>/dev/null; then
  python=$venv/bin/python
elif python3 -m venv "$venv" 2>/dev/null && "$venv/bin/pip" -q install osmium 2>/dev/null; then
  python=$venv/bin/python
else
  echo "pyosmium cannot be had here, so it is left out"
fi

# A file for each tool, so that /usr/bin/time sees all of its processes and nothing else.
cat >ours.sh <<SH
"$nearme" cache build big.osm.pbf -o ours.sqlite --no-dedup
SH
cat >osmium.sh <<SH
osmium tags-filter big.osm.pbf $(echo $tags) -o refs.osm.pbf --overwrite
SH
cat >osmium-R.sh <<SH
osmium tags-filter -R big.osm.pbf $(echo $tags) -o bare.osm.pbf --overwrite
SH
cat >ogr2ogr.sh <<SH
rm -f ogr.sqlite
ogr2ogr -f SQLite -dsco SPATIALITE=YES ogr.sqlite big.osm.pbf points multipolygons \
  -oo CONFIG_FILE=osmconf.ini -where "$where"
SH
cat >pyosmium.sh <<SH
"$python" pyosmium.py big.osm.pbf
SH
cat >csv-ours.sh <<SH
"$nearme" cache build rows.csv -o rows.sqlite
SH
cat >csv-ogr2ogr.sh <<SH
rm -f ogr-rows.sqlite
ogr2ogr -f SQLite -dsco SPATIALITE=YES ogr-rows.sqlite rows.csv -oo X_POSSIBLE_NAMES=lon \
  -oo Y_POSSIBLE_NAMES=lat -a_srs EPSG:4326 -nln poi
SH

timed() {
  /usr/bin/time -a -o "$1.times" -f "%e %U %M" sh "$1.sh" >"$1.out" 2>&1 || {
    echo "bench-cache: $1 failed:" >&2
    tail -n 5 "$1.out" >&2
    exit 1
  }
}

# column 1: seconds, 2: seconds of the processor in user mode, 3: peak KiB.
median() { cut -d' ' -f"$2" "$1.times" | sort -n | sed -n "$(((runs + 1) / 2))p"; }

# Medians of some tools, each next to the first one.
compare() {
  first=$(median "$1" 1)
  printf '%-14s %8s %10s %8s %9s\n' tool seconds "CPU s" ratio "peak MiB"
  for tool in "$@"; do
    awk -v tool="$tool" -v s="$(median "$tool" 1)" -v cpu="$(median "$tool" 2)" \
      -v first="$first" -v kib="$(cut -d' ' -f3 "$tool.times" | sort -n | tail -n 1)" \
      'BEGIN { printf "%-14s %8.2f %10.2f %8.1f %9.0f\n", tool, s, cpu, s / first, kib / 1024 }'
  done
}

tools="ours osmium osmium-R ogr2ogr"
[ -z "$python" ] || tools="$tools pyosmium"
for _ in $(seq "$runs"); do
  for tool in $tools; do timed "$tool"; done
done
# shellcheck disable=SC2086
compare $tools

# The elements that each tool found, less those that our rules leave out, against those in our cache.
# The rules' exceptions need tags that only osmium's file has.
osmium cat bare.osm.pbf -f opl -o - | awk '
  { tags = ""; for (i = 2; i <= NF; i++) if ($i ~ /^T/) tags = "," substr($i, 2) "," }
  function has(tag) { return index(tags, "," tag ",") > 0 }
  {
    other = has("amenity=pharmacy") || has("amenity=bank") || has("amenity=post_office") \
      || has("amenity=post_partner") || has("post_office=post_partner") \
      || has("healthcare=pharmacy") || has("shop=supermarket") || has("shop=grocery") \
      || has("shop=convenience") || has("shop=greengrocer") \
      || (has("shop=chemist") && has("dispensing=yes"))
    fuel = has("amenity=fuel") && !has("access=private")
    kind = substr($1, 1, 1)
    name = (kind == "n" ? "node/" : kind == "w" ? "way/" : "relation/") substr($1, 2)
    print name >(other || fuel ? "theirs.ids" : "excepted.ids")
  }'
sort -o theirs.ids theirs.ids
touch excepted.ids
sort -o excepted.ids excepted.ids
"$nearme" cache export ours.sqlite --format csv | cut -d, -f1 | grep -E '^(node|way|relation)/' |
  sort >ours.ids
same() { # name, file of ids
  sort -u "$2" | comm -23 - excepted.ids >"$2.sorted"
  echo "$1: $(wc -l <"$2.sorted") places, $(comm -13 ours.ids "$2.sorted" | wc -l) that we have not," \
    "$(comm -23 ours.ids "$2.sorted" | wc -l) that only we have"
  cmp -s ours.ids "$2.sorted" || {
    comm -3 ours.ids "$2.sorted" | head -n 10
    echo "bench-cache: $1 and nearme did not find the same places" >&2
    exit 1
  }
}
echo
same osmium theirs.ids
[ -z "$python" ] || same pyosmium pyosmium.ids
# Ogr2ogr takes no way that is not closed, and none of our rarer tags.
ogrinfo -q ogr.sqlite -sql "SELECT 'node/' || osm_id AS id FROM points UNION ALL
  SELECT CASE WHEN osm_way_id IS NULL THEN 'relation/' || osm_id ELSE 'way/' || osm_way_id END
  FROM multipolygons" | sed -n 's/^ *id (String) = //p' | sort -u | comm -23 - excepted.ids >ogr.ids
echo "ogr2ogr: $(wc -l <ogr.ids) places, $(comm -13 ours.ids ogr.ids | wc -l) that we have not," \
  "$(comm -23 ours.ids ogr.ids | wc -l) that only we have"
comm -13 ours.ids ogr.ids | grep -q . && {
  echo "bench-cache: ogr2ogr found places that nearme did not" >&2
  exit 1
}

echo
echo "$rows rows into SpatiaLite; the first line is ours from memory, three runs in seconds"
"$bench" load "$rows" rows.csv loaded.sqlite | tr '\n' ' '
echo
for _ in $(seq "$runs"); do
  for tool in csv-ours csv-ogr2ogr; do timed "$tool"; done
done
compare csv-ours csv-ogr2ogr
ls -l loaded.sqlite rows.sqlite ogr-rows.sqlite | awk '{ print $NF, int($5 / 1e6) " MB" }'
