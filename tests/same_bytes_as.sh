#!/usr/bin/env bash
# Whether this tree's program writes the same results as another commit's, byte for byte: runs.csv (but its
# wall_s and peak_rss_mb), curves.csv and workers.csv of every shipped scenario, shortened.
#
#   tests/same_bytes_as.sh COMMIT              builds COMMIT in a temporary folder first
#   tests/same_bytes_as.sh PROGRAM [PROGRAM]   compares with a program that is already built, or two of them
#   BUT="COLUMN ..." tests/same_bytes_as.sh ...   leaves these columns out, too: where a change of them is meant
#
# Prints a line per scenario; the exit code is 0 when all are the same.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
if (($# < 1)); then
  sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p}' "${BASH_SOURCE[0]}" >&2
  exit 2
fi
work=$(mktemp -d)
trap 'git -C "$root" worktree prune; rm -rf "$work"' EXIT

before=$1
after=${2:-$root/build/motley}
if [[ ! -x $before || -d $before ]]; then
  git -C "$root" worktree add --quiet --detach "$work/tree" "$1"
  cmake -S "$work/tree" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMOTLEY_TESTS=OFF >"$work/log"
  cmake --build "$work/build" --target motley >>"$work/log" || { tail -n 40 "$work/log" >&2; exit 1; }
  before=$work/build/motley
fi

before=$(realpath "$before")
after=$(realpath "$after")

# Clusters of more than a hundred workers get a hundred of each class; what is tuned is tuned briefly; images are few,
# and made up where they would have to be fetched.
smaller() {
  python3 - "$1" <<'PYTHON'
import json, sys
scenario = json.load(open(sys.argv[1]))
for i, kind in enumerate(scenario["cluster"].get("workers", [])):
    if kind.get("count", 1) > 100:
        print(f"--set\n/cluster/workers/{i}/count=100")
data = scenario.get("data", {})
if data.get("kind") == "cifar10":
    made_up = {"kind": "synthetic", "train": 500, "test": 100, "features": 3072, "shape": [3, 32, 32], "classes": 10}
    if "augment" in data:
        made_up["augment"] = data["augment"]
    print(f"--set\n/data={json.dumps(made_up)}")
elif scenario["model"]["kind"] in ("cnn", "resnet") or "/model" in scenario.get("sweep", {}):
    print("--set\n/data/train=500\n--set\n/data/test=100")
if scenario["model"]["kind"] == "resnet" or data.get("kind") == "cifar10":
    if "/defaults/step_size" not in scenario.get("sweep", {}):
        print("--set\n/defaults/step_size=0.01")
    print("--set\n/defaults/batch_size=4")
    if "tune" in scenario:
        print("--set\n/tune=null")
elif "tune" in scenario:
    print("--set\n/tune/runs=4\n--set\n/tune/at=first_point")
PYTHON
}

shortened() { # PROGRAM SCENARIO OUT
  local more=()
  mapfile -t more < <(smaller "$2")
  "$1" run "$2" --set '/stop={"updates": 40}' --set /replicas=1 --out "$3" "${more[@]}" >"$3.log" 2>&1 ||
    { tail -n 5 "$3.log" >&2; return 1; }
}

# The columns named are left out of a CSV without quoted commas in its header.
without() { # FILE COLUMN...
  python3 - "$@" <<'PYTHON'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="")))
keep = [i for i, name in enumerate(rows[0]) if name not in sys.argv[2:]]
csv.writer(sys.stdout).writerows([row[i] for i in keep] for row in rows)
PYTHON
}

differ=0
while IFS= read -r scenario; do
  rm -rf "$work"/before* "$work"/after*
  name=${scenario#"$root"/scenarios/}
  if ! shortened "$before" "$scenario" "$work/before" || ! shortened "$after" "$scenario" "$work/after"; then
    printf '%-32s does not run\n' "$name"
    differ=1
    continue
  fi
  different=
  for table in runs curves workers; do
    # shellcheck disable=SC2086  # BUT is a list of words
    cmp -s <(without "$work/before/$table.csv" wall_s peak_rss_mb ${BUT:-}) \
      <(without "$work/after/$table.csv" wall_s peak_rss_mb ${BUT:-}) || different="${different:-differs:} $table.csv"
  done
  if [[ -n $different ]]; then differ=1; fi
  printf '%-32s %s\n' "$name" "${different:-same bytes}"
done < <(find "$root/scenarios" -name '*.json' ! -name schema.json | sort)
exit $differ
