#!/usr/bin/env bash
# clang-tidy with the project's .clang-tidy: ./motley test --tidy [FOLDER...]   (default: sim algorithms)
# Nothing is built; files are read as the release build compiles them, so those of a room together, but
# without precompiled headers, which are the compiler's own. Exit code 2: there is no clang-tidy here.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
if ! command -v clang-tidy >/dev/null; then
  printf 'motley: there is no clang-tidy here: install the package clang-tidy\n' >&2
  exit 2
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S . -B "$work" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMOTLEY_TESTS=OFF -DMOTLEY_UNITY=ON \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >"$work/log"
cmake --build "$work" --target motley_commit >>"$work/log"
if (($# == 0)); then set -- sim algorithms; fi

# Those that are compiled, of these folders: single files, and files that include those of a room.
compiled() { # FOLDER...
  local file folder
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$work/compile_commands.json" | while IFS= read -r file; do
    for folder in "$@"; do
      folder=$root/${folder%/}/
      if [[ $file == "$folder"* ]] || { [[ $file == */Unity/* ]] && grep -qF "\"$folder" "$file"; }; then
        printf '%s\0' "$file"
        break
      fi
    done
  done
}

# A room's files are included, which is the only place where that is right.
compiled "$@" | sort -z |
  xargs -0 -n 1 -P "$(nproc)" clang-tidy -p "$work" --config-file=.clang-tidy --quiet \
    --checks=-bugprone-suspicious-include --header-filter='/(sim|algorithms)/.*\.(hpp|cpp)$' \
    2> >(grep -v 'warnings\? .*generated' >&2)
