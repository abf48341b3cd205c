#!/bin/sh
# Runs a Python test with an interpreter that has what analysis/ needs; without one the test is skipped (77).
cd "$(dirname "$0")" || exit 1
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import matplotlib, pandas' 2>/dev/null; then
    exec "$python" -B -W error::DeprecationWarning:pictures "$@"
  fi
done
echo "SKIPPED: no python3 here has matplotlib and pandas (Debian: python3-matplotlib python3-pandas)" >&2
exit 77
