#!/usr/bin/env bash
# Whether this tree's program is as fast as another commit's: `motley bench` of both in turn, so that
# whatever else the machine does affects both. Ratios, not seconds: this / that, per figure.
#
#   tests/bench_against.sh COMMIT [ROUNDS]     builds both in a temporary folder first (3 rounds)
#   tests/bench_against.sh PROGRAM [ROUNDS]    compares build/motley with a program that is already built
#
# Prints the median over the rounds of each figure of both programs and of the ratio within a round.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
if (($# < 1)); then
  sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
rounds=${2:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"; git -C "$root" worktree prune' EXIT

build() { # TREE OUT
  if ! { cmake -S "$1" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMOTLEY_TESTS=OFF &&
    cmake --build "$2" --target motley; } >"$2.log" 2>&1; then
    tail -n 40 "$2.log" >&2
    exit 1
  fi
}

that=$1
this=$root/build/motley
if [[ ! -x $that || -d $that ]]; then
  git -C "$root" worktree add --quiet --detach "$work/tree" "$1"
  build "$work/tree" "$work/that"
  build "$root" "$work/this"
  that=$work/that/motley
  this=$work/this/motley
fi

for ((round = 1; round <= rounds; ++round)); do
  printf 'round %d of %d ...\n' "$round" "$rounds" >&2
  "$that" bench --json >"$work/that.$round.json"
  "$this" bench --json >"$work/this.$round.json"
done
python3 - "$work" "$rounds" <<'PYTHON'
import json, statistics, sys

folder, rounds = sys.argv[1], int(sys.argv[2])

def figures(which, round):
    with open(f"{folder}/{which}.{round}.json") as file:
        return {f["name"]: f["value"] for f in json.load(file)["figures"]}

that = [figures("that", r) for r in range(1, rounds + 1)]
this = [figures("this", r) for r in range(1, rounds + 1)]
print(f"{'figure':28} {'that':>10} {'this':>10}  this/that [range]")
for name in this[0]:
    now = statistics.median(f[name] for f in this)
    if name not in that[0]:
        print(f"{name:28} {'':>10} {now:10.3f}  new")
        continue
    ratios = sorted(a[name] / b[name] for a, b in zip(this, that))
    before = statistics.median(f[name] for f in that)
    print(f"{name:28} {before:10.3f} {now:10.3f}  {statistics.median(ratios):.3f} [{ratios[0]:.3f}, {ratios[-1]:.3f}]")
PYTHON
