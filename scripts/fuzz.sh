#!/usr/bin/env bash
# Fuzzes the readers one after the other: scripts/fuzz.sh SECONDS [TARGET...]
#
# Plain swiftc, since SwiftPM renames an executable's `main` and libFuzzer brings its own. What a
# run finds is left in .build/fuzz/TARGET/found; what it learns, in .build/fuzz/TARGET/corpus.
set -euo pipefail
shopt -s globstar
cd "$(dirname "$0")/.."

seconds=${1:-600}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(pbf osm-xml geojson csv overpass kml geopackage cache
  user-database gpx gpx-templates feed intake trace-{csv,json,nmea,igc,plt,rec,kml,tcx,fit,zip})

out=.build/fuzz
mkdir -p $out
flags=(-O -wmo -sanitize=fuzzer,address -parse-as-library -swift-version 6 -enable-testing
  -package-name near_me -enable-upcoming-feature ExistentialAny -I "$out"
  -I Sources/CExpat -I Sources/CZlib -I Sources/CBzip2 -I Sources/CDeflate)

built=()
module() { # name, files
  local name=$1
  shift
  local newest
  # What it was built from: its own files, and the modules before it. (head would end ls by a signal.)
  newest=$(ls -t "$@" scripts/fuzz.sh ${built[@]+"${built[@]}"} | sed -n 1p)
  built+=("$out/$name.o")
  [ ! "$out/$name.o" -nt "$newest" ] || return 0
  echo "fuzz: compiling $name" >&2
  nice swiftc "${flags[@]}" -module-name "$name" -emit-module -emit-module-path "$out/$name.swiftmodule" \
    -c "$@" -o "$out/$name.o"
}

objects=()
for name in Basics Geodesy Timeline Places Traces Streets ByteStreams ParallelWork; do
  module $name Sources/$name/**/*.swift
  objects+=("$out/$name.o")
done
module TraceFiles Sources/TraceFiles/**/*.swift

# Readers of places take GeoPackages, which are SQLite files.
if printf '%s\n' "${targets[@]}" | grep -qvE '^(gpx|trace-|feed|intake)'; then
  [ -d .build/checkouts/GRDB.swift ] || swift package resolve
  flags+=(-I .build/checkouts/GRDB.swift/Sources/GRDBSQLite)
  ours=("${flags[@]}")
  # As GRDB's own manifest has them.
  flags+=(-D SQLITE_ENABLE_FTS5 -D SQLITE_ENABLE_SNAPSHOT -D SQLITE_DISABLE_SNAPSHOT
    -suppress-warnings)
  module GRDB .build/checkouts/GRDB.swift/GRDB/**/*.swift
  flags=("${ours[@]}")
  # The store is not needed to read.
  mapfile -t readers < <(grep -L '^import PlaceStore' Sources/CacheBuilder/**/*.swift)
  module CacheBuilder "${readers[@]}"
fi

# An engine lives on what a cache and a user's database hold.
if [[ " ${targets[*]} " == *" cache "* || " ${targets[*]} " == *" user-database "* ]]; then
  for name in Tones Recurrence Arrivals Fencing NearMeEngine; do
    module $name Sources/$name/**/*.swift
    objects+=("$out/$name.o")
  done
  module PlaceStore Sources/PlaceStore/**/*.swift
fi

# What is sealed is opened by swift-crypto, much of it C and assembly: as SwiftPM builds it.
if [[ " ${targets[*]} " == *" user-database "* ]]; then
  [ -n "$(find .build/release/Crypto.build -name '*.o' 2>/dev/null | sed -n 1p)" ] ||
    nice swift build -c release --target Crypto >&2
  flags+=(-I .build/release/Modules)
  module UserStore Sources/UserStore/**/*.swift
fi

if [[ " ${targets[*]} " == *" intake "* ]]; then
  for name in Fencing Phones; do module $name Sources/$name/**/*.swift; done
fi

declare -A harness=([cache]=FuzzCache [user-database]=FuzzUserDatabase [pbf]=FuzzPBF
  [osm-xml]=FuzzOSMXML [geojson]=FuzzGeoJSON [csv]=FuzzCSV
  [overpass]=FuzzOverpass [kml]=FuzzKML [geopackage]=FuzzGeoPackage [feed]=FuzzFeed [intake]=FuzzIntake
  [gpx]=FuzzGPX [gpx-templates]=FuzzGPXTemplates)
status=0
for target in "${targets[@]}"; do
  # The readers of traces see for themselves which of them a file is for.
  sources=(Fuzz/InputFile.swift "Fuzz/${harness[$target]:-FuzzTrace}.swift")
  own=("$out/TraceFiles.o")
  libraries=(-lexpat -lz -lbz2 -ldeflate)
  if [[ $target == cache ]]; then
    sources=(Fuzz/AlteredDatabase.swift Fuzz/FuzzCache.swift)
    own=("$out/GRDB.o" "$out/PlaceStore.o")
    libraries+=(-lsqlite3)
  elif [[ $target == user-database ]]; then
    sources=(Fuzz/AlteredDatabase.swift Fuzz/FuzzUserDatabase.swift)
    mapfile -t own < <(find .build/release/{Crypto,CryptoBoringWrapper,CCryptoBoringSSL,CCryptoBoringSSLShims,CXKCP,CXKCPShims}.build \
      -name '*.o')
    own+=("$out/GRDB.o" "$out/UserStore.o")
    libraries+=(-lsqlite3 -lstdc++)
  elif [[ $target == feed ]]; then
    sources=(Fuzz/FuzzFeed.swift)
  elif [[ $target == intake ]]; then
    sources=(Fuzz/FuzzIntake.swift)
    own=("$out/Phones.o")
    # The engine on a cache has it among its own.
    [[ " ${objects[*]} " == *"/Fencing.o "* ]] || own+=("$out/Fencing.o")
  elif [[ $target != gpx* && $target != trace-* ]]; then
    sources+=(Fuzz/PlaceInvariants.swift)
    own=("$out/GRDB.o" "$out/CacheBuilder.o")
    libraries+=(-lsqlite3)
  fi
  nice swiftc "${flags[@]}" -module-name Fuzz "${sources[@]}" "${objects[@]}" "${own[@]}" \
    -use-ld=lld "${libraries[@]}" -o "$out/fuzz-$target"
  # Two targets read GPX, from the same files.
  files=${target%-templates}
  inputs=("Fuzz/seeds/$files")
  # A reader in which nothing was found has none.
  [ ! -d "Fuzz/regressions/$files" ] || inputs+=("Fuzz/regressions/$files")
  mkdir -p "$out/$target/corpus" "$out/$target/found"
  echo "fuzz: $target for $seconds s" >&2
  # With Swift's own crash handler, libFuzzer would not get to write down the input.
  SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=0 nice \
    "$out/fuzz-$target" "$out/$target/corpus" "${inputs[@]}" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=512 -max_len=65536 \
    -artifact_prefix="$out/$target/found/" -print_final_stats=1 2>"$out/$target/log" || {
    status=1
    echo "fuzz: $target found something: see $out/$target/log" >&2
  }
  tail -n 6 "$out/$target/log" | sed 's/^/  /' >&2
done
exit $status
