#!/usr/bin/env bash
# Builds an app that embeds the engine, outside of the package and with nothing but `import NearMe`, for
# debugging and for release, and runs it; so with the tutorial's app. The engine must bring no other package
# along.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
app=$(mktemp -d)
trap 'rm -rf "$app"' EXIT
mkdir -p "$app/Sources/App" "$app/Sources/Tutorial"
ln -s "$root" "$app/near-me"
cp Tests/Embedding/Package.swift "$app"
cp Tests/Embedding/main.swift Tests/NearMeEngineTests/ReadmeExample.swift "$app/Sources/App"
pages=(Sources/NearMeUmbrella/NearMe.docc/Resources/*.swift)
cp "${pages[-1]}" "$app/Sources/Tutorial/main.swift"
cd "$app"
export GIT_CEILING_DIRECTORIES=${app%/*}
unset NEARME_STRICT # an app does not have it

swift package resolve
fetched=$(ls .build/checkouts 2>/dev/null | wc -l | tr -d ' ')
if [ "$fetched" -ne 0 ]; then
  echo "embedding: an app fetches $fetched packages beside this one:" >&2
  ls .build/checkouts >&2
  exit 1
fi
for configuration in debug release; do
  begin=$SECONDS
  swift build --quiet -c $configuration >build.log 2>&1 ||
    { echo "embedding: the app does not build for $configuration:" >&2; cat build.log >&2; exit 1; }
  if grep -q warning: build.log; then
    echo "embedding: the app builds with warnings:" >&2
    cat build.log >&2
    exit 1
  fi
  said=$(".build/$configuration/App" | grep -c '^show .*pick up the prescription' || true)
  [ "$said" -gt 0 ] || { echo "embedding: the app for $configuration says nothing" >&2; exit 1; }
  tutorial=$(".build/$configuration/Tutorial")
  grep -q '^show .*pick up the prescription' <<<"$tutorial" && grep -q '^keep pick up' <<<"$tutorial" ||
    { echo "embedding: the tutorial's app for $configuration says something else: $tutorial" >&2; exit 1; }
  echo "an app of its own, $configuration: no other package, $((SECONDS - begin)) s, $said notifications"
done
