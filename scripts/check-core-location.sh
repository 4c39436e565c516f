#!/usr/bin/env bash
# Type-checks the adapter for Core Location against the signatures of Apple's modules, and runs its host on
# phones that are made up: see Tests/CoreLocation. It needs no phone, and says nothing of how one behaves.
set -euo pipefail
cd "$(dirname "$0")/.."

unset NEARME_STRICT # its manifest has warnings as errors anyway
log=$(mktemp)
trap 'rm -f "$log"' EXIT
swift test --quiet --package-path Tests/CoreLocation --scratch-path .build/core-location >"$log" 2>&1 ||
  { echo "core location: the adapter does not build, or its tests fail:" >&2; cat "$log" >&2; exit 1; }
tests=$(sed -nE 's/.*Test run with ([0-9]+) tests.* passed.*/\1/p' "$log" | tail -1)
[ "${tests:-0}" -gt 0 ] || { echo "core location: no test has run:" >&2; cat "$log" >&2; exit 1; }
echo "the adapter for Core Location: type-checked against its signatures, $tests tests on made-up phones"
