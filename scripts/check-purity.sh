#!/usr/bin/env bash
# The pure targets import the standard library and each other, read no clock and no random source,
# and print nothing; so the same events give the same effects on every machine.
set -euo pipefail
cd "$(dirname "$0")/.."

pure=(Basics Geodesy Timeline Places Traces TraceDoctor Arrivals Fencing NearMeEngine Replay Scoring Simulation Tuning)
status=0
for target in "${pure[@]}"; do
  allowed=$(printf '|%s' "${pure[@]}")
  bad=$(grep -rnE '^(@[a-zA-Z_()]+ )?((public|package|internal|fileprivate|private) )?import ' "Sources/$target" |
    grep -vE "import (${allowed#|})$" || true)
  bad+=$(grep -rnE '\b(Date\(\)|Date\.now|ContinuousClock|SuspendingClock|SystemRandomNumberGenerator|\.random\(|\.shuffled\(\)|randomElement\(\)|\bprint\()' \
    "Sources/$target" || true)
  if [ -n "$bad" ]; then
    printf '%s must stay pure (no I/O, no clock, no randomness):\n%s\n' "$target" "$bad" >&2
    status=1
  fi
done
exit $status
