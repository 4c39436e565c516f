#!/usr/bin/env bash
# Installs the .deb of a release into a folder of its own, runs it, and reads the Dockerfile for what hadolint
# would say first. hadolint itself is in no package archive; where it is installed, it is run.
#
#   scripts/check-dist.sh [FOLDER]       FOLDER is .build/dist without it
set -euo pipefail
cd "$(dirname "$0")/.."

out=${1:-.build/dist}
fail() {
  echo "check-dist: $1" >&2
  exit 1
}

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

deb=$(ls "$out"/nearme_*.deb)
# The libraries are those of the machine, which dpkg does not see in the folder.
dpkg --root="$root" --force-not-root --force-depends --force-script-chrootless --log="$root/log" -i "$deb" >"$root/dpkg" 2>&1 ||
  fail "dpkg cannot install $deb: $(tail -1 "$root/dpkg")"
nearme=$root/usr/bin/nearme
"$nearme" --version | grep -Eq '^[0-9]+\.[0-9]+\.[0-9]+( \([0-9a-f]+\+?\))?$' || fail "--version"
if objdump -p "$nearme" | grep -q 'NEEDED *libswift'; then fail "Swift's libraries are not inside"; fi
data=$root/usr/share/nearme
"$nearme" cache build "$data/data/port-ardent.osm.pbf" -o "$root/pois.sqlite" >/dev/null
(cd / && env -u NEARME_DATA "$nearme" understand "buy milk when I'm near a grocery" >/dev/null) ||
  fail "an installed program does not find its languages"
"$nearme" replay "$data/traces/errands.gpx.gz" --cache "$root/pois.sqlite" \
  --reminders "$data/traces/reminders.json" --policy "$data/traces/policy.yaml" --format ndjson |
  cmp - traces/expected/errands.ndjson || fail "the sample day has another output"
for name in $(find "$root/usr/share/man" -name '*.gz'); do
  if command -v man >/dev/null; then
    warnings=$(LC_ALL=C.UTF-8 man --warnings -l "$name" 2>&1 >/dev/null)
    [ -z "$warnings" ] || fail "$(basename "$name"): $warnings"
  fi
done
zcat "$root/usr/share/man/man1/nearme-trace-convert.1.gz" | grep -q Meanings ||
  fail "the man pages leave out what the help says beyond a line"
bash -n "$root/usr/share/bash-completion/completions/nearme" || fail "the completions for bash"
# A name of a file is completed, too: readline does so where the completions have nothing to offer.
grep -q '^complete .*-o default .*-F _nearme nearme$' "$root/usr/share/bash-completion/completions/nearme" ||
  fail "the completions for bash leave out files"
grep -q "':file:_files'" "$root/usr/share/zsh/vendor-completions/_nearme" || fail "the completions for zsh leave out files"
grep -q ' -rF$' "$root/usr/share/fish/vendor_completions.d/nearme.fish" || fail "the completions for fish leave out files"
for shell in zsh fish; do
  case $shell in
    zsh) file=$root/usr/share/zsh/vendor-completions/_nearme ;;
    fish) file=$root/usr/share/fish/vendor_completions.d/nearme.fish ;;
  esac
  [ -s "$file" ] || fail "no completions for $shell"
  if command -v $shell >/dev/null; then $shell -n "$file" || fail "the completions for $shell"; fi
done

file=packaging/Dockerfile
if command -v hadolint >/dev/null; then
  hadolint "$file" || fail "$file"
else
  ! grep -nE '^FROM [^ ]+:latest|^FROM [^ :@]+( |$)' "$file" || fail "$file: an image without a version"
  ! grep -nE '^(ADD|MAINTAINER) ' "$file" || fail "$file: COPY and LABEL take the place of these"
  ! grep -nE '(ENTRYPOINT|CMD) [^[]' "$file" || fail "$file: a command that a shell would run"
  ! grep -nE 'apt(-get)? install' "$file" | grep -v -e '--no-install-recommends' || fail "$file: recommended packages"
  [ "$(grep -c 'apt-get update' "$file")" = "$(grep -c 'rm -rf /var/lib/apt/lists' "$file")" ] ||
    fail "$file: lists of apt that stay"
  [ "$(grep -nE '^USER ' "$file" | tail -1 | cut -d: -f1)" -gt "$(grep -nE '^FROM ' "$file" | tail -1 | cut -d: -f1)" ] ||
    fail "$file: it runs as root"
fi
echo "check-dist: $(basename "$deb") installs and runs"
