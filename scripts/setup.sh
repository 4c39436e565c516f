#!/usr/bin/env bash
# Installs the system libraries that Near Me links to, where they are missing.
set -euo pipefail

apt_packages=(libsqlite3-dev libspatialite-dev libproj-dev libexpat1-dev zlib1g-dev libbz2-dev
  libdeflate-dev libjs-chart.js libjs-leaflet) # the last two draw plots and move maps on pages
brew_formulae=(sqlite libspatialite proj expat zlib bzip2 libdeflate curl)

if ! command -v swift >/dev/null; then
  echo "setup: Swift 6.1 or newer is needed: see https://www.swift.org/install" >&2
  exit 1
fi

case "$(uname -s)" in
Darwin)
  missing=()
  for formula in "${brew_formulae[@]}"; do
    brew list --formula "$formula" >/dev/null 2>&1 || missing+=("$formula")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    echo "setup: run: brew install ${missing[*]}" >&2
    exit 1
  fi
  ;;
Linux)
  if ! command -v apt-get >/dev/null; then
    echo "setup: install the development files of SQLite, SpatiaLite, PROJ, expat, zlib," >&2
    echo "setup: bzip2, libdeflate and libcurl with this system's package manager (Debian: ${apt_packages[*]})" >&2
    exit 0
  fi
  missing=()
  # There is one libcurl for each library of TLS, and only one of them can be installed.
  dpkg-query -W -f='${Status}\n' 'libcurl4-*-dev' 2>/dev/null | grep -q 'ok installed' ||
    missing+=(libcurl4-gnutls-dev)
  for package in "${apt_packages[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
      command -v sudo >/dev/null || {
        echo "setup: as root, run: apt-get install ${missing[*]}" >&2
        exit 1
      }
      as_root=(sudo)
    fi
    echo "setup: installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
  fi
  ;;
esac
