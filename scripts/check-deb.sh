#!/usr/bin/env bash
# Installs the .deb of a release on this machine, runs the service's own command as its own user, and purges it.
# For containers and machines of CI: it needs root, and leaves everything alone where there is a nearme already.
#
#   scripts/check-deb.sh [FOLDER]       FOLDER is .build/dist without it
set -euo pipefail
cd "$(dirname "$0")/.."

deb=$(ls "${1:-.build/dist}"/nearme_*.deb)
if [ "$(id -u)" -ne 0 ] || getent passwd nearme >/dev/null || [ -e /var/lib/nearme ]; then
  echo "check-deb: left out: it needs root, and no user nearme and no /var/lib/nearme" >&2
  exit 0
fi
server=
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  dpkg --purge nearme >/dev/null 2>&1 || true
}
trap finish EXIT
fail() {
  echo "check-deb: $1" >&2
  exit 1
}
as_nearme() { setpriv --reuid nearme --regid nearme --clear-groups env NEARME_HOME=/var/lib/nearme "$@"; }

apt-get install -y -qq --no-install-recommends "$(realpath "$deb")" >/dev/null 2>&1 ||
  dpkg -i "$deb" >/dev/null || fail "it does not install"
nearme --version >/dev/null || fail "nearme --version"
nearme serve --help >/dev/null || fail "nearme serve --help"
[ "$(stat -c '%U %a' /var/lib/nearme)" = "nearme 700" ] || fail "/var/lib/nearme: $(stat -c '%U %a' /var/lib/nearme)"
nearme_files=$(dpkg -L nearme)
for file in /usr/lib/systemd/system/nearme.service /etc/default/nearme /usr/share/man/man1/nearme-serve.1.gz \
  /usr/share/doc/nearme/examples/Caddyfile; do
  grep -qx "$file" <<<"$nearme_files" || fail "$file is not in it"
done

as_nearme nearme cache build /usr/share/nearme/data/port-ardent.osm.pbf -o /var/lib/nearme/pois.sqlite >/dev/null
as_nearme nearme person add anna >/dev/null
# The line of the unit, as systemd would run it.
start=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/nearme.service)
start=${start/'$NEARME_SERVE_OPTIONS'/--listen 127.0.0.1:8798}
# shellcheck disable=SC2086
(umask 0077 && cd /var/lib/nearme && exec setpriv --reuid nearme --regid nearme --clear-groups \
  env NEARME_HOME=/var/lib/nearme $start) >/dev/null 2>&1 &
server=$!
for _ in $(seq 50); do
  curl -fsS http://127.0.0.1:8798/healthz >/dev/null 2>&1 && break
  sleep 0.1
done
curl -fsS http://127.0.0.1:8798/healthz >/dev/null || fail "the service's command does not answer"
# The cache is made of a public map, and its folder is closed.
open=$(find /var/lib/nearme -mindepth 1 ! -name pois.sqlite -perm /077 | sort | head -3)
[ -z "$open" ] || fail "others can read $open"
kill -TERM "$server"
wait "$server" || fail "SIGTERM ends it with $?"
server=

dpkg -r nearme >/dev/null
[ -d /var/lib/nearme/people ] || fail "removing it deleted what people have"
dpkg --purge nearme >/dev/null
[ ! -e /var/lib/nearme ] && ! getent passwd nearme >/dev/null || fail "purging it leaves something"
echo "check-deb: $(basename "$deb") ($(du -k "$deb" | cut -f1) kB) installs, runs as its own user, is removed and purged"
