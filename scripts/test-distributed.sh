#!/usr/bin/env bash
# Compares nearme-spark with one machine, in Spark's local-cluster mode. Installs what is missing: Java 17 from
# the system's packages, PySpark into .build/spark.
set -euo pipefail
cd "$(dirname "$0")/.."

# Spark 3.5 runs on Java 8, 11 and 17; where another one is the system's, one of these may lie beside it.
for home in "${JAVA_HOME:-}" '' /usr/lib/jvm/*-17-* /usr/lib/jvm/*-17; do
  java=${home:+$home/bin/}java
  if "$java" -version 2>&1 | grep -Eq 'version "(1\.8|11|17)[."]'; then
    if [ -n "$home" ]; then export JAVA_HOME=$home; else unset JAVA_HOME; fi
    found=1
    break
  fi
done
if [ -z "${found:-}" ]; then
  unset JAVA_HOME
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  command -v apt-get >/dev/null || {
    echo "test-distributed: install Java 17 with this system's package manager" >&2
    exit 1
  }
  echo "test-distributed: installing openjdk-17-jre-headless" >&2
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq openjdk-17-jre-headless >/dev/null
  JAVA_HOME=$(find /usr/lib/jvm -maxdepth 1 -name '*-17-*' | sort | head -n 1)
  export JAVA_HOME
fi

spark=.build/spark
if ! "$spark/bin/python" -c 'import pyspark, pyarrow' 2>/dev/null; then
  python3 -m venv "$spark"
  "$spark/bin/pip" install --quiet 'pyspark>=3.5,<4' pyarrow
fi
"$spark/bin/pip" install --quiet --no-deps --force-reinstall ./distributed
rm -rf distributed/build distributed/nearme_spark.egg-info
NEARME=${NEARME:-$PWD/.build/release/nearme} "$spark/bin/python" -m unittest discover -s distributed/tests "$@"
