#!/usr/bin/env bash
# Holds predictions against reality: live_test.sh MOTLEY [RESULTS]
#
# On a cluster of network namespaces (see live_cluster.sh): measures its links, simulates eight algorithms on what
# was measured, runs the same algorithms for real by MPI, and compares. Fails unless the time per update is within
# 10 % of what was measured, the order of the algorithms is kept, mean staleness is within 10 %, and sync, allreduce
# and local learn the same, update by update. With RESULTS the results are kept there. Four minutes; as root, with
# openmpi-bin and iproute2; exit code 2 says that no such cluster can be made here.
set -euo pipefail

motley=$(realpath "$1")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
if [[ -z ${MOTLEY_MPIRUN-} ]]; then
  if [[ -n ${2-} ]]; then
    place=$(realpath "$2")
    mkdir -p "$place"
  else
    place=$(mktemp -d /tmp/motley_live_XXXXXX)
    trap 'rm -rf "$place"' EXIT
  fi
  status=0
  "$here/live_cluster.sh" 5 200mbit 250us "${BASH_SOURCE[0]}" "$motley" "$place" || status=$?
  exit "$status"
fi

# ---- Inside the cluster ----

trap 'status=$?; ((status == 0)) || exit 1' EXIT # 2 is for a cluster that cannot be made
cd "$2"
cat >scenario.json <<'END'
{
  "name": "fidelity",
  "data": {"kind": "synthetic", "train": 4000, "test": 1000},
  "model": {"kind": "mlp", "hidden": [32]},
  "cluster": {
    "workers": [{"name": "fast", "count": 2, "samples_per_s": 80}, {"name": "slow", "count": 2, "samples_per_s": 40}],
    "server": {"speed": "1Gf"},
    "link": {"bandwidth": "200Mbps", "latency": "250us"},
    "noise": {"law": "lognormal", "sigma": 0.05}
  },
  "cost": {"flops_per_sample": "1Mf", "model_size": "1MB"},
  "target": {"accuracy": 0.4},
  "stop": {"time": "20s"},
  "evaluate": {"every": 5},
  "defaults": {"batch_size": 16, "step_size": 0.05},
  "algorithms": [
    {"name": "sync"}, {"name": "async"}, {"name": "stale", "staleness": 1}, {"name": "allreduce"},
    {"name": "local", "local_steps": 4}, {"name": "grouping", "groups": 2}, {"name": "od_sgd", "warm_up": 5},
    {"name": "biased_local", "local_steps": 4}
  ]
}
END
"$MOTLEY_MPIRUN" -n 5 "$motley" calibrate scenario.json --out measured.json
"$motley" run measured.json --out simulated --no-whatif --quiet >simulated.txt
"$MOTLEY_MPIRUN" -n 5 "$motley" live measured.json --out live --trace :6s --quiet >live.txt
"$motley" compare simulated live | tee compare.txt

fail() {
  printf 'not as predicted: %s\n' "$1" >&2
  failed=true
}
failed=false
awk -F, '
  NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
  { error = $column["update_error"]; if (error < 0) error = -error
    if (error > 0.1) print $1 ": time per update is off by " 100 * error " %"
    measured = $column["measured_staleness"]; difference = $column["predicted_staleness"] - measured
    if (difference < 0) difference = -difference
    if (difference > 0.1 * measured) print $1 ": mean staleness is " $column["predicted_staleness"] ", measured " measured
  }' live/compare.csv >errors.txt
while read -r error; do fail "$error"; done <errors.txt
grep -q 'ordering kept' compare.txt || fail 'the order of the algorithms'

# Loss and accuracy by update: the same digits.
curve() {
  awk -F, -v algorithm="$2" '
    NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i; next }
    $column["run"] == algorithm "-0" {
      if ($column["updates"] % 5 == 0 && !seen[$column["updates"]]++)
        print $column["updates"], $column["test_loss"], $column["test_accuracy"] }' "$1/curves.csv"
}
for algorithm in sync allreduce local; do
  curve simulated "$algorithm" >predicted.txt
  curve live "$algorithm" >measured.txt
  points=$(($(wc -l <predicted.txt) < $(wc -l <measured.txt) ? $(wc -l <predicted.txt) : $(wc -l <measured.txt)))
  if ((points < 3)) || ! cmp <(head -n "$points" predicted.txt) <(head -n "$points" measured.txt); then
    fail "what $algorithm learns"
  fi
done
if $failed; then exit 1; fi
echo "the predictions hold"
