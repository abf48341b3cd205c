#!/usr/bin/env bash
# Runs a sweep on a real Slurm cluster: slurm_test.sh MOTLEY
#
# Starts munged, slurmctld and five slurmd on the loopback of this host, in a folder of its own; submits
# a sweep, kills one of its tasks, submits again, and compares the joined results with those of a local
# run, byte for byte but for the two columns of wall time and memory. Where the program has MPI, a job runs an
# algorithm for real, by srun and PMIx, and learns what the simulation does; others are told by Slurm
# to end, as they are before their time limit, started by srun and by mpirun, or lose a rank, and keep what they have
# measured. Needs Debian's slurm-wlm and munge. Everything it has started is stopped at the end, however it ends.
set -euo pipefail

motley=$(realpath "$1")
export PATH=$PATH:/usr/sbin:/sbin
place=$(mktemp -d /tmp/motley_slurm_XXXXXX) # short: the paths of sockets are limited
chmod 755 "$place"
export SLURM_CONF=$place/slurm.conf # first of all: a cluster that is really there is not to be touched
daemons=()

stop_everything() {
  status=$?
  trap - EXIT
  if ((status != 0)); then
    tail -n 30 "$place"/*.log "$place"/*/slurm/*.log >&2 || :
  fi
  scancel --quiet --user "$(id -un)" 2>/dev/null || :
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || :; done
  for pid in "${daemons[@]}"; do wait "$pid" 2>/dev/null || :; done
  rm -rf "$place"
  exit "$status"
}
trap stop_everything EXIT
trap 'exit 1' INT TERM HUP

start() {
  local log=$1
  shift
  "$@" </dev/null >>"$place/$log" 2>&1 &
  daemons+=($!)
}

# Fails unless the command succeeds within a minute; for daemons that tell nobody when they are ready.
until_true() {
  local end=$((SECONDS + 60))
  until "$@" >/dev/null 2>&1; do
    if ((SECONDS > end)); then
      printf 'gave up waiting for: %s\n' "$*" >&2
      return 1
    fi
    read -r -t 0.1 <> <(:) || : # lets them work
  done
}

free_port() {
  local port
  for port in $(shuf -i 20000-60000 -n 100); do
    if ! (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && [[ " ${ports[*]-} " != *" $port "* ]]; then
      ports+=("$port")
      return
    fi
  done
  return 1
}

ports=()
for _ in 1 2 3 4 5 6; do free_port; done

# ---- The cluster ----

head -c 1024 /dev/urandom >"$place/munge.key"
chmod 600 "$place/munge.key"
start munged.log munged --foreground --force --key-file "$place/munge.key" \
  --socket "$place/munge.socket" --pid-file "$place/munged.pid" --seed-file "$place/munge.seed" \
  --log-file "$place/munged.log"
until_true munge --no-input --socket "$place/munge.socket"

{
  cat <<END
ClusterName=motley
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=${ports[4]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$place/munge.socket
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool-%n
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
SchedulerParameters=sched_min_interval=100000
KillWait=1
END
  for i in 1 2 3 4; do
    echo "NodeName=n$i NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=${ports[i - 1]} CPUs=1"
  done
  # Of its own, since the PMIx of several nodes of one host would meet in the same folder.
  echo "NodeName=n5 NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=${ports[5]} CPUs=8"
  echo "PartitionName=small Nodes=n[1-4] Default=YES State=UP"
  echo "PartitionName=large Nodes=n5 State=UP"
} >"$SLURM_CONF"
mkdir "$place/state" "$place"/spool-n{1,2,3,4,5}
start slurmctld.log slurmctld -D -i
for i in 1 2 3 4 5; do start "slurmd-n$i.log" slurmd -D -N "n$i"; done
all_idle() { [[ $(sinfo --noheader --Node --states=idle --format=%N | sort -u | wc -l) == 5 ]]; }
until_true all_idle

# ---- The sweep ----

cat >"$place/sweep.json" <<'END'
{
  "name": "sweep",
  "data": {"kind": "synthetic", "train": 2000, "test": 500},
  "model": {"kind": "mlp", "hidden": [32]},
  "cluster": {"workers": [{"name": "w", "count": 4, "speed": "1Gf"}], "server": {"speed": "1Gf"},
              "link": {"bandwidth": "1Gbps", "latency": "10us"}},
  "cost": {"flops_per_sample": "1Mf", "model_size": "100kB"},
  "target": {"accuracy": 0.5},
  "stop": {"samples": 600000},
  "defaults": {"batch_size": 8, "step_size": 0.05},
  "algorithms": [{"name": "sync"}, {"name": "async"}],
  "replicas": 2,
  "sweep": {"/cluster/workers/0/speed": ["1Gf", "2Gf", "3Gf", "4Gf"]}
}
END
cd "$place"
submit() { "$motley" slurm sweep.json --tasks 4 --partition small --out out --submit; }
# A job that comes after the one that merges ends when all is over.
wait_for_merge() {
  local merge
  merge=$(sed -n 's/.*merging as job \([0-9]*\)$/\1/p' <<<"$1")
  sbatch --quiet --wait --dependency="afterany:$merge" --output=/dev/null --wrap true
}

"$motley" slurm sweep.json --tasks 4 --partition small --out out --dry-run >dry.txt
[[ ! -e out ]]
first=$(submit)
cat out/slurm/array.sh <(echo) out/slurm/merge.sh <(echo) | cmp - <(grep -v '^# submitted by: ' dry.txt)
array=$(sed -n 's/.*tasks as job \([0-9]*\),.*/\1/p' <<<"$first")
until_true grep -q ' updates in ' out/slurm/task-2.log # one of its four runs is finished
scancel --signal=KILL --full "${array}_2"
wait_for_merge "$first"
grep -q ' runs are missing; ' out/slurm/merge.log
finished=$(find out/runs -name '*.json' | wc -l)
((finished >= 13 && finished < 16))

second=$(submit)
wait_for_merge "$second"
grep -qx '4 of 4 already done' out/slurm/task-1.log
grep -qx '[123] of 4 already done' out/slurm/task-2.log
[[ $(find out/runs -name '*.json' | wc -l) == 16 ]]

# ---- The same on this machine alone ----

# whatif.csv is among what is compared: the job that merges asks what decides.
"$motley" run sweep.json --out local --quiet >/dev/null
without_wall_time() {
  awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i ~ /^(wall_s|peak_rss_mb)$/) wall[i] = 1 }
    { for (i in wall) $i = ""; print }' "$1/runs.csv"
}
cmp <(without_wall_time out) <(without_wall_time local)
for file in local/*.csv local/plan.json local/scenario.json; do
  [[ $file == local/runs.csv ]] || cmp "$file" "out/${file#local/}"
done
echo "the results of the cluster are those of the local run"

# ---- For real ----

if "$motley" live absent.json 2>&1 | grep -q 'without MPI' || ! command -v mpirun >/dev/null; then
  echo "no live run on the cluster: there is no MPI here"
  exit
fi
cat >live.json <<'END'
{
  "name": "live",
  "data": {"kind": "synthetic", "train": 200, "test": 100, "features": 5, "classes": 3},
  "model": {"kind": "softmax"},
  "cluster": {"workers": [{"name": "gpu", "count": 2, "samples_per_s": 2000}, {"name": "cpu", "samples_per_s": 1000}],
              "server": {"speed": "1Gf"}, "link": {"bandwidth": "10Gbps", "latency": "10us"}},
  "cost": {"flops_per_sample": "1kf", "model_size": "100kB"},
  "stop": {"updates": 12},
  "evaluate": {"every": 4},
  "defaults": {"batch_size": 8, "step_size": 0.1},
  "algorithms": [{"name": "sync"}]
}
END
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PMIX_MCA_gds=hash # jobs get this environment
after() { sbatch --quiet --wait --dependency="afterany:$1" --output=/dev/null --wrap true; }
submit_live() { # OUT ARGUMENTS...
  "$motley" slurm live.json --live --partition large --submit --out "$@" | sed -n 's/.*as job \([0-9]*\).*/\1/p'
}
after "$(submit_live live)"
"$motley" run live.json --out simulated --quiet --no-whatif >/dev/null
learnt() { cut -d, -f1,3-5,8,9 "$1/curves.csv"; }
cmp <(learnt live) <(learnt simulated)
echo "a live run on the cluster learns what the simulation does"

for_long=(--set '/stop={"time": "600s"}')
is_kept() { grep -q '^sync-0,.*failed' "$1/runs.csv" && grep -q 'interrupted by SIGTERM' "$1/slurm/live.log"; }
limited=$(submit_live limited "${for_long[@]}" --time 2) # asked to end a minute before that
after "$limited"
is_kept limited
[[ ! -e limited/unfinished ]]

end_by() { # OUT OPTIONS OF SCANCEL...
  local job
  job=$(submit_live "$1" "${for_long[@]}")
  until_true grep -q 'has begun' "$1/slurm/live.log"
  scancel "${@:2}" "$job"
  after "$job"
  is_kept "$1"
}
end_by ranks_told --signal=TERM

processes() { # RANK OUT: its own and who evaluates models; not those that wait for its end
  local process
  for process in /proc/[0-9]*; do
    if [[ $(cat "$process/comm") == motley ]] && tr '\0' '\n' <"$process/environ" | grep -qx "SLURM_PROCID=$1" &&
      grep -q "$place/$2" "$process/cmdline"; then
      echo "${process#/proc/}"
    fi
  done 2>/dev/null
}

# srun ends the others when a rank is killed; every rank says so, and the killed one is named.
killed=$(submit_live killed "${for_long[@]}")
until_true grep -q 'has begun' killed/slurm/live.log
processes 1 killed | xargs kill -KILL
after "$killed"
is_kept killed
for rank in 0 1 2 3; do grep -q "rank $rank: the run is over: " killed/slurm/live.log; done
grep -q '^sync-0,.*the first to end without a word was gpu-1 (rank 1)' killed/runs.csv

# While models are evaluated: the run is whole, and all of its files are there when the ranks are gone.
is_evaluating() { (($(processes 0 evaluated | wc -l) > 1)); }
evaluated=$(submit_live evaluated --set '/stop={"updates": 100}' --set /evaluate/every=1 --set /data/test=200000 \
  --set /data/features=100)
until_true grep -q 'has begun' evaluated/slurm/live.log
until_true is_evaluating
scancel --signal=TERM "$evaluated"
after "$evaluated"
grep -q '^sync-0,.*,ok,' evaluated/runs.csv
[[ -e evaluated/limits.csv && ! -e evaluated/unfinished ]]
for rank in 0 1 2 3; do grep -q "rank $rank: the job is over: interrupted by SIGTERM" evaluated/slurm/live.log; done

end_by script_told --batch --signal=TERM # as Slurm does before the time limit
# By mpirun, on the node of the script: it takes that for another one, since its name is not this host's.
mkdir without_pmix
printf '#!/bin/sh\nexit 1\n' >without_pmix/srun
chmod +x without_pmix/srun
export OMPI_MCA_plm=^slurm OMPI_MCA_ras=^slurm OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_odls_base_sigkill_timeout=5 # on a busy machine a second is short
PATH=$place/without_pmix:$PATH end_by by_mpirun --batch --signal=TERM
echo "what live runs had measured when Slurm ended them is kept"
