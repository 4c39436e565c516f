#!/usr/bin/env bash
# Holds a door to its own openapi.yaml with schemathesis: what the contract allows and what it forbids is sent, and
# every answer must be one that the contract has.
#
#   scripts/check-api.sh BASE LINK TOKEN [CASES] [SEED]
#
# BASE is such as http://127.0.0.1:8787, LINK a one-time link of a person made for the purpose (what the person has is
# changed and deleted), TOKEN "-" or a token of all scopes. The door must allow many requests a second
# (serve --requests-per-second 10000): it answers 429 otherwise, which is in the contract, too, and then less is tried.
# Prints the cases and the failures; status 1 on any.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:?such as http://127.0.0.1:8787}
link=${2:?a link of nearme person link NAME}
token=${3:--}
cases=${4:-100}
seed=${5:-1}
venv=$PWD/.build/schemathesis
[ -x "$venv/bin/schemathesis" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q 'schemathesis==4.32.5'; }

signed_in=$(curl -sS -i -X POST "$base/api/v1/session" -H 'Content-Type: application/json' \
  -d "{\"token\":\"${link##*#}\"}")
cookie=$(sed -n 's/^[Ss]et-[Cc]ookie: \([^;]*\);.*/\1/p' <<< "$signed_in")
csrf=$(sed -n 's/.*"csrf":"\([^"]*\)".*/\1/p' <<< "$signed_in")
[ -n "$cookie" ] && [ -n "$csrf" ] || { echo "the link does not sign in: make another" >&2; exit 2; }
if [ "$token" = - ]; then
  token=$(curl -sS -X POST "$base/api/v1/tokens" -H "Cookie: $cookie" -H "X-CSRF-Token: $csrf" \
    -H 'Content-Type: application/json' -d '{"name":"check","scopes":["read","write","phones"]}' \
    | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
fi

config=$(mktemp -d)
trap 'rm -rf "$config"' EXIT
# 428 is what RFC 6585 has for a missing If-Match; 429 ends a series of guesses, which other checks here are.
cat > "$config/schemathesis.toml" <<'TOML'
[checks]
missing_required_header.expected-statuses = [400, 401, 403, 406, 415, 422, 428, 429]
TOML

# Left out: what ends the session, what erases the person, and what goes on for ever; DoorTests have these. A schema
# cannot say all that makes a reminder possible, so what it allows may be refused, with 409 or 422.
run() {
  echo "== $1"
  shift
  (cd "$config" && "$venv/bin/schemathesis" --config-file "$config/schemathesis.toml" run "$base/openapi.yaml" \
    --exclude-path /events --exclude-path /erase --exclude-path-regex '^/session$' \
    --exclude-checks positive_data_acceptance --continue-on-failure --no-color \
    -n "$cases" --seed "$seed" "$@") | tee "$config/log" | grep -E '^ *(- ST|❌|Expected|curl)|generated|Seed' || true
  grep -q 'generated, [0-9]* passed' "$config/log" && ! grep -q 'Failures:' "$config/log"
}
status=0
run "with a token" -H "Authorization: Bearer $token" || status=1
run "with a session" -H "Cookie: $cookie" -H "X-CSRF-Token: $csrf" || status=1
exit $status
