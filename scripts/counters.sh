#!/bin/sh
# Compares what the code does for a fix with Benchmarks/counters.json: work, allocations, bytes.
# With --keep it writes that file. Allocations are counted on Linux, with a counter before malloc.
set -eu
cd "$(dirname "$0")/.."
bench=${BENCH:-$PWD/.build/release/nearme-bench}
[ -x "$bench" ] || bench=$(swift build -c release --show-bin-path)/nearme-bench
preload=""
if [ "$(uname)" = Linux ] && command -v cc >/dev/null; then
  counter=$(mktemp -d)
  trap 'rm -rf "$counter"' EXIT
  cc -O2 -shared -fPIC -o "$counter/count.so" scripts/peers/count_allocations.c -ldl
  preload=$counter/count.so
else
  echo "counters: no cc on Linux here, so allocations are not counted" >&2
fi
if [ "${1:-}" = --keep ]; then
  LD_PRELOAD=$preload "$bench" counters >Benchmarks/counters.json.new
  mv Benchmarks/counters.json.new Benchmarks/counters.json
else
  LD_PRELOAD=$preload "$bench" counters Benchmarks/counters.json
fi
