#!/usr/bin/env bash
# clang-tidy with the project's .clang-tidy: ./motley test --tidy [FOLDER...]   (default: sim algorithms)
# Nothing is built; files are read as the release build compiles them, but without precompiled headers,
# which are the compiler's own. Exit code 2: there is no clang-tidy here.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
if ! command -v clang-tidy >/dev/null; then
  printf 'motley: there is no clang-tidy here: install the package clang-tidy\n' >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMOTLEY_TESTS=OFF -DMOTLEY_UNITY=OFF \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >"$work/log"
cmake --build "$work" --target motley_commit >>"$work/log"
if (($# == 0)); then set -- sim algorithms; fi
find "$@" -name '*.cpp' -print0 | sort -z |
  xargs -0 -n 4 -P "$(nproc)" clang-tidy -p "$work" --quiet 2> >(grep -v 'warnings\? .*generated' >&2)
