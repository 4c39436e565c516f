#!/usr/bin/env bash
# Measures reading GPX and fence work beside other tools, on the same files, in turns: medians of whole
# processes for reading, of the work alone for fences. Checks that all found the same. What is not
# installed is left out and named. Servers listen on sockets in a temporary folder only.
#
#   RUNS=5 FIXES=20000 scripts/bench-traces.sh
#
# BENCH_CLOCK=cpu counts our own work in processor time, for a machine that has other things to do.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=${RUNS:-3}
fixes=${FIXES:-20000}
bench=${BENCH:-$PWD/.build/release/nearme-bench}
[ -x "$bench" ] || bench=$(swift build -c release --show-bin-path)/nearme-bench
peers=$PWD/scripts/peers
work=$(mktemp -d)
chmod 755 "$work"
redis=""
postgres=""
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1 || true)

# initdb refuses root.
as_postgres() {
  if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}
finish() {
  [ -z "$redis" ] || kill "$redis" 2>/dev/null || true
  [ -z "$postgres" ] || as_postgres "$bin/pg_ctl" -D "$work/pg" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

left_out() { echo "bench-traces: $1 is not here, so it is left out"; }

"$bench" make-trace "$work/big"
megabytes=$(($(wc -c <"$work/big.gpx") / 1000000))
echo "$megabytes MB of GPX, 1,000,000 points; $(nproc) cores, load $(cut -d' ' -f1 /proc/loadavg);" \
  "medians of $runs, in turns"

# --- Python ---
venv=${VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/near-me-bench}
python=$venv/bin/python
[ -x "$python" ] || python3 -m venv "$venv" 2>/dev/null || true
has_python() { [ -x "$python" ] && "$python" -c "import $1" 2>/dev/null; }
for module in gpxpy:gpxpy shapely:shapely sklearn:scikit-learn numpy:numpy redis:redis \
  psycopg2:psycopg2-binary; do
  has_python "${module%%:*}" || "$venv/bin/pip" -q install "${module##*:}" 2>/dev/null || true
done

# --- Reading ---
tools=(ours)
declare -A command
command[ours]="$bench read-once $work/big.gpx"
if command -v cc >/dev/null; then
  if cc -O2 -o "$work/expat_gpx" "$peers/expat_gpx.c" -lexpat 2>/dev/null; then
    tools+=(expat)
    command[expat]="$work/expat_gpx $work/big.gpx"
  else
    left_out "expat's header"
  fi
  # shellcheck disable=SC2046
  if cc -O2 -o "$work/xml2_gpx" "$peers/xml2_gpx.c" $(xml2-config --cflags --libs 2>/dev/null) 2>/dev/null; then
    tools+=(libxml2)
    command[libxml2]="$work/xml2_gpx $work/big.gpx"
  else
    left_out "libxml2-dev"
  fi
else
  left_out "cc, for expat and libxml2,"
fi
if command -v gpsbabel >/dev/null; then
  tools+=(gpsbabel)
  command[gpsbabel]="gpsbabel -t -i gpx -f $work/big.gpx -o unicsv -F $work/gpsbabel.csv"
else
  left_out gpsbabel
fi
if command -v ogr2ogr >/dev/null; then
  tools+=(ogr2ogr)
  command[ogr2ogr]="ogr2ogr -f CSV $work/ogr.csv $work/big.gpx track_points -select ele,time,hdop"
else
  left_out "ogr2ogr (gdal-bin)"
fi
if has_python gpxpy; then
  tools+=(gpxpy)
  command[gpxpy]="$python $peers/peers.py gpxpy $work/big.gpx"
else
  left_out gpxpy
fi

once() { # tool: seconds, and what it printed in $work/TOOL.out
  rm -f "$work/ogr.csv" "$work/gpsbabel.csv"
  local began ended
  began=$(date +%s%N)
  ${command[$1]} >"$work/$1.out" 2>"$work/$1.err"
  ended=$(date +%s%N)
  awk "BEGIN { printf \"%.4f\n\", ($ended - $began) / 1e9 }" >>"$work/$1.seconds"
}
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for run in $(seq "$runs"); do
  for tool in "${tools[@]}"; do
    # Half a minute each: once is enough to see the order.
    [ "$tool" = gpxpy ] && [ "$run" -gt 1 ] && continue
    once "$tool"
    case $tool in
    gpsbabel) echo "$(($(wc -l <"$work/gpsbabel.csv") - 1)) points" >"$work/$tool.out" ;;
    ogr2ogr) echo "$(($(wc -l <"$work/ogr.csv") - 1)) points" >"$work/$tool.out" ;;
    esac
  done
done

status=0
ours=$(median "$work/ours.seconds")
printf '\n%-28s %10s %10s %12s  %s\n' "reading, whole process" seconds MB/s "ours faster" "found"
for tool in "${tools[@]}"; do
  seconds=$(median "$work/$tool.seconds")
  found=$(cat "$work/$tool.out")
  # Some only count.
  wanted=$(cat "$work/ours.out")
  case $tool in gpsbabel | ogr2ogr) wanted=${wanted%%,*} ;; esac
  agrees="the same"
  if [ "$found" != "$wanted" ]; then
    agrees="DIFFERS: $found"
    status=1
  fi
  awk -v t="$tool" -v s="$seconds" -v o="$ours" -v m="$megabytes" -v a="$agrees" \
    'BEGIN { printf "%-28s %10.3f %10.0f %11.1fx  %s\n", t, s, m / s, s / o, a }'
done

# --- Fences ---
: >"$work/fences"
fence() { # name, command...: seconds, fixes, within
  local name=$1
  shift
  if "$@" >"$work/fence.out" 2>"$work/fence.err"; then
    awk -v n="$name" -F'\t' '{ print n "\t" $1 "\t" $2 "\t" $3 }' "$work/fence.out" >>"$work/fences"
  else
    left_out "$name ($(tail -n 1 "$work/fence.err"))"
  fi
}
"$bench" fences "$work/big.fixes" "$fixes" >>"$work/fences"
if has_python shapely; then
  fence "shapely STRtree, batch" "$python" "$peers/peers.py" strtree "$work/big.pois" "$work/big.fixes" "$fixes"
else
  left_out shapely
fi
if has_python sklearn; then
  fence "scikit-learn BallTree, batch" "$python" "$peers/peers.py" balltree "$work/big.pois" "$work/big.fixes" "$fixes"
else
  left_out scikit-learn
fi
if command -v redis-server >/dev/null && has_python redis; then
  redis-server --port 0 --unixsocket "$work/redis.sock" --save "" --dir "$work" >/dev/null 2>&1 &
  redis=$!
  for _ in $(seq 50); do [ -S "$work/redis.sock" ] && break || sleep 0.1; done
  fence "Redis GEOSEARCH, pipelined" "$python" "$peers/peers.py" redis "$work/redis.sock" "$work/big.pois" "$work/big.fixes" "$fixes"
  kill "$redis" && redis=""
else
  left_out "Redis (redis-server, and redis for Python)"
fi
if [ -n "$bin" ] && has_python psycopg2; then
  mkdir "$work/pg"
  [ "$(id -u)" -ne 0 ] || chown postgres "$work/pg"
  as_postgres "$bin/initdb" -D "$work/pg" -U bench -A trust >/dev/null 2>&1
  if as_postgres "$bin/pg_ctl" -D "$work/pg" -w -l "$work/pg/log" \
    -o "-c listen_addresses='' -c unix_socket_directories='$work/pg'" start >/dev/null 2>&1; then
    postgres=yes
    as_postgres "$bin/createdb" -h "$work/pg" -U bench bench
    chmod 755 "$work/pg" 2>/dev/null || true
    fence "PostGIS ST_DWithin, one join" "$python" "$peers/peers.py" postgis "$work/pg" "$work/big.pois" "$work/big.fixes" "$fixes"
  else
    left_out "PostgreSQL (it did not start)"
  fi
else
  left_out "PostGIS (postgresql, postgis, and psycopg2 for Python)"
fi

printf '\n%-34s %12s %12s  %s\n' "which of 5 categories in a mile" "fixes/s" "ours faster" "found"
awk -F'\t' '
  NR == 1 { rate = $3 / $2; within = $4 }
  {
    # A sphere is not the ellipsoid: a mile on it is up to 0.3 % off, and so are a few of the pairs.
    off = ($4 - within) / within
    same = (off < 0.01 && off > -0.01) ? $4 " pairs" : "DIFFERS: " $4 " pairs"
    printf "%-34s %12.0f %11.1fx  %s\n", $1, $3 / $2, rate * $2 / $3, same
    if (same ~ /^DIFFERS/) bad = 1
  }
  END { exit bad }' "$work/fences" || status=1

# --- File to notifications ---
echo
"$bench" replay "$work/big.gpx"
data=${DATA:-../shared/data}
if [ -d "$data/corpus-dev" ]; then
  "$bench" replay-real "$data"
else
  left_out "$data"
fi
exit $status
