#!/usr/bin/env bash
# Type-checks the modules that an app embeds for iOS 17, the oldest that Package.swift names, with the toolchain that is
# here: what came with a newer system is an error then, as in Xcode. The interface of the standard library of this
# system is read as one for iOS, for Apple's is not here. Where a toolchain cannot do that, the check says so and passes.
set -euo pipefail
cd "$(dirname "$0")/.."

oldest=$(sed -nE 's/.*platforms: \[.*\.iOS\(\.v([0-9]+)\).*/\1/p' Package.swift)
[ -n "$oldest" ] || { echo "check-oldest: Package.swift names no iOS" >&2; exit 1; }
target="arm64-apple-ios$oldest.0"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
skip() { echo "check-oldest: not checked, $1"; exit 0; }

library=$(swiftc -print-target-info 2>/dev/null |
  sed -nE 's/.*"runtimeResourcePath": *"(.*)".*/\1/p' | tr -d '\\')
interface=$(find "$library/linux/Swift.swiftmodule" -name '*-unknown-linux-gnu.swiftinterface' \
  ! -name '*.private.*' 2>/dev/null | head -1)
[ -n "$interface" ] || skip "for this toolchain has no interface of its standard library"
for module in Swift SwiftOnoneSupport _RegexParser _StringProcessing; do
  mkdir -p "$folder/interfaces/$module.swiftmodule"
  # Two functions call what the C library of this processor has and the other has not; and what is compiled into apps
  # for systems that lack it may not be so in an interface that is no part of the system.
  sed -E -e "s/-target [^ ]+/-target $target/; s/ -static / /" \
    -e 's/self = _stdlib_[a-zA-Z]+l\(.*\)$/fatalError()/' \
    -e '/^ *@backDeployed\(before: macOS 14\.0/d' \
    "${interface//\/Swift.swiftmodule\//\/$module.swiftmodule\/}" \
    >"$folder/interfaces/$module.swiftmodule/arm64-apple-ios.swiftinterface"
done

# Compiles a module from the sources in a folder.
compile() {
  find "$2" -name '*.swift' -not -path '*.docc/*' -print0 |
    xargs -0 swiftc -emit-module -o "$folder/$1.swiftmodule" -module-name "$1" -package-name nearme \
      -parse-as-library -swift-version 6 -enable-upcoming-feature ExistentialAny \
      -enable-upcoming-feature MemberImportVisibility -wmo -target "$target" \
      -Xfrontend -disable-objc-interop -Xcc -ffreestanding \
      -Xfrontend -disable-implicit-concurrency-module-import \
      -I "$folder/interfaces" -I "$folder" -module-cache-path "$folder/cache" >"$folder/log" 2>&1
}

# What it takes and refuses where it works: one of iOS 17, one of iOS 18.
mkdir "$folder/old" "$folder/new"
echo 'func old(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }' >"$folder/old/old.swift"
echo 'func new() -> Int128 { 1 }' >"$folder/new/new.swift"
compile Old "$folder/old" || skip "for this toolchain reads no standard library for iOS"
if compile New "$folder/new"; then skip "for this toolchain does not know what is of a newer system"; fi
grep -q 'only available in' "$folder/log" || skip "for this toolchain reads no standard library for iOS"

modules=$(sed -nE 's/^let pure = \[//; /^  "Basics"/,/^\]/p' Tests/CoreLocation/Package.swift |
  grep -oE '"[A-Za-z]+"' | tr -d '"')
[ -n "$modules" ] || { echo "check-oldest: Tests/CoreLocation/Package.swift lists no modules" >&2; exit 1; }
count=0
for module in $modules NearMe; do
  path=Sources/$module
  [ "$module" != NearMe ] || path=Sources/NearMeUmbrella
  compile "$module" "$path" || {
    echo "check-oldest: $module does not compile for iOS $oldest:" >&2
    grep -E 'error:' "$folder/log" | grep -v '^ ' | sort -u >&2 || cat "$folder/log" >&2
    exit 1
  }
  count=$((count + 1))
done
echo "the modules that apps embed: $count type-checked for iOS $oldest"
