#!/usr/bin/env bash
# Installs what the checks of the pages need: Debian's Chromium, and from PyPI Playwright, axe and Pillow, in
# a folder of their own below .build.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
[ -x /usr/bin/chromium ] || [ -x /usr/bin/chromium-browser ] || missing+=(chromium)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "setup-browser: install ${missing[*]} with this system's package manager" >&2
    exit 1
  fi
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "setup-browser: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
fi
if ! [ -x .build/browser/bin/pip ]; then
  mkdir -p .build
  python3 -m venv .build/browser
fi
.build/browser/bin/pip install -q --disable-pip-version-check \
  'playwright>=1.50,<2' 'axe-playwright-python>=0.1.7,<0.2' 'pillow>=10,<14'
