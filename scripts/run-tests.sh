#!/usr/bin/env bash
# Runs the suite that `swift build -c release --build-tests` has built, as two processes at a time: what mostly waits, for
# browsers, clocks and processes that are killed, and what computes. In one, the waiting would hold the threads of the rest.
#   scripts/run-tests.sh [--filter NAMES]
set -euo pipefail
cd "$(dirname "$0")/.."

waiting='CommandTests\.(DoorPageTests|KilledRunTests)/|LiveHostTests\.|DoorTests\.HouseholdTests/'
bundle=$(swift build -c release --show-bin-path)/near-mePackageTests.xctest
if [ $# -gt 0 ] || [ ! -f "$bundle" ]; then exec swift test -c release --skip-build "$@"; fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$bundle" --testing-library swift-testing --filter "$waiting" >"$log" 2>&1 &
waits=$!
status=0
"$bundle" --testing-library swift-testing --skip "$waiting" || status=$?
wait "$waits" || status=$?
cat "$log"
exit "$status"
