#!/usr/bin/env bash
# Looks at the Dockerfile beside the package that it installs, at the systemd unit and the examples for proxies, where
# their programs are there; then a door behind nginx and behind Caddy, a phone that posts, and live events that come at
# once.
#
#   NEARME=FILE scripts/check-packaging.sh       NEARME is .build/release/nearme without it
set -euo pipefail
cd "$(dirname "$0")/.."
nearme=$(realpath "${NEARME:-.build/release/nearme}")
folder=$(mktemp -d)
pids=()
finish() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait 2>/dev/null || true
  rm -rf "$folder"
}
trap finish EXIT
fail() {
  echo "check-packaging: $1" >&2
  exit 1
}

# The package makes its user and the user's folder: an image that made them once more would not build.
image=packaging/Dockerfile
user=$(sed -n 's/.*getent passwd \([a-z]*\).*/\1/p' packaging/debian/postinst)
home=$(sed -n 's/.*adduser .*--home \([^ ]*\).*/\1/p' packaging/debian/postinst)
[ -n "$user" ] && [ -n "$home" ] || fail "packaging/debian/postinst: which user does it make?"
! grep -nE "(useradd|adduser|groupadd|addgroup)( |$)" "$image" ||
  fail "$image: the package has made the user $user already"
[ "$(awk '$1 == "USER" { user = $2 } END { print user }' "$image")" = "$user" ] ||
  fail "$image: it does not run as $user, whom the package makes"
[ "$(awk '$1 == "WORKDIR" { folder = $2 } END { print folder }' "$image")" = "$home" ] ||
  fail "$image: it does not run in $home, the folder of $user"
grep -qxE '(\*\*/)?\.build' .dockerignore || fail ".dockerignore: an image would be built from .build"
echo "image: it runs as $user in $home"

if command -v systemd-analyze >/dev/null; then
  exposure=$(systemd-analyze security --offline=true --no-pager packaging/nearme.service |
    sed -n 's/.*Overall exposure level for nearme.service: \([0-9.]*\).*/\1/p')
  awk -v got="$exposure" 'BEGIN { exit !(got != "" && got <= 1.5) }' || fail "the unit's exposure is ${exposure:-unknown}"
  echo "unit: exposure $exposure of 10 by systemd-analyze security"
else
  echo "unit: not looked at: there is no systemd-analyze"
fi

# The door, with a person, a phone and a browser that is signed in.
"$nearme" cache build data/port-ardent.osm.pbf -o "$folder/pois.sqlite" >/dev/null
export NEARME_HOME=$folder/family
"$nearme" person add anna >/dev/null
"$nearme" phone add anna iphone --format json >"$folder/phone.json"
password=$(python3 -c 'import json,sys; print(json.load(sys.stdin)["password"])' <"$folder/phone.json")
link=$("$nearme" person link anna)

# Starts a door; sets $door.
start_door() {
  "$nearme" serve --cache "$folder/pois.sqlite" --behind-proxy "$@" >"$folder/door.log" 2>&1 &
  pids+=($!)
  for _ in $(seq 50); do
    grep -q '^listening' "$folder/door.log" && return
    sleep 0.1
  done
  fail "the door does not start: $(cat "$folder/door.log")"
}

# The name of the examples is this machine here.
fetch() { curl --noproxy '*' --connect-to near.example.org::127.0.0.1: "$@"; }

# One phone and one stream of events through a proxy: drive NAME URL.
drive() {
  local name=$1 url=$2 answer stream=$folder/stream status
  for _ in $(seq 50); do
    fetch -ksf "$url/healthz" >/dev/null && break
    sleep 0.1
  done
  answer=$(fetch -ksS -u "anna/iphone:$password" -H 'Content-Type: application/json' \
    -d "{\"_type\":\"location\",\"lat\":60.1,\"lon\":-30.1,\"acc\":10,\"tst\":$(date +%s),\"tid\":\"ip\"}" "$url/in/owntracks")
  case $answer in '['*) ;; *) fail "$name: a phone is answered $answer" ;; esac
  if [ ! -e "$folder/cookies" ]; then
    csrf=$(fetch -ksS -c "$folder/cookies" -H 'Content-Type: application/json' -H "Origin: $url" \
      -d "{\"token\":\"${link#*#}\"}" "$url/api/v1/session" |
      python3 -c 'import json,sys; print(json.load(sys.stdin)["csrf"])')
    grep -q '__Host-nearme' "$folder/cookies" || fail "$name: the door does not know that it is https"
  fi
  local cookie
  cookie=$(awk '$6 ~ /nearme/ { print $6 "=" $7 }' "$folder/cookies")
  fetch -ksSN --max-time 4 -H "Cookie: $cookie" "$url/api/v1/events" >"$stream" 2>/dev/null &
  local reader=$!
  sleep 0.7
  fetch -ksS -o /dev/null -H "Cookie: $cookie" -H "X-CSRF-Token: $csrf" -H 'Content-Type: application/json' \
    -d '{"text":"buy milk when I am near a grocery"}' "$url/api/v1/remember"
  for _ in $(seq 10); do
    grep -q '^event:' "$stream" && break
    sleep 0.1
  done
  grep -q '^event: *edit' "$stream" || fail "$name: a live event did not come within a second: $(head -3 "$stream")"
  kill $reader 2>/dev/null || true
  status=$(head -c 9000000 /dev/zero | fetch -ks --http1.1 -m 10 -o /dev/null -w '%{http_code}' -u "anna/iphone:$password" \
    --data-binary @- "$url/in/owntracks" || true)
  # The proxy's 413, or the door's "taken" for what is counted as too_large, or whatever the proxy makes of a door that has
  # answered before it had read everything: no app sends so much. What matters is that it goes on.
  [ "$status" != 500 ] || fail "$name: a body of 9 MB is answered $status"
  fetch -ksf "$url/healthz" >/dev/null || fail "$name: after a body of 9 MB it does not answer"
  echo "$name: a phone was let in, an event came at once, a body of 9 MB was answered ${status:0:3}"
}

openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=near.example.org \
  -addext subjectAltName=DNS:near.example.org \
  -keyout "$folder/key.pem" -out "$folder/cert.pem" 2>/dev/null

if command -v nginx >/dev/null; then
  start_door --listen "unix:$folder/door.sock"
  # The example with another certificate, ports that anybody may open, and the socket in place of the port.
  sed -e "s,/etc/letsencrypt/live/near.example.org/fullchain.pem,$folder/cert.pem," \
    -e "s,/etc/letsencrypt/live/near.example.org/privkey.pem,$folder/key.pem," \
    -e 's/listen 443/listen 127.0.0.1:8743/; s/listen 80;/listen 127.0.0.1:8780;/; /listen \[::\]/d' \
    -e "s,server 127.0.0.1:8787;,server unix:$folder/door.sock;," packaging/nginx.conf >"$folder/site.conf"
  printf 'daemon off; pid %s/nginx.pid; error_log %s/nginx.log; events {}\nhttp { access_log off; %s include %s/site.conf; }\n' \
    "$folder" "$folder" "$(for what in client_body proxy fastcgi uwsgi scgi; do echo "${what}_temp_path $folder/$what;"; done)" \
    "$folder" >"$folder/nginx.conf"
  [ "$(id -u)" -ne 0 ] || sed -i '1s/^/user root; /' "$folder/nginx.conf"
  nginx -t -q -c "$folder/nginx.conf" 2>/dev/null || fail "nginx -t"
  nginx -c "$folder/nginx.conf" &
  pids+=($!)
  drive "nginx, Unix socket" https://near.example.org:8743
  kill "${pids[0]}" && wait "${pids[0]}" || fail "the door ends with $?"
  status=$(fetch -ksS -o /dev/null -w '%{http_code}' -u "anna/iphone:$password" -d '{}' https://near.example.org:8743/in/owntracks)
  [ "$status" = 503 ] || fail "nginx: without the door a phone is answered $status"
  echo "nginx: without the door a phone is told 503"
else
  echo "nginx: not there, left out"
fi

if command -v caddy >/dev/null; then
  start_door --listen 127.0.0.1:8797
  caddy validate --adapter caddyfile --config packaging/Caddyfile >/dev/null 2>"$folder/caddy.log" ||
    grep -q 'permission\|storage' "$folder/caddy.log" || fail "caddy validate: $(tail -1 "$folder/caddy.log")"
  {
    printf '{\n\tadmin off\n\tauto_https off\n}\n'
    sed -e 's,^near.example.org {,https://near.example.org:8744 {\n\ttls '"$folder/cert.pem $folder/key.pem"',' \
      -e 's/127.0.0.1:8787/127.0.0.1:8797/' packaging/Caddyfile
  } >"$folder/Caddyfile"
  HOME=$folder caddy run --adapter caddyfile --config "$folder/Caddyfile" >"$folder/caddy.log" 2>&1 &
  pids+=($!)
  drive "Caddy, loopback" https://near.example.org:8744
else
  echo "Caddy: not there, left out"
fi
