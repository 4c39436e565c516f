#!/usr/bin/env bash
# Opens the pages that nearme writes in a real Chromium; `scripts/check-pages.sh bench` measures them.
# Where there is no browser, or nothing to drive it with, it says so and is content.
set -euo pipefail
cd "$(dirname "$0")/.."

python=.build/browser/bin/python
[ -x "$python" ] || python=python3
browser=""
for path in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser; do
  [ -n "$path" ] && [ -x "$path" ] && browser=$path && break
done
if [ -z "$browser" ]; then
  echo "pages: skipped: there is no Chromium here; make setup-browser installs it"
  exit 0
fi
if ! "$python" -c 'import playwright, axe_playwright_python, PIL' 2>/dev/null; then
  echo "pages: skipped: Playwright, axe or Pillow is missing; make setup-browser installs them"
  exit 0
fi
[ -x .build/release/nearme ] || swift build -c release --product nearme
export CHROMIUM=$browser
if [ "${1:-}" = bench ]; then exec "$python" scripts/pages/bench.py; fi
exec "$python" scripts/pages/check.py "$@"
