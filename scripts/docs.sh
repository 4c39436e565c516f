#!/usr/bin/env bash
# Makes the documentation of `import NearMe`, with its tutorial: .build/docs/NearMe.doccarchive. The toolchain's
# own docc does it, so that no app that embeds the package fetches a plugin. A warning fails it.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build -c release --product NearMe
modules=$(swift build -c release --show-bin-path)/Modules
out=.build/docs
rm -rf "$out"
mkdir -p "$out/symbols"
# What the umbrella hands on is shown as its own.
exported=$(sed -n 's/^@_exported import //p' Sources/NearMeUmbrella/NearMe.swift | paste -sd,)
target=$(swift -print-target-info | sed -n 's/^ *"unversionedTriple": "\(.*\)",$/\1/p')
swift symbolgraph-extract -module-name NearMe -I "$modules" -target "$target" -minimum-access-level public \
  -experimental-allowed-reexported-modules="$exported" -output-dir "$out/symbols"
docc convert Sources/NearMeUmbrella/NearMe.docc --additional-symbol-graph-dir "$out/symbols" \
  --fallback-display-name NearMe --fallback-bundle-identifier near-me --output-path "$out/NearMe.doccarchive" \
  --warnings-as-errors
echo "$out/NearMe.doccarchive: $(find "$out/NearMe.doccarchive/data" -name '*.json' | wc -l | tr -d ' ') pages"
