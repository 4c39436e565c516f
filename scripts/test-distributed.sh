#!/usr/bin/env bash
# Compares nearme-spark with one machine, in Spark's local-cluster mode. Installs what is missing: Java 17 from
# the system's packages, PySpark into .build/spark.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v java >/dev/null; then
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then as_root=(sudo); fi
  command -v apt-get >/dev/null || {
    echo "test-distributed: install Java 17 with this system's package manager" >&2
    exit 1
  }
  echo "test-distributed: installing openjdk-17-jre-headless" >&2
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq openjdk-17-jre-headless >/dev/null
fi

spark=.build/spark
if ! "$spark/bin/python" -c 'import pyspark, pyarrow' 2>/dev/null; then
  python3 -m venv "$spark"
  "$spark/bin/pip" install --quiet 'pyspark>=3.5,<4' pyarrow
fi
"$spark/bin/pip" install --quiet --no-deps --force-reinstall ./distributed
rm -rf distributed/build distributed/nearme_spark.egg-info
NEARME=${NEARME:-$PWD/.build/release/nearme} "$spark/bin/python" -m unittest discover -s distributed/tests "$@"
