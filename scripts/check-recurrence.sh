#!/bin/sh
# Compares `nearme recur --stdin` with python-dateutil and recurring-ical-events, and with a model of
# docs/recurrence.md where clocks change; then its speed with dateutil's on dateutil's own test rules.
# Prints how many rules were compared and which differ. Needs python3; what is not installed is taken
# from PyPI into a folder of its own, or left out with a word.
#
#   FLOATING=10000 ZONED=1000 SEED=1 scripts/check-recurrence.sh
set -eu
cd "$(dirname "$0")/.."

nearme=${NEARME:-$PWD/.build/release/nearme}
bench=${BENCH:-$PWD/.build/release/nearme-bench}
if ! command -v python3 >/dev/null; then
  echo "check-recurrence: no python3 here, so there is nothing to compare with"
  exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=python3
if ! python3 -c 'import dateutil, icalendar, recurring_ical_events' 2>/dev/null; then
  # Into a folder that goes away, so that nothing of the machine is changed.
  python3 -m pip install -q --target "$work/packages" python-dateutil recurring-ical-events \
    2>/dev/null || echo "check-recurrence: PyPI is out of reach"
  PYTHONPATH=$work/packages
  export PYTHONPATH
fi
if ! $python -c 'import dateutil' 2>/dev/null; then
  echo "check-recurrence: python-dateutil is not there, so there is nothing to compare with"
  exit 0
fi
version=$($python -c 'import dateutil; print(dateutil.__version__)')
set -- --nearme "$nearme" --seed "${SEED:-1}" --floating "${FLOATING:-10000}" \
  --zoned "${ZONED:-1000}"
# Its tests are in its source only.
if python3 -m pip download -q --no-deps --no-binary :all: "python-dateutil==$version" \
  -d "$work" 2>/dev/null; then
  tar xzf "$work"/python*dateutil*.tar.gz -C "$work"
  set -- "$@" --own-rules "$(ls "$work"/python*dateutil*/tests/test_rrule.py)"
  [ ! -x "$bench" ] || set -- "$@" --bench "$bench" --work "$work/rules"
else
  echo "check-recurrence: dateutil's source is out of reach, so its own rules are left out"
fi
$python scripts/recurrence_oracle.py "$@"
