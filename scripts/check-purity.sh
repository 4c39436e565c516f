#!/usr/bin/env bash
# The pure targets import the standard library and each other, read no clock and no random source,
# and print nothing; so the same events give the same effects on every machine.
set -euo pipefail
cd "$(dirname "$0")/.."

# Those of the table under "Pure", which a test compares with Package.swift.
# shellcheck disable=SC2207 # names without spaces; macOS has no mapfile
pure=($(sed -n '/^\*\*Pure\./,/^\*\*Edges\./s/^| `\([A-Za-z]*\)`.*/\1/p' docs/ARCHITECTURE.md))
[ "${#pure[@]}" -gt 0 ] || { echo "docs/ARCHITECTURE.md has no table of pure targets" >&2; exit 1; }
status=0
for target in "${pure[@]}"; do
  folder=Sources/$target
  # Some file systems cannot tell it from the command's folder.
  [ "$target" != NearMe ] || folder=Sources/NearMeUmbrella
  allowed=$(printf '|%s' "${pure[@]}")
  # Examples print: those of doc comments, and the tutorial's app.
  bad=$(grep -rnE --exclude-dir='*.docc' '^(@[a-zA-Z_()]+ )?((public|package|internal|fileprivate|private) )?import ' "$folder" |
    grep -vE "import (${allowed#|})$" || true)
  bad+=$(grep -rnE --exclude-dir='*.docc' '\b(Date\(\)|Date\.now|ContinuousClock|SuspendingClock|SystemRandomNumberGenerator|\.random\(|\.shuffled\(\)|randomElement\(\)|\bprint\()' \
    "$folder" | grep -vE '^[^:]*:[0-9]+: *///' || true)
  if [ -n "$bad" ]; then
    printf '%s must stay pure (no I/O, no clock, no randomness):\n%s\n' "$target" "$bad" >&2
    status=1
  fi
done
exit $status
