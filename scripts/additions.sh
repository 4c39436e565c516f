#!/usr/bin/env bash
# Adds a trigger and a condition of a new kind to a copy of the sources, each from a patch of at most
# six files, builds the copy and tries what was added: see Tests/Additions.
set -euo pipefail
cd "$(dirname "$0")/.."

most=6
additions=$PWD/Tests/Additions
command -v swift >/dev/null || { echo "additions: swift is missing: see https://swift.org/install" >&2; exit 1; }
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -R Sources "$copy/Sources"
cp "$additions/Package.swift" "$copy"
mkdir "$copy/Sources/Check"
cp "$additions/Check.swift" "$copy/Sources/Check"
cd "$copy"
# The copy lies in no repository, wherever the temporary folder is.
export GIT_CEILING_DIRECTORIES=${copy%/*}

for addition in trigger condition; do
  patch=$additions/$addition.patch
  git apply "$patch" ||
    { echo "additions: $addition.patch does not fit the sources any more: make it anew" >&2; exit 1; }
  files=$(git apply --numstat "$patch" | wc -l | tr -d ' ')
  if [ "$files" -gt "$most" ]; then
    echo "additions: a $addition of a new kind touches $files files, more than $most:" >&2
    git apply --numstat "$patch" | cut -f3 >&2
    exit 1
  fi
  cp "$additions/$addition.swift" Sources/Check/Addition.swift
  swift build --quiet --product Check >build.log 2>&1 ||
    { echo "additions: with $addition.patch the sources do not build:" >&2; cat build.log >&2; exit 1; }
  .build/debug/Check ||
    { echo "additions: the $addition of $addition.patch does not do what it should" >&2; exit 1; }
  echo "a $addition of a new kind: $files files"
  git apply -R "$patch"
done
